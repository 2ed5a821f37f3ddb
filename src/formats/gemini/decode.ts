import { getOwn, isJsonObject, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import type { GeminiEventName } from "./events.ts";
import { geminiEvent, isGeminiEvent } from "./events.ts";
import { lastUserText, messagesOf, responseText } from "./model.ts";
import { fromGeminiInput, fromGeminiName } from "./tools.ts";

type Fields = Readonly<Record<string, Json | undefined>>;

/**
 * Decode an event of Gemini CLI.
 * @throws OrcsError ORCS7001 naming what is missing or of another type
 */
export function decodeGemini(event: JsonObject): DecodedEvent {
  const name = requiredField("gemini", event, "hook_event_name", "string");
  const { point, timeoutMs } = geminiEvent(name);
  const own = isGeminiEvent(name) ? READERS[name](event) : { event: name };
  const payload = stated({
    ...own,
    session_id: textAt(event, "session_id"),
    cwd: textAt(event, "cwd"),
    transcript_path: textAt(event, "transcript_path"),
    host: event,
  });
  return { event: name, point, payload, component: "agent::gemini", child: undefined, timeoutMs };
}

/** Reads each event into the keys of its point. */
const READERS: Readonly<Record<GeminiEventName, (event: JsonObject) => Fields>> = {
  SessionStart: (event) => ({ source: textAt(event, "source") }),
  SessionEnd: (event) => ({ reason: textAt(event, "reason") }),
  BeforeAgent: (event) => ({ prompt: requiredField("gemini", event, "prompt", "string") }),
  AfterAgent: (event) => ({
    message: textAt(event, "prompt_response"),
    stop_hook_active: flagField(event, "stop_hook_active"),
  }),
  BeforeModel: readRequest,
  AfterModel: (event) => {
    const response = requiredField("gemini", event, "llm_response", "object");
    return {
      ...readRequest(event),
      response_text: responseText(response),
      usage: readUsage(getOwn(response, "usageMetadata")),
    };
  },
  BeforeToolSelection: (event) => {
    const { prompt, available_tools } = readRequest(event);
    return { query: prompt, result: available_tools };
  },
  BeforeTool: readTool,
  AfterTool: (event) => ({ ...readTool(event), result: getOwn(event, "tool_response") }),
  PreCompress: (event) => ({ trigger: textAt(event, "trigger") }),
  Notification: (event) => ({
    message: textAt(event, "message"),
    kind: textAt(event, "notification_type"),
  }),
};

function readTool(event: JsonObject): Fields {
  const named = requiredField("gemini", event, "tool_name", "string");
  const input = requiredField("gemini", event, "tool_input", "object");
  const name = fromGeminiName(named, getOwn(event, "mcp_context"));
  return { tool_name: name, tool: name, args: fromGeminiInput(name, input) };
}

function readRequest(event: JsonObject): Fields {
  const request = requiredField("gemini", event, "llm_request", "object");
  const messages = messagesOf(request);
  return {
    prompt: messages && lastUserText(messages),
    model_name: textAt(request, "model"),
    messages,
    available_tools: readNames(getOwn(request, "toolConfig")),
  };
}

/** Gemini CLI may send the tools it offers; 0.61 does not. */
function readNames(config: Json | undefined): string[] | undefined {
  const names = isJsonObject(config) ? getOwn(config, "allowedFunctionNames") : undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return undefined;
  return names.map((name) => fromGeminiName(name));
}

function readUsage(counts: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(counts)) return undefined;
  return stated({
    prompt_tokens: getOwn(counts, "promptTokenCount"),
    completion_tokens: getOwn(counts, "candidatesTokenCount"),
    total_tokens: getOwn(counts, "totalTokenCount"),
  });
}

function flagField(event: JsonObject, key: string): boolean | undefined {
  const value = getOwn(event, key);
  return typeof value === "boolean" ? value : undefined;
}
