import { getOwn } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import type { HostEvent } from "../host-protocol.ts";

/** How an event is denied in Copilot CLI: the keys of its response. */
type Refusal = "permission" | "behavior" | "block" | "response";

/** What Copilot CLI lets hooks do at an event, as tried with 1.0.102. */
export interface CopilotEvent extends HostEvent {
  /** Undefined if it cannot be denied, and its result not withheld. */
  readonly refusal?: Refusal;
  /** Passes `additionalContext` to its model. */
  readonly context?: true;
  /** Exit code 2 shows stderr to the user, and has no other effect: stdout is read as usual. */
  readonly warns?: true;
}

/** Its default; after it, Copilot CLI continues without the response, also before a tool. */
const usual = { timeoutMs: 30_000, refusable: false } as const;
const warns = { warns: true } as const;
const context = { context: true } as const;

/**
 * The events by their names in the format that Copilot CLI shares with VS Code, in which it names most of them in the
 * event itself. Its own names are in `COPILOT_NAMES`.
 */
export const COPILOT_EVENTS = {
  SessionStart: { ...usual, ...warns, ...context, point: "session.on_start" },
  UserPromptSubmit: {
    ...usual,
    ...warns,
    ...context,
    point: "prompt.pre_submit",
    refusable: true,
    refusal: "block",
  },
  PreToolUse: {
    ...usual,
    ...context,
    point: "tool.pre_execute",
    refusable: true,
    refusal: "permission",
  },
  PermissionRequest: {
    ...usual,
    point: "auth.pre_check",
    refusable: true,
    refusal: "behavior",
  },
  PostToolUse: {
    ...usual,
    ...warns,
    ...context,
    point: "tool.post_execute",
    refusal: "block",
  },
  // Exit code 2 passes stderr to the model here.
  PostToolUseFailure: { ...usual, ...context, point: "tool.on_failure" },
  SubagentStart: { ...usual, ...warns, ...context, point: "child.post_spawn" },
  SubagentStop: { ...usual, ...warns, point: "child.post_run", refusal: "response" },
  Stop: { ...usual, ...warns, point: "agent.pre_stop", refusable: true, refusal: "block" },
  PreCompact: { ...usual, ...warns, point: "context.pre_compact" },
  Notification: { ...usual, ...warns, ...context, point: "agent.on_notification" },
  ErrorOccurred: { ...usual, ...warns, point: "host.pre_event" },
  SessionEnd: { ...usual, ...warns, point: "session.on_end" },
} as const satisfies Record<string, CopilotEvent>;

export type CopilotEventName = keyof typeof COPILOT_EVENTS;

/** Copilot CLI's own names of the events. Under these it sends no name, and other keys. */
export const COPILOT_NAMES: Readonly<Record<string, CopilotEventName>> = {
  sessionStart: "SessionStart",
  userPromptSubmitted: "UserPromptSubmit",
  preToolUse: "PreToolUse",
  permissionRequest: "PermissionRequest",
  postToolUse: "PostToolUse",
  postToolUseFailure: "PostToolUseFailure",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
  agentStop: "Stop",
  preCompact: "PreCompact",
  notification: "Notification",
  errorOccurred: "ErrorOccurred",
  sessionEnd: "SessionEnd",
};

/** The properties of an event; undefined for one of a newer Copilot CLI. */
export function copilotEvent(name: string): CopilotEvent | undefined {
  return isCopilotEvent(name) ? COPILOT_EVENTS[name] : undefined;
}

export function isCopilotEvent(name: string): name is CopilotEventName {
  return Object.hasOwn(COPILOT_EVENTS, name);
}

/** Keys of Copilot CLI's own format, and the same keys in the format that it shares with VS Code. */
const SHARED_KEYS: Readonly<Record<string, string>> = {
  sessionId: "session_id",
  initialPrompt: "initial_prompt",
  toolName: "tool_name",
  toolArgs: "tool_input",
  toolInput: "tool_input",
  toolResult: "tool_result",
  resultType: "result_type",
  textResultForLlm: "text_result_for_llm",
  transcriptPath: "transcript_path",
  stopReason: "stop_reason",
  agentId: "agent_id",
  agentType: "agent_type",
  parentAgentId: "parent_agent_id",
  agentName: "agent_name",
  agentDisplayName: "agent_display_name",
  agentDescription: "agent_description",
  response: "last_assistant_message",
  customInstructions: "custom_instructions",
  errorContext: "error_context",
};

/** An event, or its result, with the keys that Copilot CLI shares with VS Code. */
export function withSharedKeys(sent: JsonObject): JsonObject {
  const entries = Object.entries(sent).map(([key, value]) => [SHARED_KEYS[key] ?? key, value]);
  // A key that is already spelled that way is what the event has under that name.
  return { ...(Object.fromEntries(entries) as JsonObject), ...sent };
}

/** Each event without a name, by a key that only it has. The first that fits counts. */
const SHAPES: readonly (readonly [name: CopilotEventName, keys: readonly string[]])[] = [
  ["ErrorOccurred", ["error", "error_context"]],
  ["PostToolUseFailure", ["tool_name", "error"]],
  ["PostToolUse", ["tool_name", "tool_result"]],
  ["PreToolUse", ["tool_name", "tool_input"]],
  ["SubagentStop", ["agent_name", "stop_reason"]],
  ["SubagentStart", ["agent_name"]],
  ["Stop", ["stop_reason"]],
  ["PreCompact", ["trigger"]],
  ["Notification", ["notification_type"]],
  ["SessionStart", ["source"]],
  ["SessionEnd", ["reason"]],
  ["UserPromptSubmit", ["prompt"]],
];

/**
 * The name of an event: as sent, or by its keys, because Copilot CLI sends none in its own format, nor for two events
 * in the other one. Undefined when it has the keys of none.
 * @param event with the keys of `withSharedKeys`
 */
export function eventNameOf(event: JsonObject): string | undefined {
  const named = getOwn(event, "hook_event_name") ?? getOwn(event, "hookName");
  if (typeof named === "string") return COPILOT_NAMES[named] ?? named;
  // An event before the prompt is sent, which has no point, and no effect here.
  if (Object.hasOwn(event, "transformedPrompt")) return "userPromptTransformed";
  return SHAPES.find(([, keys]) => keys.every((key) => Object.hasOwn(event, key)))?.[0];
}
