import type { Json, JsonObject } from "../../core/json.ts";
import type { HostAnswer } from "../host-protocol.ts";
import type { CodexEvent } from "./events.ts";
import { codexEvent } from "./events.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that blocks wherever Codex lets a hook block, with what stands on stderr. */
const BLOCKS = 2;

/**
 * The answer that refuses an event, as far as Codex lets one.
 * @param downgrades what to log besides
 */
export function refusal(
  event: string,
  reason: string,
  downgrades: readonly string[] = [],
): HostAnswer {
  const text = said(reason, NO_REASON);
  const row = codexEvent(event);
  // What a newer Codex asks cannot be answered in its words; the exit code is all that there is.
  if (row === undefined) return { output: undefined, message: text, code: BLOCKS, downgrades };
  if (row.refusal === undefined) {
    const lost = `denial at ${event}, which Codex ignores: ${text}`;
    return notice(row, text, [...downgrades, lost]);
  }
  return { output: REFUSALS[row.refusal](event, text), message: text, code: 0, downgrades };
}

/**
 * The answer where no hook could be asked. Pre points are refused; what is over, or only told, goes on, and the
 * user is shown why no hook saw it. An event that could not be read may have been any of them.
 */
export function refuseCodex(event: string | undefined, reason: string): HostAnswer {
  const row = event === undefined ? undefined : codexEvent(event);
  const stops = event === "Stop" || event === "SubagentStop";
  return row === undefined || (row.refusable && !stops)
    ? refusal(event ?? "", reason)
    : notice(row, said(reason, NO_REASON), []);
}

/** Words for the user, at an event that goes on. */
function notice(row: CodexEvent, text: string, downgrades: readonly string[]): HostAnswer {
  const output = row.deaf ? undefined : { systemMessage: text };
  return { output, message: text, code: 0, downgrades };
}

const REFUSALS: Readonly<
  Record<NonNullable<CodexEvent["refusal"]>, (event: string, text: string) => JsonObject>
> = {
  deny: (hookEventName, permissionDecisionReason) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
  }),
  permission: (hookEventName, message) => ({
    hookSpecificOutput: { hookEventName, decision: { behavior: "deny", message } },
  }),
  block: (_event, reason) => ({ decision: "block", reason }),
  halt: (_event, stopReason) => ({ continue: false, stopReason }),
};

/** Text that Codex takes for none: it trims what Unicode calls white space, U+0085 included. */
const BLANK = /^[\s\u0085]*$/;
/** Half a character. JSON can write one, and Codex's reader then rejects the whole answer. */
const HALF = /\p{Surrogate}/gu;

/**
 * A text as Codex reads it, never blank: a refusal without a reason is none to it.
 * @param otherwise what stands in the place of a blank one
 */
export function said(text: string, otherwise: string): string {
  const whole = text.replace(HALF, "\ufffd");
  return BLANK.test(whole) ? otherwise : whole;
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether Codex's reader can read a value, its keys included. */
export function isReadable(value: Json): boolean {
  if (typeof value === "string") return value.search(HALF) < 0;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isReadable(key) && isReadable(item));
}
