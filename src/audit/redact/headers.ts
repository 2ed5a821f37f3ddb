import { isInnocentQuoted, isReference, isWording } from "./innocent.ts";
import { closingOf, quoteAt } from "./quotes.ts";
import { trimmedEnd } from "./reach.ts";
import type { Spans } from "./spans.ts";

/** What says how the rest of the header is to be read, and stays. */
const SCHEME =
  /^(?:aws4-hmac-sha256|apikey|basic|bearer|bot|digest|dpop|hawk|jwt|mac|negotiate|ntlm|oauth|token)[ \t]+/i;

/**
 * Marks what a header holds, all of its line, its scheme aside: `Authorization: Bearer …`.
 * @returns up to where the text is done with
 */
export function headerSecret(text: string, at: number, spans: Spans): number {
  const quote = quoteAt(text, at);
  const begin = quote?.end ?? at;
  const head = text.slice(begin, begin + HEAD);
  const scheme = SCHEME.exec(head)?.[0] ?? "";
  const from = begin + scheme.length;
  if (!quote && isProse(head.slice(scheme.length, headerEnd(head, 0)), scheme)) return at;
  const end = quote ? closingOf(text, quote) : headerEnd(text, at);
  if (isInnocentQuoted(text.slice(from, end), "")) return end;
  spans.add(from, end);
  return end;
}

/** So much of a header tells whether it is one, in characters. */
const HEAD = 120;

/** Without a scheme, what is one word of code, or several of which none has a digit. */
function isProse(value: string, scheme: string): boolean {
  if (scheme !== "") return isReference(value) || /^[^\s(]*[(]/.test(value);
  const [first = "", ...others] = value.trim().split(/\s+/);
  if (others.length > 0) return !/[0-9=]/.test(value);
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
