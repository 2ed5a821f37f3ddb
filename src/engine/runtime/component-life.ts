import { messageOf, OrcsError, toJson } from "../../core/index.ts";
import type { ChildContext, Component, Json, Signal, SignalResponse } from "../../core/index.ts";
import { type CallerIdentity, type CallState, keyOf, optionsFor } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import { checkedResponse } from "./check-input.ts";
import { withTimeout } from "./with-timeout.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** What calling a component needs from its channel. */
interface LifeHost {
  readonly component: Component;
  readonly actor: CallerIdentity;
  readonly host: RuntimeHost;
  /** Time limit of `init`; other methods use the runtime's limit. */
  readonly initMs: number;
  /** Aborts when the channel ends: nothing is started after that. */
  readonly ending: AbortSignal;
  /** Creates the context of a call in which hooks can be registered. */
  contextFor(call: CallState): ChildContext;
  /** Undoes a first `init` before a hook has it retried. */
  anew(): Promise<void>;
}

/**
 * Calls the methods of a component between their hooks, each with a time limit; `onRequest` is called by the channel's
 * loop.
 */
export class ComponentLife {
  readonly #channel: LifeHost;
  /** Whether init has ended: before that, the component gets no signals. */
  #isReady = false;

  constructor(channel: LifeHost) {
    this.#channel = channel;
  }

  /**
   * Restore and init.
   * @param saved the snapshot to start with, if any
   * @throws OrcsError ORCS2001, ORCS6003, ORCS6005: the component does not start
   */
  async init(saved: Json | undefined, call: CallState): Promise<void> {
    const { component, actor, host, ending: halt, initMs: ms } = this.#channel;
    let begun = false;
    this.#isReady = false;
    await withPoints(
      host,
      "component.init",
      { ...this.#ids(), snapshot: saved ?? null },
      async ({ snapshot }, metadata) => {
        if (begun) await this.#channel.anew();
        begun = true;
        const from = (snapshot ?? null) as Json;
        if (from !== null) await this.#call("restore", () => component.restore?.(from), { halt });
        const context = this.#channel.contextFor({ ...call, metadata });
        const result = await this.#call("init", () => component.init?.(context), { halt, ms });
        return asJson(result, `the result of init of ${this.#key}`);
      },
      optionsFor(actor, call),
      { giveUp: () => halt, successOnly: true },
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
    const { component, actor, host } = this.#channel;
    const { result } = await withPoints(
      host,
      "component.shutdown",
      { ...this.#ids(), status },
      async (after, metadata) => {
        const context = this.#channel.contextFor({ ...call, metadata });
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
      optionsFor(actor, call),
      { longestDelayMs: host.limits.lifecycleMs },
    );
    return result === null ? undefined : (result as Json);
  }

  /** Whether the component lost its state. */
  get isLost(): boolean {
    return this.#channel.component.isLost?.() ?? false;
  }

  /** Reload the component. @throws OrcsError ORCS6003, ORCS6005, ORCS6006 */
  async reload(): Promise<void> {
    const { component, ending: halt } = this.#channel;
    await this.#call("reload", () => component.reload?.(), { halt });
  }

  /** Free the component's resources. @throws OrcsError ORCS6003, ORCS6005 */
  async dispose(): Promise<void> {
    await this.#call("dispose", () => this.#channel.component.dispose?.());
  }

  /**
   * Pass a signal to the component, unless its init has not ended yet.
   * @throws OrcsError ORCS6003, ORCS6005, ORCS6010
   */
  async tell(signal: Signal, context: ChildContext): Promise<SignalResponse> {
    const { component } = this.#channel;
    if (!component.onSignal || !this.#isReady) return "ignored";
    const response = await this.#call("onSignal", () => component.onSignal?.(signal, context));
    return checkedResponse(response, this.#key);
  }

  get #key(): string {
    return keyOf(this.#channel.actor);
  }

  #ids(): { component_id: string; channel_id: string } {
    const { component, channel } = this.#channel.actor;
    return { component_id: component, channel_id: channel };
  }

  /** Call a method; the error names it. */
  async #call(
    method: string,
    run: () => unknown,
    { ms, halt }: { ms?: number; halt?: AbortSignal } = {},
  ): Promise<unknown> {
    const { clock, limits } = this.#channel.host;
    const what = `${method} of ${this.#key}`;
    halt?.throwIfAborted();
    try {
      return await withTimeout(clock, run(), ms ?? limits.lifecycleMs, what, halt);
    } catch (thrown) {
      throw failure(thrown, `${what} failed`, this.#key);
    }
  }
}

/** An error thrown by a component, wrapped as an error of the runtime; errors of the runtime are kept. */
export function failure(thrown: unknown, what: string, component: string): OrcsError {
  if (thrown instanceof OrcsError && thrown.code.startsWith("ORCS6")) return thrown;
  const why = `${what}: ${messageOf(thrown)}`;
  return new OrcsError("ORCS6005", why, { component }, { cause: thrown });
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
