import { POINT_ALIASES } from "../../core/index.ts";
import type { Decision, Json, PointName } from "../../core/index.ts";
import type { HostEvent } from "../host-protocol.ts";

/** The source of an event's field: a key of our payload, the agent's own value, or a constant. */
interface FieldSource {
  readonly key?: string;
  readonly otherwise?: Json;
  /** Without it, an event is invalid. */
  readonly required?: true;
}

/** The fields of an event, in addition to the common ones. */
interface ClaudeEvent {
  /** Has `tool_name` and `tool_input`. */
  readonly tool?: true;
  readonly fields: Readonly<Record<string, FieldSource>>;
}

const use = { tool_use_id: { key: "tool_use_id", otherwise: "" } } as const;
const took = { duration_ms: { key: "elapsed_ms" } } as const;
const stopping = { stop_hook_active: { key: "stop_hook_active", otherwise: false } } as const;
const agent = { agent_id: { key: "child_id", required: true } } as const;
const compacting = {
  trigger: { key: "trigger", otherwise: "auto" },
  custom_instructions: { key: "custom_instructions", otherwise: "" },
} as const;

/** Claude Code's events that have a point; their names are aliases of the points. */
export const CLAUDE_EVENTS = {
  PreToolUse: { tool: true, fields: use },
  PostToolUse: {
    tool: true,
    fields: { ...use, ...took, tool_response: { key: "result", otherwise: null } },
  },
  PostToolUseFailure: {
    tool: true,
    fields: {
      ...use,
      ...took,
      error: { key: "error", otherwise: "" },
      is_interrupt: { otherwise: false },
    },
  },
  PermissionRequest: { tool: true, fields: { permission_suggestions: {} } },
  UserPromptSubmit: { fields: { prompt: { key: "prompt", otherwise: "", required: true } } },
  SessionStart: {
    fields: { source: { key: "source", otherwise: "startup" }, model: { key: "model_name" } },
  },
  SessionEnd: { fields: { reason: { key: "reason", otherwise: "other" } } },
  Stop: { fields: { ...stopping, last_assistant_message: { key: "message" } } },
  SubagentStart: { fields: agent },
  SubagentStop: {
    fields: { ...agent, ...stopping, last_assistant_message: { key: "child_result" } },
  },
  PreCompact: { fields: compacting },
  PostCompact: { fields: { trigger: compacting.trigger } },
  Notification: {
    fields: { message: { key: "message", otherwise: "" }, notification_type: { key: "kind" } },
  },
} as const satisfies Record<string, ClaudeEvent>;

export type ClaudeEventName = keyof typeof CLAUDE_EVENTS;

/** Fields of every event. */
export const COMMON_FIELDS: Readonly<Record<string, FieldSource>> = {
  transcript_path: { key: "transcript_path", otherwise: "" },
  permission_mode: { key: "permission_mode", otherwise: "default" },
  agent_id: { key: "agent_id" },
  agent_type: { key: "agent_type" },
};

/** The fields of an event; an event without a point has only what Claude Code sent. */
export function claudeEvent(name: string): ClaudeEvent {
  return Object.hasOwn(CLAUDE_EVENTS, name)
    ? CLAUDE_EVENTS[name as ClaudeEventName]
    : { fields: {} };
}

/** Events at which the plain output of handlers is context for the model. */
export const TEXT_EVENTS: readonly string[] = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
];

/** Events at which a block makes the agent continue, and `continue: false` stops it. */
export const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];

/**
 * How an event is denied: `permission` by a permission decision, `request` by a decision on the request, `block` by the
 * decision that most events share, `decline` on behalf of the user, `exit` by exit code 2.
 */
type Refusal = "permission" | "request" | "block" | "decline" | "exit";

/** What Claude Code lets hooks do at an event. */
interface EventRow {
  /** Missing if it cannot be denied. */
  readonly refusal?: Refusal;
  /** Permission decisions that it supports. */
  readonly decisions?: readonly Decision[];
  /** Accepts text for the model. */
  readonly context?: true;
  /**
   * Only a hook can deny here, not an error of orcs: it would keep an agent from stopping, or the operation is over
   * already.
   */
  readonly passes?: true;
  readonly timeoutMs?: number;
  readonly longestMs?: number;
  readonly installed?: false;
}

/** All events of Claude Code. Source: protocols.md §1 and the types of its SDK. */
const ROWS = {
  PreToolUse: { refusal: "permission", decisions: ["allow", "ask", "defer"], context: true },
  PostToolUse: { context: true },
  PostToolUseFailure: { context: true },
  PostToolBatch: { refusal: "block", context: true, passes: true },
  Notification: { context: true },
  UserPromptSubmit: { refusal: "block", context: true, timeoutMs: 30_000 },
  UserPromptExpansion: { refusal: "block", context: true },
  SessionStart: { context: true },
  SessionEnd: { timeoutMs: 1_500, longestMs: 1_500 },
  Stop: { refusal: "block", context: true, passes: true },
  StopFailure: {},
  SubagentStart: { context: true },
  SubagentStop: { refusal: "block", passes: true },
  PreCompact: { refusal: "block" },
  PostCompact: {},
  PreModelSwitch: { refusal: "permission", decisions: ["allow", "ask"] },
  PostModelSwitch: { context: true },
  PermissionRequest: { refusal: "request", decisions: ["allow"] },
  PermissionDenied: {},
  Setup: { context: true },
  TeammateIdle: { refusal: "exit", passes: true },
  TaskCreated: { refusal: "exit" },
  TaskCompleted: { refusal: "exit", passes: true },
  Elicitation: { refusal: "decline" },
  ElicitationResult: { refusal: "decline" },
  ConfigChange: { refusal: "block" },
  // With an entry for it, Claude Code creates no worktree itself.
  WorktreeCreate: { refusal: "exit", installed: false },
  WorktreeRemove: {},
  InstructionsLoaded: {},
  CwdChanged: {},
  // Its matcher determines the watched files.
  FileChanged: { installed: false },
  DirectoryAdded: {},
  // Sent for every piece of text that is shown.
  MessageDisplay: { installed: false },
} as const satisfies Record<string, EventRow>;

export type ClaudeHostEventName = keyof typeof ROWS;
export interface ClaudeHostEvent extends HostEvent, Omit<EventRow, "timeoutMs"> {}

const TIMEOUT_MS = 600_000;

/** The same with the common properties of all agents' events. */
export const CLAUDE_HOST_EVENTS: Readonly<Record<string, ClaudeHostEvent>> = Object.fromEntries(
  Object.entries<EventRow>(ROWS).map(([name, row]) => [name, hostEvent(name, row)]),
);

/** The properties of an event; an unknown one is denied in the most common way. */
export function claudeHostEvent(name: string): ClaudeHostEvent {
  return Object.hasOwn(CLAUDE_HOST_EVENTS, name)
    ? (CLAUDE_HOST_EVENTS[name] as ClaudeHostEvent)
    : hostEvent(name, { refusal: "exit" });
}

function hostEvent(name: string, row: EventRow): ClaudeHostEvent {
  const aliases: Readonly<Record<string, PointName>> = POINT_ALIASES;
  const point = Object.hasOwn(ROWS, name) ? aliases[name] : undefined;
  return {
    timeoutMs: TIMEOUT_MS,
    ...row,
    point: point ?? "host.pre_event",
    refusable: row.refusal !== undefined,
  };
}
