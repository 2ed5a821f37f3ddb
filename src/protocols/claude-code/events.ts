import type { Json } from "../../core/json.ts";

/** Where a field of an event comes from: a key of our payload, what the host sent under its name, or this. */
interface FieldSource {
  readonly key?: string;
  readonly otherwise?: Json;
  /** A host's event without it is none. */
  readonly required?: true;
}

/** An event of Claude Code's: what it carries besides what all of them do. */
interface ClaudeEvent {
  /** Carries `tool_name` and `tool_input`. */
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

/** Claude Code's events that we have points for; their names are aliases of the points. */
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

/** What every event carries. */
export const COMMON_FIELDS: Readonly<Record<string, FieldSource>> = {
  transcript_path: { key: "transcript_path", otherwise: "" },
  permission_mode: { key: "permission_mode", otherwise: "default" },
  agent_id: { key: "agent_id" },
  agent_type: { key: "agent_type" },
};

/** What is of an event's own; an event without a point has nothing but what the host sent. */
export function claudeEvent(name: string): ClaudeEvent {
  return Object.hasOwn(CLAUDE_EVENTS, name)
    ? CLAUDE_EVENTS[name as ClaudeEventName]
    : { fields: {} };
}

/** Events whose handlers' plain output is context for the model. */
export const TEXT_EVENTS: readonly string[] = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
];

/** Events at which a block means that the agent goes on, and `continue: false` that it stops. */
export const STOP_EVENTS: readonly string[] = ["Stop", "SubagentStop"];
