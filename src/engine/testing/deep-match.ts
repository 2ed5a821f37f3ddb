import { isPlainObject } from "../../core/index.ts";
import type { Difference } from "./run-hook-test.ts";

/** Whether a Lua pattern is found in a text. */
export type PatternFinder = (text: string, pattern: string) => Promise<boolean>;

/** How a value is compared with the expected one. */
export interface Comparison {
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
export function below(at: string, key: string | number): string {
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
