import type { HookContext } from "../core/context.ts";
import type { Edit } from "../core/hook.ts";
import { isPlainObject } from "../core/json.ts";
import type { KeySpec } from "../core/payload-keys.ts";
import type { PointSpec } from "../core/points.ts";

/**
 * Why edits do not fit: after each hook the payload must still be what its point promises. Only what
 * the edits touch is looked at.
 *
 * @param before context the hook was given
 * @param after the same with its edits applied
 * @returns undefined when they fit
 */
export function misfit(
  point: PointSpec,
  before: HookContext,
  after: HookContext,
  edits: readonly Edit[],
): string | undefined {
  for (const { path } of edits) {
    const [root, key] = path;
    if (root !== "payload" && root !== "metadata") {
      return `ctx${root === undefined ? "" : `.${root}`} is read-only; edit ctx.payload or ctx.metadata`;
    }
    if (path.length === 1 && !isPlainObject(after[root])) return `ctx.${root} must stay an object`;
    if (root === "metadata") continue;
    const why =
      key === undefined
        ? payloadMisfit(point, after.payload, before.payload)
        : touchedMisfit(point, String(key), after.payload, before.payload);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Why a payload does not fit its point: a required key missing, or a known key of another kind.
 * @param before the payload it replaces, whose names and ids it must keep
 */
export function payloadMisfit(
  point: PointSpec,
  payload: unknown,
  before?: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!isPlainObject(payload)) return `the payload of ${point.name} must be an object`;
  if (!before && fits(point, payload)) return undefined;
  for (const [key, spec] of point.known) {
    const why = keyMisfit(spec, key, payload, before);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Whether a payload fits, without a word on what does not: this is on the way of each dispatch. It goes
 * over what is there, which is less than what there could be.
 */
function fits({ known, required }: PointSpec, payload: Readonly<Record<string, unknown>>): boolean {
  let missing = required.length;
  for (const key in payload) {
    const spec = known.get(key);
    if (spec === undefined) continue;
    const value = payload[key];
    if (value === undefined || value === null) continue;
    if (!isKind(spec.kind, value)) return false;
    if (spec.required) missing--;
  }
  return missing === 0;
}

/** Why one key that was touched does not fit; what the point does not know may be anything. */
function touchedMisfit(
  point: PointSpec,
  key: string,
  payload: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): string | undefined {
  const spec = point.known.get(key);
  return spec && keyMisfit(spec, key, payload, before);
}

function keyMisfit(
  spec: KeySpec,
  key: string,
  payload: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  const value = payload[key];
  if (before && spec.fixed && value !== before[key]) {
    return `payload.${key} is a name or id and must not be changed`;
  }
  if (spec.shrinks && before && grows(before[key], value)) {
    return `payload.${key} may only lose bits`;
  }
  if (value === undefined || value === null) {
    return spec.required ? `payload.${key} is missing` : undefined;
  }
  return isKind(spec.kind, value) ? undefined : `payload.${key} must be ${KIND_WORDS[spec.kind]}`;
}

/** Whether a set of bits has any that it did not have; where the host gave none, any may be set. */
function grows(before: unknown, after: unknown): boolean {
  // To remove the key would give back what a hook before has taken.
  if (typeof before !== "number") return false;
  return typeof after === "number"
    ? (after & ~before) !== 0
    : after === undefined || after === null;
}

/** A switch, not a table of functions: this runs for each key of each dispatch. */
function isKind(kind: KeySpec["kind"], value: unknown): boolean {
  switch (kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === kind;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isPlainObject(value);
    case "list":
      return Array.isArray(value);
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "any":
      return true;
  }
}

const KIND_WORDS: Readonly<Record<KeySpec["kind"], string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  list: "a list",
  strings: "a list of strings",
  any: "any value",
};
