import { getOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { POINT_TABLE } from "../../core/point-table.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host.ts";
import { NotJson } from "../../core/to-json.ts";
import { hostVerdict } from "../host-verdict.ts";
import type { HostVerdict } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";
import { NOTHING, sayAt } from "./event-answers.ts";
import type { Said } from "./given.ts";
import { syntheticResponse } from "./model.ts";
import { refusedAt } from "./refusal.ts";
import { modelText } from "./result-text.ts";

/** The answer to an event. Always with code 0: a code of its own says nothing that JSON does not say better. */
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
    // Half of what hooks meant could be the half that lets it pass.
    const { output, downgrades } = refusedAt(event, `hooks left no JSON: ${thrown.message}`);
    return answer(output, downgrades);
  }
}

function answerTo(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): HostAnswer {
  const { event } = decoded;
  const verdict = hostVerdict(decoded, outcome);
  const decided = decide(decoded, verdict, options);
  const said =
    decided.refusal === undefined
      ? sayAt({ event, decoded, verdict, payload: outcome.ctx.payload, sent: sentBy(decoded) })
      : NOTHING;
  const downgrades = [...verdict.downgrades, ...decided.downgrades, ...said.downgrades];
  const refusal = decided.refusal ?? said.refusal;
  if (refusal === undefined) return answer(said.output, downgrades);
  const refused = refusedAt(event, refusal, verdict.context);
  return answer(refused.output, [...downgrades, ...refused.downgrades]);
}

/** Gemini CLI takes an answer in the model's place only together with a refusal. */
function inPlaceOfModel(
  hookEventName: string,
  { result, hook, inject }: Extract<Outcome, { action: "skip" }>,
): HostAnswer {
  const reason = `hook ${hook} answered in the place of the model`;
  const llm_response = syntheticResponse(modelText(result));
  const output = { decision: "deny", reason, hookSpecificOutput: { hookEventName, llm_response } };
  return answer(
    output,
    inject.length === 0 ? [] : ["text for the model is dropped: none is asked"],
  );
}

function answer(output: JsonObject | undefined, downgrades: readonly string[]): HostAnswer {
  return { output, code: 0, downgrades };
}

/** What a permission decision comes to where it is not simply handed on. */
function decide(decoded: DecodedEvent, verdict: HostVerdict, options: HostOptions): Said {
  const { refusal, decision, reason } = verdict;
  const { event } = decoded;
  if (refusal !== undefined) return { refusal, downgrades: [] };
  if (decision === undefined || decision === "allow") return { downgrades: [] };
  const why = reason === undefined ? decision : `${decision}: ${reason}`;
  if (POINT_TABLE[decoded.point].phase !== "pre") {
    return { downgrades: [`${why}; at ${event} there is nothing to decide any more`] };
  }
  if (decision === "defer") return { refusal: `deferred by a hook: ${reason}`, downgrades: [] };
  if (event === "BeforeTool") return { downgrades: [] };
  const nobody = `${why}; Gemini CLI asks its user before tools only`;
  if (options.ask === "pass") return { downgrades: [`${nobody}, so nothing is said`] };
  return {
    refusal: `a hook wants the user to be asked, which Gemini CLI does before tools only: ${reason}`,
    downgrades: [`${nobody}, so it is refused`],
  };
}

function sentBy({ payload, event }: DecodedEvent): JsonObject {
  const sent = getOwn(payload, "host");
  return isJsonObject(sent) ? sent : { hook_event_name: event };
}
