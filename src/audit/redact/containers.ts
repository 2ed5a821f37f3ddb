import { MASK } from "../../core/mask.ts";
import { closingOf, quoteAt } from "./quotes.ts";
import { spaceEnd } from "./reach.ts";
import type { Spans } from "./spans.ts";

/**
 * Marks the texts within a list or an object as JSON writes them, names aside, up to where it ends or is no JSON
 * any more.
 * @returns up to where it was read
 */
export function maskContainer(text: string, from: number, spans: Spans): number {
  const plain = /[-+.\w]+/y;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? "";
    const quote = quoteAt(text, at);
    plain.lastIndex = at;
    if (char === "[" || char === "{") {
      depth++;
      at++;
    } else if (char === "]" || char === "}") {
      at++;
      if (--depth === 0) return at;
    } else if (quote) {
      const end = closingOf(text, quote);
      at = end + quote.backslashes + 1;
      const isName = text[spaceEnd(text, at, true)] === ":";
      if (!isName && end > quote.end && text.slice(quote.end, end) !== MASK) {
        spans.add(quote.end, end);
      }
    } else if (char === "," || char === ":" || spaceEnd(text, at, true) > at) at++;
    else if (char === "\\" && "nrt".includes(text[at + 1] ?? " ")) at += 2;
    else if (/[-+\d]|true|false|null/y.test(text.slice(at, at + 5)) && plain.test(text)) {
      at = plain.lastIndex;
    } else return at;
  }
  return text.length;
}
