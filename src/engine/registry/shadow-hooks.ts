import { isUnreadable, jsonContext, messageOf, ownData, QUIET, shown } from "../../core/index.ts";
import type {
  Action,
  Caller,
  CallScope,
  Clock,
  DispatchLog,
  Hook,
  HookContext,
  HookFailure,
  Logger,
  Outcome,
  PointSpec,
  Redactor,
  ShadowEffect,
  ShadowRun,
  TraceEntry,
  Turn,
} from "../../core/index.ts";
import { toolNamesOf } from "../../matching/index.ts";
import { Chain, type ChainDeps, type OnceState } from "./chain.ts";
import { aloneFrom, onItsOwn } from "./async-hooks.ts";
import type { ChainTrail } from "./chain-trail.ts";
import { emitShadow, type EventEmitter } from "./events.ts";
import type { Entry } from "./hook-set.ts";
import { IdleQueue } from "./idle-queue.ts";
import { ChainTrace } from "./trace-recorder.ts";

/** The scope of the calls of a shadow hook: it adds to `effects` what would have had effects. */
export type ShadowScope = (
  hook: Hook,
  ctx: HookContext,
  caller: Caller,
  effects: ShadowEffect[],
  turn: Pick<Turn, "hook" | "spent">,
) => CallScope;

/** What shadow hooks need of their registry. */
interface ShadowDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly events: EventEmitter;
  readonly log: DispatchLog | undefined;
  readonly redactor: Redactor | undefined;
  /** Whether a hook with `once` runs for the first time; default: once in its lifetime. */
  readonly once: OnceState | undefined;
  readonly scopeFor: ShadowScope;
}

/** A dispatch that has ended, for the hooks that look at it afterwards. */
export interface ShadowedDispatch {
  readonly point: PointSpec;
  readonly caller: Caller;
  readonly trail: ChainTrail;
  readonly outcome: Outcome;
  /** The hooks with the mode `audit` at its point. */
  readonly entries: readonly Entry[];
  /** Resolves to those that had to be loaded first, if there may be any. */
  readonly late: (() => Promise<readonly Entry[]>) | undefined;
}

/** The longest time of one run, waits included, in milliseconds. */
const MAX_RUN_MS = 5000;

/** A hook that was stopped at a limit is not run again for this many times as long as it took. */
const REST_FACTOR = 50;

/**
 * Runs the hooks with the mode `audit`: after the dispatch, when the thread is idle, each in a chain of its own, on a
 * copy of the context that it would have seen. What they return is recorded and has no other effect.
 */
export class ShadowHooks {
  /** Their runs; held while the process is to end as soon as it has answered. */
  readonly queue = new IdleQueue();
  readonly #host: ShadowDeps;
  /** Hooks that were stopped at a limit, and until when they rest. */
  readonly #resting = new Map<string, number>();
  /** Hooks that are known to miss results that are streams. */
  readonly #streamed = new Set<string>();

  constructor(host: ShadowDeps) {
    this.#host = host;
  }

  /** Queue the hooks of a dispatch. Nothing of them runs before the caller has its outcome. */
  add(dispatch: ShadowedDispatch): void {
    const { trail, late, entries } = dispatch;
    const known = entries.filter(mayMatch).map((entry) => [entry, trail.seenBy(entry)] as const);
    const needed = late ? trail.contexts : known.flatMap(([, seen]) => seen);
    if (needed.length === 0) return;
    // The caller may change its payload as soon as it has the outcome.
    const copies = new Map(needed.map((ctx) => [ctx, copyOf(ctx, dispatch.point)]));
    const start = (entry: Entry, seen: readonly HookContext[]): void => {
      const waiting = this.#runs(entry, seen, copies, dispatch);
      if (waiting) this.queue.track(waiting);
    };
    const run = async (): Promise<void> => {
      for (const [entry, seen] of known) start(entry, seen);
      if (!late) return;
      for (const entry of (await late()).filter(mayMatch)) start(entry, trail.seenBy(entry));
    };
    const dropped = (): void => known.forEach(([{ hook }]) => this.#dropped(hook, dispatch));
    this.queue.add({ run, dropped });

    function mayMatch({ enabled, use, hook }: Entry): boolean {
      return enabled && !use.spent && namesTool(hook, dispatch.outcome.ctx);
    }
  }

  /**
   * Run a hook on each context that it would have seen, until it would have ended the chain. It is recorded once for
   * each dispatch: the last run that says something.
   */
  #runs(
    entry: Entry,
    [ctx, ...rest]: readonly HookContext[],
    copies: ReadonlyMap<HookContext, Copy>,
    dispatch: ShadowedDispatch,
    before?: ShadowedRun,
  ): Promise<void> | undefined {
    const { hook } = entry;
    const copy = ctx && copies.get(ctx);
    if (!ctx || !copy || this.#rests(hook) || copy === STREAMED) {
      if (before) this.#record(hook, dispatch, before);
      else if (copy === STREAMED) this.#dropped(hook, dispatch, STREAMED);
      return undefined;
    }
    const { clock, redactor } = this.#host;
    const record = new RunRecord(clock, redactor, before?.record.effects);
    if ("kind" in copy) {
      record.failedBefore(copy);
      this.#record(hook, dispatch, { ctx, record });
      return undefined;
    }
    const goOn = ({ action }: Outcome): Promise<void> | undefined => {
      const run = before && !record.saysSomething ? before : { ctx: copy, record };
      if (action === "continue" && rest.length > 0) {
        return this.#runs(entry, rest, copies, dispatch, run);
      }
      this.#record(hook, dispatch, run);
      return undefined;
    };
    const ended = this.#run(entry, copy, dispatch, record);
    return ended instanceof Promise ? ended.then(goOn) : goOn(ended);
  }

  #run(
    entry: Entry,
    ctx: HookContext,
    { point, caller }: ShadowedDispatch,
    record: RunRecord,
  ): Outcome | Promise<Outcome> {
    const { clock, once } = this.#host;
    const timeoutMs = Math.min(entry.hook.timeoutMs, MAX_RUN_MS);
    const hooks = aloneFrom(entry, { timeoutMs });
    const { hook, use } = entry;
    const chains: ChainDeps = {
      // What a run says is recorded; its failure is logged once.
      logger: QUIET,
      clock,
      log: undefined,
      onError: "open",
      scopeFor: (seen, by, turn) => this.#host.scopeFor(hook, seen, by, record.effects, turn),
      spend: (_entry, seen, spent) =>
        once ? once(hook, seen, spent) : !use.spent && (use.spent = true),
      later: () => undefined,
    };
    return new Chain(chains, point, hooks, ctx, onItsOwn(caller), record, undefined).run();
  }

  #rests({ id }: Hook): boolean {
    const until = this.#resting.get(id);
    if (until === undefined) return false;
    if (this.#host.clock.now() < until) return true;
    this.#resting.delete(id);
    return false;
  }

  #record(hook: Hook, dispatch: ShadowedDispatch, { ctx, record }: ShadowedRun): void {
    const { logger, log, events, clock, redactor } = this.#host;
    const { caller, outcome, point } = dispatch;
    const { step, action, failure, effects } = record;
    if (!step) return;
    const { status, reason, changes = [], duration_ms = 0 } = step;
    if (failure) {
      const rests = LIMITS.has(failure.kind) ? duration_ms * REST_FACTOR : 0;
      if (rests > 0) this.#resting.set(hook.id, clock.now() + rests);
      const next = rests > 0 ? `; it rests for ${Math.ceil(rests)} ms` : "";
      logger.warn(`shadow hook ${hook.id} failed at ${point.name}: ${failure.message}${next}`);
    }
    const decided = outcome.action === "continue" ? outcome.decision : undefined;
    const enforced = {
      action: outcome.action,
      ...(decided !== undefined && { decision: decided }),
      ...(outcome.hook !== undefined && { hook: outcome.hook }),
    };
    const ran = { hook, ctx, caller, enforced, status, action, reason, changes, failure, effects };
    const run: ShadowRun = { ...ran, duration_ms };
    if (status !== "not_matched" && status !== "disabled") log?.shadow?.(run);
    emitShadow(events, run, step, redactor);
  }

  #dropped({ id }: Hook, { point, caller: { ids } }: ShadowedDispatch, why = CROWDED): void {
    const text = `shadow hook ${id} was not run at ${point.name}: ${why}`;
    // Every call of a tool that streams has one.
    if (why !== STREAMED || !this.#streamed.has(id)) this.#host.logger.warn(text);
    if (why === STREAMED) this.#streamed.add(id);
    if (ids) this.#host.events.emit("dropped", { ...ids, hook: id, point: point.name });
  }
}

/** Failures that took the time or the memory of a limit. */
const LIMITS: ReadonlySet<HookFailure["kind"]> = new Set(["timeout", "killed", "memory"]);

/** Whether a hook can match, as far as the name of the tool says. */
function namesTool({ matcher }: Hook, { payload }: HookContext): boolean {
  const tools = matcher?.tools;
  if (!tools) return true;
  try {
    return toolNamesOf(payload).some((name) => tools.includes(name));
  } catch {
    return true;
  }
}

/** Why a run does not take place. */
const CROWDED = "too many shadow hooks were waiting, or the engine was closed";
const STREAMED = "the result is a stream, which is not read for hooks in shadow";

/** What a hook sees of a dispatch, or why it cannot. */
type Copy = HookContext | HookFailure | typeof STREAMED;

function copyOf(ctx: HookContext, point: PointSpec): Copy {
  try {
    const { resultKey, phase } = point;
    // To read it would make its reader wait.
    if (phase === "post" && isUnreadable(shown(ownData(ctx.payload, resultKey)))) return STREAMED;
    return jsonContext(ctx, point.phase);
  } catch (thrown) {
    return { kind: "error", message: `its context cannot be copied: ${messageOf(thrown)}` };
  }
}

/** A run on one of the contexts that a hook would have seen. */
interface ShadowedRun {
  readonly ctx: HookContext;
  readonly record: RunRecord;
}

/** What becomes of one run. */
class RunRecord extends ChainTrace {
  /** Those of all runs of the hook in its dispatch. */
  readonly effects: ShadowEffect[];
  action: Action | undefined;
  failure: HookFailure | undefined;

  constructor(clock: Clock, redactor: Redactor | undefined, effects: ShadowEffect[] = []) {
    super(clock, true, redactor);
    this.effects = effects;
  }

  /** As in a trace, with secrets masked. */
  get step(): TraceEntry | undefined {
    return this.entries.at(-1);
  }

  /** It failed before its chain could begin. */
  failedBefore(failure: HookFailure): void {
    this.failure = failure;
    this.entries.push({ id: "", status: "failed", reason: failure.message, duration_ms: 0 });
  }

  /** Whether there is more to record than that it ran. */
  get saysSomething(): boolean {
    const { action, failure, step } = this;
    if (failure || (step?.changes?.length ?? 0) > 0) return true;
    if (action?.action !== "continue") return action !== undefined;
    return action.decision !== undefined || (action.inject?.length ?? 0) > 0;
  }

  override ran(...what: Parameters<ChainTrace["ran"]>): void {
    [, this.action] = what;
    super.ran(...what);
  }

  override failed(hook: Hook, failure: HookFailure): void {
    this.failure = failure;
    super.failed(hook, failure);
  }
}
