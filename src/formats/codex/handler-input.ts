import { getOwn, isJsonObject, toJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { eventName, hostOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import type { CodexEventName } from "./events.ts";
import { isCodexEvent } from "./events.ts";
import { toCodexCall } from "./tools.ts";

/** The source of a field: a key of our payload, the agent's own value, or a constant. */
interface FieldSource {
  readonly key?: string;
  readonly otherwise?: Json;
}
type Fields = Readonly<Record<string, FieldSource>>;

const model = { model: { key: "model_name", otherwise: "" } } as const;
const turn = { ...model, turn_id: { otherwise: "" } } as const;
const mode = { permission_mode: { key: "permission_mode", otherwise: "default" } } as const;
const agent = { agent_id: { key: "agent_id" }, agent_type: { key: "agent_type" } } as const;
const usual = { ...turn, ...mode, ...agent } as const;
const use = { tool_use_id: { key: "tool_use_id", otherwise: "" } } as const;
const compaction = { ...turn, ...agent, trigger: { key: "trigger", otherwise: "auto" } } as const;
const subagent = {
  ...usual,
  agent_id: { key: "child_id", otherwise: "" },
  agent_type: { key: "agent_type", otherwise: "default" },
} as const;
const active = { stop_hook_active: { key: "stop_hook_active", otherwise: false } } as const;

/** Fields of each Codex event, in addition to the common ones. */
const FIELDS: Readonly<Record<CodexEventName, Fields>> = {
  SessionStart: { ...model, ...mode, source: { key: "source", otherwise: "startup" } },
  SubagentStart: subagent,
  PreToolUse: { ...usual, ...use },
  PermissionRequest: usual,
  PostToolUse: { ...usual, ...use, tool_response: { key: "result", otherwise: null } },
  PreCompact: compaction,
  PostCompact: compaction,
  UserPromptSubmit: { ...usual, prompt: { key: "prompt", otherwise: "" } },
  SubagentStop: {
    ...subagent,
    ...active,
    agent_transcript_path: { otherwise: null },
    last_assistant_message: { key: "child_result", otherwise: null },
  },
  Stop: {
    ...turn,
    ...mode,
    ...active,
    last_assistant_message: { key: "message", otherwise: null },
  },
  SessionEnd: { reason: { key: "reason", otherwise: "other" } },
  Interrupt: { ...turn, ...mode },
  StopFailure: {
    ...turn,
    ...mode,
    error: { otherwise: "unknown" },
    error_details: { otherwise: null },
    last_assistant_message: { otherwise: null },
  },
};
const TOOL_EVENTS: readonly string[] = ["PreToolUse", "PermissionRequest", "PostToolUse"];

/** Codex's events whose names are aliases of points; the other two have none. */
const ALIASED = [
  "SessionStart",
  "SubagentStart",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "UserPromptSubmit",
  "SubagentStop",
  "Stop",
  "SessionEnd",
] as const satisfies readonly CodexEventName[];

/** Codex's name of the event. */
export function codexEventName(call: HandlerCall): string {
  return eventName(call, ALIASED);
}

/**
 * The event as Codex sends it. Keys that hooks may have changed come from the current payload, the rest from what the
 * agent sent; everything it sent if that was Codex with this event.
 */
export function codexInput(call: HandlerCall): JsonObject {
  const event = codexEventName(call);
  const host = hostOf(call);
  const own = call.ctx.component_id === "agent::codex" && host["hook_event_name"] === event;
  const body = (own ? toJson(host, undefined, ["payload", "host"]) : {}) as JsonObject;
  body["session_id"] = sessionOf(call);
  body["transcript_path"] =
    jsonAt(call, "transcript_path") ?? hostField(host, "transcript_path") ?? null;
  body["cwd"] = jsonAt(call, "cwd") ?? hostField(host, "cwd") ?? call.cwd ?? "";
  body["hook_event_name"] = event;
  const fields = isCodexEvent(event) ? FIELDS[event] : usual;
  for (const [field, { key, otherwise }] of Object.entries(fields)) {
    const value =
      (key === undefined ? undefined : jsonAt(call, key)) ?? hostField(host, field) ?? otherwise;
    if (value !== undefined) body[field] = value;
  }
  return TOOL_EVENTS.includes(event) ? { ...body, ...toolCall(call) } : body;
}

function hostField(host: Readonly<Record<string, unknown>>, field: string): Json | undefined {
  const value = getOwn(host, field);
  return value === undefined ? undefined : toJson(value, undefined, ["payload", "host", field]);
}

/** A permission may be requested for a bare command, without a tool. */
function toolCall(call: HandlerCall): JsonObject {
  const args = jsonAt(call, "args");
  const tool = stringAt(call, "tool_name");
  const command = stringAt(call, "command");
  const { name, args: input } =
    tool === undefined && command !== undefined
      ? toCodexCall("exec", { command })
      : toCodexCall(tool ?? "", isJsonObject(args) ? args : {});
  return { tool_name: name, tool_input: input };
}
