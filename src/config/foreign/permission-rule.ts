import type { MatchSpec } from "../../core/index.ts";

/** The conditions of a permission rule, or the reason why there are none. */
export type RuleConditions =
  | { readonly match: Pick<MatchSpec, "tool_regex" | "runs" | "path"> }
  | { readonly reason: string };

const RULE = /^(?<tool>[A-Za-z_][\w-]*)(?:\((?<what>[^()]*)\))?$/;

/** All tools of an MCP server, or those whose names begin so. */
const SERVER = /^(?<start>mcp__(?:(?!__)[\w-])+(?<more>(?:__[\w-]*)?\*)?)$/;

/** Tools whose rules are about paths. */
const PATH_TOOLS: readonly string[] = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"];

/**
 * The conditions for a permission rule of Claude Code and cocode: `Bash(git *)`, `Edit(src/**)`, `Write`. A rule that
 * cannot be expressed is refused: a guard with a condition that never holds would be open.
 */
export function ruleConditions(rule: string): RuleConditions {
  const { start, more } = SERVER.exec(rule)?.groups ?? {};
  if (start !== undefined) {
    const names = more === undefined ? `${start}(?:__.*)?` : `${start.slice(0, -1)}.*`;
    return { match: { tool_regex: `^${names}$` } };
  }
  const { tool, what = "" } = RULE.exec(rule)?.groups ?? {};
  if (tool === undefined) {
    return { reason: "expected one permission rule, such as Bash(git *) or Edit(src/**)" };
  }
  const ofTool = { tool_regex: `^${tool}$` };
  if (what === "" || what === "*") return { match: ofTool };
  if (tool === "Bash") {
    // Further words may follow anyway. An exact rule holds for more commands than it says.
    const command = what.replace(/(?::| )\*$/, "");
    return /\*(?!$)/.test(command)
      ? { reason: "only a * at the end of a command is supported" }
      : { match: { ...ofTool, runs: command } };
  }
  if (!PATH_TOOLS.includes(tool)) return { reason: `orcs has no condition for ${tool}(…)` };
  if (/^(?:~|\/(?!\/))/.test(what)) {
    return { reason: "only paths relative to the working directory, and absolute ones as //path" };
  }
  return { match: { ...ofTool, path: what.replace(/^\/\//, "/").replace(/^\.\//, "") } };
}
