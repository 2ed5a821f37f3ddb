import { OrcsError } from "../core/errors.ts";
import type { HostName } from "../core/hosts.ts";
import { getOwn, setOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "./read-json.ts";

const KINDS = {
  string: (value: Json): value is string => typeof value === "string",
  object: isJsonObject,
} as const;

interface KindOf {
  string: string;
  object: JsonObject;
}

/**
 * A field that an event must have.
 * @throws OrcsError ORCS7001
 */
export function requiredField<K extends keyof KindOf>(
  host: HostName,
  event: JsonObject,
  key: string,
  kind: K,
): KindOf[K] {
  const value = getOwn(event, key);
  if (value !== undefined && KINDS[kind](value)) return value as KindOf[K];
  const got = value === undefined ? "is missing" : `is not of the type ${kind}`;
  const named = getOwn(event, "hook_event_name");
  const which = typeof named === "string" ? `the event ${named}` : "an event";
  throw new OrcsError("ORCS7001", `${which} of ${host}: ${key} ${got}`, { host, key });
}

/** A field that an event may have; undefined also where it is of another type, which `host` still shows. */
export function textField(event: JsonObject, key: string): string | undefined {
  const value = getOwn(event, key);
  return typeof value === "string" ? value : undefined;
}

/** The object without the keys that are undefined. */
export function stated(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const given: Record<string, Json> = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) setOwn(given, key, value);
  }
  return given;
}
