/** One word as a command gets it. */
export interface Field {
  /** Its text; what is not known of it stands as it is written. */
  readonly text: string;
  readonly known: boolean;
  /** Its text with `UNKNOWN` before each part that is not known, where only parts of it are not. */
  readonly marked?: string;
  /** It is nothing but an expansion without quotes: it may become several words, or none. */
  readonly loose?: boolean;
  /** It holds a glob without quotes: it becomes the names that match. */
  readonly glob?: boolean;
  /** It is written without expansions: what looks like a glob in its quotes is none. */
  readonly literal?: boolean;
}

/**
 * Stands in a script before what an outer script could not know, so that the inner one does not take it for an
 * expansion of its own; a character that no text has.
 */
export const UNKNOWN = "\uFDD0";

/** A word whose text is known. */
export function known(text: string): Field {
  return { text, known: true };
}

/** A word of which nothing is known. */
export function unknown(text: string): Field {
  return { text, known: false };
}

/** A word made of a text that may have marks in it. */
export function unmarked(marked: string): Field {
  if (!marked.includes(UNKNOWN)) return { text: marked, known: true };
  return { text: marked.replaceAll(UNKNOWN, ""), known: false, marked };
}

/** A word as a part of a script, which is read in turn. */
export function scriptText({ text, known: isKnown, marked }: Field): string {
  return isKnown ? text : (marked ?? UNKNOWN + text);
}

/** Words that are joined to a script, as `eval` does. */
export function joinedScript(fields: readonly Field[]): string {
  return fields.map(scriptText).join(" ");
}

/** The last part of a program's path, without the ending that Windows programs have. */
export function programName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.endsWith(".exe")) return name.slice(0, -4);
  // `=rm` is the path of `rm` to zsh.
  return name.length > 1 && name.startsWith("=") ? name.slice(1) : name;
}
