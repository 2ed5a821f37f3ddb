import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../../src/core/json.ts";

/** Texts of all kinds, halves of surrogate pairs among them. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("\ud800", "a\udc00b", "\u2028", "\0", "\x1b[31m", "é"),
);
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "toJSON", "then", "0", "a/b", "~", ""),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 2 ** 53, 5e-324, -1.7976931348623157e308),
);

/** An object whose keys are its own, whatever their names. */
function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** Any JSON value there is. */
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("json")), { maxLength: 4 }).map(objectOf),
  ),
})).json;

export const anyObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(key, anyJson), { maxLength: 4 })
  .map(objectOf);

/** A value as a text that differs where values do, in the sign of zero even; the order of keys is none of it. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null)
    return Object.is(value, -0) ? "-0" : (JSON.stringify(value) ?? "undefined");
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(",")}}`;
}
