import type { ChildContext } from "../core/child.ts";
import type { Component, Signal, SignalResponse } from "../core/component.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { toJson } from "../core/visible-value.ts";
import { keyOf, optionsFor } from "./caller-identity.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import { checkedResponse } from "./check-input.ts";
import { withTimeout } from "./with-timeout.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** Makes the context of a call on a component. */
type ContextFor = (call: CallState) => ChildContext;

/** The methods of a component between their hooks, each bounded in time; `onRequest` is the loop's own. */
export class ComponentLife {
  readonly #component: Component;
  readonly #actor: CallerIdentity;
  readonly #host: RuntimeHost;
  readonly #contextFor: ContextFor;
  readonly #initMs: number;
  readonly #ending: AbortSignal;
  readonly #anew: () => Promise<void>;
  /** Whether init has ended: before that it is told no signals. */
  #isReady = false;

  /**
   * @param contextFor of a call in which hooks may be registered
   * @param initMs for `init`; the other methods have the time of the runtime's limits
   * @param ending aborts when the channel ends: nothing is begun any more
   * @param anew undo what a first `init` has done, before a hook has it done again
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
   * @param saved what the component begins with, if anything
   * @throws OrcsError ORCS2001, ORCS6003, ORCS6005: it does not start
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
   * @param failed told what went wrong on the way
   * @throws OrcsError ORCS2001 when a hook refused
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
          // What it knows is kept all the same.
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

  /** Whether the component lost all it knew. */
  get isLost(): boolean {
    return this.#component.isLost?.() ?? false;
  }

  /** Make the component anew. @throws OrcsError ORCS6003, ORCS6005, ORCS6006 */
  async reload(): Promise<void> {
    await this.#call("reload", () => this.#component.reload?.(), { halt: this.#ending });
  }

  /** Free what the component holds. @throws OrcsError ORCS6003, ORCS6005 */
  async dispose(): Promise<void> {
    await this.#call("dispose", () => this.#component.dispose?.());
  }

  /**
   * Tell a signal; before its init has ended a component is told none.
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

  /** Call a method; what it throws names it. */
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

/** What a component threw, as an error of the runtime's; one of the runtime's own is kept. */
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
 * What a component gave, as JSON; undefined is null.
 * @throws OrcsError ORCS6005
 */
export function asJson(value: unknown, what: string): Json {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return scalar(value, what);
  try {
    return toJson(value);
  } catch (thrown) {
    // Reading it may have failed, too.
    throw new OrcsError("ORCS6005", `${what} is not JSON: ${messageOf(thrown)}`, {});
  }
}

function scalar(value: unknown, what: string): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new OrcsError("ORCS6005", `${what} is not JSON: it is a ${typeof value}`, {});
}
