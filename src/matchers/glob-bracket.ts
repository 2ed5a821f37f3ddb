/** Where a pattern is being read. */
export interface Cursor {
  readonly text: string;
  /** Index of the next character. */
  at: number;
}

/** Classes whose members are never a slash, so that RE2 may take them as they are. */
const NAMED = /\[:(?:alnum|alpha|digit|lower|space|upper|word|xdigit):\]/y;
const SLASH = 0x2f;

/** A glob that cannot be read; the message is what is wrong with it. */
export class GlobSyntaxError extends Error {}

/**
 * Read `[…]` as RE2 source: single characters, ranges, `[:alpha:]`, `!` or `^` in front for all others.
 *
 * @param slash whether it may match a slash
 * @throws GlobSyntaxError when it has no end, is empty, or a range is the wrong way round.
 */
export function readBracket(read: Cursor, slash: boolean): string {
  const start = read.at++;
  const negated = read.text[read.at] === "!" || read.text[read.at] === "^";
  if (negated) read.at++;
  let source = "";
  // A `]` that comes first is a member.
  for (let first = true; first || read.text[read.at] !== "]"; first = false) {
    if (read.at >= read.text.length) {
      throw new GlobSyntaxError(`the '[' at ${start + 1} has no ']'; write \\[ for the character`);
    }
    source += named(read) ?? range(read, slash);
  }
  read.at++;
  // A range over nothing but the slash leaves nothing: RE2 has no empty class, so match no character.
  if (source === "") return negated ? any(slash) : "[^\\x{0}-\\x{10FFFF}]";
  return negated ? `[^${source}${slash ? "" : "/"}]` : `[${source}]`;
}

/** RE2 source of any one character. */
export function any(slash: boolean): string {
  return slash ? "." : "[^/]";
}

function named(read: Cursor): string | undefined {
  NAMED.lastIndex = read.at;
  const found = NAMED.exec(read.text)?.[0];
  if (found !== undefined) read.at += found.length;
  else if (read.text.startsWith("[:", read.at)) {
    throw new GlobSyntaxError("it names an unknown character class");
  }
  return found;
}

function range(read: Cursor, slash: boolean): string {
  const low = member(read);
  let high = low;
  if (read.text[read.at] === "-" && read.text[read.at + 1] !== "]") {
    read.at++;
    high = member(read);
  }
  if (high < low) throw new GlobSyntaxError("a range in '[…]' ends before it begins");
  if (slash || high < SLASH || low > SLASH) return span(low, high);
  return (low < SLASH ? span(low, SLASH - 1) : "") + (high > SLASH ? span(SLASH + 1, high) : "");
}

/** One member as a code point, a backslash taking the next character as it is. */
function member(read: Cursor): number {
  if (read.text[read.at] === "\\") read.at++;
  const point = read.text.codePointAt(read.at);
  if (point === undefined) throw new GlobSyntaxError("a '[' has no ']'");
  read.at += point > 0xffff ? 2 : 1;
  return point;
}

function span(low: number, high: number): string {
  const hex = (point: number): string => `\\x{${point.toString(16)}}`;
  return low === high ? hex(low) : `${hex(low)}-${hex(high)}`;
}
