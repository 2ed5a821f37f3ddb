import { NotParsed } from "./not-parsed.ts";

const PLAIN = /[^\\\r\n"']*/y;
const DECIMAL = /\d{1,3}/y;
const HEXADECIMAL = /x[\da-fA-F]{2}/y;
const UNICODE = /u\{0*[\da-fA-F]{1,8}\}/y;
const SKIPPED = /z[ \t\v\f\r\n]*/y;
const LINE_END = /\r\n|\n\r|\r|\n/y;
const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** The string in quotes that begins at an offset. @throws NotParsed */
export function readShortString(text: string, start: number): { value: string; end: number } {
  const quote = text[start];
  const parts: string[] = [];
  let at = start + 1;
  for (;;) {
    const plain = take(PLAIN, text, at) ?? "";
    parts.push(plain);
    at += plain.length;
    const char = text[at];
    if (char === quote) return { value: parts.join(""), end: at + 1 };
    if (char === '"' || char === "'") {
      parts.push(char);
      at += 1;
    } else if (char === "\\") {
      const escape = readEscape(text, at + 1);
      parts.push(escape.value);
      at = escape.end;
    } else throw new NotParsed();
  }
}

/** An escape, from behind its backslash. */
function readEscape(text: string, at: number): { value: string; end: number } {
  const simple = SIMPLE[text[at] ?? ""];
  if (simple !== undefined) return { value: simple, end: at + 1 };
  const decimal = take(DECIMAL, text, at);
  if (decimal !== undefined) {
    if (Number(decimal) > 255) throw new NotParsed();
    return { value: String.fromCharCode(Number(decimal)), end: at + decimal.length };
  }
  const hex = take(HEXADECIMAL, text, at);
  if (hex !== undefined) {
    return { value: String.fromCharCode(Number.parseInt(hex.slice(1), 16)), end: at + hex.length };
  }
  const unicode = take(UNICODE, text, at);
  if (unicode !== undefined) return { value: codePoint(unicode), end: at + unicode.length };
  const skipped = take(SKIPPED, text, at);
  if (skipped !== undefined) return { value: "", end: at + skipped.length };
  const line = take(LINE_END, text, at);
  if (line !== undefined) return { value: "\n", end: at + line.length };
  throw new NotParsed();
}

/** Lua's UTF-8 reaches to 2^31; what is no character of Unicode comes as its replacement. */
function codePoint(escape: string): string {
  const code = Number.parseInt(escape.slice(2, -1), 16);
  if (code >= 2 ** 31) throw new NotParsed();
  return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
}

function take(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
