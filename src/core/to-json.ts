import { isPlainObject, jsonPointer, MAX_JSON_DEPTH, setOwn } from "./json.ts";
import type { Json } from "./json.ts";

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
    if (!Number.isFinite(value)) throw new NotJson(`is ${value}, which JSON cannot hold`, path);
    return value;
  }
  if (typeof value !== "object") throw new NotJson(`is of type ${typeof value}`, path);
  const known = lookup(value, path);
  if (known !== undefined) return known;
  if (open.has(value)) throw new NotJson("is a cycle", path);
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
