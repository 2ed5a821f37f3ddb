import { messageOf, OrcsError, toJson } from "../../core/index.ts";
import type { ChildContext, Component, Json, Signal, SignalResponse } from "../../core/index.ts";
import { keyOf, optionsFor } from "./caller-identity.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import { checkedResponse } from "./check-input.ts";
import { withTimeout } from "./with-timeout.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** Creates the context of a call on a component. */
type ContextFor = (call: CallState) => ChildContext;

/**
 * Calls the methods of a component between their hooks, each with a time limit; `onRequest` is called by the channel's
 * loop.
 */
export class ComponentLife {
  readonly #component: Component;
  readonly #actor: CallerIdentity;
  readonly #host: RuntimeHost;
  readonly #contextFor: ContextFor;
  readonly #initMs: number;
  readonly #ending: AbortSignal;
  readonly #anew: () => Promise<void>;
  /** Whether init has ended: before that, the component gets no signals. */
  #isReady = false;

  /**
   * @param contextFor context of a call in which hooks can be registered
   * @param initMs for `init`; other methods use the runtime's limit
   * @param ending aborts when the channel ends: nothing is started after that
   * @param anew undoes a first `init` before a hook has it retried
   */
  constructor(
    component: Component,
    actor: CallerIdentity,
    host: RuntimeHost,
    contextFor: ContextFor,
    initMs: number,
    ending: AbortSignal,
    anew: () => Promise<void>,
  ) {
    this.#initMs = initMs;
    this.#ending = ending;
    this.#anew = anew;
    this.#component = component;
    this.#actor = actor;
    this.#host = host;
    this.#contextFor = contextFor;
  }

  /**
   * Restore and init.
   * @param saved the snapshot to start with, if any
   * @throws OrcsError ORCS2001, ORCS6003, ORCS6005: the component does not start
   */
  async init(saved: Json | undefined, call: CallState): Promise<void> {
    const component = this.#component;
    const halt = this.#ending;
    let begun = false;
    this.#isReady = false;
    await withPoints(
      this.#host,
      "component.init",
      { ...this.#ids(), snapshot: saved ?? null },
      async ({ snapshot }, metadata) => {
        if (begun) await this.#anew();
        begun = true;
        const from = (snapshot ?? null) as Json;
        if (from !== null) await this.#call("restore", () => component.restore?.(from), { halt });
        const context = this.#contextFor({ ...call, metadata });
        return asJson(
          await this.#call("init", () => component.init?.(context), { halt, ms: this.#initMs }),
          `the result of init of ${this.#key}`,
        );
      },
      optionsFor(this.#actor, call),
      { giveUp: () => this.#ending, successOnly: true },
    );
    this.#isReady = true;
  }

  /**
   * Shut down, and take the snapshot.
   * @param status of the channel, for the hooks and the component
   * @param failed called with each error on the way
   * @throws OrcsError ORCS2001 when a hook denied it
   */
  async shutdown(
    status: string,
    call: CallState,
    failed: (error: unknown) => void,
  ): Promise<Json | undefined> {
    const component = this.#component;
    const { result } = await withPoints(
      this.#host,
      "component.shutdown",
      { ...this.#ids(), status },
      async (after, metadata) => {
        const context = this.#contextFor({ ...call, metadata });
        const left = String(after["status"]);
        try {
          await this.#call("shutdown", () => component.shutdown?.(context, left));
        } catch (thrown) {
          // The snapshot is taken anyway.
          failed(thrown);
        }
        try {
          const snapshot = await this.#call("snapshot", () => component.snapshot?.());
          return snapshot === undefined ? null : asJson(snapshot, `the snapshot of ${this.#key}`);
        } catch (thrown) {
          failed(thrown);
          return null;
        }
      },
      optionsFor(this.#actor, call),
      { longestDelayMs: this.#host.limits.lifecycleMs },
    );
    return result === null ? undefined : (result as Json);
  }

  /** Whether the component lost its state. */
  get isLost(): boolean {
    return this.#component.isLost?.() ?? false;
  }

  /** Reload the component. @throws OrcsError ORCS6003, ORCS6005, ORCS6006 */
  async reload(): Promise<void> {
    await this.#call("reload", () => this.#component.reload?.(), { halt: this.#ending });
  }

  /** Free the component's resources. @throws OrcsError ORCS6003, ORCS6005 */
  async dispose(): Promise<void> {
    await this.#call("dispose", () => this.#component.dispose?.());
  }

  /**
   * Pass a signal to the component, unless its init has not ended yet.
   * @throws OrcsError ORCS6003, ORCS6005, ORCS6010
   */
  async tell(signal: Signal, context: ChildContext): Promise<SignalResponse> {
    const component = this.#component;
    if (!component.onSignal || !this.#isReady) return "ignored";
    const response = await this.#call("onSignal", () => component.onSignal?.(signal, context));
    return checkedResponse(response, this.#key);
  }

  get #key(): string {
    return keyOf(this.#actor);
  }

  #ids(): { component_id: string; channel_id: string } {
    return { component_id: this.#actor.component, channel_id: this.#actor.channel };
  }

  /** Call a method; the error names it. */
  async #call(
    method: string,
    run: () => unknown,
    { ms = this.#host.limits.lifecycleMs, halt }: { ms?: number; halt?: AbortSignal } = {},
  ): Promise<unknown> {
    const what = `${method} of ${this.#key}`;
    halt?.throwIfAborted();
    try {
      return await withTimeout(this.#host.clock, run(), ms, what, halt);
    } catch (thrown) {
      throw failure(thrown, `${what} failed`, this.#key);
    }
  }
}

/** An error thrown by a component, wrapped as an error of the runtime; errors of the runtime are kept. */
export function failure(thrown: unknown, what: string, component: string): OrcsError {
  if (thrown instanceof OrcsError && thrown.code.startsWith("ORCS6")) return thrown;
  return new OrcsError(
    "ORCS6005",
    `${what}: ${messageOf(thrown)}`,
    { component },
    { cause: thrown },
  );
}

/**
 * A value returned by a component, as JSON; undefined becomes null.
 * @throws OrcsError ORCS6005
 */
export function asJson(value: unknown, what: string): Json {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return scalar(value, what);
  try {
    return toJson(value);
  } catch (thrown) {
    // Reading the value may have thrown.
    throw new OrcsError("ORCS6005", `${what} is not JSON: ${messageOf(thrown)}`, {});
  }
}

function scalar(value: unknown, what: string): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new OrcsError("ORCS6005", `${what} is not JSON: it is a ${typeof value}`, {});
}
