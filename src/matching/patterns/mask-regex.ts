import type { RE2JS } from "re2js";
import { MASK } from "../../core/index.ts";
import { re2 } from "./re2.ts";
import { compileRegex } from "./regex.ts";

/** Length of the text that is searched at once, in characters. */
const WINDOW = 4_096;
/** Distance to the next search: a longer match may be found in parts. */
const STEP = 2_048;

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Compile a regular expression in RE2 syntax into a function that masks its matches. An empty match masks nothing.
 * Masked parts stay as they are; an adjacent match is merged with them.
 * The time is linear in the text. One search is linear, but repeated ones need not be, as each may scan the whole rest;
 * so a text of more than 4,096 characters is searched piece by piece.
 * @throws OrcsError ORCS1012 with `{ key, pattern }` when it is invalid, too long or too large
 */
export function compileMask(key: string, pattern: string): (text: string) => string {
  compileRegex(key, pattern);
  const compiled = re2().RE2JS.compile(pattern);
  return (text) => masked(text, matches(compiled, text));
}

function matches(compiled: RE2JS, text: string): Span[] {
  const found: Span[] = [];
  for (let begin = 0; begin < text.length;) {
    // Includes the preceding character, for `^` and `\b`.
    const shift = Math.max(0, begin - 1);
    const end = Math.min(text.length, begin + WINDOW);
    const step = end === text.length ? end : begin + STEP;
    const matcher = compiled.matcher(text.slice(shift, end));
    let done = step;
    for (let at = begin; matcher.find(at - shift);) {
      const from = shift + matcher.start();
      const to = shift + matcher.end();
      if (from >= step) break;
      if (to > from) found.push({ from, to });
      at = Math.max(to, from + 1);
      done = Math.max(done, to);
      if (at >= end) break;
    }
    begin = done;
  }
  return found;
}

function masked(text: string, found: readonly Span[]): string {
  let result = "";
  let done = 0;
  let known = text.indexOf(MASK);
  for (const span of found) {
    const from = Math.max(done, span.from);
    while (known >= 0 && known + MASK.length <= from) known = text.indexOf(MASK, known + 1);
    const { to } = span;
    if (to <= from) continue;
    const touches = known >= 0 && known < to;
    const isWithin = touches && known <= from && to <= known + MASK.length;
    if (isWithin) continue;
    const begin = touches ? Math.min(from, known) : from;
    const last = touches ? text.lastIndexOf(MASK, to - 1) : -1;
    const end = last >= begin ? Math.max(to, last + MASK.length) : to;
    // A match directly after a masked part is merged with it.
    if (begin > done || done === 0) result += text.slice(done, begin) + MASK;
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}
