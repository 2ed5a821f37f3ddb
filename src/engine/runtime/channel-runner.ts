import { messageOf, OrcsError } from "../../core/index.ts";
import type {
  ChannelAction,
  Component,
  Json,
  Signal,
  SignalResponse,
  ErrorCode,
} from "../../core/index.ts";
import type { PendingApprovals } from "./approvals.ts";
import { CallContext, type Wanted } from "./call-context.ts";
import {
  type CallerIdentity,
  CallQueue,
  type CallState,
  keyOf,
  ownerOf,
} from "./caller-identity.ts";
import { ChildSpawner } from "./child-spawner.ts";
import { offerTools } from "./component-tools.ts";
import { ComponentLife, type RunnerResult } from "./component-life.ts";
import type { Delivery } from "./delivery.ts";
import type { BusMember, EventBus } from "./event-bus.ts";
import { refuse, serveRequest } from "./request-turn.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withTimeout } from "./with-timeout.ts";

/** Longest stretch of work before the event loop gets a turn, in milliseconds. */
const SLICE_MS = 10;

type State = "starting" | "running" | "ending" | "ended";

/**
 * A channel: one component and the loop that serves it. It serves one request or event at a time, and signals in
 * parallel. What the component throws or does not answer in time is an error for the caller, and the loop continues.
 */
export class ChannelRunner implements BusMember {
  readonly key: string;
  readonly subscriptions: readonly string[];
  readonly actor: CallerIdentity;
  readonly requestMs: number;
  readonly options: ChannelOptions;
  readonly children: ChildSpawner;
  readonly component: Component;
  readonly host: RuntimeHost;
  readonly bus: EventBus;
  /** Resolves when the channel has released everything. */
  readonly ended: Promise<RunnerResult>;
  readonly #mailbox: Mailbox<Delivery>;
  /** Signals, one after the other, ahead of all events and requests. */
  readonly #signals: CallQueue;
  readonly #life = new ComponentLife(this);
  readonly #ending = new AbortController();
  /** Aborts when the channel starts to end: nothing is started after that. */
  readonly ending: AbortSignal = this.#ending.signal;
  /** Aborts when the channel has ended completely. */
  readonly #end = new AbortController();
  readonly #tools: readonly string[];
  #withdrawTools: (() => void) | undefined;
  #resolveEnded!: (result: RunnerResult) => void;
  #state: State = "starting";
  #isPaused = false;
  #current: Delivery | undefined;
  #loop: Promise<void> | undefined;
  #exitReason = "";

  constructor(component: Component, host: RuntimeHost, bus: EventBus, options: ChannelOptions) {
    const { instance, channel, authority, mailbox, requestMs } = options;
    this.component = component;
    this.host = host;
    this.bus = bus;
    this.options = options;
    this.requestMs = requestMs;
    this.#tools = [...(component.tools ?? [])];
    this.subscriptions = [...(component.subscriptions ?? [])];
    this.actor = {
      component: component.id,
      instance,
      child: undefined,
      channel,
      authority,
      access: {
        at: ({ authority: left, ...call }) =>
          new CallContext({ ...this.actor, authority: left }, call, this, this.#end),
      },
    };
    this.key = keyOf(this.actor);
    this.#mailbox = new Mailbox(mailbox, (delivery) => delivery.isSettled);
    this.#signals = new CallQueue(`signals of ${this.key}`, mailbox);
    this.children = new ChildSpawner(host, bus, this.actor);
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  get state(): State | "paused" {
    return this.#state === "running" && this.#isPaused ? "paused" : this.#state;
  }

  /**
   * Register on the bus, restore and init; the channel serves from then on.
   * @throws OrcsError as `ComponentLife.init` and `EventBus.register`; the channel has ended then
   */
  async start(call: CallState): Promise<void> {
    try {
      await this.bus.register(this, call);
      // It may be stopped while it starts.
      this.ending.throwIfAborted();
      await this.#life.init(call);
      this.ending.throwIfAborted();
      this.#withdrawTools = offerTools(this.#tools, this, this.host, this.bus);
    } catch (thrown) {
      await this.stop(`failed: ${messageOf(thrown)}`);
      throw thrown;
    }
    this.#state = "running";
    this.#wake();
  }

  accept(delivery: Delivery): boolean {
    if (this.ending.aborted) {
      delivery.fail(this.#gone());
      return true;
    }
    if (!this.#mailbox.push(delivery)) return false;
    delivery.queued(() => this.#mailbox.withdraw());
    if (delivery.isAwaited) delivery.arm(delivery.request.timeout_ms);
    this.#wake();
    return true;
  }

  async signal(signal: Signal, call: CallState): Promise<SignalResponse> {
    this.ending.throwIfAborted();
    const { key: target } = this;
    // A component that sends itself a signal while it handles one would wait for itself.
    return this.#signals.serve(
      call,
      () => new OrcsError("ORCS6004", `too many signals are waiting for ${target}`, { target }),
      (served) => this.#life.signal(signal, served, (action, sent) => this.#act(action, sent)),
    );
  }

  /**
   * End the channel: waiting requests fail, the one being served may finish in time, children stop, the component shuts
   * down and returns its snapshot, its hooks are removed. Further calls return the same promise.
   * @param graceMs for the request that is being served
   */
  stop(reason: string, graceMs = this.host.limits.graceMs): Promise<RunnerResult> {
    if (!this.ending.aborted) {
      const status = this.#state === "starting" ? "failed" : this.state;
      this.#exitReason = reason;
      this.#state = "ending";
      this.#ending.abort(this.#gone());
      // A component that never started has nothing to finish.
      if (status === "failed") this.#end.abort();
      void this.#finish(status, graceMs);
    }
    if (graceMs === 0) this.#current?.fail(this.#gone());
    return this.ended;
  }

  /** The state of what the channel does by itself. */
  get ownCall(): CallState {
    return { depth: 0, metadata: {}, principal: { type: "Component", id: this.key }, via: [] };
  }

  /** The context of a call that it serves. @param wanted default: until the channel has ended */
  contextFor(call: CallState, wanted: Wanted = this.#end): CallContext {
    return new CallContext(this.actor, call, this, wanted);
  }

  /** The context of a call in which hooks can be registered. */
  hookingContext(call: CallState): CallContext {
    return new CallContext(this.actor, call, this, this.#end, true);
  }

  #wake(): void {
    if (this.#loop || this.#state !== "running" || this.#isPaused) return;
    // Not within the sender's call, which may itself be served by this channel.
    const begun = Promise.resolve().then(() => this.#serveAll());
    this.#loop = begun.finally(() => {
      this.#loop = undefined;
      if (this.#mailbox.size > 0) this.#wake();
    });
  }

  async #serveAll(): Promise<void> {
    let since = performance.now();
    while (this.#state === "running" && !this.#isPaused) {
      const delivery = this.#mailbox.shift();
      if (!delivery) return;
      delivery.taken();
      this.#current = delivery;
      try {
        if (this.#life.isLost) await this.#revive();
        await serveRequest(this, delivery);
      } catch (thrown) {
        refuse(this, delivery, thrown);
      }
      this.#current = undefined;
      if (performance.now() - since > SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
    }
  }

  /** The component lost its state: start it again as at the beginning. */
  async #revive(): Promise<void> {
    this.host.logger.warn(`${this.key} was killed and is restarted`);
    try {
      await this.anew();
      await this.#life.init(this.ownCall);
    } catch (thrown) {
      void this.stop(`failed: ${messageOf(thrown)}`);
      throw thrown;
    }
  }

  /** Undo what the component has started, so that it can be initialised again. */
  async anew(): Promise<void> {
    this.host.registry.unregisterByOwner(ownerOf(this.actor));
    await this.children.stopAll();
    await this.#life.reload();
  }

  /** The runtime's reaction to a signal, whatever the component did with it. */
  #act(action: ChannelAction, signal: Signal): void {
    switch (action) {
      case "stop":
        return void this.stop(signal.kind === "veto" ? "veto" : "aborted by the component", 0);
      case "cancel":
        return this.#current?.fail(this.#error("ORCS6014", "received a cancel signal"));
      case "pause":
        this.#isPaused = true;
        return undefined;
      case "resume":
        this.#isPaused = false;
        return this.#wake();
      case "approve":
      case "reject":
        return this.options.approvals.take(signal);
      case "continue":
        return undefined;
    }
  }

  async #finish(status: string, graceMs: number): Promise<void> {
    await this.#silence(graceMs);
    await this.children.close();
    this.#withdrawTools?.();
    const result = await this.#life.end(this.#exitReason, status);
    this.#end.abort();
    this.#state = "ended";
    this.#resolveEnded(result);
  }

  /** Fail all waiting requests, and let the one being served finish. */
  async #silence(graceMs: number): Promise<void> {
    for (;;) {
      const waiting = this.#mailbox.shift();
      if (!waiting) break;
      waiting.taken();
      waiting.fail(this.#gone());
    }
    if (!this.#loop) return;
    try {
      await withTimeout(this.host.clock, this.#loop, graceMs, "the request");
    } catch {
      this.#current?.fail(this.#gone());
      // Its post hooks have limits of their own; nothing else is waited for.
      await this.#loop;
    }
  }

  #gone(): OrcsError {
    const why = this.#exitReason === "" ? "" : ` (${this.#exitReason})`;
    return this.#error("ORCS6006", `has ended${why}`);
  }

  #error(code: ErrorCode, what: string): OrcsError {
    return new OrcsError(code, `${this.key} ${what}`, { component: this.key });
  }
}

/** Options of a channel. */
interface ChannelOptions {
  readonly instance: string | undefined;
  /** Its id. */
  readonly channel: string;
  readonly authority: CallerIdentity["authority"];
  readonly mailbox: number;
  readonly requestMs: number;
  /** Time limit of the component's init. */
  readonly initMs: number;
  /** The snapshot that the component starts with. */
  readonly saved: Json | undefined;
  /** Get the signals `approve` and `reject`. */
  readonly approvals: PendingApprovals;
}

/** Number of withdrawn items that may stay in memory in any case. */
const FEW = 64;

/** A bounded queue, first in, first out. Withdrawn items do not count. */
export class Mailbox<T> {
  readonly #most: number;
  readonly #isWithdrawn: (item: T) => boolean;
  #items: (T | undefined)[] = [];
  #head = 0;
  #withdrawn = 0;

  /** @param isWithdrawn whether `withdraw` was called for an item */
  constructor(most: number, isWithdrawn: (item: T) => boolean) {
    this.#most = most;
    this.#isWithdrawn = isWithdrawn;
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#items.length - this.#head - this.#withdrawn;
  }

  /** Returns false when the queue is full. */
  push(item: T): boolean {
    if (this.size >= this.#most) return false;
    this.#items.push(item);
    return true;
  }

  /** Report that a waiting item was withdrawn. */
  withdraw(): void {
    this.#withdrawn++;
    // If nothing is taken for a long time, withdrawn items would stay in memory.
    if (this.#withdrawn <= Math.max(FEW, this.size)) return;
    this.#items = this.#items.slice(this.#head).filter((item) => !this.#isWithdrawn(item as T));
    this.#head = 0;
    this.#withdrawn = 0;
  }

  /** The next item; undefined when none waits. */
  shift(): T | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head] as T;
      this.#items[this.#head++] = undefined;
      if (this.#head === this.#items.length) {
        this.#items = [];
        this.#head = 0;
      } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (!this.#isWithdrawn(item)) return item;
      this.#withdrawn--;
    }
    return undefined;
  }
}
