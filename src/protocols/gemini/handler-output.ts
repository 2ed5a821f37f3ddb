import type { Edit, HookReport } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { getOwn } from "../../core/json.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, refuse, rewrite } from "../handler-report.ts";
import type { Typed } from "../payload.ts";
import { jsonAt, stringAt, typed } from "../payload.ts";
import { isJsonObject } from "../read-json.ts";
import { geminiEvent } from "./events.ts";
import { geminiEventName } from "./handler-input.ts";
import { lastUserText, messagesOf, responseText } from "./model.ts";
import { fromGeminiInput, fromGeminiName, toGeminiInput } from "./tools.ts";

const WORDS = ["allow", "approve", "deny", "block", "ask"] as const;

/** What the keys hold that mean something to a hook engine. The others concern Gemini CLI's own screen. */
const KINDS = {
  continue: "boolean",
  stopReason: "string",
  decision: WORDS,
  reason: "string",
  hookSpecificOutput: "object",
} as const;
const SPECIFIC_KINDS = {
  additionalContext: "string",
  tool_input: "object",
  llm_request: "object",
  llm_response: "object",
  toolConfig: "object",
  tailToolCallRequest: "object",
} as const;

/** What is Gemini CLI's own to an event. */
type Specific = Typed<typeof SPECIFIC_KINDS>;

/** A handler's answer, each part of the kind it must be. */
interface Answer {
  readonly stops: boolean;
  readonly decision: (typeof WORDS)[number] | undefined;
  readonly reason: string;
  readonly specific: Specific;
}

/** The parts of an answer, or what is wrong with it. */
function readAnswer(output: JsonObject): Answer | string {
  const common = typed(output, KINDS);
  if (typeof common === "string") return common;
  const specific = typed(common.hookSpecificOutput ?? {}, SPECIFIC_KINDS);
  if (typeof specific === "string") return specific;
  return {
    stops: common.continue === false,
    decision: common.decision,
    // The reason to stop goes before that of a decision, whatever comes of them.
    reason: common.stopReason || common.reason || "",
    specific,
  };
}

/** What an answer of Gemini CLI's means at the point of the call. */
export function readGeminiOutput(output: JsonObject, call: HandlerCall): HookReport {
  const answer = readAnswer(output);
  if (typeof answer === "string") return failed("answer", answer);
  const { decision, specific, stops, reason } = answer;
  const event = geminiEventName(call);
  if (stops) {
    // To stop the agent is to let it, and to ask nobody else.
    return event === "AfterAgent" ? carryOn({ stop: true }) : denied(call, reason);
  }
  if (event === "BeforeModel" && specific.llm_response) {
    return inPlaceOfModel(responseText(specific.llm_response) ?? "");
  }
  if (decision === "deny" || decision === "block") return denied(call, reason);
  return goOn(answer, event, call);
}

/**
 * What a refusal means at an event: the operation is denied, or what a tool or a model has answered already. What
 * Gemini CLI would not heed either is a failure, so that it is not silent.
 */
export function denied(call: HandlerCall, given: string): HookReport {
  const event = geminiEventName(call);
  const reason = given === "" ? "No reason provided" : given;
  const { refusable } = geminiEvent(event);
  if (refusable && event !== "BeforeToolSelection") return refuse(call, reason);
  return failed("answer", `denied ${event}, where Gemini CLI ignores a denial: ${reason}`, "open");
}

/** Its reference says that the model is not asked then; 0.61 asks it, unless the answer refuses as well. */
function inPlaceOfModel(result: string): HookReport {
  return { answer: { action: "skip", result }, edits: [] };
}

/**
 * `allow` is what Gemini CLI's hooks say when they have nothing against it: it spares its user no question,
 * and so it is no approval here.
 */
function goOn(
  { decision, reason, specific }: Answer,
  event: string,
  call: HandlerCall,
): HookReport {
  const edits = editsOf(event, specific, call);
  if (typeof edits === "string") return failed("answer", edits);
  const offered = offeredTools(specific);
  if (offered) return { answer: { action: "replace", result: offered }, edits: [] };
  const asks = decision === "ask" && event === "BeforeTool";
  const { additionalContext } = specific;
  const told = geminiEvent(event).context && additionalContext;
  return carryOn(
    {
      ...(asks && { decision: "ask" }),
      ...(asks && reason !== "" && { reason }),
      ...(told && { inject: [told] }),
    },
    edits,
  );
}

/** Where each key that changes something has an effect. */
const PLACES = {
  tool_input: ["BeforeTool"],
  llm_request: ["BeforeModel"],
  llm_response: ["BeforeModel", "AfterModel"],
  toolConfig: ["BeforeToolSelection"],
} as const satisfies Partial<Record<keyof Specific, readonly string[]>>;

/** What a handler changes, or why it makes no sense: its sender believes that it has an effect. */
function editsOf(event: string, specific: Specific, call: HandlerCall): Edit[] | string {
  for (const [key, events] of Object.entries(PLACES)) {
    if (Object.hasOwn(specific, key) && !events.some((place) => place === event)) {
      return `returned ${key} at ${event}, where it has no effect`;
    }
  }
  if (specific.tailToolCallRequest) {
    return "requested a call of another tool, which only Gemini CLI can make";
  }
  if (specific.tool_input) return [rewrite(call, mergedArgs(specific.tool_input, call))];
  if (specific.llm_request) return requestEdits(specific.llm_request, call);
  const text =
    event === "AfterModel" && specific.llm_response && responseText(specific.llm_response);
  return typeof text === "string" ? [{ path: ["payload", call.point.resultKey], value: text }] : [];
}

/** The tools that are left to choose from, in our words; undefined when the answer leaves the choice alone. */
function offeredTools({ toolConfig = {} }: Specific): string[] | undefined {
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
    return "returned llm_request with messages that are no list";
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
