import type { MatchSpec } from "../core/index.ts";

/** The conditions for a matcher, or the reason why there are none. */
export type TranslatedMatcher =
  | { readonly match: Pick<MatchSpec, "tool" | "tool_regex" | "command" | "source"> }
  | { readonly reason: string };

/** Events about a part of the calls of a hook point. */
type EventParts = Readonly<
  Record<string, { tool?: string; matches?: "command"; reason?: string } | undefined>
>;

/** How an agent reads the matcher of a hook. */
export interface MatcherRules {
  /** Events at which it ignores the matcher. */
  readonly ignoredAt?: readonly string[];
  readonly parts?: EventParts;
  /** Translate a matcher that names tools into conditions. */
  translate(pattern: string): TranslatedMatcher;
}

/** The condition for names of tools. */
export function matchNames(listed: readonly string[]): TranslatedMatcher {
  const all = [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
  return all.length > 0
    ? { match: { tool: all.join("|") } }
    : { reason: "its matcher names no tool" };
}

/** A pattern as a regular expression; undefined if it is none. */
export function asRegex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
