import { getOwn, isPlainObject } from "./json.ts";

/** Whether two texts say the same. */
export type SameText = (a: string, b: string) => boolean;

/** Whether two values are the same as JSON: whatever the order of keys, and with undefined for a key that is not there. */
export function sameJson(a: unknown, b: unknown, sameText: SameText = isSameText): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return sameText(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i], sameText));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameJson(getOwn(a, key), getOwn(b, key), sameText));
}

/** Whether two texts are the same to the letter. */
export function isSameText(a: string, b: string): boolean {
  return a === b;
}
