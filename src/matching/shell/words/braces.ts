import type { Word } from "unbash";

/** Maximum number of words from one brace expansion; beyond it, the word is unknown. */
const MAX_BRACES = 64;

/**
 * The words that a brace expansion produces, in source form, without its outermost braces.
 * @returns undefined when there are too many, or nothing to expand
 */
export function expandBraces(word: Word): readonly string[] | undefined {
  let words = [""];
  for (const part of word.parts ?? []) {
    const made =
      part.type === "BraceExpansion" ? alternatives(part.text.slice(1, -1)) : [part.text];
    if (!made || words.length * made.length > MAX_BRACES) return undefined;
    words = words.flatMap((before) => made.map((after) => before + after));
  }
  return words;
}

/** The content of braces: a sequence, or texts between commas. */
function alternatives(inside: string): readonly string[] | undefined {
  const found = splitAtCommas(inside);
  return found.length > 1 ? found : sequence(inside);
}

const SEQUENCE = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/;

function sequence(inside: string): readonly string[] | undefined {
  const match = SEQUENCE.exec(inside);
  if (!match) return undefined;
  const [, low, high] = match;
  const first = match[3] ?? match[5];
  const last = match[4] ?? match[6];
  const isText = first !== undefined && last !== undefined;
  const from = isText ? first.charCodeAt(0) : Number(low);
  const to = isText ? last.charCodeAt(0) : Number(high);
  const count = Math.abs(to - from) + 1;
  if (count > MAX_BRACES) return undefined;
  const step = to < from ? -1 : 1;
  // With leading zeros, all have the same width; negative ones are not supported.
  const isPadded = [low, high].some((text) => /^-?0\d/.test(text ?? ""));
  if (isPadded && (from < 0 || to < 0)) return undefined;
  const width = isPadded ? Math.max(low?.length ?? 0, high?.length ?? 0) : 0;
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * step;
    return isText ? String.fromCharCode(at) : String(at).padStart(width, "0");
  });
}

/** Split at commas outside of quotes, braces and parentheses. */
function splitAtCommas(text: string): string[] {
  const found: string[] = [];
  let begin = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "'" || char === '"') at = closingQuote(text, at);
    else if (char === "{" || char === "(") depth++;
    else if (char === "}" || char === ")") depth--;
    else if (char === "," && depth === 0) {
      found.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  found.push(text.slice(begin));
  return found;
}

/** The position of a closing quote; the end of the text when it is missing. */
export function closingQuote(text: string, begin: number): number {
  const quote = text[begin];
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === quote) return at;
    if (text[at] === "\\" && quote === '"') at++;
  }
  return text.length;
}
