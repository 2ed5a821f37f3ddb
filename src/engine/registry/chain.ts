import {
  type Action,
  ANYWHERE,
  type Awaitable,
  type Caller,
  type CallScope,
  type Clock,
  type DispatchLog,
  type Edit,
  type Environment,
  type FailureMode,
  type Hook,
  type HookContext,
  type HookFailure,
  type HookReport,
  type HookRunner,
  isStoreError,
  type Logger,
  messageOf,
  type Outcome,
  type OutcomeAction,
  type PayloadMatcher,
  type PointSpec,
  RAISE_TIMEOUT,
  type Rank,
  RANKS,
  readAnswer,
  traceContext,
  type TraceContext,
  type TraceEntry,
  type Turn,
  type Unread,
  verdictFor,
} from "../../core/index.ts";
import { foreignToolName, ownToolName } from "../../matching/index.ts";
import {
  ChainNotes,
  CONTINUE,
  Decisions,
  failureMode,
  NO_DECISIONS,
  denial,
  terminalAction,
  unreadableResult,
  whyIllegal,
  whyTooLate,
  wouldDo,
} from "./chain-rules.ts";
import type { ChainTrail } from "./chain-trail.ts";
import type { Entry, Snapshot } from "./hook-set.ts";
import type { UnreadReport } from "./payload-validation.ts";
import { changesPayload, countedOf, resultEdit, validated } from "./payload-validation.ts";
import type { ChainObserver, NotMatched } from "./trace-recorder.ts";

const NONE: readonly Edit[] = [];
// eslint-disable-next-line unbound-method -- it is called with what it belongs to
const { then } = Promise.prototype;

/**
 * One dispatch: the single loop used by all points and all kinds of handlers. It iterates over its snapshot of hooks,
 * passes each matching hook to its runner, and applies the rules of design.md §4. It stays synchronous until a runner
 * waits.
 */
export class Chain implements Turn {
  hook!: Hook;
  ctx: HookContext;
  view: unknown;
  readonly spent: Turn["spent"] = { luaMs: 0 };
  /** Returns the hooks that had to be loaded first; called after all other hooks have run. */
  late: (() => Promise<readonly Entry[]>) | undefined;
  /** Kept for hooks that run after the chain, on what they would have seen in it. */
  trail: ChainTrail | undefined;
  /** Notes for the log; only created if there is one. */
  notes: ChainNotes | undefined;
  readonly #host: ChainDeps;
  readonly #point: PointSpec;
  /** Hooks to run in order; at a point with many hooks, without those excluded by the tool name. */
  #entries: readonly Entry[];
  /** All hooks of the point, including those excluded. The same list as `#entries` if none are. */
  #all: readonly Entry[];
  readonly #caller: Caller;
  #scopeLimit: Hook["limit"];
  readonly #observer: ChainObserver | undefined;
  readonly #trace: readonly TraceEntry[] | undefined;
  readonly #isLate: boolean;
  #verdict: Decisions | undefined;
  #at = -1;
  /** Index in `#entries` from which hooks run a second time: those whose rank is below `#askedBy`. */
  #again: number | undefined;
  /** The highest rank of a hook that has changed the payload. */
  #askedBy: Rank | undefined;
  /** The corresponding index in `#all`. */
  #allAgain = 0;
  #current: Entry | undefined;
  /** Number of waits so far; identifies a wait, so that late results are recognised. */
  #waits = 0;
  #isWaiting = false;
  #waitingSince = 0;
  /** Settles the outcome once the chain has waited. */
  #resolve: ((outcome: Outcome) => void) | undefined;
  #reject: ((thrown: unknown) => void) | undefined;
  /** Set if the current hook matches on a command line that could not be parsed completely. */
  #unread: Unread | undefined;
  #scope: CallScope | undefined;
  /** The first check of the waiting hook's time limit, and the timer for the rest of it. */
  #soon: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: OutcomeAction | undefined;
  #beganOver = false;
  #gaveUp = false;
  /** Whether the current hook, with `once`, runs for the first time: not known yet. */
  #first: Promise<boolean> | undefined;

  constructor(
    host: ChainDeps,
    point: PointSpec,
    hooks: Snapshot,
    ctx: HookContext,
    caller: Caller,
    observer: ChainObserver | undefined,
    trace: readonly TraceEntry[] | undefined,
    isLate = false,
  ) {
    this.#isLate = isLate;
    this.#host = host;
    this.#point = point;
    this.#entries = hooks.offered;
    this.#all = hooks.all;
    this.ctx = ctx;
    this.#caller = caller;
    this.#observer = observer;
    this.#trace = trace;
  }

  get followed(): boolean {
    return this.#entries[this.#at + 1]?.hook.runner === this.#runnerOfCurrent();
  }

  get running(): Hook | undefined {
    return this.#current?.hook;
  }

  get scope(): CallScope {
    const { limit } = this.hook;
    if (!this.#scope || this.#scopeLimit !== limit) {
      // Copied only if needed: most hooks have no owner, and the copy costs as much as the rest of the scope.
      const caller = limit ? { ...this.#caller, limit } : this.#caller;
      this.#scope = this.#host.scopeFor(this.ctx, caller, this);
      this.#scopeLimit = limit;
    }
    return this.#scope;
  }

  get trace(): TraceContext | undefined {
    return traceContext(this.#caller);
  }

  get signal(): AbortSignal | undefined {
    return this.#caller.signal;
  }

  get environment(): Environment | undefined {
    return this.#caller.environment;
  }

  wait<T>(
    promised: PromiseLike<unknown>,
    read: (had: T, answer: unknown) => HookReport,
    had: T,
  ): void {
    const which = ++this.#waits;
    // Uses the built-in `then`, which never calls back synchronously or twice; accessing an overridden one could throw.
    void then.call(
      Promise.resolve(promised),
      (answer) => this.#arrived(which, () => read(had, answer)),
      (thrown) =>
        this.#arrived(which, () =>
          failure(isStoreError(thrown) ? "store" : "error", messageOf(thrown)),
        ),
    );
    this.#isWaiting = true;
    this.#waitingSince = performance.now();
    this.#limitSoon();
  }

  /** The awaited promise has settled, or its time is up. */
  #arrived(which: number, report: () => HookReport): void {
    if (!this.#isWaiting || which !== this.#waits) return;
    this.#isWaiting = false;
    const { hook } = this;
    try {
      this.settle(report());
    } catch (thrown) {
      this.#runnerThrew(hook, thrown);
    }
    this.#goOn();
  }

  /**
   * Timers cannot fire before the event loop turns, and most hooks have settled by then. One check at that moment,
   * shared by all hooks of the chain, costs a fraction of a timer per hook.
   */
  #limitSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      if (!this.#isWaiting) return;
      const which = this.#waits;
      const ms = this.hook.timeoutMs;
      const left = ms - (performance.now() - this.#waitingSince);
      const late = () => failure("timeout", `timed out after ${ms} ms${RAISE_TIMEOUT}`);
      this.#timer = setTimeout(() => this.#arrived(which, late), Math.max(0, left));
    });
  }

  #unlimit(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  run(): Outcome | Promise<Outcome> {
    // A call may be over before its hooks run, such as those of the result of a cancelled tool.
    this.#beganOver = this.signal?.aborted === true;
    this.#advance();
    return this.#drive();
  }

  settle(report: HookReport): Hook | undefined {
    const entry = this.#current;
    if (!entry) throw new Error("a runner settled a hook that is not its turn");
    this.#unlimit();
    const { runner } = entry.hook;
    if (this.#isGivenUp()) {
      // Nobody waits for it, and its failure is no failure of the hook.
      this.#current = undefined;
      return undefined;
    }
    if ("failure" in report) this.#fail(entry.hook, report.failure);
    else this.#take(entry.hook, report);
    this.#current = undefined;
    if (this.#end) return undefined;
    this.#advance();
    return !this.#first && this.#runnerOfCurrent() === runner ? this.hook : undefined;
  }

  /** Whether its signal has aborted while it ran, or while it waited. */
  #isGivenUp(): boolean {
    return this.#gaveUp || (this.signal?.aborted === true && !this.#beganOver);
  }

  #drive(): Outcome | Promise<Outcome> {
    const waiting = this.#runOn();
    if (this.#isGivenUp()) this.signal?.throwIfAborted();
    if (waiting === undefined && (!this.late || this.#end)) return this.#outcome();
    // One promise for all waiting hooks: chaining promises would cost as much as a hook each.
    return new Promise((resolve, reject) => {
      const { signal } = this;
      // oxlint-disable-next-line prefer-promise-reject-errors -- the reason is the caller's
      const giveUp = (): void => {
        this.#gaveUp = true;
        reject(signal?.reason);
      };
      const ended = <T>(settle: (value: T) => void) =>
        signal
          ? (value: T) => {
              signal.removeEventListener("abort", giveUp);
              settle(value);
            }
          : settle;
      this.#resolve = ended(resolve);
      this.#reject = ended(reject);
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp);
      this.#follow(waiting);
    });
  }

  /** The awaited hook has settled: run the following hooks. */
  #goOn(): void {
    try {
      this.#follow(this.#runOn());
    } catch (thrown) {
      this.#reject?.(thrown);
    }
  }

  /** Continue when the runner has settled, or end the chain. A wait on a promised result resumes by itself. */
  #follow(waiting: Promise<void> | true | undefined): void {
    if (waiting === true) return;
    if (waiting) void waiting.then(() => this.#goOn(), this.#reject);
    else if (this.late && !this.#end)
      void this.#ask(this.late).then(() => this.#goOn(), this.#reject);
    else this.#resolve?.(this.#outcome());
  }

  async #ask(late: () => Promise<readonly Entry[]>): Promise<void> {
    this.late = undefined;
    const entries = await late();
    this.#at = this.#entries.length - 1;
    // The second run that other hooks asked for is over; what these change is checked in another one.
    this.#again = undefined;
    this.#askedBy = undefined;
    const isWhole = this.#entries === this.#all;
    this.#entries = [...this.#entries, ...entries];
    this.#all = isWhole ? this.#entries : [...this.#all, ...entries];
    this.#advance();
  }

  /** Run hooks until one waits or none are left. @returns true while waiting for a promised result */
  #runOn(): Promise<void> | true | undefined {
    while (this.#current) {
      const { hook } = this.#current;
      const at = this.#at;
      if (this.#first) return this.#whetherFirst(hook, this.#first);
      try {
        const waiting = hook.runner.run(this);
        if (this.#isWaiting) return true;
        if (waiting) return this.#settled(waiting, hook, at);
        this.#expectProgress(at);
      } catch (thrown) {
        this.#runnerThrew(hook, thrown);
      }
    }
    return undefined;
  }

  async #settled(waiting: Promise<void>, hook: Hook, at: number): Promise<void> {
    try {
      await waiting;
      this.#expectProgress(at);
    } catch (thrown) {
      this.#runnerThrew(hook, thrown);
    }
  }

  /** A runner that returns without settling its hook would cause an endless loop. */
  #expectProgress(at: number): void {
    if (this.#current && this.#at === at) throw new Error("its runner returned no report");
  }

  /** The current hook fails if it belongs to the runner that threw; a hook of another runner is not affected. */
  #runnerThrew({ id, runner }: Hook, thrown: unknown): void {
    const message = messageOf(thrown);
    if (this.#runnerOfCurrent() === runner) {
      this.settle({ failure: { kind: "error", message } });
    } else {
      this.#host.logger.error(`the runner of hook ${id} threw after it had settled: ${message}`);
    }
  }

  #runnerOfCurrent(): HookRunner | undefined {
    return this.#current?.hook.runner;
  }

  /** Advance to the next hook that is enabled and matches the current payload. */
  #advance(): void {
    const entries = this.#entries;
    const observer = this.#observer;
    for (let i = this.#at + 1; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      const { hook } = entry;
      this.#at = i;
      this.#unread = undefined;
      observer?.start();
      if (!entry.enabled || entry.use.spent) {
        observer?.passed(hook, "disabled");
      } else if (hook.appliesTo !== ANYWHERE && !hook.appliesTo(this.#caller)) {
        observer?.passed(hook, "not_matched", this.#notMatched("fql"));
      } else if (!hook.matcher || this.#applies(hook, hook.matcher)) {
        if (hook.async) {
          observer?.passed(hook, "queued");
          this.#host.later(entry, this.ctx, this.#caller);
        } else if (!hook.once || this.#spends(entry)) {
          this.#current = entry;
          this.hook = hook;
          return;
        }
      }
      if (this.#end) return;
    }
    this.#at = entries.length;
    this.#current = undefined;
  }

  #notMatched(failing: NotMatched["failing"]): NotMatched {
    return { failing, ctx: this.ctx, caller: this.#caller };
  }

  /** Whether a hook's matcher is true. If it throws, the hook has failed, but the chain does not end early. */
  #applies(hook: Hook, matcher: PayloadMatcher): boolean {
    try {
      const found = matcher.failing(this.ctx.payload);
      if (typeof found === "string") {
        this.#observer?.passed(hook, "not_matched", this.#notMatched(found));
        return false;
      }
      this.#unread = found;
      return true;
    } catch (thrown) {
      this.#fail(hook, { kind: "error", message: `its matcher failed: ${messageOf(thrown)}` });
      return false;
    }
  }

  /**
   * Whether a hook with `once` is to run in this dispatch. It counts as used from its start, because another dispatch
   * may run while it waits. If its state cannot be read, the hook has failed.
   */
  #spends(entry: Entry): boolean {
    const { hook } = entry;
    try {
      const first = this.#host.spend(entry, this.ctx, this.spent);
      if (first instanceof Promise) this.#first = first;
      else if (!first) this.#observer?.passed(hook, "disabled");
      return first !== false;
    } catch (thrown) {
      this.#onceFailed(hook, thrown);
      return false;
    }
  }

  /** As `#spends`, once a shared state has answered: the current hook runs, or the next one. */
  async #whetherFirst(hook: Hook, asked: Promise<boolean>): Promise<void> {
    try {
      const first = await asked;
      this.#first = undefined;
      if (first) return;
      this.#observer?.passed(hook, "disabled");
    } catch (thrown) {
      this.#first = undefined;
      this.#onceFailed(hook, thrown);
    }
    this.#current = undefined;
    if (!this.#end) this.#advance();
  }

  #onceFailed(hook: Hook, thrown: unknown): void {
    const kind = isStoreError(thrown) ? "store" : "error";
    this.#fail(hook, { kind, message: `cannot read its \`once\` state: ${messageOf(thrown)}` });
  }

  #take(hook: Hook, report: Extract<HookReport, { edits: unknown }>): void {
    const unreadLine = this.#unread;
    if (report.answer === undefined && report.edits.length === 0 && !unreadLine) {
      // Fast path: most hooks return nothing.
      return this.#observer?.ran(hook, CONTINUE, NONE, this.ctx);
    }
    const read = readAnswer(report.answer);
    if (!read.ok) return this.#fail(hook, unreadableResult(this.#point, read));
    const { action } = read;
    const message = this.#isLate ? whyTooLate(action) : whyIllegal(this.#point, action);
    if (message !== undefined) return this.#fail(hook, { kind: "answer", message });
    if (!unreadLine) return this.#count(hook, action, report.edits);
    const counted = countedOf(hook, unreadLine, action, report.edits, this.#host.logger);
    return this.#count(hook, counted.action, counted.edits, counted);
  }

  /** Apply the result of a hook. */
  #count(hook: Hook, action: Action, ownEdits: readonly Edit[], unread?: UnreadReport): void {
    if (hook.mode === "warn") return this.#warn(hook, action, ownEdits, unread);
    const result = resultEdit(this.#point, action);
    if (ownEdits.length + result.length === 0) {
      this.#observer?.ran(hook, action, NONE, this.ctx, unread);
      return this.#act(hook, action);
    }
    const was = this.ctx;
    // Validated before the result is written, because an invalid payload cannot be written to.
    const after = validated(this.#point, was, [ownEdits, result]);
    if (typeof after === "string") return this.#fail(hook, { kind: "payload", message: after });
    this.ctx = after;
    this.view = undefined;
    this.#scope = undefined;
    if (after.payload !== was.payload && isRenamed(was, after)) this.#askAll();
    const edits = [...ownEdits, ...result];
    this.trail?.changed(this.#current as Entry, after, this.#isAgain);
    this.#changed(hook, edits, was);
    this.#observer?.ran(hook, action, edits, was, unread);
    this.#act(hook, action);
  }

  /** Tell what a hook would have done. Its texts for the model count, because they decide nothing. */
  #warn(hook: Hook, action: Action, ownEdits: readonly Edit[], unread?: UnreadReport): void {
    const edits = [...ownEdits, ...resultEdit(this.#point, action)];
    this.#observer?.ran(hook, action, edits, this.ctx, unread);
    this.#verdict ??= new Decisions();
    const own = action.action === "continue" ? action.inject : undefined;
    const would = wouldDo(action, edits);
    if (own) this.#verdict.inject(own);
    if (would === undefined) return;
    const { logger, log } = this.#host;
    const text = this.#verdict.warn(hook, would);
    logger.warn(`${this.#point.name}: ${text}`);
    if (log) (this.notes ??= new ChainNotes()).warnedOf(hook, action, edits);
  }

  /** Whether hooks run for the second time. */
  get #isAgain(): boolean {
    return this.#again !== undefined && this.#at >= this.#again;
  }

  #changed(hook: Hook, edits: readonly Edit[], was: HookContext): void {
    const { log } = this.#host;
    const asksAgain = this.#asksAgain(hook);
    if ((!log && !asksAgain) || !changesPayload(edits, was, this.ctx)) return;
    if (log) (this.notes ??= new ChainNotes()).edited(hook, edits);
    if (!asksAgain) return;
    this.#askedBy = hook.rank;
    this.trail?.again(hook.rank);
    const isWhole = this.#entries === this.#all;
    const begun = this.#entries.slice(0, this.#again);
    const allBegun = isWhole ? begun : this.#all.slice(0, this.#again && this.#allAgain);
    this.#again = begun.length;
    this.#allAgain = allBegun.length;
    this.#entries = [...begun, ...runAgain(begun, hook.rank)];
    this.#all = isWhole ? this.#entries : [...allBegun, ...runAgain(allBegun, hook.rank)];
  }

  /**
   * Whether hooks of lower ranks have to check again what this hook has changed. In the second run, those of lower
   * ranks come later anyway.
   */
  #asksAgain({ rank }: Hook): boolean {
    const [lowest] = this.#all;
    return (
      lowest !== undefined &&
      this.#point.phase === "pre" &&
      !this.#isAgain &&
      rank > (this.#askedBy ?? (this.trail ? RANKS[0] : lowest.hook.rank))
    );
  }

  /** Index in `#all` of the hook that ran last. */
  #atOfAll(): number {
    if (this.#entries === this.#all) return this.#at;
    const entry = this.#entries[this.#at] as Entry;
    return this.#all.indexOf(entry, this.#isAgain ? this.#allAgain : 0);
  }

  /** Run all remaining hooks: they were selected by the tool name, which has changed. */
  #askAll(): void {
    if (this.#entries === this.#all) return;
    this.#at = this.#atOfAll();
    if (this.#again !== undefined) this.#again = this.#allAgain;
    this.#entries = this.#all;
  }

  #act(hook: Hook, action: Action): void {
    if (verdictFor(this.#point, action.action) === "warn") {
      const { name, phase } = this.#point;
      this.#host.logger.warn(
        `hook ${hook.id}: ${action.action} has no effect at ${name} (a ${phase} point) and is treated as continue`,
      );
    }
    const end = terminalAction(action, hook);
    if (end) return this.#finish(end);
    if (action.action !== "continue") return;
    this.#verdict ??= new Decisions();
    this.#verdict.take(hook, action);
    if (action.stop) this.#stop(hook);
  }

  /** Run no further hooks, except those that have to check again. */
  #stop(hook: Hook): void {
    const next = this.#afterStop(hook);
    const isLast = next === undefined;
    if (this.#host.log && this.#atOfAll() + 1 < (isLast ? this.#all.length : this.#allAgain)) {
      (this.notes ??= new ChainNotes()).stoppedBy = hook;
    }
    if (isLast) return this.#finish(CONTINUE);
    this.#observer?.notReached(this.#entries.slice(this.#at + 1, next));
    this.#at = next - 1;
  }

  /** Where the hooks begin that have to check again although a hook has stopped the others. */
  #afterStop({ rank }: Hook): number | undefined {
    if (this.#again === undefined || !this.#isAgain) return this.#again;
    const next = this.#entries.findIndex((entry, i) => i > this.#at && entry.hook.rank < rank);
    return next < 0 ? undefined : next;
  }

  #fail(hook: Hook, failed: HookFailure): void {
    const failure = withPlace(hook, failed);
    const mode = failureMode(hook, failure, this.#host.onError, this.#point);
    const next = mode === "closed" ? "the operation is denied" : "the hook is skipped";
    const message = `hook ${hook.id} failed at ${this.#point.name}: ${failure.message}; ${next}`;
    this.#host.logger.error(message);
    this.#observer?.failed(hook, failure);
    if (this.#host.log) (this.notes ??= new ChainNotes()).failed(hook, failure);
    if (mode === "closed") {
      this.#finish(denial(hook, `hook ${hook.id} failed: ${failure.message}`));
    }
  }

  #finish(end: OutcomeAction): void {
    this.#end = end;
    this.trail?.ended(this.#entries[this.#at] as Entry, this.#isAgain);
    this.#observer?.notReached(this.#entries.slice(this.#at + 1));
  }

  #outcome(): Outcome {
    clearImmediate(this.#soon);
    return (this.#verdict ?? NO_DECISIONS).outcome(this.#end ?? CONTINUE, this.ctx, this.#trace);
  }
}

/** A failure whose text does not say where: then at the line of the handler. */
function withPlace({ source }: Hook, failure: HookFailure): HookFailure {
  const isPlaced = !["answer", "payload"].includes(failure.kind) || PLACED.test(failure.message);
  if (!source || isPlaced) return failure;
  return { ...failure, message: `${source.file}:${source.line}: ${failure.message}` };
}

/** `file:line: ` at the start of a text. */
const PLACED = /^[^\n]*?:\d+: /;

function failure(kind: HookFailure["kind"], message: string): HookReport {
  return { failure: { kind, message } };
}

/**
 * The hooks that have to check what one of this rank has changed, so that each rank has the last word over higher ones.
 */
function runAgain(entries: readonly Entry[], changedBy: Rank): Entry[] {
  const again = new Set(entries.filter(({ hook: { rank, async } }) => rank < changedBy && !async));
  return [...again].sort((a, b) => b.hook.rank - a.hook.rank);
}

/** Whether the tool name has changed, in orcs or in the agent's terms. */
function isRenamed({ payload: was }: HookContext, { payload: is }: HookContext): boolean {
  try {
    return ownToolName(was) !== ownToolName(is) || foreignToolName(was) !== foreignToolName(is);
  } catch {
    return true;
  }
}

/** Whether a hook with `once` runs for the first time; from a shared state, a promise. */
export type OnceState = (hook: Hook, ctx: HookContext, spent: Turn["spent"]) => Awaitable<boolean>;

/** What a chain needs from its registry. */
export interface ChainDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Logs the results of chains, if there is a log. */
  readonly log: DispatchLog | undefined;
  readonly onError: FailureMode | undefined;
  /** Creates the scope of calls made by hooks. */
  scopeFor(ctx: HookContext, caller: Caller, turn: Pick<Turn, "hook" | "spent">): CallScope;
  /** Called before a hook with `once` runs. @returns whether this is its first run. May throw. */
  spend(entry: Entry, ctx: HookContext, spent: Turn["spent"]): Awaitable<boolean>;
  /** Queue an asynchronous hook that matches. With `once`, it is marked as used when it starts. */
  later(entry: Entry, ctx: HookContext, caller: Caller): void;
}
