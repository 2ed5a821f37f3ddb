import type { MatchSpec } from "../../core/hook.ts";
import type { HostName } from "../../core/hosts.ts";
import { isPlainObject } from "../../core/json.ts";
import type { PointName } from "../../core/points.ts";

/** What a matcher comes to: conditions, or why there are none for it. */
export type TranslatedMatcher =
  | { readonly match: Pick<MatchSpec, "tool" | "tool_regex" | "command"> }
  | { readonly reason: string };

/** Points that are about a tool: matchers there are held against its name. */
const TOOL_POINTS: readonly PointName[] = [
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
  "auth.pre_check",
];

/**
 * The conditions of a hook by its host's own rules: which names they are, a pattern found anywhere, or everything.
 * Tools keep the host's names: a hook's conditions are held against those as well. Source: protocols.md §1 to §4.
 */
export function translateMatcher(
  host: HostName,
  event: string,
  point: PointName,
  matcher: unknown,
): TranslatedMatcher {
  const pattern = isPlainObject(matcher) ? matcher["tool_name"] : matcher;
  const strays = isPlainObject(matcher)
    ? Object.keys(matcher).filter((key) => key !== "tool_name")
    : [];
  if (strays.length > 0) return { reason: `nothing here matches ${strays.join(", ")}` };
  const rules = MATCHER_RULES[host];
  const part = rules.parts[event];
  if (part?.reason !== undefined) return { reason: part.reason };
  const match = part?.tool === undefined ? {} : { tool: part.tool };
  if (pattern === undefined || pattern === "" || pattern === "*") return { match };
  if (rules.ignoredAt.includes(event)) return { match };
  if (typeof pattern !== "string") return { reason: "its matcher is no text" };
  if (part?.matches === "command") return { match: { ...match, command: pattern } };
  if (part || !TOOL_POINTS.includes(point)) {
    return { reason: `nothing here matches what ${JSON.stringify(pattern)} is held against` };
  }
  return rules.translate(pattern);
}

type EventParts = Readonly<
  Record<string, { tool?: string; matches?: "command"; reason?: string } | undefined>
>;

/**
 * Events of Cursor's that are about a part of the calls that `preToolUse` tells of. Commands for the first two
 * find there what they look for.
 */
const CURSOR_PARTS: EventParts = {
  beforeShellExecution: { tool: "exec", matches: "command" },
  beforeReadFile: { tool: "read" },
  beforeMCPExecution: {
    reason: "its command would be told of calls in the words of preToolUse: move it there",
  },
  beforeTabFileRead: { reason: "nothing here tells what Tab reads from what the agent reads" },
};

/** How an agent reads the matcher of one of its hooks. */
interface MatcherRules {
  /** Events at which it ignores the matcher. */
  readonly ignoredAt: readonly string[];
  /** Events that are about a part of the calls of a hook point. */
  readonly parts: EventParts;
  /** A matcher that names tools, as conditions. */
  translate(pattern: string): TranslatedMatcher;
}

const MATCHER_RULES: Readonly<Record<HostName, MatcherRules>> = {
  "claude-code": {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    parts: {},
    translate(pattern) {
      if (!/^[\w\- ,|]*$/.test(pattern)) return { match: { tool_regex: pattern } };
      return matchNames(pattern.split(/[|,]/));
    },
  },
  codex: {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    parts: {},
    translate(pattern) {
      if (/^[\w|]*$/.test(pattern)) {
        const listed = pattern.split("|");
        return matchNames(listed.some(isPatchAlias) ? [...listed, "apply_patch"] : listed);
      }
      const isPatch = PATCH_ALIASES.some((alias) => asRegex(pattern)?.test(alias) === true);
      return { match: { tool_regex: isPatch ? `(?:${pattern})|^apply_patch$` : pattern } };
    },
  },
  gemini: {
    ignoredAt: ["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"],
    parts: {},
    translate(pattern) {
      if (asRegex(pattern)) return { match: { tool_regex: pattern } };
      // A pattern that is not a regular expression is matched literally by Gemini CLI.
      return { match: { tool_regex: `^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` } };
    },
  },
  cursor: {
    ignoredAt: [],
    parts: CURSOR_PARTS,
    translate: (pattern) => ({ match: { tool_regex: pattern } }),
  },
};

/** What matchers of Codex call its tool apply_patch besides. */
const PATCH_ALIASES: readonly string[] = ["Edit", "Write"];

function isPatchAlias(name: string): boolean {
  return PATCH_ALIASES.includes(name);
}

function matchNames(listed: readonly string[]): TranslatedMatcher {
  const all = [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
  return all.length > 0
    ? { match: { tool: all.join("|") } }
    : { reason: "its matcher names no tool" };
}

function asRegex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
