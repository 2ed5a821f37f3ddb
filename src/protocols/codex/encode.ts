import { messageOf } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../host.ts";
import { codexEvent } from "./events.ts";
import { refusal, refuseCodex } from "./refusal.ts";
import { wishOf } from "./wish.ts";
import type { Wish } from "./wish.ts";

/** Codex's answer for what the hooks came to. */
export function encodeCodex(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  let wish: Wish;
  try {
    wish = wishOf(decoded, outcome, options);
  } catch (thrown) {
    return unreadable(event, outcome, `what the hooks made of it is no JSON: ${messageOf(thrown)}`);
  }
  const { downgrades, context } = wish;
  if (wish.refusal === undefined) return { output: goingOn(event, wish), code: 0, downgrades };
  const reason = context === undefined ? wish.refusal : `${wish.refusal}\n\n${context}`;
  return refusal(event, reason, downgrades);
}

/** Half of what the hooks meant may be the half that let it pass; an agent may stop all the same. */
function unreadable(event: string, outcome: Outcome, why: string): HostAnswer {
  const stops = codexEvent(event)?.speaks && outcome.action === "continue";
  return stops ? refuseCodex(event, why) : refusal(event, why);
}

/** The answer of hooks that refuse nothing; undefined where there is nothing to say. */
function goingOn(event: string, wish: Wish): JsonObject | undefined {
  const row = codexEvent(event);
  const specific: JsonObject = {
    ...(wish.allowed && { decision: { behavior: "allow" } }),
    ...(wish.input && { permissionDecision: "allow", updatedInput: wish.input }),
    ...(wish.context !== undefined && { additionalContext: wish.context }),
  };
  const output: JsonObject = {
    ...(wish.shown !== undefined && row && !row.deaf && { systemMessage: wish.shown }),
    ...(wish.result !== undefined && { decision: "block", reason: wish.result }),
    ...(Object.keys(specific).length > 0 && {
      hookSpecificOutput: { hookEventName: event, ...specific },
    }),
  };
  return row?.speaks || Object.keys(output).length > 0 ? output : undefined;
}
