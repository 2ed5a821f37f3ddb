import type { JsonObject } from "../../core/json.ts";
import { geminiEvent, isGeminiEvent } from "./events.ts";

/** A refusal as an event takes it, and what of it is lost. */
interface Refused {
  readonly output: JsonObject;
  readonly downgrades: readonly string[];
}

/** No tools at all: the one refusal that the choice of tools knows. */
export const NO_TOOLS: JsonObject = {
  hookSpecificOutput: { hookEventName: "BeforeToolSelection", toolConfig: { mode: "NONE" } },
};

/** Ends the agent's work, whatever the event: refuses a tool and lets an agent stop, both. */
export function endOfWork(reason: string): JsonObject {
  return { continue: false, stopReason: reason, decision: "deny", reason };
}

/**
 * Refuse what an event is about.
 * @param context text for the model, which a refused one can read in the reason alone
 */
export function refusedAt(event: string, reason: string, context?: string): Refused {
  const { refusable, reasonFor } = geminiEvent(event);
  const dropped = `text for the model is ignored: ${event} was denied`;
  const lost = context === undefined ? [] : [dropped];
  if (event === "BeforeToolSelection") {
    return { output: NO_TOOLS, downgrades: [...lost, `no tools are offered: ${reason}`] };
  }
  if (event === "AfterModel") {
    // Of a chunk that is only denied, 0.61 shows the text and makes the calls all the same.
    const ends = "the model's response can only be denied by ending the turn";
    return { output: endOfWork(reason), downgrades: [...lost, ends] };
  }
  if (!refusable) {
    const goesOn = `denial at ${event}, which Gemini CLI ignores: ${reason}`;
    return { output: { systemMessage: reason }, downgrades: [...lost, goesOn] };
  }
  if (!isGeminiEvent(event)) lost.push(`${event} is unknown to orcs; a denial may have no effect`);
  if (reasonFor === "user") return { output: { decision: "deny", reason }, downgrades: lost };
  const told = context === undefined ? reason : `${reason}\n\n${context}`;
  return { output: { decision: "deny", reason: told }, downgrades: [] };
}
