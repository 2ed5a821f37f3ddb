import { relative, sep } from "node:path";
import { grantsNothingMore } from "./grant.ts";

/** @param held what the layers below set, or the default */
type Comparison = (found: unknown, held: unknown) => boolean;

/**
 * Whether a discovered project may change a setting:
 *
 * - `"free"`: it may, in either direction
 * - `"own"`: only the user's own configuration may
 * - a rule: not where that would loosen what the user has set
 */
export type ProjectRule = "free" | "own" | LooseningRule;

/** A setting that a discovered project must not loosen. */
export interface LooseningRule {
  /**
   * Applies where the user `set` it, or also where the user has `hooks`, which it could make fail open, or `always`, as
   * it keeps a coding agent waiting.
   */
  readonly when: "set" | "hooks" | "always";
  readonly loosens: Comparison;
  /**
   * The same for a variable of the environment, where that differs: it is set by whoever starts orcs, who may make it
   * stricter.
   */
  readonly weakens?: Comparison;
}

export function is(word: unknown): Comparison {
  return (found) => found === word;
}

export function isNot(word: unknown): Comparison {
  return (found) => found !== word;
}

export function isNumber(found: unknown): boolean {
  return typeof found === "number";
}

export function isLower(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found < held;
}

/** Whether a word stands before the one that holds, in a list from the weakest to the strongest. */
export function isEarlierIn(words: readonly unknown[]): Comparison {
  return (found, held) => words.indexOf(found) < words.indexOf(held);
}

export function isHigher(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found > held;
}

export function isOther(found: unknown, held: unknown): boolean {
  return found !== held;
}

/** Where nothing is set, nothing is moved. */
export function isOtherThanSet(found: unknown, held: unknown): boolean {
  return held !== undefined && found !== held;
}

export function isFewer(found: unknown, held: unknown): boolean {
  return held === undefined || isLower(found, held);
}

export function isOutside(found: unknown, held: unknown): boolean {
  const way = relative(String(held), String(found));
  return way === ".." || way.startsWith(`..${sep}`);
}

export function grantsMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && !grantsNothingMore(found, held);
}

export function hasMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && found.some((name) => !held.includes(name));
}
