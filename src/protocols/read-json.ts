import { isPlainObject, MAX_JSON_DEPTH } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { messageOf } from "../core/errors.ts";

/** A text parsed as one JSON value, or why it is invalid. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string };

/**
 * Parse exactly one JSON value. Keys are data, including `__proto__`: `JSON.parse` makes it an own key.
 * @param maxDepth maximum nesting
 */
export function readJson(text: string, maxDepth: number = MAX_JSON_DEPTH): ReadJson {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (thrown) {
    return { ok: false, why: `is not JSON: ${messageOf(thrown)}` };
  }
  const why = fault(value, maxDepth);
  return why === undefined ? { ok: true, value } : { ok: false, why };
}

/** As `readJson`, for an object. */
export function readJsonObject(
  text: string,
):
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly why: string } {
  const read = readJson(text);
  if (!read.ok) return read;
  return isJsonObject(read.value)
    ? { ok: true, value: read.value }
    : { ok: false, why: "is not a JSON object" };
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** Why a parsed value cannot be used. */
function fault(value: Json, levels: number): string | undefined {
  // JSON numbers are unbounded: 1e999 parses as Infinity.
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "contains a number that is too large";
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return "is nested too deeply";
  for (const item of Object.values(value)) {
    const why = fault(item, levels - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}
