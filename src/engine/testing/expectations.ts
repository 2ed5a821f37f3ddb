import type { HookTestExpectation, TextMatch } from "../../config/index.ts";
import { type Injection, isPlainObject } from "../../core/index.ts";
import type { Difference } from "./run-hook-test.ts";
import type { Observed } from "./test-session.ts";

/** Compared as a whole, exactly. */
const WHOLE = ["action", "reason", "decision", "hook", "delay_ms", "result"] as const;
/** Compared in part: other keys may have any value. */
const PART = ["payload", "metadata"] as const;

/**
 * Lists where the result of an event differs from what a test expects. A failed hook is always a difference, unless its
 * error is expected: a guard that denies because it broke has not passed a test of denying.
 */
export async function unmetExpectations(
  expect: HookTestExpectation,
  observed: Observed,
  find: PatternFinder,
): Promise<Difference[]> {
  const found: Difference[] = [];
  found.push(...(await unmetError(expect.error, observed.error, find)));
  for (const key of WHOLE) {
    if (expect[key] === undefined) continue;
    const got = key === "decision" ? (observed.decision ?? "none") : observed[key];
    found.push(...(await deepMatch(expect[key], got, key, { mode: "whole", find })));
  }
  for (const key of PART) {
    if (expect[key] === undefined) continue;
    found.push(...(await deepMatch(expect[key], observed[key], key, { mode: "part", find })));
  }
  if (expect.inject !== undefined) {
    found.push(...(await unmetInject(expect.inject, observed.inject, find)));
  }
  if (expect.logs !== undefined) {
    found.push(...(await unmetLogs(expect.logs, observed.logs, find)));
  }
  return found;
}

async function unmetError(
  expected: TextMatch | undefined,
  got: string | undefined,
  find: PatternFinder,
): Promise<Difference[]> {
  const met =
    expected === undefined || got === undefined
      ? expected === got
      : await holds(expected, got, find);
  return met ? [] : [{ at: "error", expected, got }];
}

/** One text or a list of texts; a text matches any strategy. */
async function unmetInject(
  inject: unknown,
  got: readonly Injection[],
  find: PatternFinder,
): Promise<Difference[]> {
  const expected: readonly unknown[] = listOf(inject);
  const texts = got.map((text, i) => {
    const isText = typeof expected[i] === "string" || isPattern(expected[i]);
    return isText && typeof text !== "string" ? text.content : text;
  });
  const differences = await deepMatch(expected, texts, "inject", { mode: "whole", find });
  return differences.length === 0 ? [] : [{ at: "inject", expected: inject, got }];
}

async function unmetLogs(
  expected: readonly TextMatch[],
  got: readonly string[],
  find: PatternFinder,
): Promise<Difference[]> {
  let at = 0;
  for (const text of expected) {
    while (at < got.length && !(await holds(text, got[at] ?? "", find))) at++;
    if (at++ >= got.length) return [{ at: "logs", expected, got }];
  }
  if (expected.length === 0 && got.length > 0) return [{ at: "logs", expected, got }];
  return [];
}

async function holds(expected: TextMatch, got: string, find: PatternFinder): Promise<boolean> {
  return typeof expected === "string" ? got.includes(expected) : find(got, expected.matches);
}

function isPattern(value: unknown): boolean {
  return typeof value === "object" && value !== null && "matches" in value;
}

function listOf(inject: unknown): readonly unknown[] {
  if (Array.isArray(inject)) return inject;
  // An empty Lua table: no text at all.
  const isNone = typeof inject === "object" && inject !== null && Object.keys(inject).length === 0;
  return isNone ? [] : [inject];
}

/** Whether a Lua pattern is found in a text. */
export type PatternFinder = (text: string, pattern: string) => Promise<boolean>;

/** How a value is compared with the expected one. */
interface Comparison {
  /** `part`: objects may have further keys, at any depth. Lists are compared as a whole. */
  readonly mode: "part" | "whole";
  readonly find: PatternFinder;
}

/**
 * Lists where a value differs from the expected one. `{ matches = "pattern" }` stands for a text, null for null or a
 * missing value, and an empty table for an empty object or list: Lua does not tell them apart.
 * @param at name of the value
 */
export async function deepMatch(
  expected: unknown,
  got: unknown,
  at: string,
  how: Comparison,
): Promise<Difference[]> {
  const differs = (): Difference[] => [{ at, expected, got }];
  if (expected === null || expected === undefined) {
    return got === null || got === undefined ? [] : differs();
  }
  const pattern = patternOf(expected);
  if (pattern !== undefined) {
    return typeof got === "string" && (await how.find(got, pattern)) ? [] : differs();
  }
  if (Array.isArray(expected)) return comparedList(expected, got, at, how);
  if (isPlainObject(expected)) return comparedObject(expected, got, at, how);
  return expected === got ? [] : differs();
}

/** A key in a path: `.command`, `[3]`, `["a b"]`; positions count from 1, as in Lua. */
function below(at: string, key: string | number): string {
  if (typeof key === "number") return `${at}[${key + 1}]`;
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${at}[${JSON.stringify(key)}]`;
  return at === "" ? key : `${at}.${key}`;
}

async function comparedList(
  expected: readonly unknown[],
  got: unknown,
  at: string,
  how: Comparison,
): Promise<Difference[]> {
  if (expected.length === 0 && isEmpty(got)) return [];
  if (!Array.isArray(got) || got.length !== expected.length) return [{ at, expected, got }];
  const found: Difference[] = [];
  for (const [i, item] of expected.entries()) {
    found.push(...(await deepMatch(item, got[i], below(at, i), how)));
  }
  return found;
}

async function comparedObject(
  expected: Readonly<Record<string, unknown>>,
  got: unknown,
  at: string,
  how: Comparison,
): Promise<Difference[]> {
  if (Object.keys(expected).length === 0 && isEmpty(got)) return [];
  if (!isPlainObject(got)) return [{ at, expected, got }];
  const found: Difference[] = [];
  for (const [key, item] of Object.entries(expected)) {
    const own = Object.hasOwn(got, key) ? got[key] : undefined;
    found.push(...(await deepMatch(item, own, below(at, key), how)));
  }
  if (how.mode === "part") return found;
  for (const [key, item] of Object.entries(got)) {
    if (Object.hasOwn(expected, key) || item === null || item === undefined) continue;
    found.push({ at: below(at, key), expected: undefined, got: item });
  }
  return found;
}

function patternOf(expected: unknown): string | undefined {
  if (!isPlainObject(expected) || Object.keys(expected).length !== 1) return undefined;
  const { matches } = expected;
  return typeof matches === "string" ? matches : undefined;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
}
