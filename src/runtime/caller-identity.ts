import type { Principal } from "../core/context.ts";
import { OrcsError } from "../core/errors.ts";
import type { Authority } from "../core/permission.ts";
import type { CallScope } from "../core/ports.ts";
import type { DispatchOptions } from "../registry/registry.ts";

/** The identity of a caller in the runtime: a component, or a child of one. */
export interface CallerIdentity {
  /** `namespace::name`. */
  readonly component: string;
  readonly instance: string | undefined;
  /** Path below the component; undefined for the component itself. */
  readonly child: string | undefined;
  readonly channel: string;
  readonly authority: Authority;
  /** What its calls, and the hooks that serve them, may ask of the runtime. */
  readonly access: { at(call: CallState & { readonly authority: Authority }): CallScope };
}

/** What a call inherits from the one that it is made for. */
export interface CallState {
  readonly depth: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The initiator of the whole chain of calls. */
  readonly principal: Principal;
  /** Channels that wait for this call, outermost first. */
  readonly via: readonly string[];
}

/** By what a component is known on the bus and in messages: `namespace::name[#instance]`. */
export function keyOf({
  component,
  instance,
}: Pick<CallerIdentity, "component" | "instance">): string {
  return instance === undefined ? component : `${component}#${instance}`;
}

/** An actor in full: `namespace::name[/child][#instance]`. */
export function nameOf({
  component,
  child,
  instance,
}: Pick<CallerIdentity, "component" | "child" | "instance">): string {
  const path = child === undefined ? "" : `/${child}`;
  return `${component}${path}${instance === undefined ? "" : `#${instance}`}`;
}

/** In whose name hooks are registered. Not by its own name: two runtimes of an engine may both have that. */
export function ownerOf({ channel, child }: Pick<CallerIdentity, "channel" | "child">): string {
  return child === undefined ? channel : `${channel}/${child}`;
}

/** A dispatch that concerns an actor. */
export function optionsFor(actor: CallerIdentity, call: CallState): DispatchOptions {
  const { component, child, instance, channel, authority, access } = actor;
  const { depth, metadata, principal, via } = call;
  return {
    component,
    child,
    instance,
    channel,
    authority,
    // What a hook asks for is asked by whoever made the call that it serves, and whoever waits for that waits.
    runtime: { at: (deeper) => access.at({ ...deeper, principal, via }) },
    depth,
    metadata,
    principal,
  };
}

/**
 * A call as one that somebody is about to serve, who serves one at a time: what is made for it waits for that.
 * @param name of the queue that it stands in
 * @throws OrcsError ORCS6011 when that one waits for the call already
 */
export function servedBy(name: string, call: CallState): CallState {
  expectNoDeadlock(name, call);
  return { ...call, via: [...call.via, name] };
}

/** @throws OrcsError ORCS6011 when somebody waits for a call that it is to serve */
export function expectNoDeadlock(name: string, { via }: CallState): void {
  if (!via.includes(name)) return;
  const way = [...via, name].join(" → ");
  throw new OrcsError("ORCS6011", `deadlock: the request would wait for itself: ${way}`, {
    target: name,
  });
}
