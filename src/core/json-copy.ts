import type { HookContext } from "./context.ts";
import type { Json } from "./json.ts";
import { isPlainObject, jsonPointer, MAX_JSON_DEPTH, setOwn } from "./json.ts";
import type { Phase } from "./points.ts";
import { isUnreadable, ownData, shown } from "./visible-value.ts";

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
  return new ShownCopy(strict).of(value, at) ?? null;
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

  constructor(strict: Strictness) {
    this.#strict = strict;
  }

  of(value: unknown, path: Path): Json | undefined {
    const seen = shown(value);
    if (typeof seen !== "object" || seen === null) return seen;
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
      json = Array.from(seen, (_, i) => this.of(ownData(seen, i), [...path, i]) ?? null);
    } else {
      json = {};
      for (const key of Object.keys(seen)) {
        const item = this.of(ownData(seen, key), [...path, key]);
        if (item !== undefined) setOwn(json, key, item);
      }
    }
    open.delete(given);
    return json;
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
