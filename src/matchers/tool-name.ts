import { compileNameGlob } from "./glob.ts";
import { compileRegex, patternError } from "./regex.ts";
import type { Regex } from "./regex.ts";

/** Verdicts kept per pattern, and the longest name that is worth keeping. */
const MAX_KEPT = 256;
const MAX_KEPT_NAME = 256;

/**
 * Names separated by `|`, each exact or a glob over the whole name: `exec|Bash|mcp__*`. Case counts.
 *
 * @throws OrcsError ORCS1012 with `{ key: "tool", pattern }`.
 */
export function toolNames(pattern: string): (name: string) => boolean {
  const names = namesIn(pattern);
  if (names.includes("")) throw patternError("tool", pattern, "a name between '|' is empty");
  const globs = names.filter(isGlob).map((name) => compileNameGlob("tool", name, pattern));
  const exact = new Set(names.filter((name) => !isGlob(name)));
  const [first, second] = exact;
  // A chain asks each hook that it passes over: most name a tool or two.
  if (globs.length === 0 && exact.size <= 2) return (name) => name === first || name === second;
  if (globs.length === 0) return (name) => exact.has(name);
  return keepingVerdicts((name) => exact.has(name) || globs.some((glob) => glob.test(name)));
}

/** The names in a pattern, each once; undefined when one of them is a glob. */
export function exactNames(pattern: string): readonly string[] | undefined {
  const names = namesIn(pattern);
  return names.some(isGlob) ? undefined : [...new Set(names)];
}

function namesIn(pattern: string): string[] {
  return pattern.split("|").map((name) => name.trim());
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
