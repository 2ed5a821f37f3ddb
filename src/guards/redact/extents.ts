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
