import { isWording } from "./expressions.ts";
import { closingOf, quoteAt, trimmedEnd } from "./extents.ts";
import { isInnocentQuoted, isReference } from "./false-positives.ts";
import { isTellingName } from "./key-names.ts";
import type { Spans } from "./tokens.ts";

/** Headers, whose values are whole lines: `Authorization: Bearer …`. */

/** The scheme of a header, which is not masked. */
export const SCHEME =
  /^(?:aws4-hmac-sha256|apikey|basic|bearer|bot|digest|dpop|hawk|jwt|mac|negotiate|ntlm|oauth|token)[ \t]+/i;

/** A scheme before what an expression appends or inserts. */
const BARE_SCHEME = /^[A-Za-z][A-Za-z-]{1,20} (?:\$\{[^{}]*\})?$/;

/**
 * Mark the content of a header, except its scheme: `Authorization: Bearer …`.
 * @returns the offset up to which the text is finished
 */
export function headerSecret(text: string, start: number, name: string, spans: Spans): number {
  const at = /^[bfru]["']/.test(text.slice(start, start + 2)) ? start + 1 : start;
  const quote = quoteAt(text, at);
  const begin = quote?.end ?? at;
  const head = text.slice(begin, begin + HEAD);
  const scheme = SCHEME.exec(head)?.[0] ?? "";
  const from = begin + scheme.length;
  if (!quote && isProse(head.slice(scheme.length, headerEnd(head, 0)), scheme)) return at;
  const end = quote ? closingOf(text, quote) : headerEnd(text, at);
  const value = text.slice(from, end);
  if (SCHEME.test(`${value} `) || BARE_SCHEME.test(value) || isInnocentQuoted(value, name))
    return end;
  spans.add(from, end);
  return end;
}

/** Number of characters that decide whether a line is a header. */
export const HEAD = 120;

/** Without a scheme: one word of code, or several words without a digit. */
function isProse(value: string, scheme: string): boolean {
  if (scheme !== "") return isReference(value) || /^[^\s(]*[(]/.test(value);
  const [first = "", ...others] = value.trim().split(/\s+/);
  if (/=>|[;{]$|^\(|^[A-Za-z]+,|^[\w.]+\(/.test(value.trim())) return true;
  // A member of a type, and the next one: `cookie: Buffer; readonly tab: Buffer`.
  if (/^[A-Za-z_.<>[\]| ]+;\s*(?:readonly )?\w+\??:/.test(value)) return true;
  if (others.length === 0 && /[a-z][A-Z]/.test(first) && isTellingName(first)) return true;
  // `cookie: Keep headers that …`: two words, which the name of a scheme and its value are not.
  if (others.length > 0)
    return (
      !/[0-9=]/.test(value) ||
      [first, others[0]].every((word) => /^[A-Za-z][a-z'’-]*[,:]?$/.test(word ?? ""))
    );
  return isWording(first) && !/^[A-Za-z]+$/.test(first);
}

function headerEnd(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const char = text[end];
    if (char === "\n" || char === "\r" || char === '"' || char === "'" || char === "`") break;
    if (char === "\\" && "\"'`nr\\".includes(text[end + 1] ?? " ")) break;
  }
  return trimmedEnd(text, at, end);
}
