import { AGENT_POINTS } from "./agent-points.ts";
import { ORCS_POINTS } from "./orcs-points.ts";

export type { KeyKind, KeySpec, Phase } from "./payload-keys.ts";

/**
 * Every hook point: name → phase, documentation, payload keys, the key a rewrite of the input writes
 * and the key that holds the result. The parser, the types, the docs and the tests derive from it.
 */
export const POINT_TABLE = { ...ORCS_POINTS, ...AGENT_POINTS } as const;

/** Other systems' names for points, accepted wherever a point is written; case and underscores are ignored. */
export const POINT_ALIASES = {
  PreToolUse: "tool.pre_execute",
  BeforeTool: "tool.pre_execute",
  PostToolUse: "tool.post_execute",
  AfterTool: "tool.post_execute",
  PostToolUseFailure: "tool.on_failure",
  UserPromptSubmit: "prompt.pre_submit",
  PrePromptSubmit: "prompt.pre_submit",
  BeforeAgent: "prompt.pre_submit",
  beforeSubmitPrompt: "prompt.pre_submit",
  PostUserMessage: "prompt.post_submit",
  GenerateStart: "llm.pre_generate",
  BeforeModel: "llm.pre_generate",
  GenerateEnd: "llm.post_generate",
  AfterModel: "llm.post_generate",
  SessionStart: "session.on_start",
  SessionEnd: "session.on_end",
  SubagentStart: "child.post_spawn",
  SubagentStop: "child.post_run",
  PreCompact: "context.pre_compact",
  PreCompress: "context.pre_compact",
  PostCompact: "context.post_compact",
  Stop: "agent.pre_stop",
  AfterAgent: "agent.pre_stop",
  PermissionRequest: "auth.pre_check",
  Notification: "agent.on_notification",
  NotificationEvent: "agent.on_notification",
  StatusLine: "ui.on_status_line",
  FileSuggestion: "ui.on_file_suggestion",
} as const satisfies Record<string, keyof typeof POINT_TABLE>;

/** Arguments of tools that are paths, for matching and normalising. */
export const PATH_ARGS = ["path", "file_path", "from", "to", "cwd", "notebook_path"] as const;
