import {
  isAnyArrayBuffer,
  isBoxedPrimitive,
  isDataView,
  isDate,
  isGeneratorObject,
  isInt8Array,
  isMap,
  isMapIterator,
  isNativeError,
  isPromise,
  isProxy,
  isSet,
  isSetIterator,
  isTypedArray,
  isUint8Array,
  isUint8ClampedArray,
} from "node:util/types";
import type { HookContext } from "./context.ts";
import { isPlainObject, type Json, jsonPointer, MAX_JSON_DEPTH, setOwn } from "./json.ts";
import type { Phase } from "./points.ts";

/** What hooks read of an object: its keys are own enumerable ones, or it is a list. */
export type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/** What hooks read of a value, one level deep: what a container holds is shown when it is read. */
type Shown = null | undefined | boolean | number | string | Container | Unreadable;

/**
 * What hooks cannot look into, such as an accessor, a promise or a stream: they read null, or it is an error.
 * Also stands for such a value in a copy of a context.
 */
export class Unreadable {
  /** As messages name it: "a promise". */
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

/** An own property with a getter or a setter. To read it would run the program's code. */
export const ACCESSOR = new Unreadable("an accessor");
/** Traps are the program's code, too. */
export const PROXY = new Unreadable("a Proxy");

/** So many entries of a Map or Set, or bytes of a buffer, are converted at most. */
const MOST_SHOWN = 2 ** 24;

interface KindOfObject {
  /** As the table in the docs names it. */
  readonly kind: string;
  /** As what it is read, in the words of the docs. */
  readonly readAs: string;
  is(value: object): boolean;
  show(value: object): Shown;
}

/**
 * The one table of what hooks read of objects that are neither plain nor lists, whatever runs the hook. The first
 * row that holds counts; what no row is for is an instance, and read as its own enumerable data. None of it runs
 * code of the program's: what a class adds to a built-in is not asked.
 */
export const KINDS_OF_OBJECTS: readonly KindOfObject[] = [
  {
    kind: "`Date`",
    readAs: "its ISO string, or `null` if it is invalid",
    is: isDate,
    show: (value) => {
      const isValid = !Number.isNaN(Date.prototype.getTime.call(value));
      return isValid ? Date.prototype.toISOString.call(value) : null;
    },
  },
  {
    kind: "`Map`",
    readAs: "a list of pairs `[key, value]`",
    is: isMap,
    show: (value) => entriesOf(value as ReadonlyMap<unknown, unknown>),
  },
  {
    kind: "`Set`",
    readAs: "a list",
    is: isSet,
    show: (value) => itemsOf(value as ReadonlySet<unknown>),
  },
  {
    kind: "`Error`",
    readAs: "an object: `name`, `message`, `cause`, `errors`, and its own enumerable data",
    is: isNativeError,
    show: errorData,
  },
  {
    kind: "`Buffer`, `Uint8Array`, `ArrayBuffer` and other bytes",
    readAs: "text, as UTF-8; invalid bytes read as U+FFFD",
    is: isBytes,
    show: textOfBytes,
  },
  {
    kind: "other typed arrays",
    readAs: "a list of numbers",
    is: isTypedArray,
    show: numbersOf,
  },
  {
    kind: "`new String(…)` and other boxed values",
    readAs: "the wrapped value",
    is: isBoxedPrimitive,
    show: unboxed,
  },
  {
    kind: "`URL`, `URLSearchParams`",
    readAs: "its string",
    is: (value) => textOfUrl(value) !== undefined,
    show: textOfUrl,
  },
  {
    kind: "a promise",
    readAs: "not readable",
    is: isPromise,
    show: () => new Unreadable("a promise"),
  },
  {
    kind: "a generator, an iterator",
    readAs: "not readable (except as the whole result of a tool: see streams)",
    is: (value) => isGeneratorObject(value) || isMapIterator(value) || isSetIterator(value),
    show: () => new Unreadable("an iterator"),
  },
  {
    kind: "a stream, any other iterable, `Response`, `Request`, `Headers`, `FormData`, `Blob`",
    readAs: "not readable (except a stream as the whole result of a tool: see streams)",
    is: isStreamLike,
    show: () => new Unreadable("a stream"),
  },
];

/**
 * A value as hooks read it, one level deep: text, numbers and such, a container, or what cannot be read. A list,
 * a plain object and an instance are their own containers; of what they hold, `ownData` reads.
 */
export function shown(value: unknown): Shown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return BigInt.prototype.toString.call(value);
    case "object":
      return value === null ? null : shownObject(value);
    default:
      // Functions and symbols.
      return null;
  }
}

/** As `shown`, of an object. */
export function shownObject(
  value: object,
): Container | string | number | boolean | null | Unreadable {
  if (Array.isArray(value)) return value;
  if (isPlainObject(value)) {
    // A literal with `[Symbol.asyncIterator]` is a stream all the same.
    return Symbol.asyncIterator in value || Symbol.iterator in value
      ? new Unreadable("an iterator")
      : value;
  }
  if (isProxy(value)) return PROXY;
  if (isUnreadable(value)) return value;
  for (const kind of KINDS_OF_OBJECTS) if (kind.is(value)) return kind.show(value) ?? null;
  return value as Container;
}

/** Whether hooks cannot look into what is shown of a value. */
export function isUnreadable(value: unknown): value is Unreadable {
  return (
    typeof value === "object" &&
    value !== null &&
    !isProxy(value) &&
    // Not with instanceof, which would ask a Proxy among the prototypes.
    Object.getPrototypeOf(value) === Unreadable.prototype
  );
}

/** Whether hooks read a value as an object or a list. */
export function isContainer(value: Shown): value is Container {
  if (typeof value !== "object" || value === null) return false;
  // Most are plain, which is known sooner than what they are not.
  return Array.isArray(value) || isPlainObject(value) || !isUnreadable(value);
}

/**
 * What a container holds under a key, before it is shown: undefined where there is nothing. Own enumerable data
 * alone, and no accessor is run.
 */
export function ownData(container: Container, key: string | number): unknown {
  const found = Object.getOwnPropertyDescriptor(container, key);
  if (found === undefined) return undefined;
  if (!("value" in found)) return found.enumerable === true ? ACCESSOR : undefined;
  return found.enumerable === true ? (found.value as unknown) : undefined;
}

/**
 * What a condition is held against: what a container shows under a key.
 * @throws Error where hooks cannot look: a guard that cannot look must not be passed
 */
export function shownUnder(container: Container, key: string | number): Shown {
  const seen = shown(ownData(container, key));
  if (!isUnreadable(seen)) return seen;
  throw new Error(`${key} is ${seen.what}, which a hook cannot read`);
}

/**
 * A copy that may be written to: a list of a list, a plain object of anything else. Accessors stay accessors, and
 * none is run.
 */
export function copyContainer(container: Container): Record<string, unknown> | unknown[] {
  if (Array.isArray(container)) {
    const list = Array.from<unknown>({ length: container.length });
    for (let i = 0; i < list.length; i++) copyProperty(list, container, String(i));
    return list;
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(container)) copyProperty(copy, container, key);
  return copy;
}

/** Copy one own property, as what it is. */
function copyProperty(to: object, from: object, key: string): void {
  const found = Object.getOwnPropertyDescriptor(from, key);
  if (!found) return;
  if (key !== "__proto__" && "value" in found) (to as Record<string, unknown>)[key] = found.value;
  else if ("value" in found)
    Object.defineProperty(to, key, { ...found, writable: true, configurable: true });
  else Object.defineProperty(to, key, { ...found, configurable: true });
}

/** So much is compared at most; beyond it, what was written stands as it was written. */
const MOST_COMPARED = 2 ** 20;
const MOST_LEVELS = 64;

/**
 * What stands where a hook wrote `is` in the place of `was`: the parts that hooks read the same stay what they were,
 * the program's own objects (a Date, an instance), and what reads differently becomes plain data. Where nothing
 * does, it is `was`.
 */
export function keptParts(was: unknown, is: unknown): unknown {
  return keep(was, is, 0, { left: MOST_COMPARED });
}

function keep(was: unknown, is: unknown, depth: number, budget: { left: number }): unknown {
  if (is === was || was === undefined || --budget.left < 0 || depth > MOST_LEVELS) return is;
  const seen = shown(was);
  if (typeof is !== "object" || is === null) {
    const read = isUnreadable(seen) ? null : seen;
    return Object.is(read, is) ? was : is;
  }
  const isList = Array.isArray(is);
  if (!isContainer(seen) || isList !== Array.isArray(seen)) return is;
  if (!isList && !isPlainObject(is)) return is;
  const keys = Object.keys(is);
  const size = isList
    ? (seen as readonly unknown[]).length
    : Object.keys(seen).filter((key) => ownData(seen, key) !== undefined).length;
  let isSame = keys.length === size;
  let isOwn = true;
  const copy: Container = isList ? Array.from({ length: is.length }) : {};
  for (const key of keys) {
    const before = ownData(seen, key);
    const item = ownData(is, key);
    const kept = keep(before, item, depth + 1, budget);
    isSame &&= before !== undefined && Object.is(before, kept);
    isOwn &&= Object.is(item, kept);
    // An accessor, which reads as null, can be kept with all the rest alone.
    setOwn(copy as Record<string, unknown>, key, kept === ACCESSOR ? item : kept);
  }
  if (isSame) return was;
  return isOwn ? is : copy;
}

/** What is beyond what can be converted at once. */
function within(size: number): Unreadable | undefined {
  return size > MOST_SHOWN ? new Unreadable("beyond the size limit") : undefined;
}

function entriesOf(map: ReadonlyMap<unknown, unknown>): Shown {
  const tooLarge = within(builtIn(Map.prototype, "size", map) as number);
  if (tooLarge) return tooLarge;
  const pairs: unknown[] = [];
  Map.prototype.forEach.call(map, (item: unknown, key: unknown) => pairs.push([key, item]));
  return withOwnData(map, pairs);
}

function itemsOf(set: ReadonlySet<unknown>): Shown {
  const tooLarge = within(builtIn(Set.prototype, "size", set) as number);
  if (tooLarge) return tooLarge;
  const items: unknown[] = [];
  Set.prototype.forEach.call(set as Set<unknown>, (item: unknown) => items.push(item));
  return withOwnData(set, items);
}

/** What a `Map` or `Set` has besides its entries is data, too: JSON shows nothing else of them. */
function withOwnData(of: object, entries: readonly unknown[]): Container {
  const keys = Object.keys(of);
  if (keys.length === 0) return entries;
  const data: Record<string, unknown> = { entries };
  for (const key of keys) copyProperty(data, of, key);
  return data;
}

/** A property as the built-in class has it, not as a class of the program's says. */
function builtIn(prototype: object, key: string, of: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, key)?.get?.call(of) as unknown;
}

/** What an error says is not enumerable, and is what people read of it. */
function errorData(error: object): Container {
  const data: Record<string, unknown> = {};
  const name = dataInChain(error, "name");
  if (typeof name === "string") data["name"] = name;
  for (const key of ["message", "cause", "errors"]) {
    const found = Object.getOwnPropertyDescriptor(error, key);
    if (found) data[key] = "value" in found ? found.value : ACCESSOR;
  }
  for (const key of Object.keys(error)) copyProperty(data, error, key);
  return data;
}

/** An object and its prototypes, as far as they can be known without running code: not past a Proxy. */
function chainOf(value: object): object[] {
  const chain: object[] = [];
  for (let at: object | null = value; at && !isProxy(at);) {
    chain.push(at);
    at = Object.getPrototypeOf(at) as object | null;
  }
  return chain;
}

/** Whether a property of a name stands along the prototypes. */
function isInChain(value: object, key: PropertyKey): boolean {
  return chainOf(value).some((at) => Object.hasOwn(at, key));
}

/** The first property of a name along the prototypes, where it is data. */
function dataInChain(value: object, key: PropertyKey): unknown {
  const holder = chainOf(value).find((at) => Object.hasOwn(at, key)) ?? {};
  return Object.getOwnPropertyDescriptor(holder, key)?.value as unknown;
}

/** By their own names, since to name these classes would load them. */
const STREAM_LIKE = new Set(["Response", "Request", "Headers", "FormData", "Blob", "File"]);

function isStreamLike(value: object): boolean {
  if (isInChain(value, Symbol.asyncIterator)) return true;
  if (isInChain(value, Symbol.iterator)) return true;
  const tag = dataInChain(value, Symbol.toStringTag);
  return typeof tag === "string" && STREAM_LIKE.has(tag);
}

/** Whether an object is bytes, which are read as text. */
export function isBytes(value: object): boolean {
  const isByteArray = isUint8Array(value) || isUint8ClampedArray(value) || isInt8Array(value);
  return isByteArray || isDataView(value) || isAnyArrayBuffer(value);
}

function textOfBytes(value: object): Shown {
  const bytes = bytesOf(value);
  // A copy: what other threads may write to cannot be decoded.
  return within(bytes.length) ?? new TextDecoder().decode(new Uint8Array(bytes));
}

/** The bytes of what is `isBytes`, shared with it. */
export function bytesOf(value: object): Uint8Array {
  if (isAnyArrayBuffer(value)) return new Uint8Array(value as ArrayBuffer);
  const prototype: object = isDataView(value) ? DataView.prototype : TYPED_ARRAY;
  const [buffer, from, length] = ["buffer", "byteOffset", "byteLength"].map((key) =>
    builtIn(prototype, key, value),
  );
  return new Uint8Array(buffer as ArrayBuffer, from as number, length as number);
}

/** Of all typed arrays. */
const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

function numbersOf(value: object): Shown {
  const length = builtIn(TYPED_ARRAY, "length", value) as number;
  const tooLarge = within(length);
  if (tooLarge) return tooLarge;
  return Array.from({ length }, (_, i) => (value as Float64Array)[i]);
}

function unboxed(value: object): Shown {
  for (const { prototype } of [String, Number, Boolean, BigInt, Symbol]) {
    try {
      return shown((prototype.valueOf as (this: unknown) => unknown).call(value));
    } catch {
      // In another box.
    }
  }
  return null;
}

/** What they say themselves, whatever a class of its own adds; undefined for any other object. */
function textOfUrl(value: object): string | undefined {
  const chain = chainOf(value);
  for (const { prototype } of [URL, URLSearchParams]) {
    if (!chain.includes(prototype)) continue;
    try {
      return prototype.toString.call(value);
    } catch {
      // It has the prototype, and is none.
    }
  }
  return undefined;
}

/**
 * A result with what `JSON.stringify` makes of objects with a method `toJSON`, which is what a model gets of it: a hook
 * that cannot see it would mask nothing. A part without such objects stays the program's own. Dates, addresses and
 * bytes are read in other ways (`KINDS_OF_OBJECTS`).
 */
export function withToJson(value: unknown): unknown {
  return spoken(value, 0, new Set());
}

function spoken(value: unknown, depth: number, known: Set<object>): unknown {
  if (typeof value !== "object" || value === null || isProxy(value)) return value;
  if (depth > MAX_JSON_DEPTH || known.has(value)) return value;
  known.add(value);
  const isPlain = Array.isArray(value) || isPlainObject(value);
  if (isPlain ? Object.hasOwn(value, "toJSON") : isInChain(value, "toJSON")) {
    const method = dataInChain(value, "toJSON");
    const isRead = isDate(value) || isBytes(value) || textOfUrl(value) !== undefined;
    if (isRead || typeof method !== "function") return value;
    try {
      return spoken(Reflect.apply(method, value, [""]), depth + 1, known);
    } catch {
      return new Unreadable("an object whose toJSON throws");
    }
  }
  if (!isPlain && shownObject(value) !== value) return value;
  let copy: ReturnType<typeof copyContainer> | undefined;
  for (const key of Object.keys(value)) {
    const item = ownData(value as Container, key);
    const said = spoken(item, depth + 1, known);
    if (said !== item)
      setOwn((copy ??= copyContainer(value as Container)) as Record<string, unknown>, key, said);
  }
  return copy ?? value;
}

type Path = readonly (string | number)[];

/** Thrown by `toJson`: what is wrong, and where. */
export class NotJson extends Error {
  override readonly name = "NotJson";

  constructor(why: string, path: Path) {
    super(`${jsonPointer(path) || "the value"} ${why}`);
  }
}

/** What stands behind an object that is known to be good already. */
type Lookup = (value: object, path: Path) => Json | undefined;

/**
 * A value of a program as JSON: checked, and copied only by what is checked. Keys with undefined are
 * left out, as `JSON.stringify` does; anything else that JSON has no word for is refused rather than
 * dropped.
 *
 * @param lookup returns the JSON value that stands behind an object already known to be good, such as
 *   an untouched part of a context; that part is neither walked nor copied.
 * @param at where the value stands, for messages
 * @throws NotJson for a function, symbol, bigint, NaN, ±Infinity, a class instance, a hole in a list, a
 *   cycle, or a depth beyond 32.
 */
export function toJson(value: unknown, lookup: Lookup = () => undefined, at: Path = []): Json {
  return convert(value, at, new Set(), lookup);
}

function convert(value: unknown, path: Path, open: Set<object>, lookup: Lookup): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new NotJson(`is ${value}, which JSON cannot represent`, path);
    return value;
  }
  if (typeof value !== "object") throw new NotJson(`is of type ${typeof value}`, path);
  const known = lookup(value, path);
  if (known !== undefined) return known;
  if (open.has(value)) throw new NotJson("is a circular reference", path);
  if (open.size >= MAX_JSON_DEPTH) {
    throw new NotJson(`is nested deeper than ${MAX_JSON_DEPTH} levels`, path);
  }
  open.add(value);
  // Unlike map, Array.from does not pass over holes: they read as undefined and are refused.
  const json = Array.isArray(value)
    ? Array.from(value, (item: unknown, i) => convert(item, [...path, i], open, lookup))
    : convertObject(value, path, open, lookup);
  open.delete(value);
  return json;
}

function convertObject(value: object, path: Path, open: Set<object>, lookup: Lookup): Json {
  if (!isPlainObject(value)) throw new NotJson("is an instance of a class", path);
  const copy: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setOwn(copy, key, convert(item, [...path, key], open, lookup));
  }
  return copy;
}

/**
 * What a program gave, whole, as hooks read it: what JSON has no word for is shown as the one table says
 * (`KINDS_OF_OBJECTS`). For whoever needs a copy: handlers that are sent JSON, hooks that nobody waits for.
 *
 * @param strict whether it is an error where hooks cannot look: wherever that is, in the payload's own fields, or
 *   never
 * @param at where the value stands, for messages
 * @throws NotJson for a cycle, a depth beyond 32, or where hooks cannot look
 */
export function shownJson(value: unknown, strict: Strictness, at: Path = []): Json {
  return new ShownCopy(strict, at).of(value) ?? null;
}

/** `ctx.payload` and `ctx.metadata`. */
const PAYLOAD_DEPTH = 1;

/**
 * Whether what hooks cannot look into is an error where it is read, and not null: where something is still to be
 * decided, and where it is all there is to read, such as the result as a whole.
 * @param depth of the part that holds it, from the context's root
 */
export function refusesUnreadable(strict: boolean, depth: number): boolean {
  return strict || depth <= PAYLOAD_DEPTH;
}

type Strictness = boolean | "never";

class ShownCopy {
  readonly #strict: Strictness;
  readonly #open = new Set<object>();
  /** Where the value at hand stands. */
  readonly #path: (string | number)[];

  constructor(strict: Strictness, at: Path) {
    this.#strict = strict;
    this.#path = [...at];
  }

  of(value: unknown): Json | undefined {
    const seen = shown(value);
    if (typeof seen !== "object" || seen === null) return seen;
    const path = this.#path;
    if (isUnreadable(seen)) {
      if (this.#strict !== "never" && refusesUnreadable(this.#strict, path.length - 1)) {
        throw new NotJson(`is ${seen.what}, which a hook cannot read`, path);
      }
      return null;
    }
    // The program's own object: each look at it may make another container.
    const given = value as object;
    const open = this.#open;
    if (open.has(given)) throw new NotJson("is a circular reference", path);
    if (open.size >= MAX_JSON_DEPTH) {
      throw new NotJson(`is nested deeper than ${MAX_JSON_DEPTH} levels`, path);
    }
    open.add(given);
    let json: Json;
    if (Array.isArray(seen)) {
      json = Array.from(seen, (_, i) => this.#at(i, seen) ?? null);
    } else {
      json = {};
      for (const key of Object.keys(seen)) {
        const item = this.#at(key, seen);
        if (item !== undefined) setOwn(json, key, item);
      }
    }
    open.delete(given);
    return json;
  }

  #at(key: string | number, of: Container): Json | undefined {
    this.#path.push(key);
    const item = this.of(ownData(of, key));
    this.#path.pop();
    return item;
  }
}

/**
 * A context whose payload and metadata are JSON of their own, as hooks read them: what the host does with its
 * objects while a handler is waited for is not the handler's doing.
 * @param phase of its point: in front of an operation, it is an error where hooks cannot look
 * @throws NotJson for a cycle, a depth beyond 32, or where hooks cannot look
 */
export function jsonContext(ctx: HookContext, phase: Phase): HookContext {
  const strict = phase === "pre";
  return {
    ...ctx,
    payload: shownJson(ctx.payload, strict, ["payload"]) as HookContext["payload"],
    metadata: shownJson(ctx.metadata, strict, ["metadata"]) as HookContext["metadata"],
  };
}

/** A text in a payload, which is the program's own object: reading it may throw. */
export function textIn(
  payload: Readonly<Record<string, unknown>>,
  key: string,
): string | undefined {
  try {
    const value = payload[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
