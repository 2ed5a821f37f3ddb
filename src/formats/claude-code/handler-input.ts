import { getOwn, isJsonObject, toJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { agentTool, swapKeys } from "../agent-tools.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { eventName, hostOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import type { ClaudeEventName } from "./events.ts";
import { CLAUDE_EVENTS, claudeEvent, COMMON_FIELDS } from "./events.ts";
import { CLAUDE_TOOLS } from "./tools.ts";

/** Claude Code's name of the event. */
export function claudeEventName(call: HandlerCall): string {
  return eventName(call, Object.keys(CLAUDE_EVENTS) as ClaudeEventName[]);
}

/**
 * The event as Claude Code sends it. Keys that hooks may have changed come from the current payload; others keep Claude
 * Code's own values if it sent this event.
 */
export function claudeInput(call: HandlerCall): JsonObject {
  const event = claudeEventName(call);
  const host = hostOf(call);
  const row = claudeEvent(event);
  const body: JsonObject =
    host["hook_event_name"] === event
      ? (toJson(host, undefined, ["payload", "host"]) as JsonObject)
      : {};
  body["session_id"] = sessionOf(call);
  body["cwd"] = jsonAt(call, "cwd") ?? hostField(host, "cwd") ?? call.cwd ?? "";
  body["hook_event_name"] = event;
  for (const [field, source] of Object.entries({ ...COMMON_FIELDS, ...row.fields })) {
    const value =
      (source.key === undefined ? undefined : jsonAt(call, source.key)) ??
      hostField(host, field) ??
      source.otherwise;
    if (value !== undefined) body[field] = value;
  }
  return row.tool ? { ...body, ...toolInput(call, sentTool(call)) } : body;
}

/** The tool's name as sent by the agent, if any. */
export function sentTool(call: HandlerCall): string | undefined {
  const name = hostField(hostOf(call), "tool_name");
  return typeof name === "string" ? name : undefined;
}

function hostField(host: Readonly<Record<string, unknown>>, field: string): Json | undefined {
  const value = getOwn(host, field);
  return value === undefined ? undefined : toJson(value, undefined, ["payload", "host", field]);
}

/** A permission may be requested for a bare command, without a tool. */
function toolInput(call: HandlerCall, sent: string | undefined): JsonObject {
  const args = jsonAt(call, "args");
  const tool = stringAt(call, "tool_name");
  const command = stringAt(call, "command");
  if (tool === undefined && command !== undefined) {
    return { tool_name: "Bash", tool_input: { command } };
  }
  return {
    tool_name: agentTool(CLAUDE_TOOLS, tool ?? "", sent),
    tool_input: isJsonObject(args) ? swapKeys(CLAUDE_TOOLS, tool ?? "", args, sent) : {},
  };
}
