import { z } from "zod";
import { quoted } from "./described.ts";

/**
 * The first words of commands that need no asking: `git status`. Only plain words: what a shell might read
 * as something else is refused here already, where it has a place.
 */
export const grant = z.string().superRefine((pattern, ctx) => {
  const why = mistakeIn(pattern);
  if (why === undefined) return;
  const message = `the grant ${quoted(pattern)} is no plain prefix of words: ${why}`;
  ctx.addIssue({ code: "custom", message, params: { code: "ORCS6012" } });
});

/** Whether each of these grants says no more than one of the others. */
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

/** Line breaks, other control characters, and blanks that look like the one that parts words. */
const UNSEEN = /[^\S ]|\p{Cc}/u;

/** What a shell takes for the beginning of something else when it comes first. */
const RESERVED: ReadonlySet<string> = new Set(
  "! case do done elif else esac fi for if in then until while".split(" "),
);

function mistakeIn(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (UNSEEN.test(pattern))
    return "only spaces part words, and no other blank or control character";
  const [special] = SPECIAL.exec(pattern) ?? [];
  if (special !== undefined) return `${special} means something to a shell`;
  const words = wordsOf(pattern);
  const [first] = words;
  if (first === undefined) return "it has no word, and would cover every command";
  if (RESERVED.has(first)) return `${first} begins no plain command`;
  if (first.includes("=")) return `${first} may be an assignment`;
  return words.some((word) => word.startsWith("#")) ? "# begins a comment" : undefined;
}

function wordsOf(pattern: string): string[] {
  return pattern.split(" ").filter((word) => word !== "");
}
