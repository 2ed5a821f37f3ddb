import {
  ACCESSOR,
  getOwn,
  isUnreadable,
  MAX_JSON_DEPTH,
  ownData,
  setOwn,
  shown,
  Unreadable,
} from "../../../core/index.ts";
import type { Container, Edit } from "../../../core/index.ts";
import { LaterPart, type ReadPart, shownHost } from "../context-view.ts";

/** A value under a key: a scalar, or the number of a part in brackets. */
type PackedValue = string | number | boolean | null | undefined | readonly [part: number];

/** One part: an object (keys and values in turn), a list, a long text, or why it cannot be read. */
type PackedPart = readonly [
  kind: "object" | "list" | "text" | "unreadable",
  ...values: PackedValue[],
];

/** A graph of objects as a flat list of parts. Referenced parts were sent before, or can be requested. */
export interface Packed {
  readonly root: PackedValue;
  readonly parts: readonly PackedPart[];
  /** The numbers of the parts. */
  readonly numbers: readonly number[];
}

/** Size of a value besides its text, in bytes. */
const VALUE_BYTES = 16;
const TOO_DEEP = new Unreadable(`nested deeper than ${MAX_JSON_DEPTH} levels`);

/** A value is too large to be sent to another thread. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** A longer text is a part of its own. */
const LONG_TEXT = 1024;
/** Amount that is sent without a request, in bytes; it is multiplied with each request. */
const UNASKED = 8192;
const MORE = 4;

/**
 * Packs host values, as hooks read them, so that they can be sent to another thread. No getter is called, no trap of a
 * Proxy runs, and a value that hooks cannot read becomes a part with the reason. A part with several references, or
 * with a reference to itself, is sent once, and never again: the context after an edit costs what the edit touched.
 * The list is flat and filled level by level, because structured cloning recurses: a long chain of objects, each within
 * the depth that Lua can read, would overflow the stack.
 */
export class ContextWriter {
  readonly #maxBytes: number;
  readonly #numbers = new Map<object, number>();
  readonly #originals: unknown[] = [];
  /** Parts that were referenced but not sent, in the order of their numbers, with their content. */
  readonly #unsent = new Map<number, ReadPart>();
  /** Whether the other side requests parts when it reads them, so that few are sent at first. */
  readonly #asks: boolean;
  #unasked = UNASKED;
  #bytesLeft = 0;
  /** Of what is being packed. */
  #depth = 0;

  /** @param maxBytes limit of one `pack` with all later requests */
  constructor(maxBytes: number, parts: "whole" | "asked" = "whole") {
    this.#maxBytes = maxBytes;
    this.#asks = parts === "asked";
  }

  /** @throws TooLarge; nothing counts as sent then */
  pack(value: unknown): Packed {
    const first = this.#originals.length;
    this.#bytesLeft = this.#maxBytes;
    this.#depth = 0;
    try {
      const root = this.#value(value);
      return this.#run(root, first, this.#asks ? this.#unasked : Infinity);
    } catch (thrown) {
      for (const [i, original] of this.#originals.splice(first).entries()) {
        this.#numbers.delete(original as object);
        this.#unsent.delete(first + i);
      }
      throw thrown;
    }
  }

  /**
   * A requested part, with some of those found after it, which are likely to be next.
   * @throws TooLarge
   */
  part(number: number): Packed {
    this.#unasked *= MORE;
    // Unrequested parts leave room for requested ones.
    const most = Math.min(this.#unasked, this.#bytesLeft / 2);
    this.#depth = 0;
    return this.#run(undefined, number, most);
  }

  /** The original value of a part. */
  original(number: number): unknown {
    return this.#originals[number];
  }

  /**
   * @param wanted the part to send first, whatever its size; parts with smaller numbers are not sent
   * @param most approximate size of the others, in bytes
   */
  #run(root: PackedValue, wanted: number, most: number): Packed {
    const parts: PackedPart[] = [];
    const numbers: number[] = [];
    let left = most;
    // Level by level, each part is first found at its least depth: what is cut off there is out of reach.
    let level = this.#originals.length;
    this.#depth++;
    const send = (number: number, seen: ReadPart): void => {
      parts.push(this.#part(seen));
      numbers.push(number);
      this.#unsent.delete(number);
      left -= sizeOf(seen);
    };
    const first = this.#unsent.get(wanted);
    if (first !== undefined) send(wanted, first);
    // In the order of their numbers; newly found ones come last.
    for (const [number, seen] of this.#unsent) {
      if (number < wanted) continue;
      if (number >= level) {
        this.#depth++;
        level = this.#originals.length;
      }
      if (isUnreadable(seen) || (left > 0 && sizeOf(seen) <= left)) send(number, seen);
    }
    return { root, parts, numbers };
  }

  #part(seen: ReadPart): PackedPart {
    if (typeof seen === "string") {
      this.#spend(seen.length);
      return ["text", seen];
    }
    if (isUnreadable(seen)) return ["unreadable", seen.what];
    return Array.isArray(seen) ? this.#list(seen) : this.#object(seen);
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

  #spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new TooLarge("it is too large to copy to the worker thread");
  }

  #value(value: unknown): PackedValue {
    if (typeof value === "object" && value !== null) return this.#reference(value);
    const seen = shown(value) as Exclude<PackedValue, readonly unknown[]>;
    if (typeof seen !== "string") return seen;
    if (this.#asks && seen.length > LONG_TEXT) return [this.#unsentPart(seen, seen)];
    this.#spend(seen.length);
    return seen;
  }

  #reference(value: object): PackedValue {
    const known = this.#numbers.get(value);
    if (known !== undefined) return [known];
    // If parts are requested, the reader checks the depth.
    const isTooDeep = !this.#asks && this.#depth > MAX_JSON_DEPTH;
    const seen = isTooDeep ? TOO_DEEP : shownHost(value);
    if (typeof seen !== "object" || seen === null) return this.#value(seen);
    const number = this.#unsentPart(value, seen);
    // Another reference to it may be less deep.
    if (!isUnreadable(seen)) this.#numbers.set(value, number);
    return [number];
  }

  #unsentPart(original: unknown, seen: ReadPart): number {
    const number = this.#originals.push(original) - 1;
    this.#unsent.set(number, seen);
    return number;
  }
}

/** Approximate size of a part in bytes: without its own parts, and for an object without its texts. */
function sizeOf(seen: ReadPart): number {
  if (typeof seen === "string") return seen.length;
  if (Array.isArray(seen)) return seen.length * VALUE_BYTES;
  return isUnreadable(seen) ? VALUE_BYTES : Object.keys(seen).length * 2 * VALUE_BYTES;
}

/** Restores the values that a writer packed. */
export class ContextReader {
  /** By number: the restored value, or its placeholder if it was referenced before it arrived. */
  readonly #made: (ReadPart | LaterPart)[] = [];
  readonly #ask: (number: number) => Packed | undefined;
  #numbers: Map<unknown, number> | undefined;

  /** @param ask requests a missing part; without it, all parts come at once */
  constructor(ask: (number: number) => Packed | undefined = () => undefined) {
    this.#ask = ask;
  }

  unpack({ root, parts, numbers }: Packed): unknown {
    const fresh = parts.map(([kind, what], i) => {
      const made = emptyPart(kind, what);
      const number = numbers[i] as number;
      const later = this.#made[number];
      if (later instanceof LaterPart) later.arrive(made);
      else this.#made[number] = made;
      return made;
    });
    parts.forEach((part, i) => this.#fill(part, fresh[i] as object));
    this.#numbers = undefined;
    return this.#value(root);
  }

  /** The number of the part that a value was restored from. */
  numberOf(value: unknown): number | undefined {
    // Created on first use: most hooks return nothing of what they read.
    if (!this.#numbers) {
      this.#numbers = new Map();
      for (const [number, made] of this.#made.entries()) {
        this.#numbers.set(made, number);
        if (made instanceof LaterPart && typeof made.arrived === "object") {
          this.#numbers.set(made.arrived, number);
        }
      }
    }
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
      // As an accessor, it can be told from data, like the host's own.
      Object.defineProperty(made, key, { get: () => undefined, enumerable: true });
    } else if (Array.isArray(made)) made[key as number] = value;
    else setOwn(made as Record<string, unknown>, key as string, value);
  }

  #value(value: PackedValue): unknown {
    if (typeof value !== "object" || value === null) return value;
    const [number] = value;
    return (this.#made[number] ??= new LaterPart(() => {
      const packed = this.#ask(number);
      if (packed) this.unpack(packed);
    }));
  }
}

function emptyPart(kind: PackedPart[0], what: PackedValue): ReadPart {
  if (kind === "unreadable") return new Unreadable(String(what));
  if (kind === "text") return what as string;
  return kind === "list" ? [] : {};
}

/** A position in a list of edits with a part of the context that the host has, by its number. */
export type SharedPart = readonly [part: number, ...path: (string | number)[]];

type SharedContainer = Record<string, unknown> | unknown[];

/**
 * Take parts shared with the context out of edits: a list that grew by one item still contains the host's other items,
 * and they must come back as the identical objects (a Date among them has no copy).
 * @param numberOf returns the number of a part of the context
 */
export function takeOutShared(
  edits: readonly Edit[],
  numberOf: (value: unknown) => number | undefined,
): { edits: readonly Edit[]; shared: readonly SharedPart[] } {
  const shared: SharedPart[] = [];
  if (!edits.some(({ value }) => typeof value === "object" && value !== null)) {
    return { edits, shared };
  }
  const walk = (container: SharedContainer, path: (string | number)[]): void => {
    for (const [key, value] of Object.entries(container)) {
      if (typeof value !== "object" || value === null) continue;
      const number = numberOf(value);
      if (number === undefined) walk(value as SharedContainer, [...path, key]);
      else {
        shared.push([number, ...path, key]);
        put(container, key, null);
      }
    }
  };
  const own = edits.map((edit) => ({ ...edit }));
  own.forEach((edit, i) => walk(edit, [i]));
  return { edits: own, shared };
}

/** Put the shared parts back. */
export function putBackShared(
  edits: readonly Edit[],
  shared: readonly SharedPart[],
  original: (part: number) => unknown,
): void {
  for (const [part, ...path] of shared) {
    let at = edits as unknown as SharedContainer;
    for (const key of path.slice(0, -1)) {
      at = getOwn(at as Record<string, unknown>, String(key)) as SharedContainer;
    }
    put(at, String(path.at(-1)), original(part));
  }
}

function put(container: SharedContainer, key: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else setOwn(container, key, value);
}
