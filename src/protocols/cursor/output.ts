import type { Json, JsonObject } from "../../core/json.ts";
import { getOwn } from "../../core/json.ts";
import type { HostAnswer } from "../host-protocol.ts";
import { stated } from "../host-protocol.ts";
import type { OutputKey } from "./events.ts";
import { cursorEvent } from "./events.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that denies wherever Cursor lets a hook deny, with what stands on stderr. */
const DENIES = 2;
/** What an event that we do not know may take. */
const ANY_WORDS: readonly OutputKey[] = ["permission", "continue", "user_message", "agent_message"];

/**
 * The answer that refuses an event, as far as Cursor lets one.
 * @param event undefined when it could not be read
 * @param downgrades what to log besides
 * @param context what the model is to read below the reason
 */
export function refusal(
  event: string | undefined,
  reason: string,
  downgrades: readonly string[] = [],
  context?: string,
): HostAnswer {
  const why = reason.trim() === "" ? NO_REASON : reason;
  const words = refusingWords(why, context === undefined ? why : `${why}\n\n${context}`);
  const row = event === undefined ? undefined : cursorEvent(event);
  // What a newer Cursor asks cannot be answered in its words for sure; the code counts for every event.
  if (row === undefined) {
    return { output: pick(words, ANY_WORDS), message: why, code: DENIES, downgrades };
  }
  if (!row.refusable) {
    const lost = `denial at ${event}, which Cursor ignores: ${why}`;
    return { output: {}, message: why, code: 0, downgrades: [...downgrades, lost] };
  }
  const output = pick(words, [...row.takes, ...row.older]);
  const read = ["agent_message", "followup_message"].some((key) => Object.hasOwn(output, key));
  const unread =
    context === undefined || read ? [] : [`text for the model at ${event}, which accepts none`];
  return { output, message: why, code: 0, downgrades: [...downgrades, ...unread] };
}

/** The keys that an event accepts. */
export function pick(
  words: Readonly<Partial<Record<OutputKey, Json | undefined>>>,
  keys: readonly OutputKey[],
): JsonObject {
  return stated(Object.fromEntries(keys.map((key) => [key, getOwn(words, key)])));
}

function refusingWords(reason: string, told: string): Partial<Record<OutputKey, Json>> {
  return {
    permission: "deny",
    decision: "deny",
    continue: false,
    reason,
    user_message: reason,
    userMessage: reason,
    agent_message: told,
    agentMessage: told,
    followup_message: told,
  };
}
