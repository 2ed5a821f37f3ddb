import type { Json } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { hostVerdict } from "../host-verdict.ts";
import type { HostVerdict } from "../host-verdict.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host.ts";
import { isJsonObject } from "../read-json.ts";
import { claudeAnswer } from "./host-answer.ts";
import type { ClaudeDraft } from "./host-answer.ts";
import { replaceResult, rewriteInput } from "./host-changes.ts";
import { claudeHostEvent } from "./host-events.ts";
import type { ClaudeHostEvent } from "./host-events.ts";

/** What an answer is made from. */
export interface EncodedCall {
  readonly decoded: DecodedEvent;
  readonly outcome: Outcome;
  readonly options: HostOptions;
  readonly row: ClaudeHostEvent;
  readonly verdict: HostVerdict;
}

/** What the hooks came to, as an answer to the event. */
export function encodeClaudeAnswer(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  const row = claudeHostEvent(event);
  const handed = handedOver(event, outcome);
  const { ctx, inject } = outcome;
  const verdict = hostVerdict(
    decoded,
    handed === undefined ? outcome : { action: "continue", ctx, inject },
  );
  const draft: ClaudeDraft = {
    refusal: verdict.refusal,
    handed,
    notes: [],
    downgrades: [...verdict.downgrades],
  };
  const call = { decoded, outcome, options, row, verdict };
  if (event === "SubagentStop") goOn(draft, call);
  else tellModel(draft, call);
  decide(draft, call);
  rewriteInput(draft, call);
  replaceResult(draft, call);
  if (event === "WorktreeCreate" && draft.refusal === undefined && handed === undefined) {
    draft.downgrades.push(
      `${event}: Claude Code leaves it to its hooks, and none answered skip with a result`,
    );
  }
  return claudeAnswer(event, draft);
}

/** What hooks hand over where Claude Code takes something in the place of the operation. */
function handedOver(event: string, outcome: Outcome): Json | undefined {
  if (outcome.action === "retry") return event === "PermissionDenied" ? true : undefined;
  if (outcome.action !== "skip") return undefined;
  const { result } = outcome;
  switch (event) {
    case "WorktreeCreate":
    case "MessageDisplay":
      return typeof result === "string" ? result : undefined;
    case "Elicitation":
    case "ElicitationResult":
      return isJsonObject(result) ? result : undefined;
    default:
      return undefined;
  }
}

/** The end of a subagent: what it is told makes it go on, and to run it again is the same. */
function goOn(draft: ClaudeDraft, { outcome, verdict }: EncodedCall): void {
  draft.refusal ??= verdict.context;
  if (outcome.action !== "retry") return;
  draft.refusal ??= `hook ${outcome.hook} wants it to be done again`;
  draft.downgrades = [];
}

function tellModel(draft: ClaudeDraft, { decoded, row, verdict }: EncodedCall): void {
  const { context } = verdict;
  if (context === undefined) return;
  // At the end of a turn a text makes the agent go on: once, or it would never stop.
  const again = decoded.event === "Stop" && decoded.payload["stop_hook_active"] === true;
  if (row.context && (!again || draft.refusal !== undefined)) {
    draft.context = context;
    return;
  }
  draft.notes.push(context);
  draft.downgrades.push(
    again
      ? "text for the model at Stop: it made the agent go on already, so the user is shown it"
      : `text for the model at ${decoded.event}: none is taken there, so the user is shown it`,
  );
}

/** What was decided; a decision without a word at the event is a refusal, or nothing. */
function decide(draft: ClaudeDraft, { decoded, options, row, verdict }: EncodedCall): void {
  const { decision, reason } = verdict;
  if (draft.refusal !== undefined || decision === undefined) return;
  if (row.decisions?.includes(decision)) {
    draft.decision = decision;
    draft.reason = reason;
    return;
  }
  const { event } = decoded;
  // Nothing is asked there; and a request for permission is what asks.
  if (decision === "allow" || (decision === "ask" && event === "PermissionRequest")) return;
  const wish = `${decision} at ${event}`;
  if (!row.refusable || row.passes) {
    draft.notes.push(`a hook answered ${wish}: ${reason ?? "no reason given"}`);
    draft.downgrades.push(`${wish}: nobody can be asked there, so it goes on`);
  } else if (decision === "defer" || options.ask === "deny") {
    draft.refusal = `a hook answered ${decision}, and nobody can be asked: ${reason ?? "no reason given"}`;
    draft.downgrades.push(`${wish}: nobody can be asked there, so it is refused`);
  } else {
    draft.downgrades.push(`${wish}: nobody can be asked there, so it goes on, as configured`);
  }
}
