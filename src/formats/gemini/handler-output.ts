import { AGENT_TOOLS, getOwn, isJsonObject } from "../../core/index.ts";
import type { Edit, HookReport, Json, JsonObject } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";
import { carryOn, failed, refuse, rewrite, strictIfDenied } from "../handler-report.ts";
import { isSentBy, passFields } from "../host-fields.ts";
import type { Typed } from "../payload.ts";
import { jsonAt, stringAt, typed } from "../payload.ts";
import { handlerEvent } from "../handler-input.ts";
import { GEMINI, geminiEvent } from "./events.ts";
import { GEMINI_FIELDS } from "./fields.ts";
import { lastUserText, messagesOf, responseText } from "./model.ts";
import { fromGeminiName } from "./tools.ts";
import { swapKeys } from "../agent-tools.ts";

const WORDS = ["allow", "approve", "deny", "block", "ask"] as const;

/** The types of the keys that a hook engine handles. Other keys concern Gemini CLI's own screen. */
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

/** The event-specific keys. */
type Specific = Typed<typeof SPECIFIC_KINDS>;

/** A handler's response with checked types. */
interface Answer {
  readonly stops: boolean;
  readonly decision: (typeof WORDS)[number] | undefined;
  readonly reason: string;
  readonly specific: Specific;
}

/** The parts of a response, or its error. */
function readAnswer(output: JsonObject): Answer | string {
  const common = typed(output, KINDS);
  if (typeof common === "string") return common;
  const specific = typed(common.hookSpecificOutput ?? {}, SPECIFIC_KINDS);
  if (typeof specific === "string") return specific;
  return {
    stops: common.continue === false,
    decision: common.decision,
    // The reason to stop precedes that of a decision.
    reason: common.stopReason || common.reason || "",
    specific,
  };
}

/**
 * The meaning of a Gemini CLI response at the point of the call. Fields that mean nothing to orcs reach Gemini CLI if it
 * sent the event.
 */
export function readGeminiOutput(output: JsonObject, call: HandlerCall): HookReport {
  const report = strictIfDenied(readDecision(output, call), output, call);
  return passFields(report, output, GEMINI_FIELDS, call, COMPONENT);
}

/** Gemini CLI as the component of its events. */
const COMPONENT = "agent::gemini";

function readDecision(output: JsonObject, call: HandlerCall): HookReport {
  const answer = readAnswer(output);
  if (typeof answer === "string") return failed("answer", answer);
  const { decision, specific, stops, reason } = answer;
  const event = handlerEvent(GEMINI, call);
  if (stops) {
    // Stopping the agent allows the stop, without asking others.
    return event === "AfterAgent" ? carryOn({ stop: true }) : denied(call, reason);
  }
  if (event === "BeforeModel" && specific.llm_response) {
    return inPlaceOfModel(responseText(specific.llm_response) ?? "");
  }
  if (decision === "deny" || decision === "block") return denied(call, reason);
  return goOn(answer, event, call);
}

/**
 * The meaning of a denial at an event: the operation is denied, or the response of a tool or model is withheld. A
 * denial that Gemini CLI would ignore is a failure, so that it is visible.
 */
export function denied(call: HandlerCall, given: string): HookReport {
  const event = handlerEvent(GEMINI, call);
  const reason = given === "" ? "No reason provided" : given;
  const { refusable } = geminiEvent(event);
  if (refusable && event !== "BeforeToolSelection") return refuse(call, reason);
  return failed("answer", `denied ${event}, where Gemini CLI ignores a denial: ${reason}`, "open");
}

/** Its reference says that the model is not called then; 0.61 calls it, unless the response also denies. */
function inPlaceOfModel(result: string): HookReport {
  return { answer: { action: "skip", result }, edits: [] };
}

/**
 * `allow` is what Gemini CLI's hooks return without an objection: it skips no question of the user, so it is not an
 * approval here.
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
  const forModel = geminiEvent(event).context && additionalContext;
  return carryOn(
    {
      ...(asks && { decision: "ask" }),
      ...(asks && reason !== "" && { reason }),
      ...(forModel && { inject: [forModel] }),
    },
    edits,
  );
}

/** The events at which each changing key has an effect. */
const PLACES = {
  tool_input: ["BeforeTool"],
  llm_request: ["BeforeModel"],
  llm_response: ["BeforeModel", "AfterModel"],
  toolConfig: ["BeforeToolSelection"],
  tailToolCallRequest: ["AfterTool"],
} as const satisfies Partial<Record<keyof Specific, readonly string[]>>;

/** The changes of a handler, or the reason why a key has no effect although its author expects one. */
function editsOf(event: string, specific: Specific, call: HandlerCall): Edit[] | string {
  for (const [key, events] of Object.entries(PLACES)) {
    if (Object.hasOwn(specific, key) && !events.some((place) => place === event)) {
      return `returned ${key} at ${event}, where it has no effect`;
    }
  }
  if (specific.tailToolCallRequest && !isSentBy(COMPONENT, call)) {
    return "requested a call of another tool, which only Gemini CLI can make";
  }
  if (specific.tool_input) return [rewrite(call, mergedArgs(specific.tool_input, call))];
  if (specific.llm_request) return requestEdits(specific.llm_request, call);
  const text =
    event === "AfterModel" && specific.llm_response && responseText(specific.llm_response);
  return typeof text === "string" ? [{ path: ["payload", call.point.resultKey], value: text }] : [];
}

/** The remaining tools, in our names; undefined when the response does not change them. */
function offeredTools({ toolConfig = {} }: Specific): string[] | undefined {
  if (getOwn(toolConfig, "mode") === "NONE") return [];
  const names = getOwn(toolConfig, "allowedFunctionNames");
  const offered = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  return offered.length > 0 ? offered.map((name) => fromGeminiName(name)) : undefined;
}

/** New input is merged into the old one, key by key. */
function mergedArgs(input: JsonObject, call: HandlerCall): Json {
  const tool = stringAt(call, "tool_name") ?? "";
  const args = jsonAt(call, "args");
  const before = isJsonObject(args) ? swapKeys(AGENT_TOOLS.gemini, tool, args) : {};
  return swapKeys(AGENT_TOOLS.gemini, tool, { ...before, ...input });
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
