/**
 * Marks parts of a text that are unknown: expansions, as written. A script within a script does not expand them. It is
 * a noncharacter that no text contains.
 */
export const UNKNOWN = "\uFDD0";

/** An unknown part that is a variable; marked once more in a script within a script. */
const VARIABLE = new RegExp(`${UNKNOWN}+\\$(?:\\w+|\\{\\w+\\})`, "g");

/** An unknown part with a word that may stand in its place: `${x:-word}`, `${x+word}`. */
const WITH_WORD = new RegExp(`${UNKNOWN}+\\$\\{\\w+:?[-=+]([^{}$\`"'\\\\]*)\\}`, "g");

/**
 * A variable in the name, or in the word, of `${…}`; one between `$` and a name; one between two operators. Without
 * it, it is another script.
 */
const IN_PARAMETER = new RegExp(`(\\$\\{[^{}$"'\`]*)${VARIABLE.source}`, "g");
const BEHIND_DOLLAR = new RegExp(`(\\$)${VARIABLE.source}(?=[\\w({!@*#?])`, "g");
const IN_OPERATOR = new RegExp(`([<>&|])${VARIABLE.source}(?=[<>&|])`, "g");

/** A text as it is when its unknown variables are empty, and those with a word in their place are that word. */
export function withoutVariables(marked: string): string {
  return marked.replaceAll(VARIABLE, "").replaceAll(WITH_WORD, "$1");
}

/**
 * A script without the variables that stand where only syntax is expected: `${x$X:-word}`, `<$X<< word`. Undefined if
 * there are none.
 */
export function withoutVariablesInSyntax(script: string): string | undefined {
  if (!script.includes(UNKNOWN)) return undefined;
  const other = script
    .replaceAll(IN_PARAMETER, "$1")
    .replaceAll(BEHIND_DOLLAR, "$1")
    .replaceAll(IN_OPERATOR, "$1");
  return other === script ? undefined : other;
}

/** A changed value of a variable, of which the unknown parts were taken for empty: it may be that, or another one. */
export function maybe(variable: string, value: string): string {
  return `${UNKNOWN}\${${variable}}${value}`;
}

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
