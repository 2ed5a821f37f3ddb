import type { CapabilityName } from "../core/permission.ts";
import { capabilityBits } from "../core/permission.ts";
import type { RequestOptions } from "../core/child.ts";
import type { Component, Event, Signal, SignalKind, SignalResponse } from "../core/component.ts";
import type { Principal } from "../core/context.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { narrowed } from "../auth/policy.ts";
import { keyOf } from "./caller-identity.ts";
import type { CallState } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import type { RunnerResult } from "./channel-end.ts";
import { ChannelRunner } from "./channel-runner.ts";
import { checkComponent, checkedHints } from "./check-input.ts";
import { EventBus } from "./event-bus.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** How a component is spawned. */
export interface SpawnOptions {
  /** Tells channels of one component apart; FQL `#instance`. */
  readonly instance?: string | undefined;
  /** Default: all that the engine allows. */
  readonly capabilities?: readonly CapabilityName[] | undefined;
  /** `false`: commands that no grant covers are asked about. */
  readonly elevated?: boolean | undefined;
  /** Events and requests that may wait for it. */
  readonly mailbox?: number | undefined;
  /** For requests that say nothing of time, in milliseconds. */
  readonly request_timeout_ms?: number | undefined;
  /** For its init, in milliseconds; default 10,000, and Infinity for no limit. */
  readonly init_timeout_ms?: number | undefined;
  /** What it begins with, in place of what it saved last. */
  readonly snapshot?: Json | undefined;
}

/** A channel that runs. */
export interface Channel {
  readonly id: string;
  /** `namespace::name[#instance]`. */
  readonly component: string;
  readonly ended: Promise<RunnerResult>;
}

/** Who calls from outside, and what the call carries. */
export interface CallFrom {
  readonly principal?: Principal | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

const HOST: Principal = { type: "Host", id: "main" };

/** Components in their channels, and the bus between them. Every one of ADR-002's 25 points fires here. */
export class OrcsEngine {
  readonly bus: EventBus;
  readonly #host: RuntimeHost;
  readonly #running = new Map<string, { runner: ChannelRunner; channel: Channel }>();
  readonly #approval: (signal: Signal) => void;
  /** Names that are being spawned. */
  readonly #starting = new Set<string>();
  #closing: Promise<readonly RunnerResult[]> | undefined;

  /** @param approval told of the signals `approve` and `reject` */
  constructor(host: RuntimeHost, approval: (signal: Signal) => void) {
    this.#host = host;
    this.#approval = approval;
    this.bus = new EventBus(host);
  }

  /** The channels that there are. */
  get channels(): readonly (Channel & { readonly state: ChannelRunner["state"] })[] {
    return [...this.#running.values()].map(({ runner, channel: { id, component, ended } }) => {
      return { id, component, ended, state: runner.state };
    });
  }

  /**
   * Start a component in a channel of its own; resolves once it is initialised.
   * @returns undefined when a hook answered in place of the channel
   * @throws OrcsError ORCS2001 (a hook refused), ORCS2006, ORCS6002, ORCS6003, ORCS6005, ORCS6009, ORCS6010,
   *   ORCS6013; nothing of it is left then
   */
  async spawn(component: Component, options: SpawnOptions = {}): Promise<Channel | undefined> {
    checkComponent(component, options.instance);
    const key = keyOf({ component: component.id, instance: options.instance });
    this.#expectRoom(key);
    this.#starting.add(key);
    try {
      const { snapshot } = options;
      const saved = snapshot === undefined ? await this.#host.snapshots?.load(key) : snapshot;
      const runner = await this.#create(component, options, saved);
      if (!runner) return undefined;
      const ended = runner.ended.then((result) => this.#ended(key, result));
      const channel = { id: runner.actor.channel, component: key, ended };
      this.#running.set(key, { runner, channel });
      this.#starting.delete(key);
      try {
        // Closed while the hooks of its creation ran.
        if (this.#closing) await this.#refuse(runner);
        await runner.start(this.#call({}));
      } catch (thrown) {
        await ended;
        throw thrown;
      }
      return channel;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** As `ChildContext.request`, from the host. */
  request(
    target: string,
    operation: string,
    payload: Json = null,
    options: RequestOptions & CallFrom = {},
  ): Promise<Json> {
    const { category = "Request", timeout_ms, signal } = options;
    const asked = { category, operation, source: "host::main", payload, target, timeout_ms };
    return this.bus.request(asked, this.#call(options), signal);
  }

  /** Tell an event to all who subscribe to its category; resolves to how many took it. */
  broadcast(
    event: Omit<Event, "source"> & { source?: string },
    from: CallFrom = {},
  ): Promise<number> {
    return this.bus.broadcast({ source: "host::main", ...event }, this.#call(from));
  }

  /** Signal a component, or all of them with `*`. */
  signal(
    target: string,
    signal: SignalKind | Signal,
    from: CallFrom = {},
  ): Promise<SignalResponse> {
    const sent = typeof signal === "string" ? { kind: signal } : signal;
    return this.bus.signal(target, sent, this.#call(from));
  }

  /** End a component's channel in good order; undefined when there is none. */
  async stop(key: string, reason = "stopped"): Promise<RunnerResult | undefined> {
    return this.#stop(key, reason);
  }

  /** End a component's channel at once: what it serves is answered with an error. */
  async kill(key: string): Promise<RunnerResult | undefined> {
    return this.#stop(key, "killed", 0);
  }

  /**
   * End all channels at the same time, and start none any more.
   * @param deadlineMs from when on requests that are served are given up; default 5,000
   * @returns what became of each, snapshots included
   */
  shutdownParallel(deadlineMs = this.#host.limits.graceMs): Promise<readonly RunnerResult[]> {
    const running = [...this.#running.values()];
    this.#closing ??= Promise.all(running.map(({ channel }) => channel.ended));
    // Called again, it may have less patience.
    for (const { runner } of running) void runner.stop("shutdown", deadlineMs);
    return this.#closing;
  }

  async #stop(key: string, reason: string, graceMs?: number): Promise<RunnerResult | undefined> {
    const running = this.#running.get(key);
    if (!running) return undefined;
    void running.runner.stop(reason, graceMs);
    return running.channel.ended;
  }

  /** Keep the snapshot of a channel that has ended, and forget the channel. */
  async #ended(key: string, result: RunnerResult): Promise<RunnerResult> {
    const { snapshot } = result;
    try {
      if (snapshot !== undefined) await this.#host.snapshots?.save(key, snapshot);
      return result;
    } catch (thrown) {
      const why = `the snapshot of ${key} is lost: ${messageOf(thrown)}`;
      this.#host.logger.error(why);
      return { ...result, errors: [...result.errors, why] };
    } finally {
      this.#running.delete(key);
    }
  }

  #call({ principal = HOST, metadata = {} }: CallFrom): CallState {
    return { depth: 0, metadata, principal, via: [] };
  }

  async #refuse(runner: ChannelRunner): Promise<never> {
    await runner.stop("shutdown");
    throw closed();
  }

  #expectRoom(key: string): void {
    if (this.#closing) throw closed();
    if (this.#running.has(key) || this.#starting.has(key)) {
      throw new OrcsError("ORCS6002", `${key} already exists`, { component: key });
    }
    const { channels } = this.#host.limits;
    if (this.#running.size + this.#starting.size >= channels) {
      throw new OrcsError("ORCS6009", `the limit of ${channels} channels is reached`, {
        limit: channels,
      });
    }
  }

  async #create(
    component: Component,
    options: SpawnOptions,
    saved: Json | undefined,
  ): Promise<ChannelRunner | undefined> {
    const host = this.#host;
    const { limits } = host;
    const { instance } = options;
    const authority = narrowed(host.authority, {
      capabilities: options.capabilities
        ? capabilityBits(options.capabilities)
        : host.authority.capabilities,
      elevated: options.elevated,
      session: keyOf({ component: component.id, instance }),
    });
    const channel = globalThis.crypto.randomUUID();
    const runtime_hints = {
      mailbox: options.mailbox ?? limits.mailbox,
      request_timeout_ms: options.request_timeout_ms ?? limits.requestMs,
    };
    let runner: ChannelRunner | undefined;
    const { skippedBy } = await withPoints(
      host,
      "channel.create",
      { channel_id: channel, component_id: component.id, runtime_hints },
      (left) => {
        const { mailbox, request_timeout_ms } = checkedHints(left["runtime_hints"]);
        runner = new ChannelRunner(component, host, this.bus, {
          instance,
          channel,
          authority,
          mailbox,
          requestMs: request_timeout_ms,
          initMs: options.init_timeout_ms ?? limits.lifecycleMs,
          saved,
          approval: this.#approval,
        });
      },
      { ...this.#call({}), component: component.id, instance, channel, authority },
      {
        successOnly: true,
        after: ({ channel_id, component_id }) => ({
          channel_id,
          component_id,
          handle: { id: channel_id },
        }),
      },
    );
    return skippedBy === undefined ? runner : undefined;
  }
}

function closed(): OrcsError {
  return new OrcsError("ORCS2006", "this runtime is closed");
}
