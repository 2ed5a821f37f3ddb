import { addIds, injectedText, messageOf } from "../../core/index.ts";
import type {
  Action,
  ActionName,
  Clock,
  Decision,
  DispatchIds,
  Edit,
  Hook,
  HookContext,
  HookFailure,
  Json,
  JsonObject,
  Logger,
  OrcsError,
  Outcome,
  Redactor,
  ShadowEffect,
  ShadowRun,
  TraceChange,
  TraceContext,
  TraceEntry,
  Writable,
} from "../../core/index.ts";
import type { InvokeOutcome } from "./invoke.ts";
import { bothObservers, type ChainObserver, ChainTrace } from "./trace-recorder.ts";

/** A hook in a dispatch. */
interface HookPlace extends DispatchIds {
  hook: string;
  point: string;
}

/** Result of one hook in one dispatch. */
interface HookEvent extends HookPlace {
  duration_ms: number;
  action: ActionName;
  decision?: Decision;
  reason?: string;
}

/** One operation of JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** What became of one hook in a dispatch. Secrets are masked. */
export interface HookStep
  extends DispatchIds, Omit<TraceEntry, "id" | "changed" | "changes" | "duration_ms"> {
  readonly hook: string;
  readonly point: string;
  /** From when it was its turn until it had returned, in microseconds; missing if it did not run. */
  readonly duration_us?: number;
  /** What it changed, from the root of the context: `/payload/args/command`. */
  readonly patch?: readonly PatchOperation[];
  /** It runs after the dispatch, and its result is ignored. */
  readonly async?: true;
}

/** The run of a hook with the mode `audit`, after its dispatch. Secrets are masked; nothing of it was applied. */
export interface ShadowStep extends Omit<HookStep, "mode" | "async"> {
  readonly mode: "audit";
  readonly component: string;
  readonly child?: string;
  /** Its texts for the model. */
  readonly inject?: readonly string[];
  /** For `skip`: what would have been the result. */
  readonly result?: Json;
  /** The outcome of the dispatch. */
  readonly enforced: ShadowRun["enforced"];
  /** Its calls that have effects outside of it, such as `exec`. */
  readonly effects?: readonly ShadowEffect[];
}

/** Where a dispatch takes place. */
interface DispatchPlace extends DispatchIds {
  readonly point: string;
  readonly component: string;
  /** Child path, if the event is about a child. */
  readonly child?: string;
}

/** Events about single hooks, by their result. */
const RESULT_EVENTS = ["executed", "skipped", "aborted", "replaced", "failed"] as const;
/** Events that carry the ids of a dispatch. */
const DISPATCH_EVENTS = [
  ...RESULT_EVENTS,
  "hook",
  "shadow",
  "dispatch_started",
  "dispatched",
  "operation_ended",
  "called",
  "dropped",
  "logged",
] as const;

/** Events of an engine. */
export interface EngineEvents {
  /** A dispatch begins. */
  dispatch_started: DispatchPlace & {
    /** The context before any hook; not a copy. */
    ctx: HookContext;
    /** The trace of the caller, if it named one. */
    trace_context?: TraceContext;
  };
  /** Every hook of a dispatch, in order, whether or not it ran. */
  hook: HookStep;
  /** A hook with the mode `audit` has run, after its dispatch. */
  shadow: ShadowStep;
  /** A dispatch has ended, whether or not a hook ran. */
  dispatched: DispatchPlace & { outcome: Outcome; duration_ms: number };
  /**
   * What `invoke` runs between a pre and a post point has ended, also with an error. Its `dispatch_id` is that of its
   * first dispatch, which is the `call_id` of all of them.
   */
  operation_ended: DispatchIds & {
    /** Such as `tool.execute`. */
    operation: string;
    /** Missing when the operation threw. */
    outcome?: InvokeOutcome;
    /** What it threw. */
    error?: unknown;
    duration_ms: number;
  };
  /**
   * A tool call has ended; `args` are those given by the caller. Its `dispatch_id` is that of its first dispatch, which
   * is the `call_id` of all of them.
   */
  called: DispatchIds & {
    tool: string;
    args: JsonObject;
    outcome: InvokeOutcome;
    duration_ms: number;
  };
  /** A call that a hook wants approved was answered, or nobody could. The context is that of the outcome. */
  answered: { ctx: HookContext; refusal?: string | undefined; by?: string | undefined };
  /** A hook has returned, whatever its result. */
  executed: HookEvent;
  /** A hook returned `skip`, `abort` or `replace`; emitted after `executed`. */
  skipped: HookEvent;
  aborted: HookEvent;
  replaced: HookEvent;
  /** A hook failed. */
  failed: HookPlace & { duration_ms: number; failure: HookFailure };
  /** An asynchronous hook was not run: too many were waiting, or the engine was closed. */
  dropped: HookPlace;
  /** A Lua hook has logged a line, with `orcs.log` or `print`; before its `hook`. Secrets are masked. */
  logged: HookPlace & { text: string };
  /** The configuration was reloaded. */
  reloaded: {
    /** Number of hooks in the new configuration. */
    hooks: number;
    /** Changed settings that take effect at the next start, such as `lua.memory_mb`. */
    pending: readonly string[];
    duration_ms: number;
  };
  /** The new configuration has errors; the previous hooks stay active. */
  reload_failed: { error: OrcsError };
  /** An entry of the audit log was written: as it was written, without what the log adds to it. */
  audited: { entry: JsonObject };
}

export type EventName = keyof EngineEvents;

/** Listeners of an engine. A listener that throws is logged and cannot break a dispatch. */
export class EventEmitter {
  readonly #logger: Logger;
  // Cached, because every dispatch asks for them.
  #resultsHeard = false;
  #dispatchesHeard = false;
  #idsHeard = false;
  readonly #listeners = new Map<EventName, Set<(event: never) => void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Add a listener; returns a function that removes it. */
  on<E extends EventName>(name: E, listener: (event: EngineEvents[E]) => void): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener);
    this.#lookAgain();
    return () => {
      set.delete(listener);
      this.#lookAgain();
    };
  }

  /** Whether there are listeners for the results of single hooks. */
  get resultsHeard(): boolean {
    return this.#resultsHeard;
  }

  /** Whether there are listeners for dispatches: those without hooks have events as well. */
  get dispatchesHeard(): boolean {
    return this.#dispatchesHeard;
  }

  /** Whether there are listeners for events that carry the ids of a dispatch. */
  get idsHeard(): boolean {
    return this.#idsHeard;
  }

  /** Whether there are listeners, to avoid the cost of unused events. */
  heard(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<E extends EventName>(name: E, event: EngineEvents[E]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        const waits: unknown = (listener as (event: EngineEvents[E]) => unknown)(event);
        // Listeners are not awaited: a rejection of an async one would end the whole process.
        if (waits instanceof Promise) waits.catch((thrown: unknown) => this.#threw(name, thrown));
      } catch (thrown) {
        this.#threw(name, thrown);
      }
    }
  }

  #lookAgain(): void {
    this.#resultsHeard = RESULT_EVENTS.some((name) => this.heard(name));
    this.#dispatchesHeard = this.heard("dispatch_started") || this.heard("dispatched");
    this.#idsHeard = DISPATCH_EVENTS.some((name) => this.heard(name));
  }

  #threw(name: EventName, thrown: unknown): void {
    this.#logger.error(`a listener of ${name} threw: ${messageOf(thrown)}`);
  }
}

/** The event for an action, in addition to `executed`. */
const OF_ACTION = { skip: "skipped", abort: "aborted", replace: "replaced" } as const;

/**
 * The observer that emits events for each hook; undefined without listeners, so it costs nothing.
 * @param redactor masks what they say; without it they are unmasked
 * @param isAsync whether it is of a hook that runs after the dispatch
 */
export function hookEvents(
  events: EventEmitter,
  { clock, redactor }: { readonly clock: Clock; readonly redactor?: Redactor | undefined },
  point: string,
  ids: DispatchIds | undefined,
  isAsync = false,
): ChainObserver | undefined {
  if (!ids) return undefined;
  const results = events.resultsHeard ? new ResultEvents(events, clock, ids) : undefined;
  if (!events.heard("hook")) return results;
  const steps = new ChainTrace(clock, true, redactor, (entry) => {
    events.emit("hook", stepOf(entry, point, ids, isAsync));
  });
  return results ? bothObservers(results, steps) : steps;
}

function hookPlace(ids: DispatchIds, hook: string, point: string): HookPlace {
  const place: Writable<HookPlace> = { dispatch_id: ids.dispatch_id, hook, point };
  addIds(place, ids);
  return place;
}

function stepOf(entry: TraceEntry, point: string, ids: DispatchIds, isAsync: boolean): HookStep {
  const { status, duration_ms, changes } = entry;
  const step = hookPlace(ids, entry.id, point) as Writable<HookStep>;
  step.status = status;
  if (entry.source !== undefined) step.source = entry.source;
  if (entry.failing !== undefined) step.failing = entry.failing;
  if (entry.mode !== undefined) step.mode = entry.mode;
  if (entry.mismatch !== undefined) step.mismatch = entry.mismatch;
  if (entry.action !== undefined) step.action = entry.action;
  if (entry.decision !== undefined) step.decision = entry.decision;
  if (entry.reason !== undefined) step.reason = entry.reason;
  if (entry.traceback !== undefined) step.traceback = entry.traceback;
  if (entry.unreadable !== undefined) step.unreadable = entry.unreadable;
  if (entry.unsure !== undefined) step.unsure = entry.unsure;
  if (entry.dropped !== undefined) step.dropped = entry.dropped;
  // Tenths: a hook that returns at once takes less than a microsecond.
  if (duration_ms !== undefined) step.duration_us = Math.round(duration_ms * 10_000) / 10;
  if (changes) step.patch = patchOf(changes);
  if (isAsync) step.async = true;
  return step;
}

/** Changes as a JSON Patch. */
export function patchOf(changes: readonly TraceChange[]): readonly PatchOperation[] {
  // What was removed where nothing was is no change, and no patch can say it.
  return changes.filter((change) => "before" in change || "after" in change).map(operationOf);
}

function operationOf(change: TraceChange): PatchOperation {
  const { path } = change;
  if (!("after" in change)) return { op: "remove", path };
  return { op: "before" in change ? "replace" : "add", path, value: change.after };
}

/** Emit the run of a hook with the mode `audit`. @param step as in a trace */
export function emitShadow(
  events: EventEmitter,
  { hook, caller, ctx, action, enforced, effects }: ShadowRun,
  step: TraceEntry,
  redactor: Redactor | undefined,
): void {
  const { ids, component, child } = caller;
  if (!ids || !events.heard("shadow")) return;
  const masked = <T extends Json>(value: T): T => (redactor ? redactor.value(value) : value);
  const inject = action?.action === "continue" ? (action.inject ?? []) : [];
  events.emit("shadow", {
    ...stepOf({ ...step, id: hook.id }, ctx.hook_point, ids, false),
    mode: "audit",
    component,
    ...(child !== undefined && { child }),
    ...(inject.length > 0 && { inject: masked(inject.map(injectedText)) }),
    ...(action?.action === "skip" && { result: masked(action.result) }),
    enforced,
    ...(effects.length > 0 && { effects: [...effects] }),
  });
}

class ResultEvents implements ChainObserver {
  readonly #events: EventEmitter;
  readonly #clock: Clock;
  readonly #ids: DispatchIds;
  #started = 0;

  constructor(events: EventEmitter, clock: Clock, ids: DispatchIds) {
    this.#events = events;
    this.#clock = clock;
    this.#ids = ids;
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(hook: Hook, action: Action, _edits: readonly Edit[]): void {
    const event = this.#of(hook) as HookEvent;
    event.action = action.action;
    if ("decision" in action && action.decision) event.decision = action.decision;
    if ("reason" in action && action.reason !== undefined) event.reason = action.reason;
    this.#events.emit("executed", event);
    if (hook.mode === "warn") return;
    if (action.action in OF_ACTION) {
      this.#events.emit(OF_ACTION[action.action as keyof typeof OF_ACTION], event);
    }
  }

  failed(hook: Hook, failure: HookFailure): void {
    const event = this.#of(hook);
    this.#events.emit("failed", Object.assign(event, { failure }));
  }

  passed(): void {}

  notReached(): void {}

  #of(hook: Hook): HookPlace & { duration_ms: number } {
    const event = hookPlace(this.#ids, hook.id, hook.point.name) as HookPlace & {
      duration_ms: number;
    };
    event.duration_ms = this.#clock.now() - this.#started;
    return event;
  }
}
