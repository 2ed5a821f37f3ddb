import type { Action, Decision, Injection, ReadAnswer } from "../core/actions.ts";
import { strongerDecision, verdictFor } from "../core/actions.ts";
import type { HookChanged, HookFailed } from "../core/audit.ts";
import type { HookContext } from "../core/context.ts";
import type { Edit, FailureMode, Hook, HookFailure } from "../core/hook.ts";
import { jsonPointer } from "../core/json.ts";
import type { Outcome, OutcomeAction, TraceEntry } from "../core/outcome.ts";
import type { PointSpec } from "../core/points.ts";

/** How a chain that goes on ends. */
export const CONTINUE = { action: "continue" } as const satisfies OutcomeAction;

/** What the hooks of one chain have said so far: permission, and text for the model. */
export class Decisions {
  #decision: Decision | undefined;
  #reason: string | undefined;
  #hook: string | undefined;
  #inject: Injection[] | undefined;

  /** Note what a hook said beside `continue`: the strongest decision counts, the first of equals. */
  take(
    { id, limit }: Pick<Hook, "id" | "limit">,
    { decision, reason, inject }: Extract<Action, { action: "continue" }>,
  ): void {
    for (const text of inject ?? []) (this.#inject ??= []).push(text);
    if (decision === "allow" && limit?.elevated === false) return;
    const stronger = decision && strongerDecision(this.#decision, decision);
    if (!stronger || stronger === this.#decision) return;
    this.#decision = stronger;
    this.#reason = reason;
    this.#hook = id;
  }

  /** The outcome of a chain that ended this way. */
  outcome(end: OutcomeAction, ctx: HookContext, trace: readonly TraceEntry[] | undefined): Outcome {
    const inject = this.#inject ?? [];
    // Spreads are slow where they have something to merge: the usual case is written out.
    if (end === CONTINUE && this.#decision === undefined && !trace) {
      return { action: "continue", ctx, inject };
    }
    const said =
      end.action === "continue" && this.#decision !== undefined
        ? {
            decision: this.#decision,
            ...(this.#reason !== undefined && { reason: this.#reason }),
            ...(this.#hook !== undefined && { hook: this.#hook }),
          }
        : {};
    return { ...end, ...said, ctx, inject, ...(trace && { trace }) };
  }
}

/** Of a chain whose hooks had nothing to say. */
export const NO_DECISIONS: Pick<Decisions, "outcome"> = new Decisions();

/** How an action ends its chain; undefined when the chain goes on. */
export function terminalAction(action: Action, hook: Hook): OutcomeAction | undefined {
  switch (action.action) {
    case "continue":
    case "replace":
      return undefined;
    case "skip":
      return { action: "skip", result: action.result, hook: hook.id };
    case "abort":
      return { action: "abort", reason: action.reason, hook: hook.id };
    case "retry": {
      const { delay_ms } = action;
      return { action: "retry", delay_ms, max_retries: hook.maxRetries, hook: hook.id };
    }
  }
}

/** Whether a dispatch is nested deeper than hooks may be. */
export function exceedsDepth(ctx: HookContext): boolean {
  return ctx.depth >= ctx.max_depth;
}

/** What becomes of it. Deep recursion must not be a way round a guard: a pre point refuses, others are skipped. */
export function depthLimitOutcome(
  point: PointSpec,
  ctx: HookContext,
): { readonly end: OutcomeAction; readonly reason: string } {
  const reason = `hooks are nested ${ctx.depth} levels deep; the limit is ${ctx.max_depth}`;
  const end: OutcomeAction =
    point.phase === "pre"
      ? { action: "abort", reason, hook: "orcs:max_depth" }
      : { action: "continue" };
  return { end, reason };
}

/** What decides when a hook has failed: the first that says anything. */
export function failureMode(
  hook: Hook,
  failure: HookFailure,
  ofEngine: FailureMode | undefined,
  { phase }: PointSpec,
): FailureMode {
  return (
    (hook.async ? "open" : undefined) ??
    (failure.kind === "timeout" ? hook.onTimeout : undefined) ??
    hook.onError ??
    failure.mode ??
    ofEngine ??
    (phase === "pre" ? "closed" : "open")
  );
}

/** Why an action may not be answered at a point; undefined when it may. */
export function whyIllegal(point: PointSpec, action: Action): string | undefined {
  const { name, phase } = point;
  if (verdictFor(point, action.action) === "fail") {
    return `returned ${action.action}, which is not legal at ${name} (a ${phase} point)`;
  }
  if (action.action === "continue" && action.decision && phase !== "pre") {
    return `returned the decision ${action.decision} at ${name} (a ${phase} point); decisions are legal at pre points only`;
  }
  return undefined;
}

/**
 * Why a hook that nobody waited for has failed with its answer: it would have held up the operation, and its author
 * believes that it does. Undefined for an answer that holds up nothing.
 */
export function whyTooLate(action: Action): string | undefined {
  const said = action.action === "continue" ? action.decision : action.action;
  if (said === undefined || said === "allow" || said === "replace") return undefined;
  const reason = "reason" in action ? action.reason : undefined;
  const because = reason === undefined ? "" : ` (${reason.slice(0, MAX_REASON)})`;
  return `returned ${said}${because}, which is ignored because the hook is asynchronous`;
}

/** A failure's message is one line of a log. */
const MAX_REASON = 500;

/** How a hook failed whose answer makes no sense. One that means a denial fails closed where it could have denied. */
export function unreadableResult(point: PointSpec, read: ReadAnswer & { ok: false }): HookFailure {
  const isClosed = read.denies && verdictFor(point, "abort") === "legal";
  return { kind: "answer", message: read.why, ...(isClosed && { mode: "closed" }) };
}

/** What is worth writing down of a chain besides its outcome. Made when there is something: most chains have none. */
export class ChainNotes {
  readonly failures: HookFailed[] = [];
  readonly changed: HookChanged[] = [];
  /** The hook that kept those behind it from being asked. */
  stoppedBy: Hook | undefined;

  failed(hook: Hook, failure: HookFailure): void {
    this.failures.push({ hook, failure });
  }

  /** Whether a hook changed the payload; changes of metadata do not count. */
  edited(hook: Hook, edits: readonly Edit[]): void {
    const counted = edits.filter(({ path }) => path[0] === "payload");
    this.changed.push({ hook, paths: counted.map(({ path }) => jsonPointer(path)) });
  }
}
