import { addIds, subjectIn, subjectOf, textIn } from "../../core/index.ts";
import type { HookContext, JsonObject, Redactor, Writable } from "../../core/index.ts";
import { recordedEvent } from "../../records/index.ts";
import type { EngineEvents, HookStep, ShadowStep } from "../../engine/index.ts";
import type { BriefDispatch, SeenDispatch, SeenStep } from "./seen-dispatch.ts";

/** What became of one hook. */
export type Step = HookStep | ShadowStep;

/** What steps have logged, masked; of those that have logged something. */
export type StepLogs = Pick<WeakMap<Step, readonly string[]>, "get">;

/** A dispatch as the engine told it. Nothing of it is copied, converted or masked yet: most are never looked at. */
export interface EndedDispatch {
  /** In milliseconds since 1970, as `at`. */
  readonly began: number;
  readonly at: number;
  /** Before any hook. */
  readonly ctx: HookContext;
  readonly ended: EngineEvents["dispatched"];
  /** In the order of the chain. */
  readonly steps: Step[];
  /** Of the steps, about. */
  readonly characters: number;
  /** Whether one of the steps is. */
  readonly isNotable: boolean;
  readonly mask: Redactor;
}

/** Longest text of a summary, in characters. */
const MOST_TEXT = 200;

/** A text as it stands in a summary. */
export function shortText(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}

/** Whole, with its secrets masked. */
export function seenDispatch(
  { began, at, ctx, ended, steps, mask }: EndedDispatch,
  logs: StepLogs,
): SeenDispatch {
  const { point: name, component, child, outcome, duration_ms } = ended;
  const caller = { component, child };
  const settled = { point: { name }, began: ctx, caller, outcome, failures: [], duration_ms };
  const seen: Writable<SeenDispatch> = Object.assign(recordedEvent(settled, mask, at), {
    dispatch_id: ended.dispatch_id,
    began,
    hooks: steps.map((step) => seenStep(step, logs)),
  });
  addIds(seen, ended);
  return seen;
}

/**
 * As a summary; undefined for a dispatch in which a hook did something, or whose payload is no plain data. What is in
 * it is the same as in the whole.
 */
export function briefDispatch(dispatch: EndedDispatch): BriefDispatch | undefined {
  const { began, ctx, ended, mask } = dispatch;
  const { outcome, point, component, duration_ms } = ended;
  if (dispatch.isNotable || outcome.action !== "continue" || outcome.decision !== undefined)
    return undefined;
  if (outcome.ctx.payload !== ctx.payload || outcome.ctx.metadata !== ctx.metadata) {
    return undefined;
  }
  const about = summaryOf(ctx.payload, mask);
  if (!about) return undefined;
  const brief: Writable<BriefDispatch> = {
    brief: true,
    dispatch_id: ended.dispatch_id,
    began,
    point,
    component,
    duration_ms: Math.round(duration_ms * 1000) / 1000,
  };
  addIds(brief, ended);
  if (about.tool_name !== undefined) brief.tool_name = about.tool_name;
  if (about.subject !== undefined) brief.subject = about.subject;
  return brief;
}

/**
 * The tool, and what the call is about, masked as they are in the whole: the names above a text tell, too. Undefined
 * where only the whole can say it.
 */
function summaryOf(
  payload: HookContext["payload"],
  mask: Redactor,
): Pick<BriefDispatch, "tool_name" | "subject"> | undefined {
  const subject = subjectIn(payload);
  const parts: JsonObject = {};
  const tool = textIn(payload, "tool_name");
  if (tool !== undefined) parts["tool_name"] = tool;
  if (subject?.isArgument === true) parts["args"] = { [subject.key]: subject.text };
  else if (subject) parts[subject.key] = subject.text;
  const masked = mask.value(parts);
  const about: Writable<Pick<BriefDispatch, "tool_name" | "subject">> = {};
  if (tool !== undefined) {
    const { tool_name } = masked;
    if (typeof tool_name !== "string") return undefined;
    about.tool_name = shortText(tool_name);
  }
  if (subject) {
    // A pattern of the configuration may mask the name of the key.
    const text = subjectOf(masked);
    if (text === undefined) return undefined;
    about.subject = shortText(text);
  }
  return about;
}

/** Whether a list of dispatches says something of this step. */
export function isNotable({ status, mode, patch, action }: Step): boolean {
  if (status === "failed" || status === "timed_out") return true;
  return mode !== undefined && status === "ran" && (patch !== undefined || action !== "continue");
}

/** What a step has besides its hook and its status. */
const STEP_KEYS = [
  ...(["source", "failing", "mode", "mismatch", "action", "decision", "reason"] as const),
  ...(["traceback", "unreadable", "unsure", "dropped", "duration_us", "patch"] as const),
  ...(["async", "inject", "result", "effects"] as const),
] satisfies (keyof SeenStep)[];

/** Without what the dispatch has already. */
export function seenStep(event: Step, logs: StepLogs): SeenStep {
  const given: Partial<SeenStep> = event;
  const step: Record<string, unknown> = { hook: event.hook, status: event.status };
  for (const key of STEP_KEYS) if (given[key] !== undefined) step[key] = given[key];
  const logged = logs.get(event);
  if (logged !== undefined) step["logs"] = logged;
  return step as unknown as SeenStep;
}
