import type { Caller, HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import type { Hook, HookFailure } from "../core/hook.ts";
import { jsonContext } from "../core/json-context.ts";
import { AsyncQueue } from "./async-queue.ts";
import { Chain } from "./chain.ts";
import type { ChainHost } from "./chain-host.ts";
import type { EventEmitter } from "./events.ts";
import { runLogged } from "./logged.ts";
import type { ChainObserver } from "./observer.ts";
import type { Entry } from "./snapshot.ts";

/** What asynchronous hooks need of their registry. */
export interface AsyncHost {
  readonly chains: ChainHost;
  readonly events: EventEmitter;
  observer(): ChainObserver | undefined;
}

/** Runs the hooks that nobody waits for, each in a chain of its own on a copy of the context. */
export class AsyncHooks {
  readonly #host: AsyncHost;
  readonly #queue = new AsyncQueue();

  constructor(host: AsyncHost) {
    this.#host = host;
  }

  /** How many runs were dropped. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Run a hook when its turn comes, unless too many wait. */
  add({ hook, order, owner, use }: Entry, ctx: HookContext, caller: Caller): void {
    const { chains, events } = this.#host;
    let copy: HookContext;
    try {
      // The caller may change its payload as soon as the dispatch is over.
      copy = jsonContext(ctx, hook.point.phase);
    } catch (thrown) {
      const failure = { kind: "error", message: `its context: ${messageOf(thrown)}` } as const;
      chains.logger.error(`hook ${hook.id} failed at ${hook.point.name}: ${failure.message}`);
      events.emit("failed", { hook: hook.id, point: hook.point.name, duration_ms: 0, failure });
      this.#notCopied(hook, ctx, caller, failure);
      return;
    }
    const alone: Entry = { hook: plain(hook), order, owner, enabled: true, use };
    const run = (): unknown => this.#run(alone, copy, caller);
    this.#queue.add(hook.id, { run, dropped: () => this.#dropped(hook) });
  }

  /** Settles when no run is under way. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * Wait for the runs under way, at most for `ms`, and take no more.
   * @returns how many had not ended
   */
  async close(ms: number): Promise<number> {
    const left = await this.#queue.close(ms);
    if (left > 0) {
      this.#host.chains.logger.warn(`closed before ${left} runs of asynchronous hooks had ended`);
    }
    return left;
  }

  #run(alone: Entry, ctx: HookContext, caller: Caller): unknown {
    const { chains } = this.#host;
    const startedAt = chains.clock.now();
    const { point } = alone.hook;
    const entries = [alone];
    const observer = this.#host.observer();
    const hooks = { all: entries, offered: entries };
    const chain = new Chain(chains, point, hooks, ctx, caller, observer, undefined, true);
    const of = { point, entries, began: ctx, startedAt, caller };
    return runLogged(chain, chains, { ...of, async: true });
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

  #dropped({ id, point }: Hook): void {
    this.#host.chains.logger.warn(
      `hook ${id} was not run at ${point.name}: too many asynchronous hooks were waiting, or the engine closed`,
    );
    this.#host.events.emit("dropped", { hook: id, point: point.name });
  }
}

/** The hook as one that runs in its own chain, where there is nothing to refuse. */
function plain(hook: Hook): Hook {
  return { ...hook, async: false, onError: "open", onTimeout: "open" };
}
