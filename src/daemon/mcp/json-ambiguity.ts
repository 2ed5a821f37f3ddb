import { isUtf8 } from "node:buffer";
import { isPlainObject } from "../../core/index.ts";

// JSON parsers differ: which of two equal keys counts, whether `Method` is `method`, how invalid UTF-8 is read, whether
// a carriage return ends a line. A call that a server sees and we do not would bypass every hook.

const CALL = "tools/call";

/** Whether some parser could find the name of a tool call in these bytes. */
export function mayNameCall(line: Buffer): boolean {
  if (line.includes(CALL)) return true;
  // Nothing can hide it: no escape, and no byte that a parser might drop.
  if (!line.includes(0x5c) && !line.includes(0) && isUtf8(line)) return false;
  return unescaped(line.toString("latin1"))
    .replaceAll(/[^ -~]/g, "")
    .includes(CALL);
}

/** Whether all parsers of valid JSON read these bytes as we do. */
export function isPlainText(line: Buffer, text: string): boolean {
  return isUtf8(line) && !text.trimEnd().includes("\r");
}

/** As `isPlainText`, for a message and its text. */
export function isUnambiguous(message: unknown, line: Buffer, text: string): boolean {
  if (!isPlainText(line, text)) return false;
  // Serialising a long message takes longer than checking its keys, and as much memory again.
  return (text.length <= MAX_REWRITTEN && isCanonical(message, text)) || !hasEqualKeys(text);
}

/** Longer texts, in characters, are not compared with our own serialisation. */
const MAX_REWRITTEN = 1 << 16;

/** Whether a parser that stops at NUL would read another text. */
export function hasNul(text: string): boolean {
  return text.includes("\0");
}

/** The text that a parser which stops at NUL reads. */
export function untilNul(text: string): string {
  return hasNul(text) ? text.slice(0, text.indexOf("\0")) : text;
}

/**
 * Whether a text has an object with a duplicate key.
 * @param text valid JSON
 */
export function hasEqualKeys(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case BRACE:
        open.push(new Set());
        break;
      case BRACKET:
        open.push(undefined);
        break;
      case END_BRACE:
      case END_BRACKET:
        open.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        // A string before a colon is a key.
        const keys = open.at(-1);
        if (keys && isColonNext(text, end + 1)) {
          const literal = text.slice(at, end + 1);
          const key = literal.includes("\\")
            ? (JSON.parse(literal) as string)
            : literal.slice(1, -1);
          if (keys.has(key)) return true;
          keys.add(key);
        }
        at = end;
        break;
      }
    }
  }
  return false;
}

/** Whether an object has a key that some parsers take for one of these names, and others do not. */
export function hasVariantOf(object: unknown, names: readonly string[]): boolean {
  if (!isPlainObject(object)) return false;
  return Object.keys(object).some((key) => !names.includes(key) && names.includes(caseFolded(key)));
}

const BRACE = 0x7b;
const END_BRACE = 0x7d;
const BRACKET = 0x5b;
const END_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  // JSON's white space.
  while (" \t\n\r".includes(text.charAt(at)) && at < text.length) at++;
  return text.charCodeAt(at) === COLON;
}

/** As Go compares keys: the long s and the Kelvin sign equal letters. In C, a NUL ends a key. */
export function caseFolded(key: string): string {
  return untilNul(key).toUpperCase().toLowerCase();
}

/** Whether a text equals our own serialisation: the usual case, and the fastest to check. */
function isCanonical(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text.trimEnd();
  } catch {
    // Nested too deeply to be serialised.
    return false;
  }
}

/** With escapes as lenient parsers read them. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\u00([0-7][0-9a-f])|\\x([0-7][0-9a-f])/gi, (_, u: string, x: string) =>
      String.fromCharCode(Number.parseInt(u ?? x, 16)),
    )
    .replaceAll("\\", "");
}
