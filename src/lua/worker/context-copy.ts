import { MAX_JSON_DEPTH, setOwn } from "../../core/json.ts";
import { ACCESSOR, isUnreadable, ownData, shown, Unreadable } from "../../core/shown.ts";
import type { Container } from "../../core/shown.ts";
import { shownHost } from "../host-copy.ts";

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
const TOO_DEEP = new Unreadable(`nested deeper than ${MAX_JSON_DEPTH} levels`);

/** What should cross to another thread is larger than may cross. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/**
 * Packs what the host holds, as hooks read it, so that it can cross to another thread. No getter is called,
 * no trap of a Proxy runs, and what hooks cannot look into becomes a part that says why. A part that
 * several others hold, or that holds itself, is sent once; and what was sent is not sent again: the
 * context that came of an edit costs what the edit touched.
 *
 * The list is flat and filled level by level, because the thread's own way of copying recurses: a long
 * chain of objects, each well within the depth that Lua may read, would use the stack up.
 */
export class ContextWriter {
  readonly #maxBytes: number;
  readonly #numbers = new Map<object, number>();
  readonly #originals: unknown[] = [];

  /** @param maxBytes most that one `pack` may send */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws TooLarge; nothing counts as sent then */
  pack(value: unknown): Packed {
    const first = this.#originals.length;
    try {
      return new Packing(this.#numbers, this.#originals, this.#maxBytes).run(value);
    } catch (thrown) {
      for (const original of this.#originals.splice(first)) {
        this.#numbers.delete(original as object);
      }
      throw thrown;
    }
  }

  /** What a part was made of. */
  original(number: number): unknown {
    return this.#originals[number];
  }
}

/** One call of `pack`. */
class Packing {
  readonly #numbers: Map<object, number>;
  /** What the parts are made of, by number; those at the end are still to be packed. */
  readonly #originals: unknown[];
  /** What is read of a part, by number, where it is not the host's own object. */
  readonly #shown = new Map<number, Container | Unreadable>();
  #bytesLeft: number;
  #depth = 0;

  constructor(numbers: Map<object, number>, originals: unknown[], maxBytes: number) {
    this.#numbers = numbers;
    this.#originals = originals;
    this.#bytesLeft = maxBytes;
  }

  run(value: unknown): Packed {
    const originals = this.#originals;
    const parts: PackedPart[] = [];
    let number = originals.length;
    let level = number;
    const root = this.#value(value);
    for (; number < originals.length; number++) {
      // By levels, each part is met first where it is least deep: what is cut off there is out of reach.
      if (number === level) {
        this.#depth++;
        level = originals.length;
      }
      const seen = this.#shown.get(number) ?? (originals[number] as Container);
      if (isUnreadable(seen)) parts.push(["unreadable", seen.what]);
      else parts.push(this.#part(seen));
    }
    return { root, parts };
  }

  #part(value: Container): PackedPart {
    return Array.isArray(value) ? this.#list(value) : this.#object(value);
  }

  #list(list: readonly unknown[]): PackedPart {
    this.#spend(list.length * VALUE_BYTES);
    const part: [PackedPart[0], ...PackedValue[]] = ["list"];
    for (let i = 0; i < list.length; i++) part.push(this.#field(list, i));
    return part;
  }

  #object(object: Container): PackedPart {
    const part: [PackedPart[0], ...PackedValue[]] = ["object"];
    for (const key of Object.keys(object)) {
      this.#spend(key.length + VALUE_BYTES);
      part.push(key, this.#field(object, key));
    }
    return part;
  }

  #field(holder: Container, key: string | number): PackedValue {
    return this.#value(ownData(holder, key));
  }

  #value(value: unknown): PackedValue {
    if (typeof value === "object" && value !== null) return this.#reference(value);
    const seen = shown(value) as Exclude<PackedValue, readonly unknown[]>;
    if (typeof seen === "string") this.#spend(seen.length);
    return seen;
  }

  #reference(value: object): PackedValue {
    const known = this.#numbers.get(value);
    if (known !== undefined) return [known];
    const seen = this.#depth > MAX_JSON_DEPTH ? TOO_DEEP : shownHost(value);
    if (typeof seen !== "object" || seen === null) return this.#value(seen);
    const number = this.#originals.push(value) - 1;
    if (seen !== value) this.#shown.set(number, seen);
    // Another copy of it may be less deep.
    if (!isUnreadable(seen)) this.#numbers.set(value, number);
    return [number];
  }

  #spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new TooLarge("it is too large to cross to the worker thread");
  }
}

/** Makes of what one writer packed what it was made of. */
export class ContextReader {
  readonly #made: object[] = [];
  #numbers: Map<unknown, number> | undefined;

  unpack({ root, parts }: Packed): unknown {
    const first = this.#made.length;
    for (const [kind, what] of parts) {
      if (kind === "unreadable") this.#made.push(new Unreadable(String(what)));
      else this.#made.push(kind === "list" ? [] : {});
    }
    parts.forEach((part, i) => this.#fill(part, this.#made[first + i] as object));
    this.#numbers = undefined;
    return this.#value(root);
  }

  /** The number of a part, for something that was made of one. */
  numberOf(value: unknown): number | undefined {
    // Made when it is wanted: most hooks give back nothing that was theirs to read.
    this.#numbers ??= new Map(this.#made.map((made, number) => [made, number]));
    return this.#numbers.get(value);
  }

  #fill(part: PackedPart, made: object): void {
    if (part[0] === "list") {
      for (let i = 1; i < part.length; i++) this.#set(made, i - 1, part[i]);
    } else if (part[0] === "object") {
      for (let i = 1; i < part.length; i += 2) this.#set(made, part[i] as string, part[i + 1]);
    }
  }

  #set(made: object, key: string | number, packed: PackedValue): void {
    const value = this.#value(packed);
    if (value instanceof Unreadable && value.what === ACCESSOR.what) {
      // As an accessor it is told from data by whoever looks, as the host's own is.
      Object.defineProperty(made, key, { get: () => undefined, enumerable: true });
    } else if (Array.isArray(made)) made[key as number] = value;
    else setOwn(made as Record<string, unknown>, key as string, value);
  }

  #value(value: PackedValue): unknown {
    return typeof value === "object" && value !== null ? this.#made[value[0]] : value;
  }
}
