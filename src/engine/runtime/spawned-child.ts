import {
  type Child,
  type ChildConfig,
  type Json,
  messageOf,
  OrcsError,
  unlessAborted,
} from "../../core/index.ts";
import { CallContext } from "./call-context.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { CallQueue, nameOf, optionsFor, ownerOf } from "./caller-identity.ts";
import { checkedPayload } from "./check-input.ts";
import type { ChildSpawner } from "./child-spawner.ts";
import { asJson, failure } from "./component-life.ts";
import type { EventBus } from "./event-bus.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withPoints } from "./with-points.ts";
import { linkedAbort, withTimeout } from "./with-timeout.ts";

/** A live child: it does one run at a time, in the order of the calls. */
export class SpawnedChild {
  /** Its id among its siblings. */
  readonly id: string;
  readonly actor: CallerIdentity;
  readonly children: ChildSpawner;
  readonly host: RuntimeHost;
  readonly bus: EventBus;
  readonly #name: string;
  readonly #child: Child;
  readonly #timeoutMs: number;
  readonly #runs: CallQueue;
  /** Aborts when the child ends. */
  readonly #end = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(
    child: Child,
    place: CallerIdentity,
    config: ChildConfig,
    host: RuntimeHost,
    bus: EventBus,
    childrenOf: (actor: CallerIdentity) => ChildSpawner,
  ) {
    this.id = config.id;
    this.#child = child;
    this.host = host;
    this.bus = bus;
    this.#timeoutMs = config.timeout_ms ?? host.limits.requestMs;
    this.actor = {
      ...place,
      access: {
        at: ({ authority, ...call }) =>
          new CallContext({ ...this.actor, authority }, call, this, this.#end),
      },
    };
    this.#name = nameOf(this.actor);
    this.#runs = new CallQueue(this.#name, host.limits.mailbox);
    this.children = childrenOf(this.actor);
  }

  /** Whether it lost its state. */
  get isLost(): boolean {
    return this.#child.isLost?.() ?? false;
  }

  /**
   * Run it after earlier runs.
   * @param signal gives up waiting
   * @throws OrcsError ORCS2001, ORCS6003–6006, ORCS6010, ORCS6011, ORCS6014
   */
  async run(input: Json, call: CallState, signal: AbortSignal): Promise<Json> {
    const target = this.#name;
    const full = (): OrcsError => {
      const why = `${this.host.limits.mailbox} runs are already waiting for ${target}`;
      return new OrcsError("ORCS6004", why, { target });
    };
    this.#runs.expectRoom(call, full);
    // Copied now, if there is room for it: the sender may have changed it when the run starts.
    const given = checkedPayload(input, `a run of ${target}`);
    const ran = this.#runs.serve(call, full, (served) => this.#run(given, served, signal));
    try {
      // It may wait a long time behind other runs.
      return await unlessAborted(ran, signal);
    } catch (thrown) {
      throw signal.aborted ? this.#cancelled(signal) : thrown;
    }
  }

  /** End it and its children: running and waiting calls fail. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const name = this.#name;
    this.#end.abort(new OrcsError("ORCS6006", `the child ${name} has ended`, { child: name }));
    await this.children.close();
    await this.#runs.idle;
    this.host.registry.unregisterByOwner(ownerOf(this.actor));
    const { clock, limits, logger } = this.host;
    const what = `dispose of ${name}`;
    try {
      await withTimeout(clock, this.#child.dispose?.(), limits.lifecycleMs, what);
    } catch (thrown) {
      // Its parent continues to end the others, and itself.
      logger.warn(`${what} failed: ${messageOf(thrown)}`);
    }
  }

  async #run(input: Json, call: CallState, asked: AbortSignal): Promise<Json> {
    const both = linkedAbort([asked, this.#end.signal]);
    const given = both.signal;
    const { child: child_id, component } = this.actor;
    const above = child_id?.split("/").slice(0, -1).join("/") || undefined;
    const parent_id = nameOf({ ...this.actor, child: above });
    try {
      if (given.aborted) throw this.#cancelled(given);
      const { result } = await withPoints(
        this.host,
        "child.run",
        { child_id: child_id ?? component, parent_id, input },
        (left, metadata) =>
          this.#call((left["input"] ?? null) as Json, { ...call, metadata }, given),
        optionsFor(this.actor, call),
        { giveUp: () => given },
      );
      return (result ?? null) as Json;
    } catch (thrown) {
      if (given.aborted) throw this.#cancelled(given);
      throw thrown;
    } finally {
      both.end();
    }
  }

  async #call(input: Json, call: CallState, given: AbortSignal): Promise<Json> {
    const name = this.#name;
    // Ends with the run: work that it started must not continue when nobody waits.
    const until = linkedAbort([given]);
    const context = new CallContext(this.actor, call, this, until);
    try {
      const begun = this.#child.run(input, context);
      const what = `the run of ${name}`;
      const answer = await withTimeout(this.host.clock, begun, this.#timeoutMs, what, given);
      return asJson(answer, `the result of ${name}`);
    } catch (thrown) {
      const why = given.aborted ? this.#cancelled(given) : thrown;
      throw failure(why, `the run of ${name} failed`, name);
    } finally {
      until.end();
    }
  }

  #cancelled({ reason }: AbortSignal): OrcsError {
    if (reason instanceof OrcsError) return reason;
    const child = this.#name;
    return new OrcsError("ORCS6014", `the run of ${child} was cancelled`, { child });
  }
}
