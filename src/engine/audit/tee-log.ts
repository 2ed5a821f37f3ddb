import type { DispatchLog, SettledDispatch } from "../../core/audit.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";

/**
 * Two logs as one, or the one that there is. Each is handed what it asks for and no more: a dispatch that says
 * nothing goes to those that take all. Both are given the outcome of the hooks, and write at the same time; where
 * one could not, its outcome is answered, the first one's where both could not.
 */
export function teeLog(
  first: DispatchLog | undefined,
  second: DispatchLog | undefined,
): DispatchLog | undefined {
  if (!first || !second) return first ?? second;
  return {
    all: first.all || second.all,
    take: (settled) => {
      const plain = saysNothing(settled);
      const one = plain && !first.all ? undefined : first.take(settled);
      const two = plain && !second.all ? undefined : second.take(settled);
      if (!one || !two) return one ?? two;
      return firstToDiffer(settled.outcome, one, two);
    },
  };
}

/** Whether no hook decided, changed, failed, or kept others from being asked. */
export function saysNothing(settled: SettledDispatch): boolean {
  const { outcome, failures, changed, stoppedBy } = settled;
  if (outcome.action !== "continue" || outcome.decision !== undefined || stoppedBy) return false;
  return failures.length === 0 && changed.length === 0;
}

async function firstToDiffer(
  outcome: Outcome,
  one: Promise<Outcome>,
  two: Promise<Outcome>,
): Promise<Outcome> {
  const answers = await Promise.all([one, two]);
  return answers.find((answer) => answer !== outcome) ?? outcome;
}

/** The longest text in a line of the log, in characters: a reason may be as long as a payload. */
export const MOST_CHARS = 4096;

/** The entry with long texts cut, and how much of each was left out. */
export function truncateTexts(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, cut(value)]));
}

function cut(value: Json): Json {
  if (typeof value === "string") {
    const more = value.length - MOST_CHARS;
    return more > 0 ? `${value.slice(0, MOST_CHARS)}… (${more} more characters)` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(cut) : truncateTexts(value);
}
