import * as fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isPlainObject, type Json } from "../../../../src/core/json.ts";
import { HASHED_CHARS, inputDigest } from "../../../../src/engine/orcs/audit/log-entries.ts";

const sha256 = (text: string): string =>
  `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;

/** Canonical JSON as one would write it without a thought for its size. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

const json = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }) as fc.Arbitrary<Json>;

test("the input digest is the SHA-256 of canonical JSON", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(inputDigest(value)).toEqual({ input: sha256(canonical(value)) });
    }),
  );
});

/** The same with the keys of every object the other way round. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([key, item]) => [key, turned(item)] as const);
  return Object.fromEntries(pairs.reverse());
}

test("the input digest ignores key order and differs for different values", () => {
  fc.assert(
    fc.property(json, json, (value, other) => {
      expect(inputDigest(turned(value))).toEqual(inputDigest(value));
      fc.pre(canonical(value) !== canonical(other));
      expect(inputDigest(other)).not.toEqual(inputDigest(value));
    }),
  );
});

test("the input digest ignores undefined keys", () => {
  expect(inputDigest({ a: 1, b: undefined })).toEqual(inputDigest({ a: 1 }));
});

const LONG: Readonly<Record<string, Json>> = {
  "one text": "ab\n".repeat(HASHED_CHARS),
  "many texts": Array.from({ length: 50_000 }, (_, i) => `text ${i}`),
  "a text beyond it": ["x".repeat(HASHED_CHARS - 3), "y".repeat(100)],
  "half of a pair at the end": `${"x".repeat(HASHED_CHARS - 2)}😀😀`,
  "a key": { ["k".repeat(HASHED_CHARS * 2)]: 1 },
  objects: Array.from({ length: 9000 }, (_, i) => ({ name: `n${i}`, size: i, deep: { er: [i] } })),
};

describe("the digest of a long payload covers its beginning and sets input_cut", () => {
  test.each(Object.entries(LONG))("%s", (_, value) => {
    const all = canonical(value);
    expect(all.length).toBeGreaterThan(HASHED_CHARS);
    expect(inputDigest(value)).toEqual({
      input: sha256(all.slice(0, HASHED_CHARS)),
      input_cut: HASHED_CHARS,
    });
  });

  test("a payload exactly at the limit is digested whole", () => {
    const value = "x".repeat(HASHED_CHARS - 2);
    expect(inputDigest(value)).toEqual({ input: sha256(canonical(value)) });
  });
});
