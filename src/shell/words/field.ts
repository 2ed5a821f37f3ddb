/** One expanded word of a command. */
export interface Field {
  /** Its text; unknown parts are as written. */
  readonly text: string;
  readonly known: boolean;
  /** If only parts of it are unknown: its text with `UNKNOWN` before each of them. */
  readonly marked?: string;
  /** It consists of an unquoted expansion: it may become several words, or none. */
  readonly loose?: boolean;
  /** It has an unquoted glob: it becomes the matching names. */
  readonly glob?: boolean;
  /** It is written without expansions: quoted glob characters are literal. */
  readonly literal?: boolean;
}

/**
 * Marks parts of a script that the outer script does not know, so that the inner one does not expand them; a
 * noncharacter that no text contains.
 */
export const UNKNOWN = "\uFDD0";

/** A word with a known text. */
export function known(text: string): Field {
  return { text, known: true };
}

/** A word with an unknown text. */
export function unknown(text: string): Field {
  return { text, known: false };
}

/** A word from a text that may contain marks. */
export function unmarked(marked: string): Field {
  if (!marked.includes(UNKNOWN)) return { text: marked, known: true };
  return { text: marked.replaceAll(UNKNOWN, ""), known: false, marked };
}

/** A word as a part of a script that will be read. */
export function scriptText({ text, known: isKnown, marked }: Field): string {
  return isKnown ? text : (marked ?? UNKNOWN + text);
}

/** Words joined to a script, as by `eval`. */
export function joinedScript(fields: readonly Field[]): string {
  return fields.map(scriptText).join(" ");
}

/** The last part of a program's path, without the extension of Windows programs. */
export function programName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.endsWith(".exe")) return name.slice(0, -4);
  // In zsh, `=rm` is the path of `rm`.
  return name.length > 1 && name.startsWith("=") ? name.slice(1) : name;
}
