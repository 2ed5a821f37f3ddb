/** A quotation mark, and how many backslashes stand before it: it may be part of a text within a text. */
export interface Quote {
  readonly mark: string;
  readonly backslashes: number;
  /** Behind it. */
  readonly end: number;
}

/** More than three texts within each other nobody writes. */
const MAX_BACKSLASHES = 15;

/** The quotation mark that stands at an index. */
export function quoteAt(text: string, at: number): Quote | undefined {
  let mark = at;
  while (text[mark] === "\\" && mark - at < MAX_BACKSLASHES) mark++;
  const char = text[mark];
  if (char !== '"' && char !== "'" && char !== "`") return undefined;
  return { mark: char, backslashes: mark - at, end: mark + 1 };
}

/**
 * Where the text in quotes ends: at the backslashes of the mark that closes it, else at the end of the line.
 * A mark with more backslashes stands in a text within, one with fewer ends the text around.
 */
export function closingOf(text: string, { mark, backslashes, end }: Quote): number {
  const period = 2 * (backslashes + 1);
  let run = 0;
  for (let at = end; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      run++;
      continue;
    }
    const ends = run % period === backslashes || run < backslashes;
    if (char === mark && ends) return at - Math.min(run, backslashes);
    if (char === "\n" || char === "\r") return at;
    run = 0;
  }
  return text.length;
}
