import { MAX_INNOCENT } from "./expressions.ts";

/** Where a value without quotes begins and ends. */

/** Maximum space between a name and its value, in characters. */
const MAX_SPACE = 64;
/** Maximum distance at which the next name is searched. */
export const MAX_NEXT = 40;

/** The offset after the space at an index. */
export function spaceEnd(text: string, at: number, lines: boolean): number {
  let end = at;
  while (end - at < MAX_SPACE && isSpace(text.charCodeAt(end), lines)) end++;
  return end;
}

/** The end of a line, in texts with escaped line breaks as well, without its comment. */
export function lineEnd(text: string, at: number): number {
  for (let end = at; end < text.length; end++) {
    const char = text[end];
    if (char === "\n" || char === "\r") return trimmed(text, at, end);
    if (char === "\\" && (text[end + 1] === "n" || text[end + 1] === "r")) {
      return trimmed(text, at, end);
    }
    if (char === "#" && text[end - 1] === " ") return trimmed(text, at, end);
    if (char === '"' || char === "`") return trimmed(text, at, end);
  }
  return trimmed(text, at, text.length);
}

/** The end of a value without quotes. */
export function bareEnd(text: string, at: number): number {
  let end = at + templateLength(text, at);
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60) break;
    if (code < 0x60 && STOPS[text[end] ?? ""]?.test(text.slice(end + 1, end + MAX_NEXT))) break;
  }
  return end;
}

/** Length of what a template inserts at an index, or of a placeholder: `${{ secrets.TOKEN }}` is one word. */
function templateLength(text: string, at: number): number {
  if (!/[${<#]/.test(text[at] ?? " ")) return 0;
  return (
    /^(?:\$?\{\{[^{}\n]*\}\}|[$#]\{[^{}\n]*\}|<%[^%\n]*%>|<[A-Za-z][A-Za-z _.,'’/-]*>|\$\([^()\n]*\))/.exec(
      text.slice(at, at + MAX_INNOCENT),
    )?.[0].length ?? 0
  );
}

/** Characters that end a value when followed by a match. */
const STOPS: Readonly<Record<string, RegExp>> = {
  "\\": /^[nrt"'`\\]/,
  "<": /^\//,
  "&": /^(?:$|[&#]|\s|(?:amp;)?[\w.[\]-]{1,36}(?:=|%3[dD]))/,
  ";": /^(?:$|\s|[A-Za-z][\w -]{0,36}=)/,
  ",": /^(?:$|["'`{[]|\\|[\w.-]{1,36}[=:])/,
};

/** The end without closing brackets and marks that belong to the surrounding text. */
export function trimmedEnd(text: string, from: number, end: number): number {
  const head = text.slice(from, Math.min(end, from + MAX_INNOCENT));
  let at = end;
  // The end of the parameters in Python and TypeScript.
  if (text.startsWith("):", at - 2)) at--;
  while (at > from && isTrimmable(text[at - 1] ?? " ", head)) at--;
  return at;
}

function isTrimmable(char: string, head: string): boolean {
  if (char === "," || char === ";" || char === ".") return true;
  const opening = CLOSING[char];
  return opening !== undefined && !head.includes(opening);
}

/** Closing brackets with their opening ones. */
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

function trimmed(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isSpace(text.charCodeAt(at - 1), true)) at--;
  return at;
}

function isSpace(code: number, lines: boolean): boolean {
  return code === 0x20 || code === 0x09 || (lines && (code === 0x0a || code === 0x0d));
}

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

/** Where words begin in texts that have escape sequences. */

/**
 * Number of characters from an index on that belong to an escape sequence begun just before it. Escaped line breaks or
 * quotes in JSON and URLs contain letters that are not part of a word: `\n`, `%3D`,
 * `\u0022`.
 */
export function escapedAt(text: string, at: number): number {
  const before = text[at - 1];
  if (before === "\\") {
    if (/^u[0-9A-Fa-f]{4}/.test(text.slice(at, at + 5))) return 5;
    return "nrtbfv0".includes(text[at] ?? " ") ? 1 : 0;
  }
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(at, at + 2)) ? 2 : 0;
}

/** Whether no preceding character belongs to the same word. */
export function startsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordChar(text.charCodeAt(at - 1))) return true;
  return [1, 2, 5].some((length) => at >= length && escapedAt(text, at - length) === length);
}

/** Whether a UTF-16 code is that of an ASCII letter, a digit or `_`. */
export function isWordChar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f
  );
}
