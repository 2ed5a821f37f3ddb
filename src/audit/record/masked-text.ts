import { isPlainObject } from "../../core/json.ts";
import { MASK } from "../../core/mask.ts";

/** Whether two texts are the same, or may have been before parts of one of them were masked. */
export function sameButForMasks(a: string, b: string): boolean {
  return a === b || mayHaveBeen(a, b) || mayHaveBeen(b, a);
}

/** Whether something in a value was masked. */
export function holdsMask(value: unknown): boolean {
  if (typeof value === "string") return value.includes(MASK);
  if (Array.isArray(value)) return value.some(holdsMask);
  return isPlainObject(value) && Object.values(value).some(holdsMask);
}

/** Whether a text is a masked one with something else in place of each mask. */
function mayHaveBeen(masked: string, text: string): boolean {
  const [first = "", ...rest] = masked.split(MASK);
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
