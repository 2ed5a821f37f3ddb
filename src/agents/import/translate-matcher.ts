import { AGENT_TOOLS, isPlainObject } from "../../core/index.ts";
import type { HostName, MatchSpec, PointName } from "../../core/index.ts";

/** The conditions for a matcher, or the reason why there are none. */
export type TranslatedMatcher =
  | { readonly match: Pick<MatchSpec, "tool" | "tool_regex" | "command" | "source"> }
  | { readonly reason: string };

/** Points about a tool, where matchers are compared with its name. */
const TOOL_POINTS: readonly PointName[] = [
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
  "auth.pre_check",
];

/**
 * The conditions of a hook by its agent's own rules: names, a pattern that matches anywhere, or everything. Tools keep
 * the agent's names, which conditions match as well. Source: protocols.md §1 to §4.
 */
export function translateMatcher(
  host: HostName,
  event: string,
  point: PointName,
  matcher: unknown,
): TranslatedMatcher {
  // Types of Cursor have an object, its documentation a pattern.
  const isObject = isPlainObject(matcher);
  const own = TOOL_POINTS.includes(point) ? "tool_name" : "subagent_type";
  const pattern = isObject ? matcher[own] : matcher;
  const strays = isObject ? Object.keys(matcher).filter((key) => key !== own) : [];
  if (strays.length > 0) return { reason: `nothing here matches ${strays.join(", ")}` };
  const rules = MATCHER_RULES[host];
  const part = rules.parts?.[event];
  if (part?.reason !== undefined) return { reason: part.reason };
  const match = part?.tool === undefined ? {} : { tool: part.tool };
  if (pattern === undefined || pattern === "" || pattern === "*") return { match };
  if (rules.ignoredAt?.includes(event)) return { match };
  if (typeof pattern !== "string") return { reason: "its matcher is no text" };
  if (part?.matches === "command") return { match: { ...match, command: pattern } };
  if (part) {
    return {
      reason: `orcs has no condition for the value that the matcher ${JSON.stringify(pattern)} is compared with`,
    };
  }
  if (!TOOL_POINTS.includes(point)) return sourceOf(pattern);
  return rules.translate(pattern);
}

/** The condition for values of an event: names, also as a regular expression that only lists them. */
function sourceOf(pattern: string): TranslatedMatcher {
  const listed = pattern.replace(/^\^?\(?(?:\?:)?([^()]*)\)?\$?$/, "$1").replaceAll(".*", "*");
  const names = listed.split(/[|,]/).map((name) => name.trim());
  return names.every((name) => /^[\w\- :.@/*]+$/.test(name))
    ? { match: { source: names.join("|") } }
    : { reason: `orcs has no condition for values that match ${JSON.stringify(pattern)}` };
}

type EventParts = Readonly<
  Record<string, { tool?: string; matches?: "command"; reason?: string } | undefined>
>;

/**
 * Events of Cursor about a part of the calls that `preToolUse` reports. Commands for the first two find there what they
 * look for.
 */
const CURSOR_PARTS: EventParts = {
  beforeShellExecution: { tool: "exec", matches: "command" },
  beforeReadFile: { tool: "read" },
  beforeMCPExecution: {
    reason: "its command would get calls in the form of preToolUse: move it there",
  },
  beforeTabFileRead: { reason: "orcs cannot distinguish what Tab reads from what the agent reads" },
};

/** How an agent reads the matcher of a hook. */
interface MatcherRules {
  /** Events at which it ignores the matcher. */
  readonly ignoredAt?: readonly string[];
  /** Events about a part of the calls of a hook point. */
  readonly parts?: EventParts;
  /** Translate a matcher that names tools into conditions. */
  translate(pattern: string): TranslatedMatcher;
}

const MATCHER_RULES: Readonly<Record<HostName, MatcherRules>> = {
  "claude-code": {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    translate(pattern) {
      if (!/^[\w\- ,|]*$/.test(pattern)) return { match: { tool_regex: pattern } };
      return matchNames(pattern.split(/[|,]/));
    },
  },
  codex: {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    translate(pattern) {
      if (/^[\w|]*$/.test(pattern)) {
        const listed = pattern.split("|");
        const isPatch = PATCH_ALIASES.some((alias) => listed.includes(alias));
        return matchNames(isPatch ? [...listed, "apply_patch"] : listed);
      }
      const isPatch = PATCH_ALIASES.some((alias) => asRegex(pattern)?.test(alias) === true);
      return { match: { tool_regex: isPatch ? `(?:${pattern})|^apply_patch$` : pattern } };
    },
  },
  gemini: {
    ignoredAt: ["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"],
    translate(pattern) {
      if (asRegex(pattern)) return { match: { tool_regex: pattern } };
      // Gemini CLI matches a pattern that is not a regular expression literally.
      return { match: { tool_regex: `^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` } };
    },
  },
  cursor: {
    parts: CURSOR_PARTS,
    translate: (pattern) => ({ match: { tool_regex: pattern } }),
  },
  copilot: {
    // It compares the whole name, also with names that events have here only under another one.
    translate(pattern) {
      const whole = asRegex(`^(?:${pattern})$`);
      if (!whole) return { reason: "its matcher is no regular expression, so it never runs" };
      const known = Object.entries(AGENT_TOOLS.copilot).flatMap(([name, { tool }]) =>
        whole.test(name) ? tool : [],
      );
      if (/^[\w|]*$/.test(pattern)) return matchNames([...pattern.split("|"), ...known]);
      const also = known.length === 0 ? "" : `|^(?:${[...new Set(known)].join("|")})$`;
      return { match: { tool_regex: `^(?:${pattern})$${also}` } };
    },
  },
  qwen: {
    ignoredAt: ["UserPromptSubmit", "Stop", "PostToolBatch"],
    translate(pattern) {
      // A list, unless it begins as a regular expression: an entry may also be another name of a tool.
      const listed = /^[(^]/.test(pattern)
        ? [pattern]
        : pattern.split("|").flatMap((entry) => entry.trim() || []);
      if (listed.includes("*") || listed.includes(".*")) return { match: {} };
      const regex = listed.join("|");
      if (regex === "") return { reason: "its matcher names no tool" };
      if (!asRegex(regex)) {
        return { reason: "its matcher is no regular expression, so it never runs" };
      }
      const aliased = Object.entries(QWEN_ALIASES)
        .filter(([, names]) => names.some((name) => listed.includes(name)))
        .map(([tool]) => `^${tool}$`);
      return { match: { tool_regex: [regex, ...aliased].join("|") } };
    },
  },
};

/** Further names of tools in matchers of Qwen Code (0.24.4), which are compared as a whole. */
const QWEN_ALIASES: Readonly<Record<string, readonly string[]>> = {
  run_shell_command: ["Shell", "ShellTool", "Bash"],
  edit: ["Edit", "EditTool"],
  notebook_edit: ["NotebookEdit", "NotebookEditTool"],
  write_file: ["WriteFile", "WriteFileTool", "Write"],
  read_file: ["ReadFile", "ReadFileTool", "Read"],
  grep_search: ["Grep", "GrepTool", "SearchFiles", "search_file_content"],
  glob: ["Glob", "GlobTool", "FindFiles"],
  list_directory: ["ListFiles", "ListFilesTool", "ReadFolder"],
  web_fetch: ["WebFetch", "WebFetchTool"],
  web_search: ["WebSearch", "WebSearchTool"],
  agent: ["Agent", "AgentTool", "Task", "TaskTool", "task"],
  skill: ["Skill", "SkillTool"],
};

/** Further names of the tool apply_patch in matchers of Codex. */
const PATCH_ALIASES: readonly string[] = ["Edit", "Write"];

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
