import type { Action } from "../core/actions.ts";
import { readAnswer, verdictFor } from "../core/actions.ts";
import type { DispatchLog } from "../core/audit.ts";
import type { Caller, HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import { ANYWHERE } from "../core/fql.ts";
import type {
  Edit,
  FailureMode,
  Hook,
  HookFailure,
  HookReport,
  HookRunner,
  PayloadMatcher,
  Turn,
  Unread,
} from "../core/hook.ts";
import type { Outcome, OutcomeAction, TraceEntry } from "../core/outcome.ts";
import type { PointSpec } from "../core/points.ts";
import type { CallScope, Clock, Logger } from "../core/ports.ts";
import { foreignToolName, ownToolName } from "../match/match.ts";
import {
  ChainNotes,
  CONTINUE,
  Decisions,
  failureMode,
  NO_DECISIONS,
  terminalAction,
  unreadableResult,
  whyIllegal,
  whyTooLate,
} from "./chain-rules.ts";
import type { Entry, Snapshot } from "./hook-set.ts";
import type { UnreadReport } from "./payload-validation.ts";
import { changesPayload, countedOf, resultEdit, validated } from "./payload-validation.ts";
import type { ChainObserver, NotMatched } from "./trace-recorder.ts";

const NONE: readonly Edit[] = [];
// eslint-disable-next-line unbound-method -- it is called with what it belongs to
const { then } = Promise.prototype;

/**
 * One dispatch: the one loop that all points and all kinds of handlers pass. It walks its snapshot, offers each
 * matching hook to its runner, and applies the rules of design.md §4. It stays synchronous until a runner waits.
 */
export class Chain implements Turn {
  hook!: Hook;
  ctx: HookContext;
  view: unknown;
  readonly spent: Turn["spent"] = { luaMs: 0 };
  /** Gives the hooks that had to be loaded first, once all others have been asked. */
  late: (() => Promise<readonly Entry[]>) | undefined;
  /** What is worth writing down, where somebody does. */
  notes: ChainNotes | undefined;
  readonly #host: ChainDeps;
  readonly #point: PointSpec;
  /** Those that it asks one by one: of a point with many hooks, the ones that the tool's name does not rule out. */
  #entries: readonly Entry[];
  /** All hooks of the point, those included that are not asked. The same list as `#entries` where that has them all. */
  #all: readonly Entry[];
  readonly #caller: Caller;
  #scopeLimit: Hook["limit"];
  readonly #observer: ChainObserver | undefined;
  readonly #trace: readonly TraceEntry[] | undefined;
  readonly #isLate: boolean;
  #verdict: Decisions | undefined;
  #at = -1;
  /** Where the user's own hooks are asked a second time. */
  #again: number | undefined;
  /** The same among all hooks. */
  #allAgain = 0;
  #current: Entry | undefined;
  /** How often it has waited for a function, and whether it does now: who comes late is known by the number. */
  #waits = 0;
  #isWaiting = false;
  #waitingSince = 0;
  /** What gives its outcome, once it has waited. */
  #resolve: ((outcome: Outcome) => void) | undefined;
  #reject: ((thrown: unknown) => void) | undefined;
  /** Set while the current hook holds on a command line that could not be read whole. */
  #unread: Unread | undefined;
  #scope: CallScope | undefined;
  /** The look at the time of the hook that waits, and the end of that time. */
  #soon: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: OutcomeAction | undefined;

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

  get scope(): CallScope {
    const { limit } = this.hook;
    if (!this.#scope || this.#scopeLimit !== limit) {
      // Most hooks have no owner, and a copy would cost as much as the rest of the scope.
      const caller = limit ? { ...this.#caller, limit } : this.#caller;
      this.#scope = this.#host.scopeFor(this.ctx, caller);
      this.#scopeLimit = limit;
    }
    return this.#scope;
  }

  wait<T>(
    promised: PromiseLike<unknown>,
    read: (had: T, answer: unknown) => HookReport,
    had: T,
  ): void {
    const which = ++this.#waits;
    // By the language's own `then`, which never calls back at once, nor twice; to look for it may throw.
    void then.call(
      Promise.resolve(promised),
      (answer) => this.#arrived(which, () => read(had, answer)),
      (thrown) => this.#arrived(which, () => failure("error", messageOf(thrown))),
    );
    this.#isWaiting = true;
    this.#waitingSince = performance.now();
    this.#limitSoon();
  }

  /** What a function has promised is there, or its time is up. */
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
   * No timer goes off before the event loop turns, and by then most hooks have answered: the one look at that moment,
   * for all hooks of the chain, costs a fraction of a timer for each.
   */
  #limitSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      if (!this.#isWaiting) return;
      const which = this.#waits;
      const ms = this.hook.timeoutMs;
      const left = ms - (performance.now() - this.#waitingSince);
      const late = () => failure("timeout", `timed out after ${ms} ms`);
      this.#timer = setTimeout(() => this.#arrived(which, late), Math.max(0, left));
    });
  }

  #unlimit(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  run(): Outcome | Promise<Outcome> {
    this.#advance();
    return this.#drive();
  }

  settle(report: HookReport): Hook | undefined {
    const entry = this.#current;
    if (!entry) throw new Error("a runner settled a hook that is not its turn");
    this.#unlimit();
    const { runner } = entry.hook;
    if ("failure" in report) this.#fail(entry.hook, report.failure);
    else this.#take(entry.hook, report);
    this.#current = undefined;
    if (this.#end) return undefined;
    this.#advance();
    return this.#runnerOfCurrent() === runner ? this.hook : undefined;
  }

  #drive(): Outcome | Promise<Outcome> {
    const waiting = this.#runOn();
    if (waiting === undefined && (!this.late || this.#end)) return this.#outcome();
    // One promise for all hooks that wait, since each on top of another costs as much as a hook.
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#follow(waiting);
    });
  }

  /** What waited is settled: run the hooks behind it. */
  #goOn(): void {
    try {
      this.#follow(this.#runOn());
    } catch (thrown) {
      this.#reject?.(thrown);
    }
  }

  /** Go on when what waits is settled, or come to the end. Whoever has promised something goes on by itself. */
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
    this.#append(entries, entries);
    this.#advance();
  }

  /** Run hooks until one waits, or none is left. True while it waits for what a function has promised. */
  #runOn(): Promise<void> | true | undefined {
    while (this.#current) {
      const { hook } = this.#current;
      const at = this.#at;
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

  /** A runner that comes back without having settled its hook would loop for ever. */
  #expectProgress(at: number): void {
    if (this.#current && this.#at === at) throw new Error("its runner returned no report");
  }

  /** Whose turn it is now has failed, if it is that runner's; another runner's hook has nothing to do with it. */
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

  /** Make the next hook current that is enabled and matches the payload as it is now. */
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

  /** Whether a hook's matcher holds. One that throws is a failed hook, and never a chain that ends early. */
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
   * Whether a hook with `once` is this dispatch's to run. It is spent as it begins: while it waits, another
   * dispatch may come by. When nobody can say, the hook has failed.
   */
  #spends(entry: Entry): boolean {
    const { hook } = entry;
    try {
      const first = this.#host.spend(entry, this.ctx);
      if (!first) this.#observer?.passed(hook, "disabled");
      return first;
    } catch (thrown) {
      this.#fail(hook, {
        kind: "error",
        message: `cannot read its \`once\` state: ${messageOf(thrown)}`,
      });
      return false;
    }
  }

  #take(hook: Hook, report: Extract<HookReport, { edits: unknown }>): void {
    const unreadLine = this.#unread;
    if (report.answer === undefined && report.edits.length === 0 && !unreadLine) {
      // Most hooks look and say nothing.
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

  /** Have what a hook returned come true. */
  #count(hook: Hook, action: Action, ownEdits: readonly Edit[], unread?: UnreadReport): void {
    const result = resultEdit(this.#point, action);
    if (ownEdits.length + result.length === 0) {
      this.#observer?.ran(hook, action, NONE, this.ctx, unread);
      return this.#act(hook, action);
    }
    const was = this.ctx;
    // The result comes second: a payload that fits no more is no place to write it to.
    const after = validated(this.#point, was, [ownEdits, result]);
    if (typeof after === "string") return this.#fail(hook, { kind: "payload", message: after });
    this.ctx = after;
    this.view = undefined;
    this.#scope = undefined;
    if (after.payload !== was.payload && isRenamed(was, after)) this.#askAll();
    const edits = [...ownEdits, ...result];
    this.#changed(hook, edits, was);
    this.#observer?.ran(hook, action, edits, was, unread);
    this.#act(hook, action);
  }

  #changed(hook: Hook, edits: readonly Edit[], was: HookContext): void {
    const { log } = this.#host;
    const asksAgain = hook.rank === 1 && this.#point.phase === "pre" && this.#again === undefined;
    if ((!log && !asksAgain) || !changesPayload(edits, was, this.ctx)) return;
    if (log) (this.notes ??= new ChainNotes()).edited(hook, edits);
    if (!asksAgain) return;
    // What the user's own hooks have passed must not become something else behind their backs.
    this.#again = this.#entries.length;
    this.#allAgain = this.#all.length;
    const isAgain = ({ hook: { rank, async } }: Entry): boolean => rank === 0 && !async;
    this.#append(this.#entries.filter(isAgain), this.#all.filter(isAgain));
  }

  #append(entries: readonly Entry[], all: readonly Entry[]): void {
    const isWhole = this.#entries === this.#all;
    this.#entries = [...this.#entries, ...entries];
    this.#all = isWhole ? this.#entries : [...this.#all, ...all];
  }

  /** Where the hook that ran last stands among all. */
  #atOfAll(): number {
    if (this.#entries === this.#all) return this.#at;
    const entry = this.#entries[this.#at] as Entry;
    const isAgain = this.#again !== undefined && this.#at >= this.#again;
    return this.#all.indexOf(entry, isAgain ? this.#allAgain : 0);
  }

  /** Ask all that are left, one by one: the payload has another tool's name by now, which hooks were chosen by. */
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

  /** No further hook is asked, but for those that have to look again. */
  #stop(hook: Hook): void {
    const again = this.#again;
    const isLast = again === undefined || this.#at >= again;
    if (this.#host.log && this.#atOfAll() + 1 < (isLast ? this.#all.length : this.#allAgain)) {
      (this.notes ??= new ChainNotes()).stoppedBy = hook;
    }
    if (isLast) return this.#finish(CONTINUE);
    this.#observer?.notReached(this.#entries.slice(this.#at + 1, again));
    this.#at = again - 1;
  }

  #fail(hook: Hook, failure: HookFailure): void {
    const mode = failureMode(hook, failure, this.#host.onError, this.#point);
    const next = mode === "closed" ? "the operation is denied" : "the hook is skipped";
    const told = `hook ${hook.id} failed at ${this.#point.name}: ${failure.message}; ${next}`;
    this.#host.logger.error(told);
    this.#observer?.failed(hook, failure);
    if (this.#host.log) (this.notes ??= new ChainNotes()).failed(hook, failure);
    if (mode === "closed") {
      const reason = `hook ${hook.id} failed: ${failure.message}`;
      this.#finish({ action: "abort", reason, hook: hook.id });
    }
  }

  #finish(end: OutcomeAction): void {
    this.#end = end;
    this.#observer?.notReached(this.#entries.slice(this.#at + 1));
  }

  #outcome(): Outcome {
    clearImmediate(this.#soon);
    return (this.#verdict ?? NO_DECISIONS).outcome(this.#end ?? CONTINUE, this.ctx, this.#trace);
  }
}

function failure(kind: HookFailure["kind"], message: string): HookReport {
  return { failure: { kind, message } };
}

/** Whether the tool is called something else than before, here or at a foreign host. */
function isRenamed({ payload: was }: HookContext, { payload: is }: HookContext): boolean {
  try {
    return ownToolName(was) !== ownToolName(is) || foreignToolName(was) !== foreignToolName(is);
  } catch {
    return true;
  }
}

/** What a chain needs of the registry it belongs to. */
export interface ChainDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Writes down what chains came to, where somebody does. */
  readonly log: DispatchLog | undefined;
  readonly onError: FailureMode | undefined;
  /** What the hooks' own calls are bound to. */
  scopeFor(ctx: HookContext, caller: Caller): CallScope;
  /** A hook with `once` is about to run: whether it has not done so yet. May throw. */
  spend(entry: Entry, ctx: HookContext): boolean;
  /** A hook that nobody waits for applies. With `once` it is spent when its turn comes, if it does. */
  later(entry: Entry, ctx: HookContext, caller: Caller): void;
}
