import { getOwn, isJsonObject, toJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { eventName, hostOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import type { CopilotEventName } from "./events.ts";
import { eventNameOf, isCopilotEvent, withSharedKeys } from "./events.ts";
import { toCopilotInput, toCopilotName } from "./tools.ts";

/** A field in both spellings, and its source: a key of our payload, the agent's own value, or a constant. */
interface FieldSource {
  /** In Copilot CLI's own format. */
  readonly own: string;
  readonly key?: string;
  readonly otherwise?: Json;
}
type Fields = Readonly<Record<string, FieldSource>>;

const transcript = {
  transcript_path: { own: "transcriptPath", key: "transcript_path", otherwise: "" },
} as const;
const stopping = {
  ...transcript,
  stop_reason: { own: "stopReason", otherwise: "end_turn" },
  stop_hook_active: { own: "stop_hook_active", key: "stop_hook_active", otherwise: false },
} as const;
const subagent = {
  ...transcript,
  agent_id: { own: "agentId", key: "child_id", otherwise: "" },
  agent_name: { own: "agentName", key: "agent_type", otherwise: "" },
} as const;

/** Fields of each event, by their names in the format shared with VS Code, in addition to the common ones. */
const FIELDS: Readonly<Record<CopilotEventName, Fields>> = {
  SessionStart: {
    source: { own: "source", key: "source", otherwise: "new" },
    initial_prompt: { own: "initialPrompt", key: "prompt" },
  },
  SessionEnd: { reason: { own: "reason", key: "reason", otherwise: "complete" } },
  UserPromptSubmit: { prompt: { own: "prompt", key: "prompt", otherwise: "" } },
  PreToolUse: {},
  PermissionRequest: { permission_suggestions: { own: "permissionSuggestions", otherwise: [] } },
  PostToolUse: {},
  PostToolUseFailure: { error: { own: "error", key: "error", otherwise: "" } },
  SubagentStart: subagent,
  SubagentStop: {
    ...subagent,
    ...stopping,
    last_assistant_message: { own: "response", key: "child_result", otherwise: "" },
  },
  Stop: stopping,
  PreCompact: {
    ...transcript,
    trigger: { own: "trigger", key: "trigger", otherwise: "auto" },
    custom_instructions: { own: "customInstructions", key: "custom_instructions", otherwise: "" },
  },
  Notification: {
    message: { own: "message", key: "message", otherwise: "" },
    notification_type: { own: "notification_type", key: "kind", otherwise: "" },
  },
  ErrorOccurred: {},
};
const TOOL_EVENTS: readonly string[] = [
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
];

/** The events whose names are aliases of points; ErrorOccurred has none. */
const ALIASED = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "PreCompact",
  "Notification",
] as const satisfies readonly CopilotEventName[];

/** The name of the event in the format shared with VS Code. */
export function copilotEventName(call: HandlerCall): string {
  return eventName(call, ALIASED);
}

/**
 * The event in both formats at once, because a hook may be written for either: `toolName` is Copilot CLI's name,
 * `tool_name` the shared one. Keys that hooks may have changed come from the current payload, the rest from what the
 * agent sent.
 */
export function copilotInput(call: HandlerCall): JsonObject {
  const event = copilotEventName(call);
  const host = hostOf(call);
  const sent = withSharedKeys(toJson(host, undefined, ["payload", "host"]) as JsonObject);
  const isOwn = call.ctx.component_id === "agent::copilot" && eventNameOf(sent) === event;
  const session = sessionOf(call);
  const body: Record<string, Json> = {
    ...(isOwn && sent),
    hook_event_name: event,
    sessionId: session,
    session_id: session,
    timestamp: call.ctx.timestamp_ms,
    cwd: jsonAt(call, "cwd") ?? getOwn(sent, "cwd") ?? call.cwd ?? "",
  };
  for (const [name, { own, key, otherwise }] of Object.entries(fieldsOf(event))) {
    const value =
      (key === undefined ? undefined : jsonAt(call, key)) ?? getOwn(sent, name) ?? otherwise;
    if (value !== undefined) body[name] = body[own] = value;
  }
  return TOOL_EVENTS.includes(event) ? { ...body, ...toolCall(call, event, sent) } : body;
}

function fieldsOf(event: string): Fields {
  return isCopilotEvent(event) ? FIELDS[event] : {};
}

/** A permission may be requested for a bare command, without a tool. */
function toolCall(call: HandlerCall, event: string, sent: JsonObject): JsonObject {
  const args = jsonAt(call, "args");
  const command = stringAt(call, "command");
  const named = stringAt(call, "tool_name");
  const isBare = named === undefined && command !== undefined;
  const tool = isBare ? "exec" : (named ?? "");
  const given = isBare ? { command } : isJsonObject(args) ? args : {};
  const before = getOwn(sent, "tool_input");
  const input = toCopilotInput(tool, given, isJsonObject(before) ? before : {});
  const isRequest = event === "PermissionRequest";
  const body = {
    toolName: toCopilotName(tool, isRequest ? "permission" : "own"),
    tool_name: toCopilotName(tool, "shared"),
    [isRequest ? "toolInput" : "toolArgs"]: input,
    tool_input: input,
  };
  if (event !== "PostToolUse") return body;
  const result = jsonAt(call, "result");
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  return {
    ...body,
    toolResult: { resultType: "success", textResultForLlm: text },
    tool_result: { result_type: "success", text_result_for_llm: text },
  };
}
