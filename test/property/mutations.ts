import * as fc from "fast-check";
import type { Json } from "../../src/core/json.ts";

/** Keys of the trees in these tests: few, so that mutations meet; some that are prototypes elsewhere. */
export const KEYS = ["a", "b", "c", "0", "a/b", "", "__proto__", "constructor", "length"] as const;
const key = fc.constantFrom(...KEYS);

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom("", "x", "a\0b"),
);

/** A JSON tree; keys are own keys, whatever their name. */
export const tree: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("node")), { maxLength: 4 }).map(fromEntries),
  ),
})).node;

/** A JSON object. */
export const object: fc.Arbitrary<Record<string, Json>> = fc
  .array(fc.tuple(key, tree), { maxLength: 5 })
  .map(fromEntries);

export function fromEntries(entries: readonly (readonly [string, Json])[]): Record<string, Json> {
  // Like JSON.parse and unlike assignment, it makes an own key of `__proto__`.
  return Object.fromEntries(entries);
}

/** One text per value: keys sorted, −0 told from 0. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value).toSorted();
    return `{${keys.map((k) => `${JSON.stringify(k)}:${canonical((value as any)[k])}`).join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** A freeze that goes all the way down. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const k of Object.keys(value)) frozen((value as any)[k]);
    Object.freeze(value);
  }
  return value;
}
