import type { Json } from "../core/index.ts";

/** A lone surrogate. JSON can contain one, and an agent may reject the whole response because of it, also a denial. */
const HALF = /\p{Surrogate}/gu;
/** Text that agents consider empty: some trim Unicode white space, including U+0085. */
const BLANK = /^[\s\u0085]*$/;

/** The text without lone surrogates. */
export function wholeText(text: string): string {
  return text.replace(HALF, "\ufffd");
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * A text as an agent reads it, never blank: a denial without a reason may be ignored.
 * @param otherwise replaces a blank text
 */
export function nonBlank(text: string, otherwise: string): string {
  const whole = wholeText(text);
  return isBlank(whole) ? otherwise : whole;
}

/** Whether an agent can parse a value, including its keys. */
export function isReadable(value: Json): boolean {
  if (typeof value === "string") return value.search(HALF) < 0;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isReadable(key) && isReadable(item));
}
