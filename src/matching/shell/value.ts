import { UNKNOWN } from "./words/unknown-parts.ts";

/**
 * What an expansion gives: a text, the elements of an array, or null when unknown. Texts have a mark before each part
 * that is unknown.
 */
export type Expanded = string | readonly string[] | null;

/** An associative array, or an array with gaps: its keys, with null for an unknown element. */
export type Keyed = ReadonlyMap<string, string | null>;

/** An array with gaps: its keys are numbers. */
export class GappedArray extends Map<string, string | null> {}

/** The value of a variable. */
export type Value = Expanded | Keyed;

/** @returns undefined for another value */
export function keyed(value: Value | undefined): Keyed | undefined {
  return value instanceof Map ? value : undefined;
}

/** The key of an element, as it is written; undefined when unknown. */
export function elementKey(
  elements: Keyed,
  text: string,
  lookup: (name: string) => Value | undefined,
): string | undefined {
  return elements instanceof GappedArray ? elementIndex(text, lookup)?.toString() : text;
}

/** The value of a variable that is surely not set: as for a shell, an array without elements is none. */
export const UNSET: readonly string[] = [];

export function isUnset(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The text of a value; undefined when it is another one, or a part of it is unknown. */
export function knownText(value: Value | undefined): string | undefined {
  return typeof value === "string" && !value.includes(UNKNOWN) ? value : undefined;
}

/** Longer arrays are not tracked. */
const INDEX = /^(?:0|[1-9]\d{0,3})$/;

/**
 * The index of an element: a number, or the name of a variable with one, which is 0 if the line does not set it.
 * @returns undefined when unknown
 */
export function elementIndex(
  text: string,
  lookup: (name: string) => Value | undefined,
): number | undefined {
  if (INDEX.test(text)) return Number(text);
  if (!/^[A-Za-z_]\w*$/.test(text)) return undefined;
  const value = lookup(text);
  if (value === undefined || isUnset(value)) return 0;
  const number = knownText(value);
  return number !== undefined && INDEX.test(number) ? Number(number) : undefined;
}
