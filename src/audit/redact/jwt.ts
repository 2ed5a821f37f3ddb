import type { Spans } from "./spans.ts";
import { startsWord } from "./tokens.ts";

/** How the JSON of a header begins in Base64: `{"`. */
const BEGIN = "eyJ";
/** Least characters of a header, of the claims. */
const LEAST = [10, 2] as const;
/** An encrypted one has five parts. */
const MOST_PARTS = 5;

/** Finds JSON Web Tokens. Only the beginning of a part can be one of a token: each part is read five times at most. */
export function findJwts(text: string, spans: Spans): void {
  const part = /[A-Za-z0-9_-]*/y;
  for (let at = text.indexOf(BEGIN); at >= 0;) {
    const end = text[at - 1] !== "-" && startsWord(text, at) ? jwtEnd(text, at, part) : undefined;
    if (end !== undefined) spans.add(at, end);
    at = text.indexOf(BEGIN, end ?? at + BEGIN.length);
  }
}

function jwtEnd(text: string, from: number, part: RegExp): number | undefined {
  let at = from;
  for (let n = 0; n < MOST_PARTS; n++) {
    part.lastIndex = at;
    part.test(text);
    const end = part.lastIndex;
    if (end - at < (LEAST[n] ?? 0)) return undefined;
    const ends = text[end] !== ".";
    if (ends) return n === 0 ? undefined : end;
    at = end + 1;
  }
  return at - 1;
}
