import { getOwn, textAt, toJson, type Json, type JsonObject } from "../core/index.ts";
import { eventOf, hasCall, type AgentFormat } from "./agent-format.ts";
import type { HandlerCall } from "./handler-protocol.ts";
import { argsOf, hostOf, jsonAt, sessionOf, stringAt } from "./payload.ts";

/**
 * The agent's name of the event: the one that it sent, if several of its events share a point; otherwise the first that
 * has the point.
 */
export function handlerEvent(format: AgentFormat, call: HandlerCall): string {
  const { name } = call.point;
  if (name === "host.pre_event") return stringAt(call, "event") ?? name;
  const sent = getOwn(sentIn(format, call), "hook_event_name");
  if (typeof sent === "string" && getOwn(format.events, sent)?.point === name) return sent;
  return Object.keys(format.events).find((event) => format.events[event]?.point === name) ?? name;
}

/**
 * The event as the agent sends it to its handlers. Keys that hooks may have changed come from the current payload, the
 * rest from what the agent sent; everything it sent if it sent this event.
 */
export function handlerInput(format: AgentFormat, call: HandlerCall): JsonObject {
  const event = handlerEvent(format, call);
  const row = eventOf(format, event);
  const host = toJson(sentIn(format, call), undefined, ["payload", "host"]) as JsonObject;
  const isOwn = format.isOwn?.(call, host, event) ?? host["hook_event_name"] === event;
  const sent = isOwn || format.borrows ? host : {};
  const usual = format.usual?.(call) ?? { cwd: "" };
  const body: JsonObject = { ...usual, ...(isOwn && host) };
  const write = (field: string, value: Json): void => {
    body[field] = value;
    const other = format.alsoAs?.[field];
    if (other !== undefined) body[other] = value;
  };
  write(format.session ?? "session_id", sessionOf(call));
  const cwd = jsonAt(call, "cwd") ?? getOwn(sent, "cwd") ?? call.cwd ?? usual["cwd"];
  if (cwd !== undefined) body["cwd"] = cwd;
  body["hook_event_name"] = event;
  for (const [field, source] of Object.entries({ ...format.common, ...row.fields })) {
    const { key, only, otherwise } = source;
    if (only === "read") continue;
    const current = key === undefined ? undefined : jsonAt(call, key);
    const value = current ?? getOwn(sent, field) ?? otherwise;
    if (value !== undefined) write(field, value);
  }
  const named = hasCall(row) ? format.writeCall(callIn(call), sent, event) : {};
  return { ...body, ...named, ...row.writeParts?.(call, sent) };
}

/** What an agent sent, with the current names of its fields. */
function sentIn(format: AgentFormat, call: HandlerCall): JsonObject {
  const host = hostOf(call) as JsonObject;
  return format.current?.(host) ?? host;
}

/** The agent's name of a called tool, if an agent sent the event. */
export function sentTool(call: HandlerCall): string | undefined {
  return textAt(hostOf(call) as JsonObject, "tool_name");
}

/** The call. A permission may be requested for a bare command, without a tool. */
function callIn(call: HandlerCall): { tool: string; args: JsonObject } {
  const tool = stringAt(call, "tool_name");
  const command = stringAt(call, "command");
  return tool === undefined && command !== undefined
    ? { tool: "exec", args: { command } }
    : { tool: tool ?? "", args: argsOf(call) };
}
