import { getOwn, isJsonObject, objectAt, toJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { stated } from "../host-protocol.ts";
import { asText } from "../host-protocol.ts";
import { eventName, hostOf, jsonAt, sessionOf, stringAt } from "../payload.ts";
import { GEMINI_EVENTS, geminiEvent, isGeminiEvent } from "./events.ts";
import { lastUserText, messagesOf, responseText, withResponseText, withUserText } from "./model.ts";
import { fromGeminiName, mcpTool, toGeminiInput, toGeminiName } from "./tools.ts";

const { BeforeToolSelection, ...ALIASED } = GEMINI_EVENTS;
const ALIASES = Object.keys(ALIASED) as (keyof typeof ALIASED)[];

/** Gemini CLI's name of the event. Only the name for the choice of tools is not an alias of its point. */
export function geminiEventName(call: HandlerCall): string {
  return call.point.name === BeforeToolSelection.point
    ? "BeforeToolSelection"
    : eventName(call, ALIASES);
}

/**
 * The event as Gemini CLI sends it. Keys that hooks may have changed come from the current payload; others keep the
 * agent's own values if it sent this event.
 */
export function geminiInput(call: HandlerCall): JsonObject {
  const event = geminiEventName(call);
  const host = hostOf(call);
  const sent =
    host["hook_event_name"] === event
      ? (toJson(host, undefined, ["payload", "host"]) as JsonObject)
      : {};
  const fields = Object.entries(geminiEvent(event).fields).map(
    ([field, { key, otherwise }]) =>
      [field, (key && jsonAt(call, key)) ?? getOwn(sent, field) ?? otherwise] as const,
  );
  return {
    transcript_path: stringAt(call, "transcript_path") ?? "",
    // A date: the context's own clock counts from the start of the engine.
    timestamp: new Date().toISOString(),
    ...sent,
    session_id: sessionOf(call),
    cwd: jsonAt(call, "cwd") ?? getOwn(sent, "cwd") ?? call.cwd ?? "",
    hook_event_name: event,
    ...stated(Object.fromEntries(fields)),
    ...(isGeminiEvent(event) ? PARTS[GEMINI_EVENTS[event].point]?.(call, sent) : undefined),
  };
}

type Part = (call: HandlerCall, sent: JsonObject) => JsonObject;

/** The complex fields of events. */
const PARTS: Readonly<Record<string, Part>> = {
  "tool.pre_execute": toolCall,
  "tool.post_execute": (call, sent) => ({
    ...toolCall(call, sent),
    tool_response: toolResponse(jsonAt(call, "result") ?? null),
  }),
  "llm.pre_generate": modelRequest,
  "llm.post_generate": (call, sent) => ({
    ...modelRequest(call, sent),
    llm_response: modelResponse(call, sent),
  }),
  "tool.on_list": modelRequest,
};

function toolCall(call: HandlerCall, sent: JsonObject): JsonObject {
  const tool = stringAt(call, "tool_name") ?? "";
  const args = jsonAt(call, "args");
  const named = getOwn(sent, "tool_name");
  const isSent =
    typeof named === "string" && fromGeminiName(named, getOwn(sent, "mcp_context")) === tool;
  const mcp = mcpTool(tool);
  const context = mcp && { mcp_context: { server_name: mcp.server, tool_name: mcp.tool } };
  return {
    ...(isSent ? { tool_name: named } : { tool_name: toGeminiName(tool), ...context }),
    tool_input: isJsonObject(args) ? toGeminiInput(tool, args) : {},
  };
}

/** Gemini CLI's tools return one text for the model and one for the screen. */
function toolResponse(result: Json): JsonObject {
  if (isJsonObject(result) && Object.hasOwn(result, "llmContent")) return result;
  return { llmContent: asText(result), returnDisplay: asText(result) };
}

function modelRequest(call: HandlerCall, sent: JsonObject): JsonObject {
  const request = objectAt(sent, "llm_request");
  const given = jsonAt(call, "messages");
  const messages = Array.isArray(given) ? given : (messagesOf(request) ?? []);
  const prompt = stringAt(call, "prompt");
  const current = prompt === undefined || prompt === lastUserText(messages);
  return {
    llm_request: {
      config: {},
      ...request,
      model: stringAt(call, "model_name") ?? getOwn(request, "model") ?? "",
      messages: current ? messages : withUserText(messages, prompt),
    },
  };
}

function modelResponse(call: HandlerCall, sent: JsonObject): JsonObject {
  const response = objectAt(sent, "llm_response");
  const text = stringAt(call, "response_text") ?? "";
  return Object.hasOwn(response, "candidates") && text === (responseText(response) ?? "")
    ? response
    : withResponseText(response, text);
}
