import type { Field } from "./field.ts";
import { UNKNOWN, unmarked } from "./field.ts";

const WHITESPACE = " \t\n";

/**
 * Split the result of an unquoted expansion at the characters of IFS, as a shell does.
 * @returns the pieces, and whether the text begins and ends with a separator
 */
function splitText(
  text: string,
  ifs: string,
): { readonly pieces: readonly string[]; readonly opens: boolean; readonly closes: boolean } {
  if (ifs === "" || text === "")
    return { pieces: text === "" ? [] : [text], opens: false, closes: false };
  const separates = (at: number): boolean => ifs.includes(text.charAt(at));
  const isSpace = (at: number): boolean => separates(at) && WHITESPACE.includes(text.charAt(at));
  const pieces: string[] = [];
  let at = 0;
  const skipSpace = (): void => {
    while (at < text.length && isSpace(at)) at++;
  };
  skipSpace();
  const opens = at > 0;
  while (at < text.length) {
    const begin = at;
    while (at < text.length && !separates(at)) at++;
    pieces.push(text.slice(begin, at));
    skipSpace();
    // Blanks around another separator belong to it.
    if (at < text.length && separates(at)) {
      at++;
      skipSpace();
    }
  }
  return { pieces, opens, closes: separates(text.length - 1) };
}

/** The words of a text, separated by white space. */
export function splitWords(text: string): string[] {
  return splitText(text, WHITESPACE).pieces.slice();
}

/** Collects the fields of one word while its parts are expanded. */
export class FieldBuilder {
  readonly fields: Field[] = [];
  /** With `UNKNOWN` before unknown parts. */
  #text = "";
  #open = false;
  #glob = false;
  #quoted = false;
  #loose = false;
  #marked = false;

  /** Whether an outer script marks the next part as unknown. */
  get isMarked(): boolean {
    return this.#marked;
  }

  /** Append text that is not split. */
  append(text: string, quoted: boolean): void {
    this.#open = true;
    this.#quoted ||= quoted;
    if (text !== "" || quoted) this.#loose = false;
    this.#marked = text.endsWith(UNKNOWN);
    this.#text += text;
  }

  appendGlob(text: string): void {
    this.append(text, false);
    this.#glob = true;
  }

  /** Append an unknown part, as written. */
  appendUnknown(text: string, quoted: boolean, several = !quoted): void {
    const first = this.#text.length <= (this.#marked ? UNKNOWN.length : 0);
    this.append(UNKNOWN + text, quoted);
    this.#loose = first && several;
  }

  /** Append the result of an unquoted expansion. */
  appendSplit(text: string, ifs: string): void {
    const { pieces, opens, closes } = splitText(text, ifs);
    if (opens) this.end();
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.end();
      this.append(piece, piece === "");
      if (/[*?[]/.test(piece)) this.#glob = true;
    }
    if (closes) this.end();
  }

  /** Start the next field, if the current one has content. */
  end(): void {
    if (this.#open && (this.#text !== "" || this.#quoted)) {
      this.fields.push({
        ...unmarked(this.#text),
        ...(this.#loose && { loose: true }),
        ...(this.#glob && { glob: true }),
      });
    }
    this.#text = "";
    this.#open = false;
    this.#glob = false;
    this.#quoted = false;
    this.#loose = false;
    this.#marked = false;
  }
}
