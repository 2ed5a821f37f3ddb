import { getOwn, setOwn } from "../../core/index.ts";
import type { JsonObject, PointName } from "../../core/index.ts";
import type { HostEvent } from "../host-protocol.ts";

/** Keys of a response that Cursor reads. The last four are older spellings. */
export type OutputKey =
  | "permission"
  | "continue"
  | "user_message"
  | "agent_message"
  | "updated_input"
  | "updated_mcp_tool_output"
  | "additional_context"
  | "followup_message"
  | "decision"
  | "reason"
  | "userMessage"
  | "agentMessage";

/** An event of Cursor, and the response that it accepts. */
export interface CursorEvent extends HostEvent {
  readonly takes: readonly OutputKey[];
  /** The older keys, sent in addition in a denial: versions differ in what they read. */
  readonly older: readonly OutputKey[];
  /** Its user is really asked. */
  readonly asks: boolean;
}

interface Row {
  readonly point?: PointName;
  readonly refusable?: true;
  readonly takes?: readonly OutputKey[];
  readonly older?: readonly OutputKey[];
  readonly asks?: true;
  readonly installed?: false;
  readonly tools?: readonly string[];
}

const EXECUTION = {
  point: "tool.pre_execute",
  refusable: true,
  takes: ["permission", "user_message", "agent_message"],
  older: ["continue", "userMessage", "agentMessage"],
  asks: true,
  installed: false,
} as const satisfies Row;
const FILE_READ = {
  point: "tool.pre_execute",
  refusable: true,
  takes: ["permission", "user_message"],
  tools: ["read"],
} as const satisfies Row;

/**
 * Source: protocols.md §4. `preToolUse` covers shell commands, MCP calls and file reads. Events after an operation that
 * `postToolUse` covers have no point of their own: the hooks would see the same call twice.
 */
const ROWS = {
  preToolUse: {
    point: "tool.pre_execute",
    refusable: true,
    takes: ["permission", "user_message", "agent_message", "updated_input"],
    older: ["decision", "reason"],
  },
  beforeShellExecution: EXECUTION,
  beforeMCPExecution: EXECUTION,
  beforeReadFile: { ...FILE_READ, installed: false },
  beforeTabFileRead: FILE_READ,
  beforeSubmitPrompt: {
    point: "prompt.pre_submit",
    refusable: true,
    takes: ["continue", "user_message"],
  },
  postToolUse: {
    point: "tool.post_execute",
    takes: ["updated_mcp_tool_output", "additional_context"],
  },
  postToolUseFailure: { point: "tool.on_failure" },
  sessionStart: { point: "session.on_start", takes: ["additional_context"] },
  sessionEnd: { point: "session.on_end" },
  subagentStart: {
    point: "child.pre_spawn",
    refusable: true,
    takes: ["permission", "user_message"],
    older: ["decision", "reason"],
  },
  subagentStop: { point: "child.post_run", takes: ["followup_message"] },
  stop: { point: "agent.pre_stop", refusable: true, takes: ["followup_message"] },
  preCompact: { point: "context.pre_compact", takes: ["user_message"] },
  afterShellExecution: {},
  afterMCPExecution: {},
  afterFileEdit: {},
  afterTabFileEdit: {},
  afterAgentResponse: {},
  afterAgentThought: {},
} as const satisfies Record<string, Row>;

export type CursorEventName = keyof typeof ROWS;

/** Cursor's own limit for a command that states none. */
export const CURSOR_TIMEOUT_MS = 60_000;

export const CURSOR_EVENTS = Object.fromEntries(
  Object.entries<Row>(ROWS).map(([name, row]) => [name, cursorRow(row)]),
) as Readonly<Record<CursorEventName, CursorEvent>>;

/** The properties of an event; undefined for one of a newer Cursor. */
export function cursorEvent(name: string): CursorEvent | undefined {
  return isCursorEvent(name) ? CURSOR_EVENTS[name] : undefined;
}

export function isCursorEvent(name: string): name is CursorEventName {
  return Object.hasOwn(ROWS, name);
}

function cursorRow(row: Row): CursorEvent {
  return {
    point: row.point ?? "host.pre_event",
    refusable: row.refusable ?? false,
    timeoutMs: CURSOR_TIMEOUT_MS,
    takes: row.takes ?? [],
    older: row.older ?? [],
    asks: row.asks ?? false,
    ...(row.installed === false && { installed: false }),
    ...(row.tools && { tools: row.tools }),
  };
}

/** Older names of event fields, with their current names. */
const OLDER_FIELDS: Readonly<Record<string, string>> = {
  hookEventName: "hook_event_name",
  conversationId: "conversation_id",
  sessionId: "session_id",
  workspaceRoots: "workspace_roots",
  toolName: "tool_name",
  toolInput: "tool_input",
  toolOutput: "tool_output",
  toolUseId: "tool_use_id",
  mcpServerName: "mcp_server_name",
  filePath: "file_path",
  errorMessage: "error_message",
  loopCount: "loop_count",
  durationMs: "duration_ms",
  subagentId: "subagent_id",
  subagentType: "subagent_type",
  // The task of a subagent; newer versions use `task`.
  task: "prompt",
};

/** Older names of response keys, with their current names. */
const OLDER_ANSWERS: Readonly<Record<string, OutputKey>> = {
  decision: "permission",
  userMessage: "user_message",
  agentMessage: "agent_message",
  additionalContext: "additional_context",
};

type Fields<T> = Readonly<Record<string, T>>;

/** An event with the current names added. A current name that is present is kept. */
export function currentEvent<T>(event: Fields<T>): Record<string, T> {
  return withCurrent(event, OLDER_FIELDS);
}

/** The same for a response. */
export function currentAnswer(answer: JsonObject): JsonObject {
  return withCurrent(answer, OLDER_ANSWERS);
}

function withCurrent<T>(from: Fields<T>, older: Fields<string>): Record<string, T> {
  const current: Record<string, T> = { ...from };
  for (const [old, now] of Object.entries(older)) {
    const value = getOwn(from, old);
    const there = getOwn(from, now) ?? null;
    if (value !== undefined && value !== null && there === null) setOwn(current, now, value);
  }
  return current;
}
