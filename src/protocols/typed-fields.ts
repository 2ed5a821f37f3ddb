import { getOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "./read-json.ts";

/** What a key of an answer holds: a type, or one of some words. */
type Kind = "boolean" | "string" | "object" | readonly string[];
type Kinds = Readonly<Record<string, Kind>>;

/** An object of the keys of a table, each of the kind it must be. */
export type Typed<K extends Kinds> = {
  readonly [N in keyof K]?: K[N] extends readonly (infer W)[]
    ? W
    : K[N] extends "boolean"
      ? boolean
      : K[N] extends "string"
        ? string
        : JsonObject;
};

/** The keys that a table knows, or what is wrong with one. Null is as good as none. */
export function typed<K extends Kinds>(from: JsonObject, kinds: K): Typed<K> | string {
  const found: Record<string, Json> = {};
  for (const [key, kind] of Object.entries(kinds)) {
    const value = getOwn(from, key) ?? undefined;
    if (value === undefined) continue;
    if (!isKind(value, kind)) {
      const expected = typeof kind === "string" ? `a ${kind}` : kind.join(", ");
      return `answered ${key} with ${JSON.stringify(value).slice(0, 60)}, expected ${expected}`;
    }
    found[key] = value;
  }
  return found as Typed<K>;
}

function isKind(value: Json, kind: Kind): boolean {
  if (kind === "object") return isJsonObject(value);
  return typeof kind === "string" ? typeof value === kind : kind.some((word) => word === value);
}
