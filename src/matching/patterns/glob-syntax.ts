import { re2 } from "./regex.ts";

/** The reading position in a pattern. */
interface Cursor {
  readonly text: string;
  /** Index of the next character. */
  at: number;
}

/** Classes without a slash among their members, so RE2 can take them as they are. */
const NAMED = /\[:(?:alnum|alpha|digit|lower|space|upper|word|xdigit):\]/y;
const SLASH = 0x2f;

/** An invalid glob; the message is the reason. */
export class GlobSyntaxError extends Error {}

/**
 * Read `[…]` as RE2 source: single characters, ranges, `[:alpha:]`, and negation with `!` or `^`.
 * @param slash whether it can match a slash
 * @throws GlobSyntaxError when it is not closed or empty, or a range is reversed
 */
function readBracket(read: Cursor, slash: boolean): string {
  const start = read.at++;
  const negated = read.text[read.at] === "!" || read.text[read.at] === "^";
  if (negated) read.at++;
  let source = "";
  // A leading `]` is a member.
  for (let first = true; first || read.text[read.at] !== "]"; first = false) {
    if (read.at >= read.text.length) {
      throw new GlobSyntaxError(`the '[' at ${start + 1} has no ']'; write \\[ for the character`);
    }
    source += named(read) ?? range(read, slash);
  }
  read.at++;
  // A range of only the slash leaves nothing: RE2 has no empty class, so match no character.
  if (source === "") return negated ? any(slash) : "[^\\x{0}-\\x{10FFFF}]";
  return negated ? `[^${source}${slash ? "" : "/"}]` : `[${source}]`;
}

/** RE2 source of any one character. */
function any(slash: boolean): string {
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

/** One member as a code point; a backslash takes the next character literally. */
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

/** Maximum number of values in `{1..n}`. */
const MAX_RANGE = 1_000;

/**
 * RE2 source for a glob over a whole normalised path: `*` and `?` within a segment, `**` for any number of segments,
 * `[…]`, `{a,b}`, `{1..9}`, `@(a|b)`, `?(…)`, `*(…)`, `+(…)`; a backslash takes the next character literally.
 * `src/**` also matches the directory. Dotfiles are ordinary files.
 * RE2 instead of picomatch: the latter never returns for a pattern of four backslashes, and passes `(a+)+` to a
 * backtracking regular expression engine. Scripts and agents choose patterns and paths.
 * @throws GlobSyntaxError
 */
export function pathGlobSource(pattern: string): string {
  const read = { text: pattern, at: 0 };
  return sequence(read, "", true);
}

/**
 * RE2 source for a glob over a whole name, in which a slash is an ordinary character: `*`, `?`, `[…]` and the
 * backslash.
 * @throws GlobSyntaxError
 */
export function nameGlobSource(pattern: string): string {
  const read = { text: pattern, at: 0 };
  let source = "";
  while (read.at < pattern.length) {
    const char = pattern[read.at];
    if (char === "[") source += readBracket(read, true);
    else if (char === "*" || char === "?") {
      source += char === "*" ? ".*" : any(true);
      read.at++;
    } else source += literal(read);
  }
  return source;
}

/**
 * Read up to the end or to one of the characters in `ends`.
 * @param atStart whether it begins at the start of a path segment
 */
function sequence(read: Cursor, ends: string, atStart: boolean): string {
  let source = "";
  let start = atStart;
  while (read.at < read.text.length && !ends.includes(read.text.charAt(read.at))) {
    const isWhole = read.text[read.at + 2] === "/" || endsAt(read, read.at + 2, ends);
    const globstar = start && read.text.startsWith("**", read.at) && isWhole;
    start = globstar || read.text[read.at] === "/";
    source += globstar ? readGlobstar(read) : piece(read, ends);
  }
  return source;
}

function piece(read: Cursor, ends: string): string {
  const char = read.text.charAt(read.at);
  const atStart = read.at === 0 || read.text[read.at - 1] === "/";
  if ("@?*+!".includes(char) && read.text[read.at + 1] === "(") return readGroup(read, atStart);
  if (char === "*") {
    while (read.text[read.at] === "*") read.at++;
    return "[^/]*";
  }
  if (char === "[") return readBracket(read, false);
  if (char === "{") return readRange(read) ?? readBraces(read, atStart);
  if (char === "?") {
    read.at++;
    return any(false);
  }
  if (read.text.startsWith("/**", read.at) && endsAt(read, read.at + 3, ends)) {
    // At the end: the part before the slash matches as well.
    read.at += 3;
    return "(?:/.*)?";
  }
  return literal(read);
}

function endsAt(read: Cursor, at: number, ends: string): boolean {
  return at >= read.text.length || ends.includes(read.text.charAt(at));
}

/** `**` with the slash after it: must also match no segments at all. */
function readGlobstar(read: Cursor): string {
  read.at += 2;
  if (read.text[read.at] !== "/") return ".*";
  read.at++;
  return "(?:.*/)?";
}

/** `@(a|b)`, `?(…)`, `*(…)`, `+(…)`. */
function readGroup(read: Cursor, atStart: boolean): string {
  const kind = read.text.charAt(read.at);
  if (kind === "!") {
    throw new GlobSyntaxError("'!(…)' is not supported; a '!' in front negates the whole pattern");
  }
  read.at++;
  const inner = alternatives(read, "|", ")", atStart);
  return `(?:${inner.join("|")})${kind === "@" ? "" : kind}`;
}

/** `{a,b}`; braces around a single word are literal, as in a shell. */
function readBraces(read: Cursor, atStart: boolean): string {
  const inner = alternatives(read, ",", "}", atStart);
  return inner.length === 1 ? `\\{${inner[0]}\\}` : `(?:${inner.join("|")})`;
}

function alternatives(read: Cursor, between: string, close: string, atStart: boolean): string[] {
  const start = read.at;
  const open = read.text.charAt(start);
  const found: string[] = [];
  do {
    read.at++;
    found.push(sequence(read, between + close, atStart));
  } while (read.text[read.at] === between);
  if (read.at >= read.text.length) {
    throw new GlobSyntaxError(
      `the '${open}' at ${start + 1} has no '${close}'; write \\${open} for the character`,
    );
  }
  read.at++;
  return found;
}

/** `{1..9}`, `{01..12}`, `{a..e}`. */
function readRange(read: Cursor): string | undefined {
  const pattern = /\{(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-zA-Z])\.\.([a-zA-Z]))\}/y;
  pattern.lastIndex = read.at;
  const found = pattern.exec(read.text);
  if (!found) return undefined;
  read.at += found[0].length;
  const [, from, to, first = "", last = ""] = found;
  if (from === undefined || to === undefined) {
    const [low, high] = first <= last ? [first, last] : [last, first];
    return `[${low}-${high}]`;
  }
  return numbers(from, to);
}

function numbers(from: string, to: string): string {
  const low = Math.min(Number(from), Number(to));
  const count = Math.abs(Number(from) - Number(to)) + 1;
  if (count > MAX_RANGE) throw new GlobSyntaxError(`'{${from}..${to}}' is more than ${MAX_RANGE}`);
  // With leading zeros, all are as wide as the widest.
  const padded = /^-?0\d/.test(from) || /^-?0\d/.test(to);
  const width = padded ? Math.max(from.length, to.length) : 0;
  const all = Array.from({ length: count }, (_, i) => {
    const value = low + i;
    return (
      (value < 0 ? "-" : "") + String(Math.abs(value)).padStart(width - (value < 0 ? 1 : 0), "0")
    );
  });
  return `(?:${all.join("|")})`;
}

/** One literal character, also after a backslash. */
function literal(read: Cursor): string {
  if (read.text[read.at] === "\\" && read.at + 1 < read.text.length) read.at++;
  return re2().RE2JS.quote(read.text.charAt(read.at++));
}
