import { getOwn, isJsonObject, NotJson, POINT_TABLE } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import type { AgentVerdict } from "../host-protocol.ts";
import { stated } from "../host-protocol.ts";
import { agentVerdict, asText, changed } from "../host-protocol.ts";
import type { GeminiEventName } from "./events.ts";
import { geminiEvent, isGeminiEvent } from "./events.ts";
import {
  isMessage,
  lastUserText,
  messagesOf,
  syntheticResponse,
  withResponseText,
  withUserText,
} from "./model.ts";
import { toGeminiInput, toGeminiName } from "./tools.ts";

/** A denial in the form of an event, and what gets lost. */
interface Refused {
  readonly output: JsonObject;
  readonly downgrades: readonly string[];
}

/** No tools at all: the only denial for the choice of tools. */
const NO_TOOLS: JsonObject = {
  hookSpecificOutput: { hookEventName: "BeforeToolSelection", toolConfig: { mode: "NONE" } },
};

/** Ends the agent's work at any event: denies a tool, and lets an agent stop. */
export function endOfWork(reason: string): JsonObject {
  return { continue: false, stopReason: reason, decision: "deny", reason };
}

/**
 * Deny an event.
 * @param context text for the model, which can only be in the reason of a denial
 */
export function refusedAt(event: string, reason: string, context?: string): Refused {
  const { refusable, reasonFor } = geminiEvent(event);
  const dropped = `text for the model is ignored: ${event} was denied`;
  const lost = context === undefined ? [] : [dropped];
  if (event === "BeforeToolSelection") {
    return { output: NO_TOOLS, downgrades: [...lost, `no tools are offered: ${reason}`] };
  }
  if (event === "AfterModel") {
    // When a chunk is only denied, 0.61 shows the text and makes the calls anyway.
    const ends = "the model's response can only be denied by ending the turn";
    return { output: endOfWork(reason), downgrades: [...lost, ends] };
  }
  if (!refusable) {
    const goesOn = `denial at ${event}, which Gemini CLI ignores: ${reason}`;
    return { output: { systemMessage: reason }, downgrades: [...lost, goesOn] };
  }
  if (!isGeminiEvent(event)) lost.push(`${event} is unknown to orcs; a denial may have no effect`);
  if (reasonFor === "user") return { output: { decision: "deny", reason }, downgrades: lost };
  const full = context === undefined ? reason : `${reason}\n\n${context}`;
  return { output: { decision: "deny", reason: full }, downgrades: [] };
}

/** The response to an event, or why it must be denied after all. */
interface AnswerParts {
  readonly output?: JsonObject | undefined;
  readonly refusal?: string | undefined;
  readonly downgrades: readonly string[];
}

/** The input of a response without a denial. */
interface AnswerInput {
  readonly event: string;
  readonly decoded: DecodedEvent;
  readonly verdict: AgentVerdict;
  /** As the hooks left it. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** As Gemini CLI sent it. */
  readonly sent: JsonObject;
}

/** The response to an event. Always with exit code 0: JSON expresses everything that a code could. */
export function encodeGemini(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  try {
    return outcome.action === "skip" && event === "BeforeModel"
      ? inPlaceOfModel(event, outcome)
      : answerTo(decoded, outcome, options);
  } catch (thrown) {
    if (!(thrown instanceof NotJson)) throw thrown;
    // Half of a hook's result may be the half that allows it.
    const { output, downgrades } = refusedAt(
      event,
      `the result of the hooks is not JSON: ${thrown.message}`,
    );
    return answer(output, downgrades);
  }
}

function answerTo(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): HostAnswer {
  const { event } = decoded;
  const wished = agentVerdict(decoded, outcome);
  const decided = decide(decoded, wished, options);
  const verdict = decided.isIgnored ? { ...wished, decision: undefined } : wished;
  const encoded =
    decided.refusal === undefined
      ? sayAt({ event, decoded, verdict, payload: outcome.ctx.payload, sent: sentBy(decoded) })
      : NOTHING;
  const downgrades = [...verdict.downgrades, ...decided.downgrades, ...encoded.downgrades];
  const refusal = decided.refusal ?? encoded.refusal;
  if (refusal === undefined) return answer(encoded.output, downgrades);
  const refused = refusedAt(event, refusal, verdict.context);
  return answer(refused.output, [...downgrades, ...refused.downgrades]);
}

/** Gemini CLI accepts a result in place of the model only together with a denial. */
function inPlaceOfModel(
  hookEventName: string,
  { result, hook, inject }: Extract<Outcome, { action: "skip" }>,
): HostAnswer {
  const reason = `hook ${hook} replaced the model's response`;
  const llm_response = syntheticResponse(modelText(result));
  const output = { decision: "deny", reason, hookSpecificOutput: { hookEventName, llm_response } };
  return answer(
    output,
    inject.length === 0 ? [] : ["text for the model is ignored: the model is not called"],
  );
}

function answer(output: JsonObject | undefined, downgrades: readonly string[]): HostAnswer {
  return { output, code: 0, downgrades };
}

/** A permission decision that is not simply passed on. */
interface Decided extends AnswerParts {
  /** The response contains no decision. */
  readonly isIgnored?: boolean;
}

function decide(decoded: DecodedEvent, verdict: AgentVerdict, options: HostOptions): Decided {
  const { refusal, decision, reason } = verdict;
  const { event } = decoded;
  if (refusal !== undefined) return { refusal, downgrades: [] };
  if (decision === undefined || decision === "allow") return { downgrades: [] };
  const why = reason === undefined ? decision : `${decision}: ${reason}`;
  if (POINT_TABLE[decoded.point].phase !== "pre") {
    return { downgrades: [`${why}; at ${event} the operation has already run`] };
  }
  if (decision === "defer") return { refusal: `deferred by a hook: ${reason}`, downgrades: [] };
  const isBeforeTool = event === "BeforeTool";
  if (isBeforeTool && options.hasUser?.() === true) return { downgrades: [] };
  const lack = isBeforeTool
    ? "Gemini CLI runs without a user who could answer"
    : "Gemini CLI can ask its user only before tools";
  const nobody = `${why}; ${lack}`;
  if (options.ask === "pass") {
    return { downgrades: [`${nobody}, so it is ignored`], isIgnored: true };
  }
  return {
    refusal: isBeforeTool
      ? `a hook requests that the user is asked, but there is nobody who could answer: ${reason}`
      : `a hook requests that the user is asked, which Gemini CLI supports only before tools: ${reason}`,
    downgrades: [`${nobody}, so it is denied`],
  };
}

function sentBy({ payload, event }: DecodedEvent): JsonObject {
  const sent = getOwn(payload, "host");
  return isJsonObject(sent) ? sent : { hook_event_name: event };
}

/** No decision. */
const NOTHING: AnswerParts = { output: {}, downgrades: [] };

/**
 * The response in the keys of the event. Without a decision it is an empty object: if stdout were empty, Gemini CLI
 * would read our log on stderr as the response.
 */
function sayAt(given: AnswerInput): AnswerParts {
  const { event, verdict } = given;
  const { context } = geminiEvent(event);
  const encoded = isGeminiEvent(event) ? (SAYERS[event]?.(given) ?? NOTHING) : NOTHING;
  const downgrades = [...encoded.downgrades];
  if (verdict.input !== undefined && !TAKES_INPUT.includes(event)) {
    downgrades.push(`rewrite at ${event}, which Gemini CLI does not support: ignored`);
  }
  if (verdict.context !== undefined && !context && encoded.refusal === undefined) {
    downgrades.push(`text for the model at ${event}, which Gemini CLI does not support: ignored`);
  }
  return { ...encoded, downgrades };
}

const TAKES_INPUT: readonly string[] = ["BeforeTool", "BeforeAgent", "BeforeModel"];

const SAYERS: Readonly<Partial<Record<GeminiEventName, (given: AnswerInput) => AnswerParts>>> = {
  SessionStart: ({ event, verdict }) => addContext(event, verdict.context),
  BeforeAgent: ({ event, verdict: { input, context } }) => {
    if (input === undefined) return addContext(event, context);
    const rewritten = `Read the user's prompt as follows:\n${asText(input)}`;
    const texts = context === undefined ? [rewritten] : [rewritten, context];
    const why = "Gemini CLI cannot replace a prompt: the original stays, and the new one is added";
    return { ...addContext(event, texts.join("\n\n")), downgrades: [why] };
  },
  BeforeModel: (given) => rewrittenRequest(given),
  AfterModel: replaceResponse,
  BeforeToolSelection: selectTools,
  BeforeTool: permitTool,
  AfterTool: ({ event, verdict: { result, context } }) => {
    if (result === undefined) return addContext(event, context);
    const text = resultText(result);
    return {
      output: {
        decision: "deny",
        reason: context === undefined ? text : `${text}\n\n${context}`,
      },
      downgrades: ["a replaced result is passed to the model as the reason of a denial"],
    };
  },
};

function addContext(hookEventName: string, additionalContext: string | undefined): AnswerParts {
  if (additionalContext === undefined) return NOTHING;
  return { output: { hookSpecificOutput: { hookEventName, additionalContext } }, downgrades: [] };
}

function permitTool({ event, decoded, verdict, sent }: AnswerInput): AnswerParts {
  const { decision, input } = verdict;
  // The reason of an approval would be shown together with another hook's denial.
  const reason = decision === "ask" ? verdict.reason || undefined : undefined;
  const words = { decision, reason, systemMessage: reason };
  const downgrades =
    decision === "allow"
      ? ["allow: Gemini CLI still asks its user according to its own policy"]
      : [];
  if (!isJsonObject(input)) return { output: stated(words), downgrades };
  const tool = getOwn(decoded.payload, "tool_name");
  const tool_input = toGeminiInput(typeof tool === "string" ? tool : "", input);
  const removed = removedKeys(getOwn(sent, "tool_input"), tool_input);
  if (removed.length > 0) {
    // Its reference says that the input is merged with what was sent; 0.61 replaces it.
    const which = removed.join(", ");
    return {
      refusal: `hooks removed ${which} from the tool's input, but Gemini CLI may keep it`,
      downgrades: [
        `${which} cannot be reliably removed from a tool's input, so the call is denied`,
      ],
    };
  }
  const hookSpecificOutput = { hookEventName: event, tool_input };
  return { output: stated({ ...words, hookSpecificOutput }), downgrades };
}

function removedKeys(before: Json | undefined, after: JsonObject): string[] {
  const keys = isJsonObject(before) ? Object.keys(before) : [];
  return keys.filter((key) => !Object.hasOwn(after, key));
}

function replaceResponse({ event, verdict: { result }, sent }: AnswerInput): AnswerParts {
  if (result === undefined) return NOTHING;
  const response = getOwn(sent, "llm_response");
  const llm_response = withResponseText(isJsonObject(response) ? response : {}, asText(result));
  return {
    output: { hookSpecificOutput: { hookEventName: event, llm_response } },
    downgrades: [],
  };
}

/** Here even an empty response would change the choice of tools. */
function selectTools({ event, verdict: { result } }: AnswerInput): AnswerParts {
  if (result === undefined) return { output: undefined, downgrades: [] };
  if (!isNames(result)) {
    return {
      output: NO_TOOLS,
      downgrades: ["the list of tools is not a list of names: no tools are offered"],
    };
  }
  if (result.length === 0) return { output: NO_TOOLS, downgrades: [] };
  const allowedFunctionNames = [...new Set(result.map(toGeminiName))];
  const toolConfig = { mode: "AUTO", allowedFunctionNames };
  return { output: { hookSpecificOutput: { hookEventName: event, toolConfig } }, downgrades: [] };
}

function isNames(value: Json): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
}

/** Keys of a model request that Gemini CLI neither sends nor accepts before the model. */
const NOT_TAKEN = ["system_prompt", "available_tools"] as const;

/** The changes of a model request, with exactly the keys that differ. */
function rewrittenRequest({ event, decoded, verdict, payload, sent }: AnswerInput): AnswerParts {
  const now = (key: string): Json | undefined => changed(decoded.payload, payload, key);
  const downgrades = NOT_TAKEN.filter((key) => now(key) !== undefined).map(
    (key) => `${key}: Gemini CLI does not accept it from hooks`,
  );
  const request = getOwn(sent, "llm_request");
  const before = (isJsonObject(request) ? messagesOf(request) : undefined) ?? [];
  const { messages, fault } = newMessages(before, now("messages"), verdict.input);
  if (fault !== undefined) {
    return { refusal: fault, downgrades: [...downgrades, `${fault}, so it is denied`] };
  }
  const llm_request = stated({ model: now("model_name"), messages });
  if (Object.keys(llm_request).length === 0) return { output: {}, downgrades };
  return { output: { hookSpecificOutput: { hookEventName: event, llm_request } }, downgrades };
}

interface NewMessages {
  readonly messages?: Json[];
  readonly fault?: string;
}

/** Gemini CLI merges new messages into its own one by one: missing ones stay unchanged. */
function newMessages(
  before: readonly Json[],
  given: Json | undefined,
  prompt: Json | undefined,
): NewMessages {
  if (given === undefined && prompt === undefined) return {};
  const rewritten = given ?? [...before];
  if (!Array.isArray(rewritten))
    return { fault: "the messages as rewritten by hooks are not a list" };
  if (rewritten.length < before.length) {
    return { fault: "hooks removed messages, which Gemini CLI does not support" };
  }
  const messages = typeof prompt === "string" ? withPrompt(before, rewritten, prompt) : rewritten;
  if (messages === undefined) {
    return {
      fault: "hooks rewrote the prompt and the message that contains it to different texts",
    };
  }
  return messages.every(isMessage)
    ? { messages }
    : { fault: "messages for Gemini CLI must be { role, content } with text only" };
}

function withPrompt(before: readonly Json[], after: Json[], prompt: string): Json[] | undefined {
  const text = lastUserText(after);
  if (text !== lastUserText(before) && text !== prompt) return undefined;
  return withUserText(after, prompt);
}

/** Gemini CLI replaces an empty reason with its own text. */
const NOTHING_LEFT = "a hook removed the result";

/** A result as text for the model: the model's part, or the text of parts. Never empty. */
function resultText(result: Json): string {
  const content = isJsonObject(result) ? getOwn(result, "llmContent") : undefined;
  return textOf(content ?? result) || NOTHING_LEFT;
}

/** A hook's result in place of a model: a text, or a tool-like result with one. */
function modelText(result: Json): string {
  return result === null ? "" : textOf(result);
}

function textOf(content: Json): string {
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  const text = isJsonObject(content) ? getOwn(content, "text") : undefined;
  return typeof text === "string" ? text : asText(content);
}
