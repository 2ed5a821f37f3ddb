import { lazyConstant, MASK, messageOf, OrcsError, quotedBeginning } from "../../core/index.ts";
import type { RE2JS } from "re2js";
import { createRequire } from "node:module";

/** The package re2js. It is loaded with the first pattern: it is large, and most processes compile none. */
export const re2 = lazyConstant(
  () => createRequire(import.meta.url)("re2js") as typeof import("re2js"),
);

/** Maximum length of a regular expression, in characters. */
const MAX_REGEX_LENGTH = 4_096;

/**
 * Time is linear in the text, but each character may cost as many steps as the program has instructions. `(.a?){1000}`
 * is a thousand copies: bounded before compilation by length × largest repeat, and after it.
 */
const MAX_EXPANSION = 100_000;
const MAX_INSTRUCTIONS = 10_000;

/** A compiled pattern; `test` takes time linear in the text. */
export interface Regex {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean;
}

/**
 * Compile a regular expression in RE2 syntax, which matches anywhere in a text unless it is anchored.
 * @param key of the pattern, such as `command`, for the message
 * @throws OrcsError ORCS1012 with `{ key, pattern }` when it is invalid, too long or too large
 */
export function compileRegex(key: string, pattern: string): Regex {
  requireBounded(key, pattern);
  const compiled = compileRe2(key, pattern, pattern, 0);
  return { test: (text) => compiled.test(text) };
}

/**
 * Compile RE2 source generated from a pattern: the whole text must match, and `.` is any character.
 * @param pattern as written, for the message
 * @throws OrcsError ORCS1012 with `{ key, pattern }`
 */
export function compileWhole(key: string, pattern: string, source: string): Regex {
  const compiled = compileRe2(key, pattern, source, re2().RE2JS.DOTALL);
  return { test: (text) => compiled.testExact(text) };
}

/** The error of an invalid pattern. */
export function patternError(
  key: string,
  pattern: string,
  why: string,
  cause?: unknown,
): OrcsError {
  const what = key === "pattern" ? key : `${key} pattern`;
  const message = `the ${what} ${quotedBeginning(pattern, 80)} is not valid: ${why}`;
  return new OrcsError("ORCS1012", message, { key, pattern }, { cause });
}

function compileRe2(key: string, pattern: string, source: string, flags: number): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = re2().RE2JS.compile(source, flags);
  } catch (error) {
    throw patternError(key, pattern, whyNotRe2(pattern, error), error);
  }
  if (compiled.programSize() <= MAX_INSTRUCTIONS) return compiled;
  throw patternError(key, pattern, "it is too large");
}

/** Features of other engines that RE2 does not have. */
const NOT_IN_RE2 = [
  [
    /\(\?<[=!]/,
    "RE2 has no look-behind: match the text alone, and check what precedes it in the handler",
  ],
  [
    /\(\?[=!]/,
    "RE2 has no look-ahead: match the text alone, and decide on what follows it in the handler",
  ],
  [/\\[1-9]/, "RE2 has no back-references"],
] as const;

function whyNotRe2(pattern: string, error: unknown): string {
  const known = NOT_IN_RE2.find(([syntax]) => syntax.test(pattern));
  if (known) return known[1];
  return error instanceof re2().RE2JSSyntaxException ? error.getDescription() : messageOf(error);
}

function requireBounded(key: string, pattern: string): void {
  if (pattern === "") throw patternError(key, pattern, "it is empty");
  if (pattern.length > MAX_REGEX_LENGTH) {
    throw patternError(key, pattern, `it is longer than ${MAX_REGEX_LENGTH} characters`);
  }
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, min, max]) => [
    Number(min),
    Number(max ?? 0),
  ]);
  if (Math.max(0, ...counts) * pattern.length > MAX_EXPANSION) {
    throw patternError(key, pattern, "its repeats make it too large");
  }
}

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
