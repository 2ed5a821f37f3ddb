import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { restored, restoredEdits } from "../../../../src/engine/handlers/unmasked-answer.ts";
import { SECRETS } from "../../guards/redact/secrets.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";

const redactor = createRedactor();
const M = "[redacted]";
const key = SECRETS["GitHub token"] ?? "";
const other = SECRETS["npm token"] ?? "";

describe("restored puts original values back for masks", () => {
  const cases: readonly (readonly [string, Json, Json, Json])[] = [
    ["a text", key, M, key],
    ["a text that was changed around it", `run ${key}`, `run --dry ${M}`, `run --dry ${key}`],
    ["two in one text", `a ${key} b ${other}`, `c ${M} d ${M}`, `c ${key} d ${other}`],
    ["fewer than there were", `a ${key} b ${other}`, `c ${M}`, `c ${M}`],
    ["more than there were", `a ${key}`, `${M} ${M}`, `${M} ${M}`],
    ["none left", `a ${key}`, "b", "b"],
    ["another place", { a: key, b: "x" }, { a: "x", b: M }, { a: "x", b: M }],
    [
      "an object",
      { a: { b: key }, c: 1 },
      { a: { b: M, n: 1 }, c: 2 },
      { a: { b: key, n: 1 }, c: 2 },
    ],
    ["a value by its key", { password: 5, x: 1 }, { password: M, x: 2 }, { password: 5, x: 2 }],
    ["a list that grew at its end", [key, "a"], [M, "a", "b"], [key, "a", "b"]],
    ["a list that grew at its beginning", [key, "a"], ["b", M, "a"], ["b", key, "a"]],
    ["a list that lost its first", ["a", key, other], [M, M], [key, other]],
    ["a list in another order", [key, "a"], ["a", M], ["a", key]],
    [
      "a list with an item changed",
      ["a", { t: key, n: 1 }],
      ["a", { t: M, n: 2 }],
      ["a", { t: key, n: 2 }],
    ],
    ["a list in a list", [["a", key], ["b"]], [["a", M, "c"], ["b"]], [["a", key, "c"], ["b"]]],
    ["more of a list than there was", [key], [M, M], [key, M]],
    ["another type", { a: key }, { a: [M] }, { a: [M] }],
    ["a masked key", { [key]: "a", b: "c" }, { [M]: "x", b: "c" }, { [key]: "x", b: "c" }],
    ["what was masked before", { a: M, b: key }, { a: M, b: M }, { a: M, b: key }],
  ];
  test.each(cases)("%s", (_, original, answer, expected) => {
    expect(restored(answer, redactor.value(original), original)).toEqual(expected);
  });

  test("in edits, also below a masked key", () => {
    const original = { payload: { args: { [key]: { token: "a", n: 1 } } } };
    const sent = redactor.value(original);
    const edits = [
      { path: ["payload", "args", M, "token"], value: M },
      { path: ["payload", "args", M, "n"], value: 2 },
      { path: ["payload", "args", "new"], value: M },
      { path: ["payload", "args", M], value: undefined },
    ];
    expect(restoredEdits(edits, sent, original)).toEqual([
      { path: ["payload", "args", key, "token"], value: "a" },
      { path: ["payload", "args", key, "n"], value: 2 },
      { path: ["payload", "args", "new"], value: M },
      { path: ["payload", "args", key], value: undefined },
    ]);
  });

  test("with __proto__ as an ordinary key", () => {
    const original = JSON.parse(`{"__proto__":{"token":"a"}}`) as Json;
    const sent = redactor.value(original);
    expect(JSON.stringify(restored(sent, sent, original))).toBe('{"__proto__":{"token":"a"}}');
    expect(restored(JSON.parse('{"constructor":"[redacted]"}') as Json, {}, {})).toEqual({
      constructor: M,
    });
  });
});

const secret = fc.constantFrom(...Object.values(SECRETS));
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      secret,
      secret.map((hidden) => `say ${hidden} aloud`),
      fc.constantFrom<Json>("a", "b", 1, null, M, ""),
    ),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom("password", "a", "b", "__proto__"), secret),
      tie("value"),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ) as fc.Arbitrary<Json>,
})).value;

describe("restored, for any value", () => {
  repeatedTest("gives the original if nothing was changed", () => {
    fc.assert(
      fc.property(json, (original) => {
        const sent = redactor.value(original);
        expect(restored(structuredClone(sent), sent, original)).toEqual(original);
      }),
      { numRuns: runCount(3_000) },
    );
  });

  repeatedTest("keeps other secrets when a list loses, gains or moves an item", () => {
    const list = fc.uniqueArray(secret, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(list, fc.nat(5), fc.nat(6), (secrets, out, into) => {
        const original = secrets.map((hidden, n) => ({ n, hidden }));
        const answer = structuredClone(redactor.value(original as Json)) as JsonObject[];
        const [gone] = answer.splice(out % answer.length, 1);
        const kept = original.filter((_, i) => i !== out % original.length);
        expect(restored(answer, redactor.value(original), original)).toEqual(kept);
        const moved = [...answer];
        moved.splice(into % (answer.length + 1), 0, gone ?? {});
        const all = [...kept];
        all.splice(
          into % (kept.length + 1),
          0,
          original[out % original.length] ?? { n: 0, hidden: "" },
        );
        expect(restored(moved, redactor.value(original), original)).toEqual(all);
        answer.splice(into % (answer.length + 1), 0, { n: 99 });
        const grown = restored(answer, redactor.value(original), original) as JsonObject[];
        expect(grown.filter(({ n }) => n !== 99)).toEqual(kept);
      }),
      { numRuns: runCount(1_000) },
    );
  });

  repeatedTest("adds nothing to a result without masks", () => {
    fc.assert(
      fc.property(json, json, (original, answer) => {
        const sent = redactor.value(original);
        const plain = JSON.parse(JSON.stringify(answer).replaceAll(M, "x")) as Json;
        if (JSON.stringify(sent).includes(JSON.stringify(plain))) return;
        const got = JSON.stringify(restored(plain, sent, original));
        for (const hidden of Object.values(SECRETS)) {
          if (!JSON.stringify(plain).includes(hidden)) expect(got).not.toContain(hidden);
        }
      }),
      { numRuns: runCount(1_000) },
    );
  });
});
