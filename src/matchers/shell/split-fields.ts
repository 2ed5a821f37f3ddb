import type { Field } from "./field.ts";

const WHITESPACE = " \t\n";

/**
 * Split what an expansion without quotes gave, as the shell does at the characters of IFS.
 * @returns the pieces, and whether the text begins and ends with a separator
 */
export function splitText(
  text: string,
  ifs: string,
): { readonly pieces: readonly string[]; readonly opens: boolean; readonly closes: boolean } {
  if (ifs === "" || text === "")
    return { pieces: text === "" ? [] : [text], opens: false, closes: false };
  const separates = new Set(ifs);
  const pieces: string[] = [];
  let begin = -1;
  for (let at = 0; at < text.length; at++) {
    if (!separates.has(text.charAt(at))) {
      if (begin < 0) begin = at;
    } else if (begin >= 0) {
      pieces.push(text.slice(begin, at));
      begin = -1;
    }
  }
  if (begin >= 0) pieces.push(text.slice(begin));
  return {
    pieces,
    opens: separates.has(text.charAt(0)),
    closes: separates.has(text.charAt(text.length - 1)),
  };
}

/** The words of a text that a program reads, such as those of `xargs`. */
export function splitWords(text: string): string[] {
  return splitText(text, WHITESPACE).pieces.slice();
}

/** Collects the fields of one word while its parts are expanded. */
export class FieldBuilder {
  readonly fields: Field[] = [];
  #text = "";
  #open = false;
  #known = true;
  #glob = false;
  #quoted = false;
  #loose = false;

  /** Text that is not split. */
  append(text: string, quoted: boolean): void {
    this.#open = true;
    this.#quoted ||= quoted;
    if (text !== "" || quoted) this.#loose = false;
    this.#text += text;
  }

  appendGlob(text: string): void {
    this.append(text, false);
    this.#glob = true;
  }

  /** Something that is not known, as it is written. */
  appendUnknown(text: string, quoted: boolean): void {
    const first = !this.#open;
    this.append(text, quoted);
    this.#known = false;
    this.#loose = first && !quoted;
  }

  /** What an expansion without quotes gave. */
  appendSplit(text: string, ifs: string): void {
    const { pieces, opens, closes } = splitText(text, ifs);
    if (opens) this.end();
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.end();
      this.append(piece, false);
      if (/[*?[]/.test(piece)) this.#glob = true;
    }
    if (closes) this.end();
  }

  /** Begin the next field, when there is one under way. */
  end(): void {
    if (this.#open && (this.#text !== "" || this.#quoted || !this.#known)) {
      this.fields.push({
        text: this.#text,
        known: this.#known,
        ...(this.#loose && { loose: true }),
        ...(this.#glob && { glob: true }),
      });
    }
    this.#text = "";
    this.#open = false;
    this.#known = true;
    this.#glob = false;
    this.#quoted = false;
    this.#loose = false;
  }
}
