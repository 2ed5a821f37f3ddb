import { COPILOT_NAMES } from "./names.ts";
import { getOwn, isJsonObject, objectAt, OrcsError, textAt, stated } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { AgentEvent, AgentFormat, EventFields } from "../agent-format.ts";
import { readTexts, rowsOf, snakeCased, text } from "../agent-format.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import type { EventLimits, Limit } from "../host-limits.ts";
import {
  BEFORE_STOP,
  CANNOT_ASK_THERE,
  DENIAL_IS_SHOWN,
  NO_REWRITE,
  NO_TEXT,
  REPORTED,
  REQUEST_IS_UNCHANGED,
  RETRY_DENIES,
  RETRY_IGNORED,
  SKIP_DENIES,
  TEXT_IS_SHOWN,
} from "../host-limits.ts";
import { requiredField } from "../host-protocol.ts";
import { jsonAt } from "../payload.ts";
import {
  fromCopilotInput,
  fromCopilotName,
  isOurTool,
  toCopilotInput,
  toCopilotName,
} from "./tools.ts";

/** What Copilot CLI lets hooks do at an event, as tried with 1.0.102. */
export interface CopilotEvent extends AgentEvent {
  /** It cannot be denied, but its result withheld. */
  readonly withholds?: true;
}

/** After its default time, Copilot CLI continues without the response, also before a tool. */
const row = rowsOf<CopilotEvent>({
  timeoutMs: 30_000,
  refusable: false,
  // Exit code 2 shows stderr to the user at most events, and has no other effect: stdout is read as usual.
  notice: "warning",
});
const quiet = { notice: "stderr" } as const;
const refusable = { refusable: true } as const;

const DEFER_DENIES: Limit = { ...CANNOT_ASK_THERE, what: "it cannot defer a decision: denied" };
const REQUEST: EventLimits = { defer: DEFER_DENIES, skip: SKIP_DENIES, retry: RETRY_DENIES };

const transcript: EventFields = { transcript_path: text("transcript_path", "") };
const stopping: EventFields = {
  ...transcript,
  stop_reason: { otherwise: "end_turn" },
  stop_hook_active: { key: "stop_hook_active", kind: "boolean", otherwise: false },
};
const subagent: EventFields = {
  ...transcript,
  agent_id: text("child_id", ""),
  agent_name: {
    ...text("agent_type", ""),
    read: (name, event) => textAt(event, "agent_type") ?? name,
  },
};
const instructions = { custom_instructions: text("custom_instructions", "") };

/**
 * The events by their names in the format that Copilot CLI shares with VS Code, in which it names most of them in the
 * event itself. Its own names are in `COPILOT_NAMES`.
 */
export const COPILOT_EVENTS = {
  SessionStart: row("session.on_start", {
    fields: { source: text("source", "new"), initial_prompt: text("prompt") },
  }),
  UserPromptSubmit: row("prompt.pre_submit", {
    limits: { ask: CANNOT_ASK_THERE, defer: DEFER_DENIES, retry: RETRY_DENIES },
    ...refusable,
    fields: { prompt: { key: "prompt", otherwise: "", required: true } },
  }),
  PreToolUse: row("tool.pre_execute", {
    ...quiet,
    limits: REQUEST,
    ...refusable,
    decisions: ["allow", "ask"],
  }),
  PermissionRequest: row("auth.pre_check", {
    ...quiet,
    limits: { ...REQUEST, rewrite: REQUEST_IS_UNCHANGED, inject: NO_TEXT },
    ...refusable,
    decisions: ["allow"],
    fields: { permission_suggestions: { otherwise: [] } },
  }),
  PostToolUse: row("tool.post_execute", {
    limits: { retry: RETRY_IGNORED },
    withholds: true,
    writeParts: writeResult,
    fields: { tool_result: { key: "result", only: "read", read: resultOf } },
  }),
  // Exit code 2 passes stderr to the model here.
  PostToolUseFailure: row("tool.on_failure", { ...quiet, fields: { error: text("error", "") } }),
  SubagentStart: row("child.post_spawn", {
    limits: { deny: DENIAL_IS_SHOWN, retry: RETRY_IGNORED },
    fields: subagent,
  }),
  SubagentStop: row("child.post_run", {
    limits: { retry: RETRY_IGNORED },
    withholds: true,
    fields: { ...subagent, ...stopping, last_assistant_message: text("child_result", "") },
  }),
  Stop: row("agent.pre_stop", {
    limits: BEFORE_STOP,
    ...refusable,
    passes: true,
    readParts: (event) => stated({ kind: textAt(event, "stop_reason") }),
    fields: stopping,
  }),
  PreCompact: row("context.pre_compact", {
    limits: { ...REPORTED, rewrite: NO_REWRITE },
    fields: { ...transcript, trigger: text("trigger", "auto"), ...instructions },
  }),
  Notification: row("agent.on_notification", {
    fields: { message: text("message", ""), notification_type: text("kind", "") },
  }),
  ErrorOccurred: row("host.pre_event", { limits: REPORTED }),
  SessionEnd: row("session.on_end", {
    limits: { inject: TEXT_IS_SHOWN },
    fields: { reason: text("reason", "complete") },
  }),
} as const satisfies Record<string, CopilotEvent>;

export type CopilotEventName = keyof typeof COPILOT_EVENTS;

/** Keys of Copilot CLI's own format, and the same keys in the format that it shares with VS Code. */
const SHARED_KEYS: Readonly<Record<string, string>> = {
  ...snakeCased(
    "sessionId initialPrompt toolName toolInput toolResult resultType textResultForLlm transcriptPath",
    "stopReason agentId agentType parentAgentId agentName agentDisplayName agentDescription",
    "customInstructions errorContext",
  ),
  toolArgs: "tool_input",
  response: "last_assistant_message",
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

export const COPILOT: AgentFormat<CopilotEvent> = {
  name: "copilot",
  label: "Copilot CLI",
  events: COPILOT_EVENTS,
  unknown: row("host.pre_event", { ...refusable, ...quiet }),
  common: readTexts("session_id", "cwd", "transcript_path", "agent_id", "agent_type"),
  current: withSharedKeys,
  keepsTool: true,
  alsoAs: {
    ...Object.fromEntries(Object.entries(SHARED_KEYS).map(([own, shared]) => [shared, own])),
    permission_suggestions: "permissionSuggestions",
  },
  eventName(event) {
    const name = eventNameOf(event);
    if (name !== undefined) return name;
    const why = "an event of copilot: it has no hook_event_name, and the keys of no known event";
    throw new OrcsError("ORCS7001", why, { host: "copilot", key: "hook_event_name" });
  },
  borrows: true,
  usual: ({ ctx }) => ({ cwd: "", timestamp: ctx.timestamp_ms }),
  isOwn: ({ ctx }, sent, event) =>
    ctx.component_id === "agent::copilot" && eventNameOf(sent) === event,
  readCall(event) {
    const name = fromCopilotName(requiredField("copilot", event, "tool_name", "string"));
    const input = getOwn(event, "tool_input");
    // A tool without arguments may come with none; no tool of ours is one. A list or a number is no call that a guard
    // could read.
    const tool_input = isOurTool(name) ? input : (input ?? {});
    const sent =
      typeof tool_input === "string"
        ? tool_input
        : requiredField("copilot", stated({ ...event, tool_input }), "tool_input", "object");
    return { tool_name: name, args: fromCopilotInput(name, sent), tool: name };
  },
  writeCall({ tool, args }, sent, event) {
    const input = toCopilotInput(tool, args, objectAt(sent, "tool_input"));
    const isRequest = event === "PermissionRequest";
    return {
      toolName: toCopilotName(tool, isRequest ? "permission" : "own"),
      tool_name: toCopilotName(tool, "shared"),
      [isRequest ? "toolInput" : "toolArgs"]: input,
      tool_input: input,
    };
  },
};

/** The text for the model, which is all that Copilot CLI sends of a result besides its type. */
function resultOf(result: Json | undefined): Json | undefined {
  const own = isJsonObject(result) ? withSharedKeys(result) : {};
  return textAt(own, "text_result_for_llm") ?? result;
}

function writeResult(call: HandlerCall): JsonObject {
  const result = jsonAt(call, "result");
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  return {
    toolResult: { resultType: "success", textResultForLlm: text },
    tool_result: { result_type: "success", text_result_for_llm: text },
  };
}
