import { OrcsError } from "../../core/index.ts";
import type { Authority, CallScope, Lineage, Principal } from "../../core/index.ts";
import type { DispatchOptions } from "../registry/index.ts";

/** The identity of a caller in the runtime: a component, or a child of one. */
export interface CallerIdentity {
  /** `namespace::name`. */
  readonly component: string;
  readonly instance: string | undefined;
  /** Path below the component; undefined for the component itself. */
  readonly child: string | undefined;
  readonly channel: string;
  readonly authority: Authority;
  /** The runtime operations available to its calls, and to the hooks that serve them. */
  readonly access: { at(call: CallState & { readonly authority: Authority }): CallScope };
}

/** The state that a call inherits from the call that caused it. */
export interface CallState {
  readonly depth: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The initiator of the whole chain of calls. */
  readonly principal: Principal;
  /** Channels that wait for this call, outermost first. */
  readonly via: readonly string[];
  readonly lineage?: Lineage | undefined;
}

type Named = Pick<CallerIdentity, "component" | "child" | "instance">;

/** The name of a component on the bus and in messages: `namespace::name[#instance]`. */
export function keyOf({ component, instance }: Pick<Named, "component" | "instance">): string {
  return nameOf({ component, instance, child: undefined });
}

/** The full name of an actor: `namespace::name[/child][#instance]`. */
export function nameOf({ component, child, instance }: Named): string {
  const path = child === undefined ? "" : `/${child}`;
  return `${component}${path}${instance === undefined ? "" : `#${instance}`}`;
}

/** The owner of registered hooks. Not the actor's name: two runtimes of an engine can both use it. */
export function ownerOf({ channel, child }: Pick<CallerIdentity, "channel" | "child">): string {
  return child === undefined ? channel : `${channel}/${child}`;
}

/** The options of a dispatch that concerns an actor. */
export function optionsFor(actor: CallerIdentity, call: CallState): DispatchOptions {
  const { component, child, instance, channel, authority, access } = actor;
  const { depth, metadata, principal, via, lineage } = call;
  return {
    ...lineage,
    component,
    child,
    instance,
    channel,
    authority,
    // A request of a hook is made for the caller that it serves, and whoever waits for that caller also waits for it.
    runtime: {
      at: (deeper) => access.at({ ...deeper, principal, via }),
      via: child === undefined ? [...via, keyOf(actor)] : via,
    },
    depth,
    metadata,
    principal,
  };
}

/** Serves one call at a time, in the order in which they came. */
export class CallQueue {
  readonly #name: string;
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param most calls that may wait at the same time */
  constructor(name: string, most: number) {
    this.#name = name;
    this.#most = most;
  }

  /**
   * Serve a call after the earlier ones: calls that are made for it wait for this queue.
   * @param full creates the error when too many are waiting
   * @throws OrcsError ORCS6011 when the queue already waits for the call
   */
  serve<T>(
    call: CallState,
    full: () => OrcsError,
    task: (served: CallState) => Promise<T>,
  ): Promise<T> {
    this.expectRoom(call, full);
    this.#waiting++;
    const served = this.#last.then(() => task({ ...call, via: [...call.via, this.#name] }));
    const over = (): void => void this.#waiting--;
    this.#last = served.then(over, over);
    return served;
  }

  /** What `serve` checks first. */
  expectRoom(call: CallState, full: () => OrcsError): void {
    expectNoDeadlock(this.#name, call);
    if (this.#waiting >= this.#most) throw full();
  }

  /** Resolves when the calls that came until now are over. */
  get idle(): Promise<unknown> {
    return this.#last;
  }
}

/** @throws OrcsError ORCS6011 when a queue waits for a call that it would have to serve */
export function expectNoDeadlock(name: string, { via }: CallState): void {
  if (!via.includes(name)) return;
  const why = `deadlock: the request would wait for itself: ${[...via, name].join(" → ")}`;
  throw new OrcsError("ORCS6011", why, { target: name });
}
