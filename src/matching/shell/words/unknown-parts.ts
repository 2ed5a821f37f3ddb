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
