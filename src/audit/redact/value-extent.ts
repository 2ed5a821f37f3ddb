import { MAX_INNOCENT } from "./false-positives.ts";

/** More space than this between a name and its value nobody writes, in characters. */
const MAX_SPACE = 64;
/** How far it is looked whether another name follows. */
const MAX_NEXT = 40;

/** Behind the space at an index. */
export function spaceEnd(text: string, at: number, lines: boolean): number {
  let end = at;
  while (end - at < MAX_SPACE && isSpace(text.charCodeAt(end), lines)) end++;
  return end;
}

/** The end of a line, of a text within whose lines are escaped too, and not its comment. */
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
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60) break;
    if (code < 0x60 && STOPS[text[end] ?? ""]?.test(text.slice(end + 1, end + MAX_NEXT))) break;
  }
  return end;
}

/** What ends a value where this follows it. */
const STOPS: Readonly<Record<string, RegExp>> = {
  "\\": /^[nrt"'`\\]/,
  "<": /^\//,
  "&": /^(?:$|[&#]|\s|amp;|[\w.[\]-]{1,36}(?:=|%3[dD]))/,
  ";": /^(?:$|\s|[A-Za-z][\w -]{0,36}=)/,
  ",": /^(?:$|["'`{[]|\\|[\w.-]{1,36}[=:])/,
};

/** Without the brackets and marks that close what is around a value. */
export function trimmedEnd(text: string, from: number, end: number): number {
  const head = text.slice(from, Math.min(end, from + MAX_INNOCENT));
  let at = end;
  while (at > from && isTrimmable(text[at - 1] ?? " ", head)) at--;
  return at;
}

function isTrimmable(char: string, head: string): boolean {
  if (char === "," || char === ";" || char === ".") return true;
  const opening = CLOSING[char];
  return opening !== undefined && !head.includes(opening);
}

/** What closes, and what opens it. */
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

function trimmed(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isSpace(text.charCodeAt(at - 1), true)) at--;
  return at;
}

function isSpace(code: number, lines: boolean): boolean {
  return code === 0x20 || code === 0x09 || (lines && (code === 0x0a || code === 0x0d));
}

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
