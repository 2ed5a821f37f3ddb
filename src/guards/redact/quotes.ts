/** A quotation mark with the number of backslashes before it: it may be part of a nested text. */
export interface Quote {
  readonly mark: string;
  readonly backslashes: number;
  /** The offset after it. */
  readonly end: number;
}

/** Three nested texts; more do not occur. */
const MAX_BACKSLASHES = 15;

/** The quotation mark at an index. */
export function quoteAt(text: string, at: number): Quote | undefined {
  let mark = at;
  while (text[mark] === "\\" && mark - at < MAX_BACKSLASHES) mark++;
  const char = text[mark];
  if (char !== '"' && char !== "'" && char !== "`") return undefined;
  return { mark: char, backslashes: mark - at, end: mark + 1 };
}

/**
 * The end of a quoted text: at the backslashes of the closing mark, otherwise at the end of the line. A mark with more
 * backslashes belongs to a nested text, one with fewer ends the surrounding one.
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

/** Whether a mark that begins a text on the same line has no end before an index. */
export function isWithin(text: string, at: number, mark: string): boolean {
  const before = text.slice(Math.max(0, at - 200), at);
  const line = before.slice(before.lastIndexOf("\n") + 1).replaceAll(/\\.|[A-Za-z]'(?=[a-z])/g, "");
  return line.split(mark).length % 2 === 0;
}
