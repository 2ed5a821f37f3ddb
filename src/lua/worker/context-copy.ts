import { MAX_JSON_DEPTH, setOwn } from "../../core/json.ts";
import { unreadable } from "../host-copy.ts";
import { Unreadable } from "../unreadable.ts";

/** A value under a key: a scalar as it is, or the number of a part in brackets. */
export type PackedValue = string | number | boolean | null | undefined | readonly [part: number];

/** One part: an object (keys and values in turn), a list, or the reason why it cannot be read. */
export type PackedPart = readonly [kind: "o" | "l" | "u", ...values: PackedValue[]];

/** A graph of objects as a flat list of parts, numbered on from what was sent before. */
export interface Packed {
  readonly root: number;
  readonly parts: readonly PackedPart[];
}

/** Cost of a value besides its text, in bytes. */
const VALUE_BYTES = 16;

/** Thrown by `pack`: what should cross is larger than may cross. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/**
 * Packs what the host holds so that it can cross to another thread. Own enumerable data only: no getter
 * is called and no trap of a Proxy runs, and what has no JSON form becomes a part that says why. A part
 * that several refer to, or that holds itself, is sent once. What one writer has sent it does not send
 * again: the context that came of an edit costs what the edit touched.
 *
 * Parts are a flat list, filled level by level, because the thread's own copying recurses: a long chain
 * of objects, each well within the depth that Lua may read, would exhaust the stack.
 */
export class ContextWriter {
  readonly #maxBytes: number;
  readonly #numbers = new Map<object, number>();
  #count = 0;

  /** @param maxBytes most that one call of `pack` may send */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws TooLarge; nothing counts as sent then */
  pack(root: object): Packed {
    const packing = new Packing(this.#numbers, this.#count, this.#maxBytes);
    try {
      const packed = packing.run(root);
      this.#count += packed.parts.length;
      return packed;
    } catch (thrown) {
      for (const value of packing.queue) this.#numbers.delete(value);
      throw thrown;
    }
  }
}

class Packing {
  /** Objects of the parts after `parts`, in their order. */
  readonly queue: object[] = [];
  readonly #numbers: Map<object, number>;
  readonly #parts: PackedPart[] = [];
  readonly #first: number;
  /** Values that are no containers, by the number of their part. */
  readonly #leaves = new Map<number, string>();
  #bytesLeft: number;

  constructor(numbers: Map<object, number>, first: number, maxBytes: number) {
    this.#numbers = numbers;
    this.#first = first;
    this.#bytesLeft = maxBytes;
  }

  run(root: object): Packed {
    const parts = this.#parts;
    return { root: this.#numberOf(root), parts };
  }

  #numberOf(value: object): number {
    return this.#numbers.get(value) ?? 0;
  }
}
