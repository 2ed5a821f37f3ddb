import {
  addIds,
  type Authority,
  type Caller,
  type CallScope,
  type Clock,
  DEFAULT_COMPONENT,
  DEFAULT_MAX_DEPTH,
  type DispatchIds,
  type DispatchLinks,
  type DispatchLog,
  type FailureMode,
  type Hook,
  type HookContext,
  isPlainObject,
  type Lineage,
  type Logger,
  messageOf,
  OrcsError,
  type Outcome,
  expectComponentId,
  type PayloadOf,
  type PointSet,
  type PointSpec,
  type Principal,
  type Redactor,
  resolvePoint,
  type RuntimeAccess,
  type Tool,
  traceContext,
  type TraceContext,
  type TraceMode,
  type Turn,
  withEvent,
  withPairs,
  type Writable,
} from "../../core/index.ts";
import { AsyncHooks } from "./async-hooks.ts";
import { LateTexts } from "./late-texts.ts";
import { CONTINUE, exceedsDepth, NO_DECISIONS } from "./chain-rules.ts";
import { Chain, type ChainDeps, type OnceState } from "./chain.ts";
import { ChainTrail } from "./chain-trail.ts";
import { type EngineEvents, EventEmitter, hookEvents } from "./events.ts";
import { compareOrder, type Entry, HookSet, isEnforced, type Snapshot } from "./hook-set.ts";
import { IdSource } from "./id-source.ts";
import { payloadMismatch } from "./payload-validation.ts";
import { type ShadowedDispatch, ShadowHooks, type ShadowScope } from "./shadow-hooks.ts";
import type { ChainObserver } from "./trace-recorder.ts";
import { audited, bothObservers, ChainTrace, runAudited } from "./trace-recorder.ts";

/** What a registry depends on. */
export interface RegistryOptions {
  /** Its hooks, for whoever may exchange enforced ones. */
  readonly hooks?: HookSet | undefined;
  points: PointSet;
  logger: Logger;
  clock: Clock;
  /** Logs the results of dispatches. */
  log?: DispatchLog | undefined;
  maxDepth?: number | undefined;
  onError?: FailureMode | undefined;
  trace?: TraceMode | undefined;
  /** Of dispatches that name none. */
  traceContext?: TraceContext | undefined;
  /** Masks values in traces; without it they are unmasked. */
  redactor?: Redactor | undefined;
  /** Whether a hook with `once` runs for the first time; default: once in the lifetime of the registry. */
  once?: OnceState | undefined;
  /** The same for hooks in shadow, which do not use up the run of others. */
  shadowOnce?: OnceState | undefined;
  /** Creates the scope of calls that hooks make during a dispatch. */
  scopeFor(ctx: HookContext, caller: Caller, turn: Pick<Turn, "hook" | "spent">): CallScope;
  /** Creates that of hooks with the mode `audit`; by default their calls do not take place. */
  shadowScopeFor?: ShadowScope | undefined;
}

const NO_HOOKS: readonly Entry[] = [];

/** The calls of a shadow hook in a registry without an engine. */
const noCalls: ShadowScope = (_hook, { depth }) => ({
  depth: depth + 1,
  get: () => Promise.resolve({ ok: false, error: "a hook in shadow makes no calls" }),
});

/** Holds the hooks and runs their chains. Changes replace whole snapshots: a dispatch keeps the one it started with. */
export class HookRegistry {
  readonly events: EventEmitter;
  /** Hooks not loaded yet; dispatches wait for them after all other hooks have run. */
  pending: PendingHooks | undefined;
  /** Hooks with the mode `audit` that are not loaded yet; no dispatch waits for them. */
  pendingShadow: Pick<PendingHooks, "at" | "ready"> | undefined;
  /** Hooks with the mode `audit`. */
  readonly shadow: ShadowHooks;
  readonly #options: RegistryOptions;
  readonly #contexts: ContextMaker;
  readonly #maxDepth: number;
  readonly #host: ChainDeps;
  readonly #async: AsyncHooks;
  readonly #late = new LateTexts();
  readonly #hooks: HookSet;
  readonly #ids = new IdSource();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#hooks = options.hooks ?? new HookSet();
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
    this.#contexts = new ContextMaker(options.clock, this.#maxDepth);
    this.events = new EventEmitter(options.logger);
    const { logger, clock, log, onError, redactor, shadowScopeFor = noCalls } = options;
    const around = { logger, clock, log };
    this.#host = {
      ...around,
      onError,
      scopeFor: (ctx, caller, turn) => options.scopeFor(ctx, caller, turn),
      spend: (entry, ctx, spent) =>
        options.once ? options.once(entry.hook, ctx, spent) : this.#hooks.spend(entry),
      later: (entry, ctx, caller) => this.#async.add(entry, ctx, caller),
    };
    const ofShadow = { events: this.events, once: options.shadowOnce, scopeFor: shadowScopeFor };
    this.shadow = new ShadowHooks({ ...around, ...ofShadow, redactor });
    this.#async = new AsyncHooks({
      chains: this.#host,
      events: this.events,
      late: this.#late,
      observer: ({ name }, { ids }) => hookEvents(this.events, options, name, ids, true),
    });
  }

  /** Number of dropped runs of asynchronous hooks. */
  get dropped(): number {
    return this.#async.queue.dropped;
  }

  /** Resolves when no asynchronous hook is pending. */
  async idle(): Promise<void> {
    await Promise.all([this.#async.queue.idle(), this.shadow.queue.idle()]);
  }

  /**
   * Wait for pending asynchronous hooks, at most `ms`, and accept no more.
   * @returns the number of runs that had not ended
   */
  async drain(ms: number): Promise<number> {
    const { queue } = this.shadow;
    const [late, shadow] = await Promise.all([this.#async.close(ms), queue.close(ms)]);
    return late + shadow;
  }

  /** Number of registered hooks. */
  get size(): number {
    return this.#hooks.size;
  }

  /**
   * Add a hook; returns its id.
   * @param owner `unregisterByOwner` removes all of its hooks
   * @throws OrcsError ORCS2007 when the id is taken.
   */
  register(hook: Hook, owner?: string): string {
    return this.#hooks.add(hook, owner);
  }

  /** Remove a hook. @returns whether it existed @throws OrcsError ORCS8011 for one that the machine enforces */
  unregister(id: string): boolean {
    this.#expectFree(id);
    return this.#hooks.unregister(id);
  }

  /** Remove all hooks of an owner. @returns their number */
  unregisterByOwner(owner: string): number {
    return this.#hooks.unregisterByOwner(owner);
  }

  /**
   * Enable or disable a hook without changing its position.
   * @returns whether it exists
   * @throws OrcsError ORCS8011 for one that the machine enforces
   */
  setEnabled(id: string, enabled: boolean): boolean {
    this.#expectFree(id);
    return this.#hooks.setEnabled(id, enabled);
  }

  get(id: string): Hook | undefined {
    return this.#hooks.get(id)?.hook;
  }

  /** Whether a hook is registered and enabled. */
  isEnabled(id: string): boolean {
    return this.#hooks.get(id)?.enabled ?? false;
  }

  /** All hooks, or those of one point, in execution order. */
  list(point?: string): readonly Hook[] {
    const { points } = this.#options;
    if (point === undefined) return points.all.flatMap(({ name }) => this.#hooksAt(name));
    const { name, event } = resolvePoint(point, points);
    const hooks = this.#hooksAt(name);
    if (event === undefined) return hooks;
    return hooks.filter(({ match }) => (match?.event ?? event).split("|").includes(event));
  }

  /**
   * Exchange one set of hooks for another atomically; dispatches in flight finish with the old one. The set keeps its
   * position for ties. A hook with the same id keeps its enabled state as set at run time, and stays removed if it was
   * unregistered.
   * @throws OrcsError ORCS2007 when an id of the new set is taken by a hook that stays, ORCS8011 for an old one that
   *   the machine
   * enforces; nothing changes then
   */
  replace(old: Iterable<string>, next: readonly Hook[]): void {
    const gone = [...old];
    for (const id of gone) this.#expectFree(id);
    this.#hooks.replace(gone, next);
  }

  #expectFree(id: string): void {
    if (!isEnforced(this.#hooks.get(id)?.hook)) return;
    const why = `the hook ${JSON.stringify(id)} is enforced by this machine: a program cannot remove or disable it`;
    throw new OrcsError("ORCS8011", why, { hook: id });
  }

  /** The ids of an operation with several dispatches, a new one by default; undefined while nobody listens. */
  newOperation(
    payload: Readonly<Record<string, unknown>>,
    links: DispatchLinks | undefined,
  ): DispatchIds | undefined {
    if (!this.events.idsHeard) return undefined;
    const id = links?.call_id ?? this.#ids.next();
    return this.#ids.of(payload, { ...links, dispatch_id: id, call_id: id });
  }

  /** Read the clock: a dispatch without hooks carries the time of the last reading; one with hooks reads it again. */
  tick(): void {
    this.#contexts.tick();
  }

  /**
   * Run the chain of a point. The given payload is never modified; the outcome shares with it what no hook changed.
   * Stays synchronous until a hook waits.
   *
   * @param name point or alias
   * @throws OrcsError ORCS1005 (unknown point), ORCS1010 (component), ORCS2003 (invalid payload)
   */
  dispatch<P extends string>(
    name: P,
    given: PayloadOf<P>,
    options: DispatchOptions = {},
  ): Outcome<P> | Promise<Outcome<P>> {
    const point = resolvePoint(name, this.#options.points);
    const payload = withEvent(point, given);
    const hooks = this.#hooks.at(point.name);
    const pending = this.pending?.at(point) ? this.pending : undefined;
    // Without hooks, reading the clock would cost as much as the rest of the dispatch.
    const { log, clock, redactor } = this.#options;
    if (hooks || pending || log?.all === true) this.#contexts.tick();
    const ctx = this.#contexts.make(point, payload, options);
    const traced = options.trace ?? this.#options.trace;
    const trace = traced ? new ChainTrace(clock, traced === "values", redactor) : undefined;
    const hasNone = !hooks && !pending && !this.pendingShadow?.at(point);
    const isIdle = hasNone && (point.phase !== "pre" || !exceedsDepth(ctx));
    const isAwaited = this.#late.waitsFor(point);
    if (isIdle && !isAwaited && log?.all !== true && !this.events.dispatchesHeard) {
      return NO_DECISIONS.outcome(CONTINUE, ctx, trace?.entries) as Outcome<P>;
    }
    const why = payloadMismatch(point, ctx.payload);
    if (why !== undefined) throw new OrcsError("ORCS2003", why, { point: point.name });
    const all = hooks?.all ?? NO_HOOKS;
    // A trace also lists hooks that do not match, and so do events.
    const isListed = trace !== undefined || this.events.heard("hook");
    const offered = hooks && !isListed ? hooks.offeredFor(ctx.payload) : all;
    const outcome = this.#run(point, { all, offered }, ctx, options, trace, pending);
    return (isAwaited ? this.#withLate(outcome, ctx) : outcome) as Outcome<P> | Promise<Outcome<P>>;
  }

  /** The outcome with what asynchronous hooks of earlier events have for the model. */
  #withLate(outcome: Outcome | Promise<Outcome>, ctx: HookContext): Outcome | Promise<Outcome> {
    if (outcome instanceof Promise) return outcome.then((settled) => this.#withLate(settled, ctx));
    const texts = this.#late.take(ctx);
    return texts.length === 0 ? outcome : { ...outcome, inject: [...texts, ...outcome.inject] };
  }

  /** The outcome of a dispatch that no hook saw. */
  unhooked(
    point: PointSpec,
    payload: object,
    options: DispatchOptions,
  ): Extract<Outcome, { action: "continue" }> {
    this.#contexts.tick();
    return { action: "continue", ctx: this.#contexts.make(point, payload, options), inject: [] };
  }

  /**
   * The hooks that would run if none before them changed the payload; those whose match cannot be determined are
   * included.
   */
  applying(name: string, payload: Record<string, unknown>, options: DispatchOptions): Hook[] {
    const point = resolvePoint(name, this.#options.points);
    const ctx = this.#contexts.make(point, withEvent(point, payload), options);
    if (exceedsDepth(ctx)) return [];
    const caller = callerOf(ctx, options);
    return this.#allAt(point.name)
      .filter(({ hook, enabled, use }) => enabled && !use.spent && wouldRun(hook, caller, ctx))
      .map(({ hook }) => hook);
  }

  /**
   * Whether a dispatch would do nothing at any of these points: no hooks, no listeners, depth limit not reached. The
   * caller may then omit it.
   */
  isQuiet(points: readonly string[], depth = 0): boolean {
    if (depth >= this.#maxDepth || this.events.dispatchesHeard) return false;
    if (this.#options.log?.all === true) return false;
    if (this.pending || this.pendingShadow) return false;
    if (points.some((name) => this.#late.waitsFor({ name }))) return false;
    return points.every((point) => !this.#hooks.at(point));
  }

  #hooksAt(point: string): readonly Hook[] {
    const shadow = this.#hooks.at(point)?.shadow ?? NO_HOOKS;
    const all = this.#allAt(point);
    const entries = shadow.length === 0 ? all : [...all, ...shadow].sort(compareOrder);
    return entries.map(({ hook }) => hook);
  }

  #allAt(point: string): readonly Entry[] {
    return this.#hooks.at(point)?.all ?? NO_HOOKS;
  }

  #run(
    point: PointSpec,
    hooks: Snapshot,
    ctx: HookContext,
    options: DispatchOptions,
    trace: ChainTrace | undefined,
    pending: PendingHooks | undefined,
  ): Outcome | Promise<Outcome> {
    const { clock } = this.#options;
    const { events } = this;
    const ids = events.idsHeard ? this.#ids.of(ctx.payload, options.links) : undefined;
    const caller = callerOf(ctx, options, ids, this.#options.traceContext);
    if (!ids || !events.dispatchesHeard) {
      return this.#logged(point, hooks, ctx, caller, trace, pending);
    }
    const { component, child } = caller;
    const began: Writable<EngineEvents["dispatch_started"]> = {
      dispatch_id: ids.dispatch_id,
      point: point.name,
      component,
      ctx,
    };
    // Key by key, here and below: a spread would cost as much as a small hook.
    if (child !== undefined) began.child = child;
    const trace_context = traceContext(caller);
    if (trace_context) began.trace_context = trace_context;
    addIds(began, ids);
    events.emit("dispatch_started", began);
    const started = clock.now();
    const tell = (outcome: Outcome): Outcome => {
      const ended: Writable<EngineEvents["dispatched"]> = {
        dispatch_id: ids.dispatch_id,
        point: point.name,
        component,
        outcome,
        duration_ms: clock.now() - started,
      };
      if (child !== undefined) ended.child = child;
      addIds(ended, ids);
      events.emit("dispatched", ended);
      return outcome;
    };
    const outcome = this.#logged(point, hooks, ctx, caller, trace, pending);
    return outcome instanceof Promise ? outcome.then(tell) : tell(outcome);
  }

  /** Run the chain and log its result. */
  #logged(
    point: PointSpec,
    hooks: Snapshot,
    ctx: HookContext,
    caller: Caller,
    trace: ChainTrace | undefined,
    pending: PendingHooks | undefined,
  ): Outcome | Promise<Outcome> {
    const { clock, log } = this.#options;
    const startedAt = this.#contexts.now;
    const { all: entries } = hooks;
    if (exceedsDepth(ctx)) {
      const refused = this.#tooDeep(point, entries, ctx, caller, trace);
      const dispatched = { point, entries, began: ctx, startedAt, caller };
      return log ? audited(refused, undefined, log, clock, dispatched) : refused;
    }
    const observer = this.#observer(point, caller, trace);
    const chain = new Chain(this.#host, point, hooks, ctx, caller, observer, trace?.entries);
    caller.follows?.(chain);
    const known = pending ? [...entries] : entries;
    if (pending) chain.late = () => this.#loaded(point, pending, known as Entry[]);
    const shadowed = this.#shadowing(point, ctx, caller, pending);
    if (shadowed) chain.trail = shadowed.trail;
    const outcome = log
      ? runAudited(chain, this.#host, { point, entries: known, began: ctx, startedAt, caller })
      : chain.run();
    if (!shadowed) return outcome;
    const shadow = (settled: Outcome): Outcome => {
      this.shadow.add({ ...shadowed, entries: shadowed.entries(), outcome: settled });
      return settled;
    };
    return outcome instanceof Promise ? outcome.then(shadow) : shadow(outcome);
  }

  /** For a dispatch that hooks with the mode `audit` look at, or may. */
  #shadowing(
    point: PointSpec,
    ctx: HookContext,
    caller: Caller,
    pending: PendingHooks | undefined,
  ): (Omit<ShadowedDispatch, "entries" | "outcome"> & { entries(): readonly Entry[] }) | undefined {
    const late = this.pendingShadow?.at(point) ? this.pendingShadow : undefined;
    // As of its beginning, like the chain: a reload meanwhile is for later dispatches.
    const began = this.#shadowAt(point);
    if (!late && !pending && began.length === 0) return undefined;
    const known = new Set(began.map(({ hook }) => hook.id));
    const added = (): readonly Entry[] =>
      this.#shadowAt(point).filter(({ hook }) => !known.has(hook.id));
    const loaded = async (): Promise<readonly Entry[]> => {
      await late?.ready();
      return added();
    };
    const entries = (): readonly Entry[] => (pending && !late ? [...began, ...added()] : began);
    return { point, caller, trail: new ChainTrail(ctx), late: late && loaded, entries };
  }

  #shadowAt({ name }: PointSpec): readonly Entry[] {
    return this.#hooks.at(name)?.shadow ?? NO_HOOKS;
  }

  /**
   * The hooks of a point that had to be loaded first.
   * @throws OrcsError why they cannot be loaded, if that denies the operation
   */
  async #loaded(
    point: PointSpec,
    pending: PendingHooks,
    known: Entry[],
  ): Promise<readonly Entry[]> {
    try {
      await pending.ready();
    } catch (thrown) {
      if (pending.refusesAt(point)) throw thrown;
      this.#options.logger.error(
        `${point.name}: hooks are skipped because they cannot be loaded: ${messageOf(thrown)}`,
      );
      return NO_HOOKS;
    }
    const late = this.#allAt(point.name).filter(({ hook: { rank } }) => rank === 1);
    known.push(...late);
    return late;
  }

  #observer(
    { name }: PointSpec,
    { ids }: Caller,
    trace: ChainTrace | undefined,
  ): ChainObserver | undefined {
    const forEvents = hookEvents(this.events, this.#options, name, ids);
    return forEvents && trace ? bothObservers(forEvents, trace) : (forEvents ?? trace);
  }

  /** Deep recursion must not bypass a guard: pre points deny, other points are skipped. */
  #tooDeep(
    point: PointSpec,
    entries: readonly Entry[],
    ctx: HookContext,
    caller: Caller,
    trace: ChainTrace | undefined,
  ): Outcome {
    const reason = `hooks are nested ${ctx.depth} levels deep; the limit is ${ctx.max_depth}`;
    this.#options.logger.warn(`${point.name}: ${reason}`);
    this.#observer(point, caller, trace)?.notReached(entries);
    const denied = { action: "abort", reason, hook: "orcs:max_depth" } as const;
    return NO_DECISIONS.outcome(point.phase === "pre" ? denied : CONTINUE, ctx, trace?.entries);
  }
}

function callerOf(
  ctx: HookContext,
  options: DispatchOptions,
  ids?: DispatchIds,
  otherwise?: TraceContext,
): Caller {
  // An invalid one is ignored.
  const traced = traceContext(options) ?? otherwise;
  return {
    component: ctx.component_id,
    child: options.child || undefined,
    instance: options.instance,
    authority: options.authority,
    runtime: options.runtime,
    tools: options.tools,
    follows: options.follows,
    ids,
    traceparent: traced?.traceparent,
    tracestate: traced?.tracestate,
    environment: options.environment,
    signal: options.signal,
  };
}

function wouldRun(hook: Hook, caller: Caller, { payload }: HookContext): boolean {
  if (!hook.appliesTo(caller)) return false;
  try {
    return hook.matcher?.failing(payload) === undefined;
  } catch {
    return true;
  }
}

/** Hooks that are not loaded yet: those of a project, which run after all others. */
export interface PendingHooks {
  /** Whether any of them may apply to a point. */
  at(point: PointSpec): boolean;
  /** Whether operations at a point are denied when they cannot be loaded. */
  refusesAt(point: PointSpec): boolean;
  /** Whether the last attempt to load them failed. */
  readonly failed: boolean;
  /** Resolves when they are registered. @throws OrcsError why they cannot be loaded */
  ready(): Promise<void>;
}

/** The caller of a dispatch, and its initial metadata. */
export interface DispatchOptions extends Lineage {
  /** `namespace::name`; default `host::main`. */
  component?: string | undefined;
  /** Child path, such as `agent-1/sub-worker`. */
  child?: string | undefined;
  channel?: string | undefined;
  /** Channel instance, matched by `#instance`. */
  instance?: string | undefined;
  principal?: Principal | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Nesting depth; set by the engine for calls made by hooks. */
  depth?: number | undefined;
  /** What the caller may do; default: the engine's own authority. */
  authority?: Authority | undefined;
  /** The runtime that the call comes from; set by the runtime. */
  runtime?: RuntimeAccess | undefined;
  /** Tools in addition to those of the engine; set by a session. */
  tools?: ((name: string) => Tool | undefined) | undefined;
  /**
   * Cancels the call, in whatever it waits for: the promise rejects with the reason, the hook that runs is ended, no
   * other one and no tool starts, and an open question is withdrawn.
   */
  signal?: AbortSignal | undefined;
  /** Overrides the engine's own setting. */
  trace?: TraceMode | undefined;
  /** Gets the chain of each dispatch when it begins. @internal */
  follows?: Caller["follows"];
}

const HOST_PRINCIPAL: Principal = { type: "Host", id: "main" };

/** Creates the initial contexts of dispatches. */
class ContextMaker {
  readonly #clock: Clock;
  readonly #maxDepth: number;
  /** The last component id that was validated. */
  #component = DEFAULT_COMPONENT;
  #now = 0;
  #time = 0;

  constructor(clock: Clock, maxDepth: number) {
    this.#clock = clock;
    this.#maxDepth = maxDepth;
  }

  /** Read the clock: contexts carry the time of the last reading, in whole milliseconds. */
  tick(): void {
    this.#now = this.#clock.now();
    this.#time = Math.floor(this.#now);
  }

  /** The last reading, in milliseconds with fractions. */
  get now(): number {
    return this.#now;
  }

  /** @throws OrcsError ORCS1010 when the component is not `namespace::name` */
  make(point: PointSpec, payload: object, options: DispatchOptions): HookContext {
    const { component = DEFAULT_COMPONENT } = options;
    // A misspelt id would bypass the guards of the intended component.
    if (component !== this.#component) {
      expectComponentId(component);
      this.#component = component;
    }
    return {
      hook_point: point.name,
      component_id: component,
      channel_id: options.channel ?? "main",
      principal: options.principal ?? HOST_PRINCIPAL,
      timestamp_ms: this.#time,
      payload: withPairs(point, mirrored(payload as ToolPayload)),
      metadata: options.metadata ?? {},
      depth: options.depth ?? 0,
      max_depth: this.#maxDepth,
    };
  }
}

type ToolPayload = Record<string, unknown> & { tool_name?: unknown; tool?: unknown };

/** Tool payloads contain the name under both keys, `tool_name` and `tool`; hooks can change neither. */
function mirrored(payload: ToolPayload): Record<string, unknown> {
  // That the payload is an object is validated later.
  const named = (payload as ToolPayload | null)?.tool_name;
  if (named === undefined || payload.tool !== undefined || !isPlainObject(payload)) return payload;
  // Not `{ ...payload, tool: named }`: V8 gives each such object a shape of its own, so that whoever reads it is slow.
  const { ...both }: ToolPayload = payload;
  both.tool = named;
  return both;
}
