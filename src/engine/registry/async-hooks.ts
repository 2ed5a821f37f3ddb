import { jsonContext, messageOf, withTimeLimit } from "../../core/index.ts";
import type { Caller, Hook, HookContext, HookFailure, PointSpec } from "../../core/index.ts";
import { Chain, type ChainDeps } from "./chain.ts";
import type { EventEmitter } from "./events.ts";
import type { Entry, Snapshot } from "./hook-set.ts";
import type { LateTexts } from "./late-texts.ts";
import { type ChainObserver, runAudited } from "./trace-recorder.ts";

/** What asynchronous hooks need of their registry. */
interface AsyncDeps {
  readonly chains: ChainDeps;
  readonly events: EventEmitter;
  /** Where their texts for the model wait. */
  readonly late: LateTexts;
  observer(point: PointSpec, caller: Caller): ChainObserver | undefined;
}

/** Runs the hooks that nobody waits for, each in a chain of its own on a copy of the context. */
export class AsyncHooks {
  readonly queue = new AsyncQueue();
  readonly #host: AsyncDeps;

  constructor(host: AsyncDeps) {
    this.#host = host;
  }

  /** Run a hook when its turn comes, unless too many wait. */
  add(entry: Entry, ctx: HookContext, caller: Caller): void {
    const { chains, events } = this.#host;
    const { hook } = entry;
    let copy: HookContext;
    try {
      // The caller may change its payload as soon as the dispatch is over.
      copy = jsonContext(ctx, hook.point.phase);
    } catch (thrown) {
      const message = `cannot copy its context: ${messageOf(thrown)}`;
      const failure = { kind: "error", message } as const;
      chains.logger.error(`hook ${hook.id} failed at ${hook.point.name}: ${message}`);
      const ended = { hook: hook.id, point: hook.point.name, duration_ms: 0, failure };
      if (caller.ids) events.emit("failed", { ...caller.ids, ...ended });
      this.#notCopied(hook, ctx, caller, failure);
      return;
    }
    const run = (): unknown => this.#run(aloneFrom(entry), hook.point, copy, caller);
    this.queue.add(hook.id, { run, dropped: () => this.#dropped(hook, caller) });
  }

  /**
   * Wait for the runs under way, at most for `ms`, and take no more.
   * @returns how many had not ended
   */
  async close(ms: number): Promise<number> {
    const left = await this.queue.close(ms);
    const text = `closed while ${left} runs of asynchronous hooks were unfinished`;
    if (left > 0) this.#host.chains.logger.warn(text);
    return left;
  }

  async #run(hooks: Snapshot, point: PointSpec, ctx: HookContext, caller: Caller): Promise<void> {
    const { chains } = this.#host;
    const startedAt = chains.clock.now();
    const observer = this.#host.observer(point, caller);
    const chain = new Chain(chains, point, hooks, ctx, onItsOwn(caller), observer, undefined, true);
    const of = { point, entries: hooks.all, began: ctx, startedAt, caller };
    const { inject } = await runAudited(chain, chains, { ...of, async: true });
    this.#host.late.add(ctx, inject);
  }

  /** Write down that it has failed before it could begin. */
  #notCopied(hook: Hook, ctx: HookContext, caller: Caller, failure: HookFailure): void {
    void this.#host.chains.log?.take({
      point: hook.point,
      began: ctx,
      caller,
      outcome: { action: "continue", ctx, inject: [] },
      failures: [{ hook, failure }],
      changed: [],
      by: undefined,
      duration_ms: 0,
      async: true,
    });
  }

  #dropped({ id, point }: Hook, { ids }: Caller): void {
    this.#host.chains.logger.warn(
      `hook ${id} was not run at ${point.name}: too many asynchronous hooks were waiting, or the engine was closed`,
    );
    if (ids) this.#host.events.emit("dropped", { ...ids, hook: id, point: point.name });
  }
}

/** A hook in a chain of its own, where there is nothing to deny. @param more changes of the hook */
export function aloneFrom(entry: Entry, more: Partial<Hook> = {}): Snapshot {
  const hook: Hook = { ...entry.hook, ...more, async: false, onError: "open", onTimeout: "open" };
  const all = [{ ...entry, hook, enabled: true }];
  return { all, offered: all };
}

/** A run that nobody waits for. */
interface Job {
  run(): unknown;
  /** It will not run. */
  dropped(): void;
}

/** Jobs that may wait or run at the same time, of all hooks together. */
const MOST_JOBS = 1000;

/**
 * Runs the hooks that nobody waits for: each hook's own one after the other, in the order of their
 * dispatches, those of different hooks side by side. Bounded: what comes when it is full is dropped.
 */
class AsyncQueue {
  /** The last job of each hook. */
  readonly #tails = new Map<string, Promise<void>>();
  /** Runs that have not started. */
  readonly #waiting = new Set<Job>();
  #pending = 0;
  #dropped = 0;
  #closed = false;

  /** How many jobs were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Run a job when those of the same key have ended, and not before the caller's own turn is over. It is
   * dropped when there are too many.
   */
  add(key: string, job: Job): void {
    if (this.#closed || this.#pending >= MOST_JOBS) {
      this.#drop(job);
      return;
    }
    this.#pending++;
    this.#waiting.add(job);
    const before = this.#tails.get(key) ?? new Promise<void>((resolve) => setImmediate(resolve));
    const tail = before
      .then(() => this.#run(job))
      // A hook that fails is reported where it runs; what is left is a logger that throws.
      .catch(() => undefined)
      .finally(() => {
        this.#pending--;
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
  }

  /**
   * Wait for the jobs there are and for those that they add, at most for `ms`; then take no more. Jobs
   * that have not begun by then are dropped.
   * @returns how many had not ended
   */
  async close(ms: number): Promise<number> {
    await withTimeLimit(ms, this.idle());
    this.#closed = true;
    const left = [...this.#waiting];
    this.#waiting.clear();
    for (const job of left) this.#drop(job);
    return this.#pending;
  }

  #drop(job: Job): void {
    this.#dropped++;
    job.dropped();
  }

  /** Settles when nothing waits or runs: what runs may add more. */
  async idle(): Promise<void> {
    while (this.#pending > 0) await Promise.all(this.#tails.values());
  }

  async #run(job: Job): Promise<void> {
    if (this.#waiting.delete(job)) await job.run();
  }
}

/** The caller of hooks that it does not wait for: its abort does not end them. */
export function onItsOwn(caller: Caller): Caller {
  return caller.signal ? { ...caller, signal: undefined } : caller;
}
