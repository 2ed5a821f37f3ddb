import { getOwn, isJsonObject, isPlainObject, POINT_ALIASES, toJson } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";
import type { HandlerCall } from "./handler-protocol.ts";
import { KINDS } from "./host-protocol.ts";

type Alias = keyof typeof POINT_ALIASES;

/**
 * The value of a payload's key, undefined when there is none.
 * @throws NotJson when it is not JSON
 */
export function jsonAt({ ctx }: HandlerCall, key: string): Json | undefined {
  const value = getOwn(ctx.payload, key);
  return value === undefined ? undefined : toJson(value, undefined, ["payload", key]);
}

/** The string under a payload's key, undefined when it is not a string. */
export function stringAt({ ctx }: HandlerCall, key: string): string | undefined {
  const value = getOwn(ctx.payload, key);
  return typeof value === "string" ? value : undefined;
}

/** The arguments of a call; empty when there are none. */
export function argsOf(call: HandlerCall): JsonObject {
  const args = jsonAt(call, "args");
  return isJsonObject(args) ? args : {};
}

/** What the coding agent sent, if the event comes from one. */
export function hostOf({ ctx }: HandlerCall): Readonly<Record<string, unknown>> {
  const host = getOwn(ctx.payload, "host");
  return isPlainObject(host) ? host : {};
}

/** The owner of state kept between calls: the session, or the channel if there is none. */
export function sessionOf(call: HandlerCall): string {
  return stringAt(call, "session_id") ?? call.ctx.channel_id;
}

/**
 * The name of the point in another system; without one, the event that the agent named, or the point's own name.
 * @param events names that the system knows
 */
export function eventName(call: HandlerCall, events: readonly Alias[]): string {
  const { name } = call.point;
  const known = events.find((event) => POINT_ALIASES[event] === name);
  return known ?? (name === "host.pre_event" ? stringAt(call, "event") : undefined) ?? name;
}

/** The type of a key in a response, its allowed values, or the keys of an object. */
type Kind = "any" | "boolean" | "string" | "object" | readonly string[] | Kinds;
interface Kinds {
  readonly [key: string]: Kind;
}

/** An object with the keys of a table, each with its type. */
export type Typed<K> = {
  readonly [N in keyof K]?: K[N] extends readonly (infer W)[] ? W : TypedValue<K[N]>;
};
type TypedValue<K> = K extends keyof TypeNames ? TypeNames[K] : Typed<K>;
interface TypeNames {
  any: Json;
  boolean: boolean;
  string: string;
  object: JsonObject;
}

/** The known keys of a response, or the error of one. Null means missing. */
export function typed<K extends Kinds>(from: JsonObject, kinds: K): Typed<K> | string {
  const found: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(kinds)) {
    const value = getOwn(from, key) ?? undefined;
    if (value === undefined) continue;
    const plain = isNested(kind) ? "object" : kind;
    const isIt =
      typeof plain === "string" ? KINDS[plain](value) : plain.some((word) => word === value);
    if (!isIt) {
      const expected = typeof plain === "string" ? `a ${plain}` : plain.join(", ");
      return `returned ${key} with ${JSON.stringify(value).slice(0, 60)}, expected ${expected}`;
    }
    const inner = isNested(kind) && isJsonObject(value) ? typed(value, kind) : value;
    if (isNested(kind) && typeof inner === "string") return inner;
    found[key] = inner;
  }
  return found as Typed<K>;
}

function isNested(kind: Kind): kind is Kinds {
  return typeof kind === "object" && !Array.isArray(kind);
}
