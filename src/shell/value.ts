/** What an expansion gives: a text, the elements of an array, or null when unknown. */
export type Expanded = string | readonly string[] | null;

/** An associative array: its keys, with null for an unknown element. */
export type Keyed = ReadonlyMap<string, string | null>;

/** The value of a variable. */
export type Value = Expanded | Keyed;

/** @returns undefined for another value */
export function keyed(value: Value | undefined): Keyed | undefined {
  return value instanceof Map ? value : undefined;
}
