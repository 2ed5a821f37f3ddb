import { isNote, jsonPointer, strongerDecision, verdictFor } from "../../core/index.ts";
import type {
  Action,
  Decision,
  Edit,
  FailureMode,
  Hook,
  HookChanged,
  HookContext,
  HookFailed,
  HookFailure,
  HookWarned,
  HookWarning,
  Injection,
  Outcome,
  OutcomeAction,
  PointSpec,
  ReadAnswer,
  TraceEntry,
} from "../../core/index.ts";

/** End of a chain in which the operation continues. */
export const CONTINUE = { action: "continue" } as const satisfies OutcomeAction;

/** Decisions and injected texts of the hooks of a chain so far. */
export class Decisions {
  #decision: Decision | undefined;
  #reason: string | undefined;
  #hook: string | undefined;
  #inject: Injection[] | undefined;
  #warnings: HookWarning[] | undefined;

  /** Record texts for the model. */
  inject(texts: readonly Injection[]): void {
    for (const text of texts) (this.#inject ??= []).push(text);
  }

  /**
   * Record what a hook with the mode `warn` would have done, for the person and the model.
   * @returns the text
   */
  warn({ id: hook }: Hook, would: string): string {
    const text = `warning: the hook ${hook} would ${would}; it only warns for now`;
    (this.#warnings ??= []).push({ hook, text });
    this.inject([`orcs ${text}`]);
    return text;
  }

  /** Record what a hook returned with `continue`: the strongest decision wins, the first of equal ones. */
  take(
    { id, limit }: Pick<Hook, "id" | "limit">,
    { decision, reason, inject }: Extract<Action, { action: "continue" }>,
  ): void {
    if (inject) this.inject(inject);
    if (decision === "allow" && limit?.elevated === false) return;
    const stronger = decision && strongerDecision(this.#decision, decision);
    if (!stronger || stronger === this.#decision) return;
    this.#decision = stronger;
    this.#reason = reason;
    this.#hook = id;
  }

  /** The outcome of a chain with this end. */
  outcome(end: OutcomeAction, ctx: HookContext, trace: readonly TraceEntry[] | undefined): Outcome {
    const inject = this.#inject ?? [];
    // Written out for the usual case, because spreading is slow.
    if (end === CONTINUE && this.#decision === undefined && !trace && !this.#warnings) {
      return { action: "continue", ctx, inject };
    }
    const [decision, reason, hook] = [this.#decision, this.#reason, this.#hook];
    const isDecided = end.action === "continue" && decision !== undefined;
    const decided = isDecided && {
      decision,
      ...(reason !== undefined && { reason }),
      ...(hook !== undefined && { hook }),
    };
    const warnings = this.#warnings && { warnings: this.#warnings };
    return { ...end, ...decided, ctx, inject, ...warnings, ...(trace && { trace }) };
  }
}

/** For a chain whose hooks returned nothing. */
export const NO_DECISIONS: Pick<Decisions, "outcome"> = new Decisions();

/** The end of the chain caused by an action; undefined when the chain continues. */
export function terminalAction(action: Action, hook: Hook): OutcomeAction | undefined {
  switch (action.action) {
    case "continue":
    case "replace":
      return undefined;
    case "skip":
      return { action: "skip", result: action.result, hook: hook.id };
    case "abort":
      return denial(hook, action.reason);
    case "retry": {
      const { id, maxRetries: max_retries } = hook;
      const { delay_ms, reason } = action;
      const retry = { action: "retry", delay_ms, max_retries, hook: id } as const;
      return reason === undefined ? retry : { ...retry, reason };
    }
  }
}

/** The denial by a hook. One that the machine enforces says so: nobody who reads it can allow the operation. */
export function denial({ id, rank }: Hook, reason: string): OutcomeAction {
  if (rank >= 0) return { action: "abort", reason, hook: id };
  const end = /[.!?]\s*$/.test(reason) ? "" : ".";
  return { action: "abort", reason: `${reason.trimEnd()}${end} ${OF_MACHINE}`, hook: id };
}

const OF_MACHINE = "This is the policy of this machine: only its administrator can change it.";

/** What a result would do, after "would"; undefined for one that denies, asks and changes nothing. */
export function wouldDo(action: Action, edits: readonly Edit[]): string | undefined {
  const because = "reason" in action && action.reason ? `: ${action.reason}` : "";
  if (action.action === "abort") return `deny this${because}`;
  if (action.action === "skip") return "not run this, and use a result of its own";
  if (action.action === "retry") return `run this again${because}`;
  const decision = action.action === "continue" ? action.decision : undefined;
  if (decision === "ask") return `ask for approval${because}`;
  if (decision === "defer") return `leave this to the coding agent${because}`;
  const all = [...new Set(edits.map(({ path }) => jsonPointer(path)))];
  const places = all.filter((place) => !isNote(place));
  if (places.length === 0) return undefined;
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : "";
  return `change ${places.slice(0, MAX_PLACES).join(", ")}${more}`;
}

/** Number of changed places that a warning lists. */
const MAX_PLACES = 5;

/** Whether a dispatch exceeds the maximum nesting depth. */
export function exceedsDepth(ctx: HookContext): boolean {
  return ctx.depth >= ctx.max_depth;
}

/** The failure mode of a failed hook: the first source that sets one. */
export function failureMode(
  hook: Hook,
  failure: HookFailure,
  ofEngine: FailureMode | undefined,
  { phase }: PointSpec,
): FailureMode {
  if (failure.kind === "store" && hook.onStoreError !== undefined) {
    // With "local" it fails only by a value that is not usable on this machine either.
    return hook.onStoreError === "open" ? "open" : "closed";
  }
  return (
    (hook.async || hook.mode === "warn" ? "open" : undefined) ??
    (failure.kind === "timeout" ? hook.onTimeout : undefined) ??
    hook.onError ??
    failure.mode ??
    ofEngine ??
    (phase === "pre" ? "closed" : "open")
  );
}

/** Why an action is illegal at a point; undefined when it is legal. */
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
 * Why the result of an asynchronous hook is a failure: it would have affected the operation, and its author expects it
 * to. Undefined for a result that affects nothing.
 */
export function whyTooLate(action: Action): string | undefined {
  const verdict = action.action === "continue" ? action.decision : action.action;
  if (verdict === undefined || verdict === "allow" || verdict === "replace") return undefined;
  const reason = "reason" in action ? action.reason : undefined;
  const because = reason === undefined ? "" : ` (${reason.slice(0, MAX_REASON)})`;
  return `returned ${verdict}${because}, which is ignored because the hook is asynchronous`;
}

/** Maximum length of a reason in a failure message, which is one line of the log. */
const MAX_REASON = 500;

/**
 * The failure of a hook with an invalid result. A result meant as a denial fails closed at points where denying is
 * legal.
 */
export function unreadableResult(point: PointSpec, read: ReadAnswer & { ok: false }): HookFailure {
  const isClosed = read.denies && verdictFor(point, "abort") === "legal";
  return { kind: "answer", message: read.why, ...(isClosed && { mode: "closed" }) };
}

/** What is logged about a chain besides its outcome. Created on demand: most chains have nothing. */
export class ChainNotes {
  readonly failures: HookFailed[] = [];
  readonly changed: HookChanged[] = [];
  readonly warned: HookWarned[] = [];
  /** The hook that stopped the chain, so that later hooks did not run. */
  stoppedBy: Hook | undefined;

  failed(hook: Hook, failure: HookFailure): void {
    this.failures.push({ hook, failure });
  }

  warnedOf(hook: Hook, action: Action, edits: readonly Edit[]): void {
    this.warned.push({ hook, action, paths: edits.map(({ path }) => jsonPointer(path)) });
  }

  /** Record the changes of the payload; changes of metadata do not count. */
  edited(hook: Hook, edits: readonly Edit[]): void {
    const counted = edits.filter(({ path }) => path[0] === "payload");
    this.changed.push({ hook, paths: counted.map(({ path }) => jsonPointer(path)) });
  }
}
