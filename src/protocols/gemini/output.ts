import type { HookReport } from "../../core/hook.ts";
import type { JsonObject } from "../../core/json.ts";
import type { HandlerCall } from "../protocol.ts";
import { carryOn, failed, refuse } from "../report.ts";
import { readAnswer } from "./handler-answer.ts";
import type { Answer } from "./handler-answer.ts";
import { editsOf, offeredTools } from "./edits.ts";
import { geminiEvent } from "./events.ts";
import { geminiEventName } from "./input.ts";
import { responseText } from "./model.ts";

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
  return failed("answer", `refused ${event}, where Gemini CLI heeds no refusal: ${reason}`, "open");
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
