import { verdictFor } from "../core/actions.ts";
import type { Action, ReadAnswer } from "../core/actions.ts";
import type { HookFailure } from "../core/hook.ts";
import type { PointSpec } from "../core/points.ts";

/** Why an action may not be answered at a point; undefined when it may. */
export function illegality(point: PointSpec, action: Action): string | undefined {
  const { name, phase } = point;
  if (verdictFor(point, action.action) === "fail") {
    return `answered ${action.action} at ${name}, a ${phase} point`;
  }
  if (action.action === "continue" && action.decision && phase !== "pre") {
    return `answered the decision ${action.decision} at ${name}, a ${phase} point; decisions belong to pre points`;
  }
  return undefined;
}

/**
 * Why a hook that nobody waited for has failed with its answer: it would have held up the operation, and its author
 * believes that it does. Undefined for an answer that holds up nothing.
 */
export function lateGate(action: Action): string | undefined {
  const said = action.action === "continue" ? action.decision : action.action;
  if (said === undefined || said === "allow" || said === "replace") return undefined;
  const reason = "reason" in action ? action.reason : undefined;
  const because = reason === undefined ? "" : ` (${reason.slice(0, MAX_REASON)})`;
  return `answered ${said}${because}, but with async: true its answer came too late to count`;
}

/** A failure's message is one line of a log. */
const MAX_REASON = 500;

/** How a hook failed whose answer makes no sense. One that means a denial fails closed where it could have denied. */
export function unread(point: PointSpec, read: ReadAnswer & { ok: false }): HookFailure {
  const isClosed = read.denies && verdictFor(point, "abort") === "legal";
  return { kind: "answer", message: read.why, ...(isClosed && { mode: "closed" }) };
}
