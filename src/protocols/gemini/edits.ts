import type { Edit } from "../../core/hook.ts";
import { getOwn } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { jsonAt, stringAt } from "../payload.ts";
import type { HandlerCall } from "../protocol.ts";
import { isJsonObject } from "../read-json.ts";
import { rewrite } from "../report.ts";
import type { Specific } from "./handler-answer.ts";
import { lastUserText, messagesOf, responseText } from "./model.ts";
import { fromGeminiInput, fromGeminiName, toGeminiInput } from "./tools.ts";

/** Where each key that changes something has an effect. */
const PLACES = {
  tool_input: ["BeforeTool"],
  llm_request: ["BeforeModel"],
  llm_response: ["BeforeModel", "AfterModel"],
  toolConfig: ["BeforeToolSelection"],
} as const satisfies Partial<Record<keyof Specific, readonly string[]>>;

/** What a handler changes, or why it makes no sense: its sender believes that it has an effect. */
export function editsOf(event: string, specific: Specific, call: HandlerCall): Edit[] | string {
  for (const [key, events] of Object.entries(PLACES)) {
    if (Object.hasOwn(specific, key) && !events.some((place) => place === event)) {
      return `answered ${key} at ${event}, where it has no effect`;
    }
  }
  if (specific.tailToolCallRequest) {
    return "asked for another tool's call, which Gemini CLI alone can make";
  }
  if (specific.tool_input) return [rewrite(call, mergedArgs(specific.tool_input, call))];
  if (specific.llm_request) return requestEdits(specific.llm_request, call);
  const text =
    event === "AfterModel" && specific.llm_response && responseText(specific.llm_response);
  return typeof text === "string" ? [{ path: ["payload", call.point.resultKey], value: text }] : [];
}

/** The tools that are left to choose from, in our words; undefined when the answer leaves the choice alone. */
export function offeredTools({ toolConfig = {} }: Specific): string[] | undefined {
  if (getOwn(toolConfig, "mode") === "NONE") return [];
  const names = getOwn(toolConfig, "allowedFunctionNames");
  const offered = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  return offered.length > 0 ? offered.map((name) => fromGeminiName(name)) : undefined;
}

/** New input is laid over the old one, key by key. */
function mergedArgs(input: JsonObject, call: HandlerCall): Json {
  const tool = stringAt(call, "tool_name") ?? "";
  const args = jsonAt(call, "args");
  const before = isJsonObject(args) ? toGeminiInput(tool, args) : {};
  return fromGeminiInput(tool, { ...before, ...input });
}

function requestEdits(request: JsonObject, call: HandlerCall): Edit[] | string {
  const model = getOwn(request, "model");
  const messages = messagesOf(request);
  if (messages === undefined && Object.hasOwn(request, "messages")) {
    return "answered llm_request with messages that are no list";
  }
  const edits: Edit[] = [];
  if (typeof model === "string") edits.push({ path: ["payload", "model_name"], value: model });
  if (messages === undefined) return edits;
  edits.push({ path: ["payload", "messages"], value: messages });
  const prompt = lastUserText(messages);
  return prompt === undefined || prompt === stringAt(call, "prompt")
    ? edits
    : [...edits, rewrite(call, prompt)];
}
