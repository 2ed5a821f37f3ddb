import { expect, onTestFinished } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Component, Request, Signal } from "../../../../src/core/component.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { Clock } from "../../../../src/core/ports.ts";
import type { CreateOrcsOptions, HookDefinition } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { Runtime } from "../../../../src/engine/orcs/runtime/runtime.ts";
import type { RuntimeLimits } from "../../../../src/engine/runtime/runtime-limits.ts";
import { Lines } from "../orcs/engine.ts";

/** Time that passes when a test says so. A sleep that Node's timers cannot hold is over at once, as theirs. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #sleeping = new Set<{ readonly at: number; wake(): void }>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleeping.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.#now + (ms <= 2 ** 31 - 1 ? ms : 1), wake };
      this.#sleeping.add(sleeper);
      signal?.addEventListener("abort", wake);
    });
  }

  /** How many sleep. */
  get size(): number {
    return this.#sleeping.size;
  }

  /** Let time pass, and all that comes of it happen. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settle();
    for (;;) {
      const next = [...this.#sleeping].sort((one, other) => one.at - other.at)[0];
      if (!next || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settle();
    }
    this.#now = until;
  }
}

/** Resolves when all that is ready to go on has gone on. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** A promise with its ends at hand. */
export interface Held<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(thrown: unknown): void;
}

export function held<T = Json>(): Held<T> {
  let ends: Pick<Held<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => (ends = { resolve, reject }));
  return { promise, ...ends! };
}

/** A promise that nobody settles. */
export const never = (): Promise<never> => new Promise(() => undefined);

export interface RuntimeRig {
  readonly orcs: Orcs;
  readonly runtime: Runtime;
  readonly log: Lines;
  /** Of the engine, where the rig was asked for it. */
  readonly clock: ManualClock;
  /** Register a hook that the rig knows of. */
  readonly hook: (definition: HookDefinition) => void;
}

export interface RigOptions extends Omit<CreateOrcsOptions, "clock" | "logger"> {
  readonly limits?: Partial<RuntimeLimits>;
  /** The system's clock in place of one that stands still. */
  readonly realTime?: boolean;
}

/**
 * A runtime for one test. When the test is over it ends, and must leave nothing: no promise that rejected
 * unheard, no channel, no member of the bus, no hook, nothing that sleeps.
 */
export async function rig({ limits, realTime, ...options }: RigOptions = {}): Promise<RuntimeRig> {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", listen);
  const log = new Lines();
  const clock = new ManualClock();
  const orcs = await createOrcs({
    config: false,
    logger: log,
    ...(!realTime && { clock }),
    ...options,
  });
  const runtime = orcs.runtime(limits && { limits });
  let hooks = orcs.registry.size;
  onTestFinished(async () => {
    try {
      await inTime(clock, runtime.close());
      await settle();
      expect(unhandled).toEqual([]);
      expect(runtime.channels).toEqual([]);
      expect(runtime.bus.size).toBe(0);
      expect(orcs.registry.size).toBe(hooks);
      expect(clock.size).toBe(0);
    } finally {
      process.off("unhandledRejection", listen);
      await inTime(clock, orcs.close());
    }
  });
  return {
    orcs,
    runtime,
    log,
    clock,
    hook(definition) {
      hooks++;
      orcs.hook(definition);
    },
  };
}

/** What a promise comes to when as much time passes as it needs. */
export async function inTime<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  for (let turns = 0; turns < 1000; turns++) {
    if ((await stateOf(promise)) !== "pending") break;
    await clock.advance(1000);
  }
  return promise;
}

/** A promise whose rejection is awaited later on. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** What a promise has come to by now. */
export async function stateOf(promise: Promise<unknown>): Promise<"pending" | "done" | "failed"> {
  let state: "pending" | "done" | "failed" = "pending";
  promise.then(
    () => (state = "done"),
    () => (state = "failed"),
  );
  await settle();
  return state;
}

/** The codes of what promises rejected with, `ok` where they did not, `pending` where nothing came. */
export function codesOf(promises: readonly Promise<unknown>[]): Promise<string[]> {
  return Promise.all(
    promises.map(async (promise) => {
      if ((await stateOf(promise)) === "pending") return "pending";
      return promise.then(
        () => "ok",
        (thrown: unknown) =>
          thrown instanceof OrcsError ? thrown.code : `no OrcsError: ${String(thrown)}`,
      );
    }),
  );
}

/** A component that notes what it is told, and answers with the operation's name unless parts of it say else. */
export interface Recorder extends Component {
  /** Operations in the order in which they came. */
  readonly asked: string[];
  readonly signalled: string[];
  /** Every call of a method, by name. */
  readonly calls: string[];
}

export function recorder(id: string, parts: Partial<Component> = {}): Recorder {
  const asked: string[] = [];
  const signalled: string[] = [];
  const calls: string[] = [];
  return {
    id,
    asked,
    signalled,
    calls,
    subscriptions: parts.subscriptions,
    init(context) {
      calls.push("init");
      return parts.init?.(context);
    },
    onRequest(request: Request, context) {
      calls.push("onRequest");
      asked.push(request.operation);
      return parts.onRequest ? parts.onRequest(request, context) : request.operation;
    },
    onSignal(signal: Signal, context) {
      calls.push("onSignal");
      signalled.push(signal.kind);
      return parts.onSignal?.(signal, context);
    },
    shutdown(context, status) {
      calls.push(`shutdown ${status}`);
      return parts.shutdown?.(context, status);
    },
    snapshot() {
      calls.push("snapshot");
      return parts.snapshot?.();
    },
    restore(snapshot) {
      calls.push("restore");
      return parts.restore?.(snapshot);
    },
    dispose() {
      calls.push("dispose");
      return parts.dispose?.();
    },
    ...(parts.isLost && { isLost: () => parts.isLost?.() ?? false }),
    ...(parts.reload && { reload: () => parts.reload?.() }),
  };
}
