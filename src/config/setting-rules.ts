import { relative, sep } from "node:path";
import { z } from "zod";
import { equalJson } from "../core/index.ts";
import { quoted, refuse } from "./schema-parts.ts";

/** @param held value in the layers below, or the default */
type Comparison = (found: unknown, held: unknown) => boolean;

/**
 * Whether a discovered project can change a setting:
 * - `"free"`: it can, in either direction
 * - `"own"`: only the user's own configuration can, and the machine's
 * - `"machine"`: only the machine's can
 * - a rule: it can, unless that would loosen what the user has set
 */
export type ProjectRule = "free" | "own" | "machine" | LooseningRule;

/** A setting that a discovered project must not loosen. */
export interface LooseningRule {
  /**
   * Applies when the user has `set` the value; or also when the user has `hooks`, which it could make fail open; or
   * `always`, as it keeps a coding agent waiting.
   */
  readonly when: "set" | "hooks" | "always";
  readonly loosens: Comparison;
  /** The comparison for an environment variable, if different: whoever starts orcs can make a setting stricter. */
  readonly weakens?: Comparison;
}

export function is(word: unknown): Comparison {
  return (found) => found === word;
}

export function isNot(word: unknown): Comparison {
  return (found) => found !== word;
}

export function isLower(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found < held;
}

/** Whether a value comes before the current one, in a list from the weakest to the strongest. */
export function isEarlierIn(words: readonly unknown[]): Comparison {
  return (found, held) => words.indexOf(found) < words.indexOf(held);
}

export function isHigher(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found > held;
}

/** As `isOther`, for lists, too. */
export function isDifferent(found: unknown, held: unknown): boolean {
  return !equalJson(found, held);
}

/** For a setting that loosens nothing. */
export const NEVER: LooseningRule = { when: "set", loosens: () => false };

export function isOther(found: unknown, held: unknown): boolean {
  return found !== held;
}

/** A value that nobody has set is not changed. */
export function isOtherThanSet(found: unknown, held: unknown): boolean {
  return held !== undefined && found !== held;
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

/**
 * First words of commands that need no approval: `git status`. Only plain words: anything that a shell might interpret
 * is rejected here, where its place is known.
 */
export const grant = z.string().superRefine((pattern, ctx) => {
  const why = mistakeIn(pattern);
  if (why === undefined) return;
  refuse(ctx, `invalid grant ${quoted(pattern)}: ${why}`, { code: "ORCS6012" });
});

/** Whether each of these grants is covered by one of the others. */
export function grantsNothingMore(found: readonly string[], held: readonly string[]): boolean {
  const prefixes = held.map(wordsOf);
  return found.every((pattern) => {
    const words = wordsOf(pattern);
    return prefixes.some((prefix) => prefix.every((word, at) => word === words[at]));
  });
}

const MAX_LENGTH = 1000;

/** Operators, expansions, quotes, globs. */
const SPECIAL = /[;&|<>()$`'"\\*?[\]{}~]/;

/** Line breaks, other control characters, and blanks that look like a space. */
const UNSEEN = /[^\S ]|\p{Cc}/u;

/** Words that a shell interprets when they come first. */
const RESERVED: ReadonlySet<string> = new Set(
  "! case do done elif else esac fi for if in then until while".split(" "),
);

function mistakeIn(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (UNSEEN.test(pattern))
    return "words are separated by spaces only; other whitespace and control characters are not allowed";
  const [special] = SPECIAL.exec(pattern) ?? [];
  if (special !== undefined) return `${special} has a special meaning in a shell`;
  const words = wordsOf(pattern);
  const [first] = words;
  if (first === undefined) return "it is empty and would cover every command";
  if (RESERVED.has(first)) return `a plain command does not begin with ${first}`;
  if (first.includes("=")) return `${first} may be a variable assignment`;
  return words.some((word) => word.startsWith("#")) ? "# begins a comment" : undefined;
}

function wordsOf(pattern: string): string[] {
  return pattern.split(" ").filter((word) => word !== "");
}
