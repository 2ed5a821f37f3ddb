import type { Json, JsonObject } from "../../core/json.ts";
import { getOwn } from "../../core/json.ts";
import { stated } from "../host-fields.ts";
import { asText } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";
import { geminiEvent, isGeminiEvent } from "./events.ts";
import type { GeminiEventName } from "./events.ts";
import type { Given, Said } from "./given.ts";
import { withResponseText } from "./model.ts";
import { NO_TOOLS } from "./refusal.ts";
import { rewrittenRequest } from "./request.ts";
import { resultText } from "./result-text.ts";
import { toGeminiInput, toGeminiName } from "./tools.ts";

/** Nothing to say. */
export const NOTHING: Said = { output: {}, downgrades: [] };

/**
 * The answer in the words that the event takes. With nothing to say it is an empty object: were there nothing
 * on stdout, Gemini CLI would read our log on stderr as the answer.
 */
export function sayAt(given: Given): Said {
  const { event, verdict } = given;
  const { context } = geminiEvent(event);
  const said = isGeminiEvent(event) ? (SAYERS[event]?.(given) ?? NOTHING) : NOTHING;
  const downgrades = [...said.downgrades];
  if (verdict.input !== undefined && !TAKES_INPUT.includes(event)) {
    downgrades.push(`what hooks rewrote is dropped: ${event} has no place for it`);
  }
  if (verdict.context !== undefined && !context && said.refusal === undefined) {
    downgrades.push(`text for the model is dropped: ${event} has no place for it`);
  }
  return { ...said, downgrades };
}

const TAKES_INPUT: readonly string[] = ["BeforeTool", "BeforeAgent", "BeforeModel"];

const SAYERS: Readonly<Partial<Record<GeminiEventName, (given: Given) => Said>>> = {
  SessionStart: ({ event, verdict }) => addContext(event, verdict.context),
  BeforeAgent: ({ event, verdict: { input, context } }) => {
    if (input === undefined) return addContext(event, context);
    const rewritten = `The user's prompt is to be read as follows:\n${asText(input)}`;
    const texts = context === undefined ? [rewritten] : [rewritten, context];
    const why = "a prompt cannot be rewritten before the agent: it stays, the new one is added";
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
      downgrades: ["a replaced result reaches the model as the reason of a refused one"],
    };
  },
};

function addContext(hookEventName: string, additionalContext: string | undefined): Said {
  if (additionalContext === undefined) return NOTHING;
  return { output: { hookSpecificOutput: { hookEventName, additionalContext } }, downgrades: [] };
}

function permitTool({ event, decoded, verdict, sent }: Given): Said {
  const { decision, input } = verdict;
  // The reason of an approval would be read together with that of another hook's refusal.
  const reason = decision === "ask" ? verdict.reason || undefined : undefined;
  const words = { decision, reason, systemMessage: reason };
  const downgrades =
    decision === "allow" ? ["allow: Gemini CLI still asks its user as its own policy says"] : [];
  if (!isJsonObject(input)) return { output: stated(words), downgrades };
  const tool = getOwn(decoded.payload, "tool_name");
  const tool_input = toGeminiInput(typeof tool === "string" ? tool : "", input);
  const removed = removedKeys(getOwn(sent, "tool_input"), tool_input);
  if (removed.length > 0) {
    // Its reference says that the input is merged with what was sent; 0.61 puts it in its place.
    const which = removed.join(", ");
    return {
      refusal: `hooks took ${which} out of the tool's input, which Gemini CLI may keep`,
      downgrades: [`${which} cannot be taken out of a tool's input for sure, so it is refused`],
    };
  }
  const hookSpecificOutput = { hookEventName: event, tool_input };
  return { output: stated({ ...words, hookSpecificOutput }), downgrades };
}

function removedKeys(before: Json | undefined, after: JsonObject): string[] {
  const keys = isJsonObject(before) ? Object.keys(before) : [];
  return keys.filter((key) => !Object.hasOwn(after, key));
}

function replaceResponse({ event, verdict: { result }, sent }: Given): Said {
  if (result === undefined) return NOTHING;
  const response = getOwn(sent, "llm_response");
  const llm_response = withResponseText(isJsonObject(response) ? response : {}, asText(result));
  return {
    output: { hookSpecificOutput: { hookEventName: event, llm_response } },
    downgrades: [],
  };
}

/** Here even an empty answer would choose tools anew. */
function selectTools({ event, verdict: { result } }: Given): Said {
  if (result === undefined) return { output: undefined, downgrades: [] };
  if (!isNames(result)) {
    return {
      output: NO_TOOLS,
      downgrades: ["the list of tools is no list of names: none are offered"],
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
