import { MAX_JSON_DEPTH, setOwn } from "../../core/json.ts";
import { unreadable } from "../host-copy.ts";
import { Unreadable } from "../unreadable.ts";

/** A value under a key: a scalar as it is, or the number of a part in brackets. */
type PackedValue = string | number | boolean | null | undefined | readonly [part: number];

/** One part: an object (keys and values in turn), a list, or why it cannot be read. */
type PackedPart = readonly [kind: "object" | "list" | "unreadable", ...values: PackedValue[]];

/** A graph of objects as a flat list of parts, numbered on from those sent before. */
export interface Packed {
  readonly root: PackedValue;
  readonly parts: readonly PackedPart[];
}

/** What a value counts besides its text, in bytes. */
const VALUE_BYTES = 16;
const TOO_DEEP = `nested deeper than ${MAX_JSON_DEPTH} levels`;

/** What should cross to another thread is larger than may cross. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/**
 * Packs what the host holds so that it can cross to another thread. Own enumerable data only: no getter
 * is called, no trap of a Proxy runs, and what has no JSON form becomes a part that says why. A part that
 * several others hold, or that holds itself, is sent once; and what was sent is not sent again: the
 * context that came of an edit costs what the edit touched.
 *
 * The list is flat and filled level by level, because the thread's own way of copying recurses: a long
 * chain of objects, each well within the depth that Lua may read, would use the stack up.
 */
export class ContextWriter {
  readonly #maxBytes: number;
  readonly #numbers = new Map<object, number>();
  #count = 0;

  /** @param maxBytes most that one `pack` may send */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws TooLarge; nothing counts as sent then */
  pack(value: unknown): Packed {
    const packing = new Packing(this.#numbers, this.#count, this.#maxBytes);
    try {
      const packed = packing.run(value);
      this.#count += packed.parts.length;
      return packed;
    } catch (thrown) {
      for (const part of packing.queue) this.#numbers.delete(part);
      throw thrown;
    }
  }
}

/** One call of `pack`. */
class Packing {
  /** What the new parts are made of, in the order of their numbers. */
  readonly queue: object[] = [];
  readonly #numbers: Map<object, number>;
  readonly #first: number;
  #bytesLeft: number;
  #depth = 0;

  constructor(numbers: Map<object, number>, first: number, maxBytes: number) {
    this.#numbers = numbers;
    this.#first = first;
    this.#bytesLeft = maxBytes;
  }

  run(value: unknown): Packed {
    const { queue } = this;
    const parts: PackedPart[] = [];
    const root = this.#value(value);
    for (let i = 0, level = 0; i < queue.length; i++) {
      // By levels, each part is met first where it is least deep: what is cut off there is out of reach.
      if (i === level) {
        this.#depth++;
        level = queue.length;
      }
      parts.push(this.#part(queue[i] as object));
    }
    return { root, parts };
  }

  #part(value: object): PackedPart {
    if (value instanceof Unreadable) return ["unreadable", value.what];
    return Array.isArray(value) ? this.#list(value) : this.#object(value);
  }

  #list(list: readonly unknown[]): PackedPart {
    this.#spend(list.length * VALUE_BYTES);
    const part: [PackedPart[0], ...PackedValue[]] = ["list"];
    for (let i = 0; i < list.length; i++) part.push(this.#field(list, i));
    return part;
  }

  #object(object: object): PackedPart {
    const part: [PackedPart[0], ...PackedValue[]] = ["object"];
    for (const key of Object.keys(object)) {
      this.#spend(key.length + VALUE_BYTES);
      part.push(key, this.#field(object, key));
    }
    return part;
  }

  #field(holder: object, key: string | number): PackedValue {
    const found = Object.getOwnPropertyDescriptor(holder, key);
    if (found && !("value" in found)) return this.#unreadable("an accessor");
    return this.#value(found?.value);
  }

  #value(value: unknown): PackedValue {
    switch (typeof value) {
      case "string":
        this.#spend(value.length);
        return value;
      case "number":
      case "boolean":
      case "undefined":
        return value;
      case "object":
        return value === null ? null : this.#reference(value);
      default:
        return this.#unreadable(`a ${typeof value}`);
    }
  }

  #reference(value: object): PackedValue {
    const known = this.#numbers.get(value);
    if (known !== undefined) return [known];
    const why = this.#depth > MAX_JSON_DEPTH ? TOO_DEEP : unreadable(value);
    if (why !== undefined) return this.#unreadable(why);
    const number = this.#first + this.queue.length;
    this.#numbers.set(value, number);
    this.queue.push(value);
    return [number];
  }

  #unreadable(what: string): PackedValue {
    return [this.#first + this.queue.push(new Unreadable(what)) - 1];
  }

  #spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new TooLarge("it is too large to cross to the worker thread");
  }
}

/** Makes of what one writer packed what it was made of. */
export class ContextReader {
  readonly #made: object[] = [];

  unpack({ root, parts }: Packed): unknown {
    const first = this.#made.length;
    for (const [kind, what] of parts) {
      if (kind === "unreadable") this.#made.push(new Unreadable(String(what)));
      else this.#made.push(kind === "list" ? [] : {});
    }
    parts.forEach((part, i) => this.#fill(part, this.#made[first + i] as object));
    return this.#value(root);
  }

  #fill(part: PackedPart, made: object): void {
    if (part[0] === "list") {
      for (let i = 1; i < part.length; i++) (made as unknown[]).push(this.#value(part[i]));
    } else if (part[0] === "object") {
      for (let i = 1; i < part.length; i += 2) {
        setOwn(made as Record<string, unknown>, part[i] as string, this.#value(part[i + 1]));
      }
    }
  }

  #value(value: PackedValue): unknown {
    return typeof value === "object" && value !== null ? this.#made[value[0]] : value;
  }
}
