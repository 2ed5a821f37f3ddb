import { join } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { luaLiteral, luaPath, luaString } from "../../../../src/workbench/replay/saved-test.ts";
import { folder, open } from "../../engine/orcs/engine.ts";

import * as fc from "fast-check";

/** What Lua makes of expressions. */
async function evaluated(...expressions: readonly string[]): Promise<unknown> {
  const code = `return orcs.array({ ${expressions.map((each) => `{ ${each} }`).join(",\n")} })`;
  const orcs = await open();
  const result = await orcs.run(join(folder({ "a.lua": code }), "a.lua"));
  return (result as Json[]).map((each) => (each as Json[])[0]);
}

const HARD: readonly Json[] = [
  null,
  true,
  0,
  -0,
  0.1,
  1e300,
  5e-324,
  2 ** 53 - 1,
  -(2 ** 53),
  2 ** 60,
  1e21,
  "",
  'it\'s "quoted" \\ and\nbroken\r\n\ttwice',
  "\0\u0001\u007f9\u0085\u2028",
  "]] ]=] --[[",
  "ünïcödé 🙂",
  "\ud800 alone \udc00",
  [],
  {},
  [[], {}, null, [null]],
  { end: 1, "a b": 2, "1": 3, "": 4, "a.b": { nil: null } },
  JSON.parse('{"__proto__":{"constructor":1}}') as Json,
];

test("luaLiteral of difficult values evaluates to the value", async () => {
  const got = await evaluated(...HARD.map((value) => luaLiteral(value)));
  expect(got).toEqual(HARD);
});

test("luaLiteral of any value evaluates to the value", async () => {
  const key = fc.string({ unit: "binary" });
  const text = fc.string({ unit: "binary" });
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(key, tie("json"), { maxKeys: 4 }),
    ),
  }));
  const values = fc.sample(json, 300);
  expect(await evaluated(...values.map((value) => luaLiteral(value)))).toEqual(
    // A prototype of the sample's own is none of the value's.
    JSON.parse(
      JSON.stringify(values, (_, each: unknown) => (Object.is(each, -0) ? "-0" : each)).replaceAll(
        '"-0"',
        "-0",
      ),
    ),
  );
});

test("luaString is on one line", () => {
  expect(luaString('a\n"b"\u0007')).toBe('"a\\n\\"b\\"\\007"');
});

test("luaLiteral breaks a long table into indented lines", () => {
  const value = { command: "x".repeat(60), list: ["y".repeat(30), 1] };
  expect(luaLiteral(value, { indent: "  " })).toBe(
    [
      "{",
      `    command = "${"x".repeat(60)}",`,
      `    list = { "${"y".repeat(30)}", 1 },`,
      "  }",
    ].join("\n"),
  );
});

test('luaLiteral writes null as nil with { nothing: "nil" }', () => {
  expect(luaLiteral({ a: null, b: [1, null], c: [] }, { nothing: "nil" })).toBe(
    "{ b = { 1, nil }, c = {} }",
  );
});

test("luaPath uses list positions, and brackets for unusual keys", () => {
  const within = { args: { "a b": [{ end: { x: 1 } }] } };
  expect(luaPath("o.payload", ["args", "a b", "0", "end", "x"], within)).toBe(
    'o.payload.args["a b"][1]["end"].x',
  );
  expect(luaPath("o.payload", ["args", "0"], { args: { "0": 1 } })).toBe('o.payload.args["0"]');
});
