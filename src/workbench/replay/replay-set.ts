import { recordedEvent } from "../../records/index.ts";
import type { RecordedCall, RecordedEvent, RecordedOutcome } from "../../records/index.ts";
import type { HookEntry, Notice } from "../../config/index.ts";
import type {
  CallScope,
  Diagnostic,
  DispatchLog,
  Hook,
  HookRunner,
  Json,
  JsonObject,
  Outcome,
  Redactor,
  RuntimeAccess,
  SettledDispatch,
  ShadowRun,
  Turn,
} from "../../core/index.ts";
import { dispatchEntry, Engine, FakeClock, shadowEntry } from "../../engine/index.ts";
import type {
  CreateOrcsOptions,
  EngineOptions,
  RecordableCall,
  ToolRecorder,
} from "../../engine/index.ts";

/** The hooks to replay. */
export interface ReplaySetOptions extends Pick<
  CreateOrcsOptions,
  "config" | "cwd" | "overrides" | "logger"
> {
  /** The text to load in place of a script's own. */
  readonly edited?: EngineOptions["edited"];
  /** Files to read in place of the one that `config` names. */
  readonly files?: EngineOptions["files"];
  /** The recorded results of tools. */
  readonly answers: RecordedAnswers;
  /** Also run handlers that leave the process. */
  readonly outside: boolean;
}

/** The result of a replayed event. */
export interface Replayed {
  readonly outcome: RecordedOutcome;
  /** Hooks that changed its payload. */
  readonly changedBy: readonly Hook[];
  /** A handler that leaves the process would have run. */
  readonly wouldLeave: boolean;
  /** Calls of hooks that are not in the record. */
  readonly unrecorded: readonly string[];
  /** Hooks that ran out of time. */
  readonly late: readonly string[];
  /** What hooks in shadow, and those that only warn, would have done: lines as in an audit log. */
  readonly unenforced: readonly JsonObject[];
}

interface ReplayParts {
  readonly engine: Engine;
  /** Milliseconds since the record was started. */
  readonly clock: FakeClock;
  readonly answers: RecordedAnswers;
  readonly skipped: SkippedHooks;
  readonly log: LastDispatch;
}

/** A set of hooks for replaying recorded events: no tool runs, and no approval is requested. */
export class ReplaySet {
  readonly #parts: ReplayParts;
  /** The time of the latest event: the clock never goes back, even if the recorded one did. */
  #began = 0;
  readonly #runtime: RuntimeAccess;
  readonly #hasAsync: boolean;

  /** @throws OrcsError ORCS1015 with every error of the configuration */
  static async open(options: ReplaySetOptions): Promise<ReplaySet> {
    const { answers, outside, overrides, config, files, cwd, logger, edited } = options;
    const clock = new FakeClock();
    const skipped = new SkippedHooks();
    const log = new LastDispatch();
    const runnerFor: EngineOptions["runnerFor"] = (entry) => {
      skipped.add(entry);
      return skipped;
    };
    const engine = await Engine.create({
      config,
      files,
      cwd,
      untrusted: "ignore",
      logger,
      // A call that was recorded as run had been approved.
      overrides: { ...overrides, hil: { mode: "callback" } },
      approve: ({ tool, args }) => answers.has(tool, args),
      auditDir: false,
      trace: false,
      output: () => undefined,
      clock,
      log,
      tap: answers,
      edited,
      ...(!outside && { runnerFor }),
    });
    return new ReplaySet({ engine, clock, answers, skipped, log });
  }

  private constructor(parts: ReplayParts) {
    const { engine, answers } = parts;
    this.#parts = parts;
    this.#runtime = { at: ({ depth }) => runtimeOf(answers, depth), via: [] };
    this.#hasAsync = engine.registry.list().some((hook) => hook.async);
  }

  /** When the record was started, in milliseconds since 1970. */
  startAt(time: number): void {
    this.#parts.clock.began = time;
  }

  get redactor(): Redactor {
    return this.#parts.engine.redactor;
  }

  get warnings(): readonly Diagnostic[] {
    return this.#parts.engine.configured.warnings;
  }

  /** The notice about trust, if any. */
  get notice(): Notice | undefined {
    return this.#parts.engine.configured.notices[0];
  }

  /** Hooks that are not run. */
  get outside(): readonly OutsideHook[] {
    return this.#parts.skipped.hooks;
  }

  hook(id: string): Hook | undefined {
    return this.#parts.engine.registry.get(id);
  }

  /** Whether a hook exists, is enabled and is run. */
  runs(id: string): boolean {
    const isOutside = this.outside.some((hook) => hook.id === id);
    return !isOutside && this.#parts.engine.registry.isEnabled(id);
  }

  /**
   * Replay an event.
   * @param at its time, in milliseconds since the record was started
   * @param mask the redactor of the record, if it was redacted
   * @throws OrcsError ORCS1005 (unknown point), ORCS1010, ORCS2003: the event does not belong to this engine
   */
  replay(
    event: RecordedEvent,
    at: number,
    mask: Redactor | undefined,
  ): Replayed | Promise<Replayed> {
    const { point, component, child, instance, channel, principal, metadata = {} } = event;
    this.#began = Math.max(this.#began, at);
    this.#parts.clock.set(this.#began);
    this.#parts.skipped.wasAsked = false;
    this.#parts.answers.begin();
    this.#parts.log.begin();
    const { registry } = this.#parts.engine;
    const runtime = this.#runtime;
    const options = { component, child, instance, channel, principal, metadata, runtime };
    const outcome = registry.dispatch(point, event.payload, options);
    if (outcome instanceof Promise || this.#isPending) return this.#wait(outcome, mask);
    return this.#replayed(outcome, mask);
  }

  async close(): Promise<void> {
    await this.#parts.engine.close();
  }

  async #wait(outcome: Outcome | Promise<Outcome>, mask: Redactor | undefined): Promise<Replayed> {
    const settled = await outcome;
    // The next event must see what asynchronous hooks and hooks in shadow keep.
    if (this.#isPending) await this.#parts.engine.registry.idle();
    return this.#replayed(settled, mask);
  }

  /** Whether hooks may still run for the event, after its outcome. */
  get #isPending(): boolean {
    return this.#hasAsync || !this.#parts.engine.registry.shadow.queue.isIdle;
  }

  #replayed(outcome: Outcome, mask: Redactor | undefined): Replayed {
    const { settled, unenforced } = this.#parts.log;
    const { unrecorded } = this.#parts.answers;
    const { changed = [], failures = [] } = settled ?? {};
    const late = failures.filter(
      ({ failure: { kind } }) => kind === "timeout" || kind === "killed",
    );
    return {
      outcome: settled && !isPlain(outcome, settled) ? outcomeOf(settled, mask) : NOTHING_SAID,
      changedBy: changed.length > 0 ? changed.map(({ hook }) => hook) : NONE,
      wouldLeave: this.#parts.skipped.wasAsked,
      unrecorded,
      late: failures.length > 0 ? late.map(({ hook }) => hook.id) : NONE,
      unenforced,
    };
  }
}

const NONE: readonly never[] = [];
const NOTHING_SAID: RecordedOutcome = { action: "continue", edits: [] };
const EMPTY = {};

/** Keeps the last dispatch that was not made by a hook, and what was not enforced since it began. */
class LastDispatch implements DispatchLog {
  readonly all = true;
  settled: SettledDispatch | undefined;
  unenforced: readonly JsonObject[] = NONE;

  begin(): void {
    this.settled = undefined;
    this.unenforced = NONE;
  }

  take(settled: SettledDispatch): undefined {
    if (settled.began.depth === 0 && settled.async !== true) this.settled = settled;
    if (settled.warned && settled.warned.length > 0) this.#keep(dispatchEntry(settled, undefined));
  }

  shadow(run: ShadowRun): void {
    this.#keep(shadowEntry(run, undefined));
  }

  #keep(line: JsonObject): void {
    this.unenforced = [...this.unenforced, line];
  }
}

function isPlain({ action, inject, ctx, ...rest }: Outcome, { began }: SettledDispatch): boolean {
  if (action !== "continue" || inject.length > 0 || "decision" in rest) return false;
  return ctx.payload === began.payload && ctx.metadata === began.metadata;
}

function outcomeOf(settled: SettledDispatch, mask: Redactor | undefined): RecordedOutcome {
  const { began, outcome } = settled;
  const { ctx } = outcome;
  if (ctx.payload !== began.payload || ctx.metadata !== began.metadata) {
    return recordedEvent(settled, mask, 0).outcome;
  }
  // Nothing was changed, so the payload need not be walked.
  const empty = { ...ctx, payload: EMPTY, metadata: EMPTY };
  const bare = { ...settled, began: empty, outcome: { ...outcome, ctx: empty } };
  return recordedEvent(bare, mask, 0).outcome;
}

function runtimeOf(answers: RecordedAnswers, depth: number): CallScope {
  return {
    depth,
    get: async (kind) => ({ ok: false, error: `${kind} was not recorded` }),
    verb: async (name) => answers.verb(name),
  };
}

/** Maximum number of unused calls that are kept: a hook that no longer makes a call leaves it unused. */
const MOST_KEPT = 1000;

/** Returns the recorded results of tools to hooks, by tool and arguments, in the recorded order. */
export class RecordedAnswers implements ToolRecorder {
  /** The redactor of the recorded arguments, if they were redacted. */
  mask: Redactor | undefined;
  #unrecorded: string[] = [];
  #given: RecordedCall[] = [];
  /** In the recorded order. */
  readonly #kept = new Set<RecordedCall>();
  readonly #byCall = new Map<string, RecordedCall[]>();
  readonly #more: () => boolean;

  /** @param more reads a call further ahead in the record; returns whether there was one */
  constructor(more: () => boolean) {
    this.#more = more;
  }

  /** Calls since the start of the event that are not in the record. */
  get unrecorded(): readonly string[] {
    return this.#unrecorded;
  }

  /** Calls since the start of the event that got a recorded result. */
  get given(): readonly RecordedCall[] {
    return this.#given;
  }

  /** Start an event. */
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

  /** Whether there is a result for such a call. */
  has(kind: string, args: Json): boolean {
    const key = this.#keyOf(kind, args);
    // Calls of asynchronous hooks are recorded after later events.
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

  /** The result of a runtime function, which is not recorded. */
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

/** Equal for equal arguments, in any order of keys. */
function keyOf(kind: string, args: unknown): string {
  return `${kind} ${JSON.stringify(args, sorted)}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A hook whose handler leaves the process; a replay runs it only on request. */
export interface OutsideHook {
  readonly id: string;
  readonly kind: HookEntry["handler"]["kind"];
}

/** Replaces handlers that leave the process: makes no decision, and remembers that one would have run. */
class SkippedHooks implements HookRunner {
  /** Set to true when one of them would have run. */
  wasAsked = false;
  readonly #hooks: OutsideHook[] = [];

  /** The hooks that it replaces. */
  get hooks(): readonly OutsideHook[] {
    return this.#hooks;
  }

  /** Replace the handler of another hook. */
  add({ id, handler }: HookEntry): void {
    this.#hooks.push({ id, kind: handler.kind });
  }

  run(turn: Turn): void {
    this.wasAsked = true;
    while (turn.settle({ answer: undefined, edits: [] }));
  }
}
