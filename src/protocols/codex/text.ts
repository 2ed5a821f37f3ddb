import type { Json } from "../../core/json.ts";

/** Text that Codex takes for none: it trims what Unicode calls white space, U+0085 included. */
const BLANK = /^[\s\u0085]*$/;
/** Half a character. JSON can write one, and Codex's reader then rejects the whole answer. */
const HALF = /\p{Surrogate}/gu;

/**
 * A text as Codex reads it, never blank: a refusal without a reason is none to it.
 * @param otherwise what stands in the place of a blank one
 */
export function said(text: string, otherwise: string): string {
  const whole = text.replace(HALF, "\ufffd");
  return BLANK.test(whole) ? otherwise : whole;
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether Codex's reader can read a value, its keys included. */
export function isReadable(value: Json): boolean {
  if (typeof value === "string") return value.search(HALF) < 0;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isReadable(key) && isReadable(item));
}
