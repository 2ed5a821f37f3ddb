import { getOwn, isJsonObject, POINT_TABLE, textAt } from "../../core/index.ts";
import type { Json, JsonObject, KeyKind, KeySpec, PointName } from "../../core/index.ts";
import { ourTool, swapKeys } from "../agent-tools.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import { claudeEvent, claudeHostEvent, COMMON_FIELDS } from "./events.ts";
import { CLAUDE_TOOLS } from "./tools.ts";

const HOST = "claude-code";

/**
 * Decode an event of Claude Code.
 * @throws OrcsError ORCS7001
 */
export function decodeClaudeEvent(sent: JsonObject): DecodedEvent {
  const event = requiredField(HOST, sent, "hook_event_name", "string");
  const { point, timeoutMs } = claudeHostEvent(event);
  const payload = {
    ...(point === "host.pre_event" && { event }),
    session_id: requiredField(HOST, sent, "session_id", "string"),
    // The base of a guard's relative paths.
    cwd: requiredField(HOST, sent, "cwd", "string"),
    ...namedFields(event, point, sent),
    ...toolFields(event, point, sent),
    host: sent,
  };
  const child = textAt(sent, "agent_id");
  return { event, point, payload, component: `agent::${HOST}`, child, timeoutMs };
}

/** The payload keys that the tables define. A value of another type than the point's is only available under `host`. */
function namedFields(event: string, point: PointName, sent: JsonObject): JsonObject {
  const keys: Readonly<Record<string, KeySpec>> = POINT_TABLE[point].keys;
  const found: Record<string, Json> = {};
  const sources = [...Object.entries(COMMON_FIELDS), ...Object.entries(claudeEvent(event).fields)];
  for (const [field, { key, required }] of sources) {
    if (key === undefined) continue;
    const value = required ? requiredField(HOST, sent, field, "string") : getOwn(sent, field);
    if (value !== undefined && isOfKind(value, getOwn(keys, key)?.kind ?? "any")) {
      found[key] = value;
    }
  }
  return found;
}

/** The call in our names. A permission may be requested for a command. */
function toolFields(event: string, point: PointName, sent: JsonObject): JsonObject {
  if (!claudeEvent(event).tool) return point === "host.pre_event" ? callFields(sent) : {};
  const name = requiredField(HOST, sent, "tool_name", "string");
  const input = requiredField(HOST, sent, "tool_input", "object");
  const tool_name = ourTool(CLAUDE_TOOLS, name);
  const args = swapKeys(CLAUDE_TOOLS, tool_name, input, name);
  const asks = point === "auth.pre_check" && tool_name === "exec";
  const command = asks ? textAt(args, "command") : undefined;
  return stated({ tool_name, args, command });
}

/** An event without a point may still be about a call. */
function callFields(sent: JsonObject): JsonObject {
  const name = textAt(sent, "tool_name");
  const input = getOwn(sent, "tool_input");
  if (name === undefined || !isJsonObject(input)) return {};
  const tool_name = ourTool(CLAUDE_TOOLS, name);
  return { tool_name, args: swapKeys(CLAUDE_TOOLS, tool_name, input, name) };
}

const KINDS: Readonly<Record<KeyKind, (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  object: isJsonObject,
  list: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  any: () => true,
};

function isOfKind(value: Json, kind: KeyKind): boolean {
  return KINDS[kind](value);
}
