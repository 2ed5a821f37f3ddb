import { type Child, type ChildConfig, type Json, messageOf, OrcsError } from "../../core/index.ts";
import { CallContext, type ContextHost, type Wanted } from "./call-context.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { nameOf, optionsFor, ownerOf, servedBy } from "./caller-identity.ts";
import { checkedPayload } from "./check-input.ts";
import type { ChildSpawner } from "./child-spawner.ts";
import { asJson, failure } from "./component-life.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withPoints } from "./with-points.ts";
import { linkedAbort, unlessGivenUp, withTimeout } from "./with-timeout.ts";

/** A live child: it does one run at a time, in the order of the calls. */
export class SpawnedChild {
  /** Its id among its siblings. */
  readonly id: string;
  readonly actor: CallerIdentity;
  readonly children: ChildSpawner;
  readonly #child: Child;
  readonly #timeoutMs: number;
  readonly #host: RuntimeHost;
  readonly #around: ContextHost;
  /** Aborts when the child ends. */
  readonly #end = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed: Promise<void> | undefined;

  constructor(
    child: Child,
    place: CallerIdentity,
    config: ChildConfig,
    around: Omit<ContextHost, "children">,
    childrenOf: (actor: CallerIdentity) => ChildSpawner,
  ) {
    this.id = config.id;
    this.#child = child;
    this.#host = around.host;
    this.#timeoutMs = config.timeout_ms ?? around.host.limits.requestMs;
    this.actor = {
      ...place,
      access: {
        at: ({ authority, ...call }) =>
          this.#context({ ...this.actor, authority }, call, this.#end),
      },
    };
    this.children = childrenOf(this.actor);
    this.#around = { ...around, children: this.children };
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
    const { mailbox } = this.#host.limits;
    const target = nameOf(this.actor);
    const served = servedBy(target, call);
    if (this.#waiting >= mailbox) {
      const why = `${mailbox} runs are already waiting for ${target}`;
      throw new OrcsError("ORCS6004", why, { target });
    }
    // Copied now: the sender may have changed it when the run starts.
    const given = checkedPayload(input, `a run of ${target}`);
    this.#waiting++;
    const ran = this.#last.then(() => this.#run(given, served, signal));
    this.#last = ran.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    try {
      // It may wait a long time behind other runs.
      return await unlessGivenUp(ran, signal);
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
    const name = nameOf(this.actor);
    this.#end.abort(new OrcsError("ORCS6006", `the child ${name} has ended`, { child: name }));
    await this.children.close();
    await this.#last;
    this.#host.registry.unregisterByOwner(ownerOf(this.actor));
    const { clock, limits, logger } = this.#host;
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
        this.#host,
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
    const name = nameOf(this.actor);
    // Ends with the run: work that it started must not continue when nobody waits.
    const until = linkedAbort([given]);
    const context = this.#context(this.actor, call, until);
    try {
      const begun = this.#child.run(input, context);
      const what = `the run of ${name}`;
      const answer = await withTimeout(this.#host.clock, begun, this.#timeoutMs, what, given);
      return asJson(answer, `the result of ${name}`);
    } catch (thrown) {
      const why = given.aborted ? this.#cancelled(given) : thrown;
      throw failure(why, `the run of ${name} failed`, name);
    } finally {
      until.end();
    }
  }

  #context(actor: CallerIdentity, call: CallState, wanted: Wanted): CallContext {
    return new CallContext(actor, call, this.#around, wanted);
  }

  #cancelled({ reason }: AbortSignal): OrcsError {
    if (reason instanceof OrcsError) return reason;
    const name = nameOf(this.actor);
    return new OrcsError("ORCS6014", `the run of ${name} was cancelled`, { child: name });
  }
}
