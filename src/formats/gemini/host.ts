import { AGENT_TOOLS, getOwn, isJsonObject, objectAt, textAt, stated } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";
import { hostProtocol, withContext, type EncodeCall, type Wish } from "../encode-event.ts";
import type { DecodedEvent, HostAnswer, HostProtocol } from "../host-protocol.ts";
import { asText, changed, partText, resultText } from "../host-protocol.ts";
import { eventOf } from "../agent-format.ts";
import { GEMINI_FIELDS, GEMINI, type GeminiEvent } from "./events.ts";
import { isMessage, lastUserText, messagesOf, withResponseText, withUserText } from "./model.ts";
import { toGeminiName } from "./tools.ts";
import { swapKeys } from "../agent-tools.ts";

type Call = EncodeCall<GeminiEvent>;

/**
 * Gemini CLI. Every response has exit code 0: JSON expresses everything that a code could. Without a decision it is an
 * empty object: if stdout were empty, Gemini CLI would read our log on stderr as the response. Source: protocols.md
 * §3, its hook reference and its code (0.61).
 */
export const geminiHost: HostProtocol = hostProtocol<GeminiEvent>({
  format: GEMINI,
  fields: GEMINI_FIELDS,
  cannotAsk: ({ options }) => options.hasUser?.() !== true,
  nobody: { BeforeTool: "but there is nobody who could answer" },
  rewrites: {
    BeforeAgent(wish, input) {
      wish.context = withContext(`Read the user's prompt as follows:\n${asText(input)}`, wish);
      const why =
        "Gemini CLI cannot replace a prompt: the original stays, and the new one is added";
      wish.downgrades.push(why);
    },
    // With everything else that hooks may change in a request.
    BeforeModel: () => {},
    BeforeTool: rewriteTool,
  },
  results: {
    AfterModel(wish, result, call) {
      const before = objectAt(sentBy(call), "llm_response");
      say(wish, call.event, { llm_response: withResponseText(before, asText(result)) });
    },
    BeforeToolSelection: selectTools,
    AfterTool(wish, result) {
      Object.assign(wish.output, {
        decision: "deny",
        reason: withContext(resultText(result, NOTHING_LEFT), wish),
      });
      wish.context = undefined;
      wish.downgrades.push("a replaced result is passed to the model as the reason of a denial");
    },
  },
  special: inPlaceOfModel,
  finish(wish, call) {
    if (call.event === "BeforeModel" && wish.refusal === undefined) rewriteRequest(wish, call);
  },
  deny,
  goOn,
});

/** No tools at all: the only denial for the choice of tools. */
const NO_TOOLS: JsonObject = { mode: "NONE" };

/** Add event-specific keys. */
function say({ output }: Wish, hookEventName: string, keys: JsonObject): void {
  output["hookSpecificOutput"] = { hookEventName, ...keys };
}

/** Ends the agent's work at any event: denies a tool, and lets an agent stop. */
function endOfWork(reason: string): JsonObject {
  return { continue: false, stopReason: reason, decision: "deny", reason };
}

function deny(event: string | undefined, reason: string, wish: Wish): HostAnswer {
  const answer = (output: JsonObject, ...more: readonly string[]): HostAnswer => ({
    output,
    code: 0,
    downgrades: [...wish.downgrades, ...more],
  });
  if (event === undefined) return answer(endOfWork(reason));
  const { refusable, reasonFor } = eventOf(GEMINI, event);
  const dropped = `text for the model is ignored: ${event} was denied`;
  const lost = wish.context === undefined ? [] : [dropped];
  if (event === "BeforeToolSelection") {
    const hookSpecificOutput = { hookEventName: event, toolConfig: NO_TOOLS };
    return answer({ hookSpecificOutput }, ...lost, `no tools are offered: ${reason}`);
  }
  if (event === "AfterModel") {
    // When a chunk is only denied, 0.61 shows the text and makes the calls anyway.
    const ends = "the model's response can only be denied by ending the turn";
    return answer(endOfWork(reason), ...lost, ends);
  }
  if (!refusable) {
    const goesOn = `denial at ${event}, which Gemini CLI ignores: ${reason}`;
    return answer({ systemMessage: reason }, ...lost, goesOn);
  }
  if (!Object.hasOwn(GEMINI.events, event))
    lost.push(`${event} is unknown to orcs; a denial may have no effect`);
  return reasonFor === "user"
    ? answer({ decision: "deny", reason }, ...lost)
    : answer({ decision: "deny", reason: withContext(reason, wish) });
}

function goOn(event: string, wish: Wish): HostAnswer {
  const { decision, context, notes, output, downgrades } = wish;
  // The reason of an approval would be shown together with another hook's denial.
  const reason = decision === "ask" ? wish.reason || undefined : undefined;
  if (context !== undefined) say(wish, event, { additionalContext: context });
  const shown = reason ?? (notes.length > 0 ? notes.join("\n") : undefined);
  const words = stated({ decision, reason, systemMessage: shown, ...output });
  // Even an empty response would change the choice of tools.
  const isSilent = event === "BeforeToolSelection" && Object.keys(words).length === 0;
  return { output: isSilent ? undefined : words, code: 0, downgrades };
}

/** Gemini CLI accepts a result in place of the model only together with a denial. */
function inPlaceOfModel(
  { event: hookEventName }: DecodedEvent,
  outcome: Outcome,
): HostAnswer | undefined {
  if (outcome.action !== "skip" || hookEventName !== "BeforeModel") return undefined;
  const { result, hook, inject } = outcome;
  const reason = `hook ${hook} replaced the model's response`;
  // A text, or a tool-like result with one.
  const empty = { candidates: [{ finishReason: "STOP" }] };
  const llm_response = withResponseText(empty, result === null ? "" : partText(result));
  const output = { decision: "deny", reason, hookSpecificOutput: { hookEventName, llm_response } };
  const lost = ["text for the model is ignored: the model is not called"];
  return { output, code: 0, downgrades: inject.length === 0 ? [] : lost };
}

function sentBy({ decoded: { payload, event } }: Call): JsonObject {
  const sent = getOwn(payload, "host");
  return isJsonObject(sent) ? sent : { hook_event_name: event };
}

function rewriteTool(wish: Wish, input: Json, call: Call): void {
  if (!isJsonObject(input)) return;
  const tool = textAt(call.decoded.payload, "tool_name") ?? "";
  const tool_input = swapKeys(AGENT_TOOLS.gemini, tool, input);
  const before = objectAt(sentBy(call), "tool_input");
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(tool_input, key));
  if (removed.length === 0) return say(wish, call.event, { tool_input });
  // Its reference says that the input is merged with what was sent; 0.61 replaces it.
  const which = removed.join(", ");
  wish.refusal = `hooks removed ${which} from the tool's input, but Gemini CLI may keep it`;
  wish.downgrades.push(
    `${which} cannot be reliably removed from a tool's input, so the call is denied`,
  );
}

function selectTools(wish: Wish, result: Json, { event }: Call): void {
  const isNames = Array.isArray(result) && result.every((name) => isName(name));
  if (!isNames) {
    wish.downgrades.push("the list of tools is not a list of names: no tools are offered");
  }
  const names = isNames ? [...new Set(result.filter(isName).map(toGeminiName))] : [];
  const some = { mode: "AUTO", allowedFunctionNames: names };
  say(wish, event, { toolConfig: names.length === 0 ? NO_TOOLS : some });
}

function isName(value: Json): value is string {
  return typeof value === "string" && value !== "";
}

/** Keys of a model request that Gemini CLI neither sends nor accepts before the model. */
const NOT_TAKEN = ["system_prompt", "available_tools"] as const;

/** The changes of a model request, with exactly the keys that differ. */
function rewriteRequest(wish: Wish, call: Call): void {
  const { event, decoded, outcome, verdict } = call;
  const now = (key: string): Json | undefined => changed(decoded.payload, outcome.ctx.payload, key);
  const { downgrades } = wish;
  for (const key of NOT_TAKEN) {
    if (now(key) === undefined) continue;
    downgrades.push(`${key}: Gemini CLI does not accept it from hooks`);
  }
  const before = messagesOf(objectAt(sentBy(call), "llm_request")) ?? [];
  const messages = newMessages(before, now("messages"), verdict.input);
  if (typeof messages === "string") {
    wish.refusal = messages;
    downgrades.push(`${messages}, so it is denied`);
    return;
  }
  const llm_request = stated({ model: now("model_name"), messages });
  if (Object.keys(llm_request).length > 0) say(wish, event, { llm_request });
}

/**
 * The new messages if there are any, or why they are not possible. Gemini CLI merges them into its own one by one:
 * missing ones stay unchanged.
 */
function newMessages(
  before: readonly Json[],
  given: Json | undefined,
  prompt: Json | undefined,
): Json[] | string | undefined {
  if (given === undefined && prompt === undefined) return undefined;
  const rewritten = given ?? [...before];
  if (!Array.isArray(rewritten)) return "the messages as rewritten by hooks are not a list";
  if (rewritten.length < before.length) {
    return "hooks removed messages, which Gemini CLI does not support";
  }
  const messages = typeof prompt === "string" ? withPrompt(before, rewritten, prompt) : rewritten;
  if (messages === undefined) {
    return "hooks rewrote the prompt and the message that contains it to different texts";
  }
  const isTaken = messages.every(isMessage);
  return isTaken ? messages : "messages for Gemini CLI must be { role, content } with text only";
}

function withPrompt(before: readonly Json[], after: Json[], prompt: string): Json[] | undefined {
  const text = lastUserText(after);
  if (text !== lastUserText(before) && text !== prompt) return undefined;
  return withUserText(after, prompt);
}

/** Gemini CLI replaces an empty reason with its own text. */
const NOTHING_LEFT = "a hook removed the result";
