import { recordedEvent } from "../../audit/record/recorded-event.ts";
import type { RecordedEvent, RecordedOutcome } from "../../audit/record/format.ts";
import type { DispatchLog, SettledDispatch } from "../../core/audit.ts";
import type { RuntimeAccess } from "../../core/child.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Hook } from "../../core/hook.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { CallScope, Redactor } from "../../core/ports.ts";
import type { Settings } from "../../config/settings.ts";
import { Engine } from "../engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { CreateOrcsOptions } from "../options.ts";
import type { Notice } from "../trust/notice.ts";
import { PassedOver } from "./passed-over.ts";
import type { OutsideHook } from "./passed-over.ts";
import type { RecordedAnswers } from "./recorded-answers.ts";
import { ReplayClock } from "./replay-clock.ts";

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
  readonly #passedOver: PassedOver;
  readonly #log: LastDispatch;
  readonly #runtime: RuntimeAccess;
  readonly #hasAsync: boolean;

  /** @throws OrcsError ORCS1015 with every mistake of the configuration */
  static async open(options: ReplaySetOptions): Promise<ReplaySet> {
    const { answers, outside, overrides, config, cwd, logger } = options;
    const clock = new ReplayClock();
    const passedOver = new PassedOver();
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
    passedOver: PassedOver,
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
