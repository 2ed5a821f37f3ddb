import { getOwn, isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { POINT_ALIASES } from "../core/point-table.ts";
import { toJson } from "../core/to-json.ts";
import type { HandlerCall } from "./protocol.ts";

type Alias = keyof typeof POINT_ALIASES;

/**
 * The value under a payload's key, undefined when there is none.
 * @throws NotJson when JSON has no word for it
 */
export function jsonAt({ ctx }: HandlerCall, key: string): Json | undefined {
  const value = getOwn(ctx.payload, key);
  return value === undefined ? undefined : toJson(value, undefined, ["payload", key]);
}

/** The string under a payload's key, undefined when it is none. */
export function stringAt({ ctx }: HandlerCall, key: string): string | undefined {
  const value = getOwn(ctx.payload, key);
  return typeof value === "string" ? value : undefined;
}

/** What the foreign host sent, if one did. */
export function hostOf({ ctx }: HandlerCall): Readonly<Record<string, unknown>> {
  const host = getOwn(ctx.payload, "host");
  return isPlainObject(host) ? host : {};
}

/** Whom state kept between calls belongs to: the session, and where nobody named one, the channel. */
export function sessionOf(call: HandlerCall): string {
  return stringAt(call, "session_id") ?? call.ctx.channel_id;
}

/**
 * The name that a foreign system has for the point; where it has none, the event that the host named, or
 * the point's own name.
 *
 * @param events names that the system knows
 */
export function eventName(call: HandlerCall, events: readonly Alias[]): string {
  const { name } = call.point;
  const known = events.find((event) => POINT_ALIASES[event] === name);
  return known ?? (name === "host.pre_event" ? stringAt(call, "event") : undefined) ?? name;
}
