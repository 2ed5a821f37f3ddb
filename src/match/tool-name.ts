import { compileNameGlob } from "../matchers/glob.ts";
import type { Regex } from "../matchers/regex.ts";
import { compileRegex, patternError } from "../matchers/regex.ts";

/** Verdicts kept per pattern, and the longest name that is worth keeping. */
const MAX_KEPT = 256;
const MAX_KEPT_NAME = 256;

/** A compiled pattern of tool names. */
export interface ToolNames {
  readonly matches: (name: string) => boolean;
  /** All names that match, each once; undefined when there are globs among them. */
  readonly exact: readonly string[] | undefined;
}

/**
 * Names separated by `|`, each exact or a glob over the whole name: `exec|Bash|mcp__*`. Case counts.
 *
 * @throws OrcsError ORCS1012 with `{ key: "tool", pattern }`.
 */
export function toolNames(pattern: string): ToolNames {
  const names = pattern.split("|").map((name) => name.trim());
  if (names.includes("")) throw patternError("tool", pattern, "a name between '|' is empty");
  const globs = names.filter(isGlob).map((name) => compileNameGlob("tool", name, pattern));
  const exact = new Set(globs.length === 0 ? names : names.filter((name) => !isGlob(name)));
  if (globs.length > 0) {
    const test = (name: string): boolean =>
      exact.has(name) || globs.some((glob) => glob.test(name));
    return { matches: keepingVerdicts(test), exact: undefined };
  }
  const [first, second] = exact;
  // A chain asks each hook that it passes over: most name a tool or two.
  const matches =
    exact.size <= 2
      ? (name: string) => name === first || name === second
      : (name: string) => exact.has(name);
  return { matches, exact: [...exact] };
}

/**
 * A regular expression over the tool's name, found anywhere in it.
 *
 * @throws OrcsError ORCS1012 with `{ key: "tool_regex", pattern }`.
 */
export function toolRegex(pattern: string): (name: string) => boolean {
  const regex: Regex = compileRegex("tool_regex", pattern);
  return keepingVerdicts((name) => regex.test(name));
}

function isGlob(name: string): boolean {
  return /[*?[\\]/.test(name);
}

/** Tool names come again and again: a look-up costs a tenth of a match. */
function keepingVerdicts(test: (name: string) => boolean): (name: string) => boolean {
  const kept = new Map<string, boolean>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const verdict = test(name);
    if (name.length > MAX_KEPT_NAME) return verdict;
    // Names beyond what any host has: start again, so that made-up names cannot fill the memory.
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(name, verdict);
    return verdict;
  };
}
