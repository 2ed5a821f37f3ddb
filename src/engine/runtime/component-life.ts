import { messageOf, OrcsError, SIGNALS, toJson } from "../../core/index.ts";
import type { ChannelAction, Json, Signal, SignalResponse } from "../../core/index.ts";
import { type CallState, optionsFor, ownerOf } from "./caller-identity.ts";
import type { ChannelRunner } from "./channel-runner.ts";
import { withPoints } from "./with-points.ts";
import { checkedResponse, checkedSignal } from "./check-input.ts";
import { withTimeout } from "./with-timeout.ts";

/** The result of a channel. */
export interface RunnerResult {
  /** `namespace::name[#instance]`. */
  readonly component: string;
  readonly channel: string;
  readonly exit_reason: string;
  /** Undefined when the component returned none. */
  readonly snapshot: Json | undefined;
  /** Errors while it ended. */
  readonly errors: readonly string[];
}

/**
 * Calls the methods of a component between their hooks, each with a time limit; `onRequest` is called by the channel's
 * loop.
 */
export class ComponentLife {
  readonly #channel: ChannelRunner;
  /** Whether init has ended: before that, the component gets no signals. */
  #isReady = false;

  constructor(channel: ChannelRunner) {
    this.#channel = channel;
  }

  /**
   * Restore and init.
   * @throws OrcsError ORCS2001, ORCS6003, ORCS6005: the component does not start
   */
  async init(call: CallState): Promise<void> {
    const { component, actor, host, key, ending: halt, options } = this.#channel;
    const { initMs: ms, saved } = options;
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
        const context = this.#channel.hookingContext({ ...call, metadata });
        const result = await this.#call("init", () => component.init?.(context), { halt, ms });
        return asJson(result, `the result of init of ${key}`);
      },
      optionsFor(actor, call),
      { giveUp: () => halt, successOnly: true },
    );
    this.#isReady = true;
  }

  /**
   * Take the channel down when its loop has ended: it leaves the bus, the component shuts down and returns its snapshot,
   * its hooks are removed, and its resources are freed. Every step is taken, even if the previous one failed; never
   * rejects.
   * @param status its state: `running`, `paused`, or `failed` when it never started
   */
  async end(reason: string, status: string): Promise<RunnerResult> {
    const { component, actor, host, bus, key, ownCall } = this.#channel;
    const errors: string[] = [];
    const failed = (thrown: unknown): null => {
      errors.push(messageOf(thrown));
      return null;
    };
    await bus.unregister(this.#channel, ownCall).catch(failed);
    const destroyed = await this.#destroy(reason, status, failed).catch(failed);
    host.registry.unregisterByOwner(ownerOf(actor));
    await this.#call("dispose", () => component.dispose?.()).catch(failed);
    for (const message of errors) host.logger.warn(`${key} ended with: ${message}`);
    const { exit_reason, snapshot } = destroyed ?? { exit_reason: reason, snapshot: undefined };
    return { component: key, channel: actor.channel, exit_reason, snapshot, errors };
  }

  /** @throws OrcsError ORCS2001 when a hook denied it */
  async #destroy(
    reason: string,
    status: string,
    failed: (thrown: unknown) => null,
  ): Promise<Pick<RunnerResult, "exit_reason" | "snapshot">> {
    const { actor, host, ownCall } = this.#channel;
    let exit_reason = reason;
    const { result } = await withPoints(
      host,
      "channel.destroy",
      { channel_id: actor.channel, component_id: actor.component, exit_reason },
      async (left, metadata) => {
        exit_reason = String(left["exit_reason"]);
        // A component that never started has nothing to shut down.
        if (status === "failed") return null;
        return this.#shutdown(status, { ...ownCall, metadata }, failed).catch(failed);
      },
      optionsFor(actor, ownCall),
      // Ending a channel waits for it.
      { longestDelayMs: host.limits.lifecycleMs },
    );
    return { exit_reason, snapshot: result === null ? undefined : (result as Json) };
  }

  /**
   * Shut down, and take the snapshot.
   * @param status of the channel, for the hooks and the component
   * @param failed called with each error on the way
   * @returns the snapshot; null for none
   * @throws OrcsError ORCS2001 when a hook denied it
   */
  async #shutdown(
    status: string,
    call: CallState,
    failed: (thrown: unknown) => null,
  ): Promise<unknown> {
    const { component, actor, host, key } = this.#channel;
    const { result } = await withPoints(
      host,
      "component.shutdown",
      { ...this.#ids(), status },
      async (after, metadata) => {
        const context = this.#channel.hookingContext({ ...call, metadata });
        const left = String(after["status"]);
        // The snapshot is taken anyway.
        await this.#call("shutdown", () => component.shutdown?.(context, left)).catch(failed);
        return this.#call("snapshot", () => component.snapshot?.())
          .then((snapshot) => asJson(snapshot, `the snapshot of ${key}`))
          .catch(failed);
      },
      optionsFor(actor, call),
      { longestDelayMs: host.limits.lifecycleMs },
    );
    return result ?? null;
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

  /**
   * Pass a signal to the component, unless its init has not ended yet.
   * @param act applies it to the channel
   * @throws OrcsError ORCS2001, ORCS6003, ORCS6005, ORCS6006, ORCS6010
   */
  async signal(
    sent: Signal,
    call: CallState,
    act: (action: ChannelAction, signal: Signal) => void,
  ): Promise<SignalResponse> {
    const { actor, host, key, ending } = this.#channel;
    ending.throwIfAborted();
    let action: ChannelAction = "continue";
    const { result } = await withPoints(
      host,
      "signal.dispatch",
      { signal: sent, ...this.#ids() },
      async (after, metadata) => {
        const signal = asSentBy(sent, checkedSignal(after["signal"]));
        action = SIGNALS[signal.kind];
        try {
          const response = await this.#tell(signal, { ...call, metadata });
          if (response === "abort") action = "stop";
          return response;
        } finally {
          // The channel obeys even if the component ignores the signal or fails.
          act(action, signal);
        }
      },
      optionsFor(actor, call),
      {
        giveUp: () => ending,
        after: (payload, signal_response) => {
          return { ...payload, signal_response, channel_action: action };
        },
      },
    );
    return checkedResponse(result, key);
  }

  async #tell(signal: Signal, call: CallState): Promise<SignalResponse> {
    const { component, key } = this.#channel;
    if (!component.onSignal || !this.#isReady) return "ignored";
    const context = this.#channel.contextFor(call);
    const response = await this.#call("onSignal", () => component.onSignal?.(signal, context));
    return checkedResponse(response, key);
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
    const { host, key } = this.#channel;
    const { clock, limits } = host;
    const what = `${method} of ${key}`;
    halt?.throwIfAborted();
    try {
      return await withTimeout(clock, run(), ms ?? limits.lifecycleMs, what, halt);
    } catch (thrown) {
      throw failure(thrown, `${what} failed`, key);
    }
  }
}

/**
 * A signal as the hooks left it. Hooks cannot change its sender, nor turn it into an approval: a hook may belong to the
 * component that wants it.
 * @throws OrcsError ORCS6010
 */
function asSentBy(sent: Signal, after: Signal): Signal {
  const { source: _, ...left } = after;
  const isAsSent = sent.kind === "approve" && sent.approval_id === left.approval_id;
  if (left.kind === "approve" && !isAsSent) {
    throw new OrcsError("ORCS6010", `a hook turned the signal ${sent.kind} into an approval`, {});
  }
  return sent.source === undefined ? left : { ...left, source: sent.source };
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
