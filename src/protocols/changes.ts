import type { Edit } from "../core/hook.ts";
import { getOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { sameJson } from "../core/same-json.ts";
import { isJsonObject } from "./read-json.ts";

/**
 * The edits that make one object's key what it is in another: objects are compared key by key, lists are
 * put in place as a whole.
 *
 * @param path where the value stands in the context
 */
export function changes(
  before: JsonObject,
  after: JsonObject,
  key: string,
  path: readonly (string | number)[],
): Edit[] {
  const was = getOwn(before, key);
  const is = getOwn(after, key);
  if (isJsonObject(was) && isJsonObject(is)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...keys].flatMap((inner) => changes(was, is, inner, [...path, inner]));
  }
  return sameJson(was, is) ? [] : [{ path, value: is }];
}

/** Whether `__proto__` is a key anywhere in a value. */
export function holdsProto(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(holdsProto);
}
