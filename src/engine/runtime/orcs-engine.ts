import { capabilityBits, OrcsError } from "../../core/index.ts";
import type {
  CapabilityName,
  Component,
  Event,
  Json,
  Principal,
  RequestOptions,
  Signal,
  SignalKind,
  SignalResponse,
} from "../../core/index.ts";
import { narrowed } from "../auth/index.ts";
import { PendingApprovals } from "./approvals.ts";
import { type CallState, keyOf } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import type { RunnerResult } from "./component-life.ts";
import { ChannelRunner } from "./channel-runner.ts";
import { checkComponent, checkedHints } from "./check-input.ts";
import { EventBus } from "./event-bus.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** Options for spawning a component. */
export interface SpawnOptions {
  /** Distinguishes channels of the same component; FQL `#instance`. */
  readonly instance?: string | undefined;
  /** Default: everything that the engine allows. */
  readonly capabilities?: readonly CapabilityName[] | undefined;
  /** `false`: commands without a grant need approval. `true` is an error where the engine itself needs grants. */
  readonly elevated?: boolean | undefined;
  /** Capacity of its mailbox. */
  readonly mailbox?: number | undefined;
  /** Time limit of requests without one of their own, in milliseconds. */
  readonly request_timeout_ms?: number | undefined;
  /** Time limit of its init, in milliseconds; default 10,000, Infinity for none. */
  readonly init_timeout_ms?: number | undefined;
  /** The snapshot to start with. */
  readonly snapshot?: Json | undefined;
}

/** A running channel. */
export interface Channel {
  readonly id: string;
  /** `namespace::name[#instance]`. */
  readonly component: string;
  readonly ended: Promise<RunnerResult>;
}

/** The identity and metadata of an external caller. */
export interface CallFrom {
  readonly principal?: Principal | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

const HOST: Principal = { type: "Host", id: "main" };

/** Components in their channels, and the bus between them. All 25 points of ADR-002 are dispatched here. */
export class OrcsEngine {
  readonly bus: EventBus;
  /** Requests for approval that its components answer. */
  protected readonly approvals: PendingApprovals;
  readonly #host: RuntimeHost;
  readonly #running = new Map<string, { runner: ChannelRunner; channel: Channel }>();
  /** Names that are being spawned. */
  readonly #starting = new Set<string>();
  #closing: Promise<readonly RunnerResult[]> | undefined;

  constructor(host: RuntimeHost) {
    this.#host = host;
    this.bus = new EventBus(host);
    this.approvals = new PendingApprovals(this.bus);
  }

  /** The current channels. */
  get channels(): readonly (Channel & { readonly state: ChannelRunner["state"] })[] {
    return [...this.#running.values()].map(({ runner, channel: { id, component, ended } }) => {
      return { id, component, ended, state: runner.state };
    });
  }

  /**
   * Start a component in a new channel; resolves when it is initialised.
   * @returns undefined when a hook skipped the channel
   * @throws OrcsError ORCS2001 (denied by a hook), ORCS2006, ORCS6002, ORCS6003, ORCS6005, ORCS6009, ORCS6010,
   * ORCS6015; nothing of it remains then
   */
  async spawn(component: Component, options: SpawnOptions = {}): Promise<Channel | undefined> {
    checkComponent(component, options.instance);
    const key = keyOf({ component: component.id, instance: options.instance });
    this.#expectRoom(key);
    this.#starting.add(key);
    try {
      const runner = await this.#create(component, options);
      if (!runner) return undefined;
      const ended = runner.ended.finally(() => this.#running.delete(key));
      const channel = { id: runner.actor.channel, component: key, ended };
      this.#running.set(key, { runner, channel });
      this.#starting.delete(key);
      try {
        // The engine was closed during the hooks of its creation.
        if (this.#closing) {
          await runner.stop("shutdown");
          throw closed();
        }
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

  /** Send an event to all subscribers of its category; resolves to the number of receivers. */
  broadcast(
    event: Omit<Event, "source"> & { source?: string },
    from: CallFrom = {},
  ): Promise<number> {
    return this.bus.broadcast({ source: "host::main", ...event }, this.#call(from));
  }

  /** Send a signal to a component, or with `*` to all. */
  signal(
    target: string,
    signal: SignalKind | Signal,
    from: CallFrom = {},
  ): Promise<SignalResponse> {
    const sent = typeof signal === "string" ? { kind: signal } : signal;
    return this.bus.signal(target, sent, this.#call(from));
  }

  /** Shut down a component's channel; undefined when there is none. */
  stop(key: string, reason = "stopped"): Promise<RunnerResult | undefined> {
    return this.#stop(key, reason);
  }

  /** End a component's channel at once: its current request fails. */
  kill(key: string): Promise<RunnerResult | undefined> {
    return this.#stop(key, "killed", 0);
  }

  /**
   * Shut down all channels in parallel, and start no more.
   * @param deadlineMs after this time, requests being served are given up; default 5,000
   * @returns the result of each channel, with its snapshot
   */
  shutdownParallel(deadlineMs = this.#host.limits.graceMs): Promise<readonly RunnerResult[]> {
    const running = [...this.#running.values()];
    this.#closing ??= Promise.all(running.map(({ channel }) => channel.ended));
    // A later call can shorten the deadline.
    for (const { runner } of running) void runner.stop("shutdown", deadlineMs);
    return this.#closing;
  }

  async #stop(key: string, reason: string, graceMs?: number): Promise<RunnerResult | undefined> {
    const running = this.#running.get(key);
    if (!running) return undefined;
    void running.runner.stop(reason, graceMs);
    return running.channel.ended;
  }

  #call({ principal = HOST, metadata = {} }: CallFrom): CallState {
    return { depth: 0, metadata, principal, via: [] };
  }

  #expectRoom(key: string): void {
    if (this.#closing) throw closed();
    if (this.#running.has(key) || this.#starting.has(key)) {
      throw new OrcsError("ORCS6002", `${key} already exists`, { component: key });
    }
    const { channels } = this.#host.limits;
    if (this.#running.size + this.#starting.size >= channels) {
      const why = `the limit of ${channels} channels is reached`;
      throw new OrcsError("ORCS6009", why, { limit: channels });
    }
  }

  async #create(component: Component, options: SpawnOptions): Promise<ChannelRunner | undefined> {
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
          saved: options.snapshot,
          approvals: this.approvals,
        });
      },
      { ...this.#call({}), component: component.id, instance, channel, authority },
      {
        successOnly: true,
        after: ({ channel_id: id, component_id }) => {
          return { channel_id: id, component_id, handle: { id } };
        },
      },
    );
    return skippedBy === undefined ? runner : undefined;
  }
}

function closed(): OrcsError {
  return new OrcsError("ORCS2006", "this runtime is closed");
}
