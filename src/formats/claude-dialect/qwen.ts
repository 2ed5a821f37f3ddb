import type { Decision, PointName } from "../../core/index.ts";
import type { AgentEvent } from "../agent-format.ts";
import type { AgentTools } from "../agent-tools.ts";
import { claudeCarries, claudeFormat } from "../claude-code/events.ts";

/** Qwen Code's tools that correspond to ours (0.24.4). Tools of MCP servers are `mcp__server__tool`, as here. */
export const QWEN_TOOLS = {
  run_shell_command: { tool: "exec", keys: { directory: "cwd", timeout: "timeout_ms" } },
  // It runs a command as well: a guard of exec must see it.
  monitor: { tool: "exec", keys: { directory: "cwd" } },
  read_file: { tool: "read", keys: { file_path: "path" } },
  write_file: { tool: "write", keys: { file_path: "path" } },
  edit: { tool: "edit", keys: { file_path: "path" } },
  notebook_edit: { tool: "edit", keys: { notebook_path: "path" } },
  list_directory: { tool: "scan_dir", keys: {} },
  glob: { tool: "glob", keys: {} },
  grep_search: { tool: "grep", keys: {} },
  web_fetch: { tool: "http", keys: {} },
} as const satisfies AgentTools;

/**
 * Its default, in milliseconds, and the longest: it sends events over a bus of its own whose requests end after this
 * time, or the shorter one of an event, and then continues. (It also reads a `timeout` from 1000 as milliseconds.)
 */
const TIMEOUT_MS = 60_000;

/** Its events. */
export interface QwenEvent extends AgentEvent {
  /** Permission decisions that it follows. */
  readonly decisions?: readonly Decision[];
}

function row(point: PointName, words: Partial<QwenEvent> = {}): QwenEvent {
  return { point, timeoutMs: TIMEOUT_MS, longestMs: TIMEOUT_MS, refusable: false, ...words };
}

const refusable = { refusable: true } as const;
/** Only a hook can deny it, not an error of orcs: it would keep an agent from stopping. */
const passes = { refusable: true, passes: true } as const;

/** Its events. What each accepts is documented at `QWEN`. */
const QWEN_EVENTS = {
  PreToolUse: row("tool.pre_execute", {
    ...refusable,
    decisions: ["ask"],
  }),
  PostToolUse: row("tool.post_execute", { ...refusable }),
  PostToolUseFailure: row("tool.on_failure"),
  PostToolBatch: row("host.pre_event", {
    ...passes,
    timeoutMs: 15_000,
    longestMs: 15_000,
  }),
  UserPromptSubmit: row("prompt.pre_submit", { ...refusable }),
  UserPromptExpansion: row("host.pre_event", { ...refusable }),
  SessionStart: row("session.on_start"),
  SessionEnd: row("session.on_end"),
  Stop: row("agent.pre_stop", { ...passes }),
  StopFailure: row("host.pre_event"),
  SubagentStart: row("child.post_spawn"),
  SubagentStop: row("child.post_run", { ...passes }),
  PreCompact: row("context.pre_compact"),
  PostCompact: row("context.post_compact"),
  PermissionRequest: row("auth.pre_check", {
    ...refusable,
    decisions: ["allow", "ask"],
  }),
  PermissionDenied: row("host.pre_event"),
  Notification: row("agent.on_notification"),
  TodoCreated: row("host.pre_event", refusable),
  TodoCompleted: row("host.pre_event", passes),
  InstructionsLoaded: row("host.pre_event"),
  SessionDelete: row("host.pre_event"),
  // Sent for every piece of text that is shown.
  MessageDisplay: row("host.pre_event", { installed: false }),
} as const satisfies Readonly<Record<string, QwenEvent>>;

export type QwenEventName = keyof typeof QWEN_EVENTS;

/**
 * Qwen Code. Source: the hook documentation in its package, its code, and what version 0.24.4 did with a scripted model:
 * - It ignores `updatedInput` before a tool (its documentation names it), and text for the model there.
 * - It has no key for another result of a tool. `continue: false` replaces the result by `stopReason`.
 * - The last `permissionDecision` of all hooks wins, so an approval wins over a denial that only has this key. For the
 *   same reason an approval, which has no effect by itself, is not sent.
 * - It reads stderr as the response when stdout is empty.
 * - It sends `UserPromptSubmit` again for each result of a tool, with an empty prompt.
 */
export const QWEN = claudeFormat({
  name: "qwen",
  label: "Qwen Code",
  tools: QWEN_TOOLS,
  events: Object.fromEntries(
    Object.entries(QWEN_EVENTS).map(([name, event]) => [
      name,
      { ...event, ...claudeCarries(name) },
    ]),
  ),
  unknown: row("host.pre_event", refusable),
  pointOf(name, { prompt, submitted_prompt: submitted }) {
    const isResult = name === "UserPromptSubmit" && prompt === "" && submitted === undefined;
    return isResult ? "host.pre_event" : undefined;
  },
});

/** Variables of its hooks. @param project absolute */
export function qwenVariables(project: string): Readonly<Record<string, string>> {
  return { QWEN_PROJECT_DIR: project, CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project };
}
