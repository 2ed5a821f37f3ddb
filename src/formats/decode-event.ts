import { getOwn, isJsonObject, POINT_TABLE, textAt, stated } from "../core/index.ts";
import type { HostName, Json, JsonObject, KeySpec, PointName } from "../core/index.ts";
import type { AgentEvent, AgentFormat, EventFields } from "./agent-format.ts";
import { eventOf, hasCall } from "./agent-format.ts";
import { requiredField, KINDS, type DecodedEvent } from "./host-protocol.ts";

/**
 * Decode an event of an agent.
 * @throws OrcsError ORCS7001 naming what is missing or of another type
 */
export function decodeEvent(format: AgentFormat, sent: JsonObject): DecodedEvent {
  const { name: host } = format;
  const event = format.current?.(sent) ?? sent;
  const name = format.eventName?.(event) ?? requiredField(host, event, "hook_event_name", "string");
  const row = eventOf(format, name);
  const point = format.pointOf?.(name, event) ?? row.point;
  const isUsual = point === row.point;
  const { tool_name: tool } = event;
  // Conditions read the name of the tool under `host`, which an older spelling does not have.
  const isOlder = format.keepsTool && tool !== undefined && !Object.hasOwn(sent, "tool_name");
  const payload = {
    ...(point === "host.pre_event" && { event: name }),
    ...readFields(host, format.common, point, event),
    ...(isUsual && readFields(host, row.fields ?? {}, point, event)),
    ...calledIn(format, row, point, event),
    ...(isUsual && row.readParts?.(event)),
    host: isOlder ? { ...sent, tool_name: tool } : sent,
  };
  const child = format.childOf ? format.childOf(event, name) : textAt(event, "agent_id");
  return {
    event: name,
    point,
    payload,
    component: `agent::${host}`,
    child: child === "" ? undefined : child,
    timeoutMs: row.timeoutMs,
  };
}

/** The payload keys of fields. A value of another type than the point's is only available under `host`. */
function readFields(
  host: HostName,
  fields: EventFields,
  point: PointName,
  event: JsonObject,
): JsonObject {
  const keys: Readonly<Record<string, KeySpec>> = POINT_TABLE[point].keys;
  const found: Record<string, Json> = {};
  for (const [field, source] of Object.entries(fields)) {
    const { key, required, only, kind } = source;
    if (key === undefined || only === "write") continue;
    const own = required ? requiredField(host, event, field, "string") : getOwn(event, field);
    const value = source.read ? source.read(own, event) : own;
    if (value !== undefined && KINDS[kind ?? getOwn(keys, key)?.kind ?? "any"](value)) {
      found[key] = value;
    }
  }
  return found;
}

/** The call of an event, and its command if a permission is requested for it. */
function calledIn(
  format: AgentFormat,
  row: AgentEvent,
  point: PointName,
  event: JsonObject,
): JsonObject | undefined {
  // An event without a point may still be about a call.
  const mayCall = format.callsAnywhere && point === "host.pre_event";
  const isCall =
    mayCall && textAt(event, "tool_name") !== undefined && isJsonObject(event["tool_input"]);
  if (!hasCall(row) && !isCall) return undefined;
  const read = format.readCall(event);
  const asks = point === "auth.pre_check" && read.tool_name === "exec";
  return { ...read, ...stated({ command: asks ? textAt(read.args, "command") : undefined }) };
}
