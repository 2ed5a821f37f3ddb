import { shortText } from "../../daemon/index.ts";
import type { BriefDispatch, SeenDispatch, SeenStep } from "../../daemon/index.ts";
import { ANSWERED, isNote, subjectOf } from "../../core/index.ts";
import type { Row, Verdict } from "./api.ts";
import { isPast, POINT } from "./past.ts";

/** A summary as a row of the list: the same as of the whole dispatch. */
export function briefRow(brief: BriefDispatch, seq: number): Row {
  const { tool_name, subject } = brief;
  return {
    ...callOf(brief, seq),
    ...textOf("tool", tool_name),
    ...textOf("subject", subject),
    verdict: "passed",
  };
}

/** A dispatch as a row of the list. */
export function rowOf(dispatch: SeenDispatch, seq: number): Row {
  const { outcome, hooks, payload } = dispatch;
  const { tool_name: tool } = payload;
  const verdict = verdictOf(dispatch);
  const failed = hooks.find(hasFailed);
  const changer = hooks.findLast(({ patch = [], mode }) => mode === undefined && hasChanged(patch));
  const shadow = hooks.map(shadowOf).find((each) => each !== undefined);
  const point = pointOf(dispatch);
  const answer = hooks.find(isAnswer);
  const hook =
    outcome.hook ??
    (verdict === "failed" ? failed?.hook : verdict === "changed" ? changer?.hook : undefined);
  const reason =
    answer?.reason ?? outcome.reason ?? (verdict === "failed" ? failed?.reason : undefined);
  return {
    ...callOf(dispatch, seq),
    ...(typeof tool === "string" && { tool: shortText(tool) }),
    ...textOf("subject", subjectOf(payload)),
    verdict,
    ...(hook !== undefined && { hook }),
    ...textOf("reason", reason),
    ...(shadow && { shadow }),
    ...(point !== undefined && { undo: point }),
    ...(isPast(dispatch) && { past: true }),
  };
}

/** The id of the undo point that was taken before a call. */
export function pointOf({ outcome }: SeenDispatch): string | undefined {
  const value = outcome.edits.find(({ path }) => path === POINT)?.value;
  return typeof value === "string" ? value : undefined;
}

/** What a person answered. */
function isAnswer({ hook }: SeenStep): boolean {
  return hook === ANSWERED;
}

/** When and where it was called. */
function callOf(dispatch: SeenDispatch | BriefDispatch, seq: number) {
  const { dispatch_id: id, parent_id, began, component, session_id, point } = dispatch;
  return {
    seq,
    id,
    ...(parent_id !== undefined && { parent: parent_id }),
    at: began,
    agent: component,
    ...(session_id !== undefined && { session: session_id }),
    point,
    ms: dispatch.duration_ms,
  };
}

function verdictOf({ outcome, hooks }: SeenDispatch): Verdict {
  const { action, decision } = outcome;
  if (action === "abort") return "denied";
  if (action === "skip") return "skipped";
  if (action === "retry") return "retried";
  const answer = hooks.find(isAnswer);
  if (answer) return answer.action === "abort" ? "denied" : "allowed";
  if (decision === "ask" || decision === "defer") return "asked";
  if (hooks.some(hasFailed)) return "failed";
  if (hasChanged(outcome.edits)) return "changed";
  return decision === "allow" ? "allowed" : "passed";
}

/** Whether more than notes for other hooks was changed. */
function hasChanged(edits: readonly { readonly path: string }[]): boolean {
  return !edits.every(({ path }) => isNote(path));
}

/** Of an enforced hook. */
function hasFailed({ status, mode }: SeenStep): boolean {
  return mode === undefined && (status === "failed" || status === "timed_out");
}

/** What a hook that is not enforced would have done, if it is worth a look. */
function shadowOf({ hook, mode, status, action, decision, patch }: SeenStep): Row["shadow"] {
  if (mode === undefined) return undefined;
  if (status === "failed" || status === "timed_out") return { verdict: "failed", hook };
  if (status !== "ran") return undefined;
  if (action === "abort") return { verdict: "denied", hook };
  if (action === "skip") return { verdict: "skipped", hook };
  if (action === "retry") return { verdict: "retried", hook };
  if (decision === "ask" || decision === "defer") return { verdict: "asked", hook };
  if (hasChanged(patch ?? []) || action === "replace") return { verdict: "changed", hook };
  return undefined;
}

function textOf<K extends string>(key: K, text: string | undefined): Partial<Record<K, string>> {
  return text === undefined ? {} : ({ [key]: shortText(text) } as Record<K, string>);
}
