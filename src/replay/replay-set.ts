import type { RecordedCall, RecordedEvent, RecordedOutcome } from "../audit/record/format.ts";
import { recordedEvent } from "../audit/record/recorded-event.ts";
import type { Settings } from "../config/settings.ts";
import type { DispatchLog, SettledDispatch } from "../core/audit.ts";
import type { RuntimeAccess } from "../core/child.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Hook } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import type { CallScope, Clock, Redactor } from "../core/ports.ts";
import type { RecordableCall, ToolRecorder } from "../engine/calls/tool-calls.ts";
import { Engine } from "../engine/engine.ts";
import type { CreateOrcsOptions, EngineOptions } from "../engine/options.ts";
import type { Notice } from "../trust/notice.ts";
import type { OutsideHook } from "./skipped-hooks.ts";
import { SkippedHooks } from "./skipped-hooks.ts";

/** Which hooks are replayed. */
export interface ReplaySetOptions extends Pick<
  CreateOrcsOptions,
  "config" | "cwd" | "overrides" | "logger"
> {
  /** What tools answered. */
  readonly answers: RecordedAnswers;
  /** Run handlers that leave the process, too. */
  readonly outside: boolean;
}

/** What came of an event when it happened again. */
export interface Replayed {
  readonly outcome: RecordedOutcome;
  /** Hooks that changed its payload. */
  readonly changedBy: readonly Hook[];
  /** A handler that leaves the process would have run. */
  readonly passedOver: boolean;
  /** Calls of hooks that were not recorded. */
  readonly unrecorded: readonly string[];
  /** Hooks that ran out of time. */
  readonly late: readonly string[];
}

/** A set of hooks that recorded events happen to again: no tool runs, and nobody is asked. */
export class ReplaySet {
  readonly #engine: Engine;
  readonly #clock: ReplayClock;
  readonly #answers: RecordedAnswers;
  readonly #passedOver: SkippedHooks;
  readonly #log: LastDispatch;
  readonly #runtime: RuntimeAccess;
  readonly #hasAsync: boolean;

  /** @throws OrcsError ORCS1015 with every mistake of the configuration */
  static async open(options: ReplaySetOptions): Promise<ReplaySet> {
    const { answers, outside, overrides, config, cwd, logger } = options;
    const clock = new ReplayClock();
    const passedOver = new SkippedHooks();
    const log = new LastDispatch();
    const runnerFor: EngineOptions["runnerFor"] = (entry) => {
      passedOver.add(entry);
      return passedOver;
    };
    const engine = await Engine.create({
      config,
      cwd,
      untrusted: "ignore",
      logger,
      // What was recorded to have run was approved.
      overrides: { ...overrides, hil: { mode: "callback" } },
      approve: ({ tool, args }) => answers.has(tool, args),
      auditDir: false,
      trace: false,
      output: () => undefined,
      clock,
      log,
      tap: answers,
      ...(!outside && { runnerFor }),
    });
    return new ReplaySet(engine, clock, answers, passedOver, log);
  }

  private constructor(
    engine: Engine,
    clock: ReplayClock,
    answers: RecordedAnswers,
    passedOver: SkippedHooks,
    log: LastDispatch,
  ) {
    this.#engine = engine;
    this.#clock = clock;
    this.#answers = answers;
    this.#passedOver = passedOver;
    this.#log = log;
    this.#runtime = { at: ({ depth }) => runtimeOf(answers, depth) };
    this.#hasAsync = engine.registry.list().some((hook) => hook.async);
  }

  get settings(): Settings {
    return this.#engine.settings;
  }

  get redactor(): Redactor {
    return this.#engine.redactor;
  }

  get warnings(): readonly Diagnostic[] {
    return this.#engine.warnings;
  }

  /** What is to be told of trust, if anything. */
  get notice(): Notice | undefined {
    return this.#engine.notices[0];
  }

  /** Hooks that are not run. */
  get outside(): readonly OutsideHook[] {
    return this.#passedOver.hooks;
  }

  hook(id: string): Hook | undefined {
    return this.#engine.registry.get(id);
  }

  /** Whether there is such a hook, and it is switched on and run. */
  runs(id: string): boolean {
    const isOutside = this.outside.some((hook) => hook.id === id);
    return !isOutside && this.#engine.registry.isEnabled(id);
  }

  /**
   * Let an event happen again.
   * @param at when, in milliseconds since the record was begun
   * @param mask what masked the record, if anything did
   * @throws OrcsError ORCS1005 (unknown point), ORCS1010, ORCS2003: the event is none of this engine's
   */
  replay(
    event: RecordedEvent,
    at: number,
    mask: Redactor | undefined,
  ): Replayed | Promise<Replayed> {
    const { point, component, child, instance, channel, principal, metadata = {} } = event;
    this.#clock.begin(at);
    this.#passedOver.wasAsked = false;
    this.#answers.begin();
    this.#log.settled = undefined;
    const { registry } = this.#engine;
    const runtime = this.#runtime;
    const options = { component, child, instance, channel, principal, metadata, runtime };
    const outcome = registry.dispatch(point, event.payload, options);
    if (outcome instanceof Promise || this.#hasAsync) return this.#wait(outcome, mask);
    return this.#replayed(outcome, mask);
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  async #wait(outcome: Outcome | Promise<Outcome>, mask: Redactor | undefined): Promise<Replayed> {
    const settled = await outcome;
    // What hooks remember that nobody waits for, the next event is to find.
    if (this.#hasAsync) await this.#engine.registry.idle();
    return this.#replayed(settled, mask);
  }

  #replayed(outcome: Outcome, mask: Redactor | undefined): Replayed {
    const { settled } = this.#log;
    const { unrecorded } = this.#answers;
    const { changed = [], failures = [] } = settled ?? {};
    return {
      outcome: settled && !isPlain(outcome, settled) ? outcomeOf(settled, mask) : NOTHING_SAID,
      changedBy: changed.length > 0 ? changed.map(({ hook }) => hook) : NONE,
      passedOver: this.#passedOver.wasAsked,
      unrecorded,
      late: failures.length > 0 ? failures.filter(isLate).map(({ hook }) => hook.id) : NONE,
    };
  }
}

const NONE: readonly never[] = [];
const NOTHING_SAID: RecordedOutcome = { action: "continue", edits: [] };
const EMPTY = {};

/** Keeps the dispatch that was not made by a hook. */
class LastDispatch implements DispatchLog {
  readonly all = true;
  settled: SettledDispatch | undefined;

  take(settled: SettledDispatch): undefined {
    if (settled.began.depth === 0 && settled.async !== true) this.settled = settled;
  }
}

function isPlain({ action, inject, ctx, ...said }: Outcome, { began }: SettledDispatch): boolean {
  if (action !== "continue" || inject.length > 0 || "decision" in said) return false;
  return ctx.payload === began.payload && ctx.metadata === began.metadata;
}

function outcomeOf(settled: SettledDispatch, mask: Redactor | undefined): RecordedOutcome {
  const { began, outcome } = settled;
  const { ctx } = outcome;
  if (ctx.payload !== began.payload || ctx.metadata !== began.metadata) {
    return recordedEvent(settled, mask, 0).outcome;
  }
  // Nothing was changed: all of it need not be walked to say so.
  const empty = { ...ctx, payload: EMPTY, metadata: EMPTY };
  const bare = { ...settled, began: empty, outcome: { ...outcome, ctx: empty } };
  return recordedEvent(bare, mask, 0).outcome;
}

function isLate({ failure }: SettledDispatch["failures"][number]): boolean {
  return failure.kind === "timeout" || failure.kind === "killed";
}

function runtimeOf(answers: RecordedAnswers, depth: number): CallScope {
  return {
    depth,
    get: async (kind) => ({ ok: false, error: `${kind} was not recorded` }),
    verb: async (name) => answers.verb(name),
  };
}

/** Calls that nobody asked for are forgotten when there are more: a hook that does not call any more leaves its own. */
const MOST_KEPT = 1000;

/** Gives hooks what tools answered them when it was recorded, by tool and arguments, in that order. */
export class RecordedAnswers implements ToolRecorder {
  /** What masked the arguments that were recorded, if anything did. */
  mask: Redactor | undefined;
  #unrecorded: string[] = [];
  #given: RecordedCall[] = [];
  /** In the order in which they were recorded. */
  readonly #kept = new Set<RecordedCall>();
  readonly #byCall = new Map<string, RecordedCall[]>();
  readonly #more: () => boolean;

  /** @param more reads a call that stands further on in the record; whether there was one */
  constructor(more: () => boolean) {
    this.#more = more;
  }

  /** What was called that was not recorded, since an event began. */
  get unrecorded(): readonly string[] {
    return this.#unrecorded;
  }

  /** The calls that were answered since then. */
  get given(): readonly RecordedCall[] {
    return this.#given;
  }

  /** An event begins. */
  begin(): void {
    if (this.#unrecorded.length > 0) this.#unrecorded = [];
    if (this.#given.length > 0) this.#given = [];
  }

  add(recorded: RecordedCall): void {
    const key = keyOf(recorded.call.kind, recorded.call.args);
    const same = this.#byCall.get(key);
    if (same) same.push(recorded);
    else this.#byCall.set(key, [recorded]);
    this.#kept.add(recorded);
    if (this.#kept.size <= MOST_KEPT) return;
    const [oldest] = this.#kept;
    if (oldest) this.#take(keyOf(oldest.call.kind, oldest.call.args));
  }

  /** Whether there is an answer to such a call. */
  has(kind: string, args: Json): boolean {
    const key = this.#keyOf(kind, args);
    // What a hook does that nobody waits for was recorded after the events that it held up nothing of.
    while (!this.#byCall.has(key)) if (!this.#more()) return false;
    return true;
  }

  instead({ kind, args }: RecordableCall): unknown {
    if (!this.has(kind, args)) return this.#missing(kind);
    const recorded = this.#take(this.#keyOf(kind, args));
    if (!recorded || "not_json" in recorded) return this.#missing(kind);
    this.#given.push(recorded);
    const { result, error } = recorded.call;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  /** The answer of a function of the runtime, which is not recorded. */
  verb(name: string): Json {
    return this.#missing(`orcs.${name}`);
  }

  #missing(what: string): { ok: false; error: string } {
    this.#unrecorded.push(what);
    return { ok: false, error: `${what} was not recorded` };
  }

  #keyOf(kind: string, args: Json): string {
    return keyOf(kind, this.mask ? this.mask.value(args) : args);
  }

  #take(key: string): RecordedCall | undefined {
    const same = this.#byCall.get(key);
    const first = same?.shift();
    if (same?.length === 0) this.#byCall.delete(key);
    if (first) this.#kept.delete(first);
    return first;
  }
}

/** The same for the same arguments, in whatever order their keys are. */
function keyOf(kind: string, args: unknown): string {
  return `${kind} ${JSON.stringify(args, sorted)}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The clock of a record, in milliseconds since it was begun: it stands still during an event, and whoever sleeps
 * moves it on at once, until the next event.
 */
class ReplayClock implements Clock {
  #now = 0;
  /** Never goes back, whatever the clock that was recorded did. */
  #began = 0;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.#now + ms;
    // Those who fall asleep at the same time wake at the same time; what is done meanwhile takes no time at all.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) return;
    this.#now = Math.max(this.#now, until);
  }

  /** An event begins. */
  begin(ms: number): void {
    if (ms > this.#began) this.#began = ms;
    this.#now = this.#began;
  }
}
