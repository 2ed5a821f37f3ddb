import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { createRig, type Rig } from "../unit/engine/lua/rig.ts";
import { canonical, fromEntries, frozen } from "./mutations.ts";

// Any JSON value, over every way into Lua and back.

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "a\0b",
      "\ud800",
      "x\udfff",
      "\ufeff",
      "é€😀",
      "__proto__",
      "constructor",
      "then",
      "toJSON",
      "1",
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 38, maxLength: 60 }) },
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    -0,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    -(2 ** 63),
    1e19,
    1e300,
    5e-324,
    2 ** 31,
    -(2 ** 31),
    0.1,
  ),
);
const json: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: "medium", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("node"), { maxLength: 6 }),
    fc.array(fc.tuple(text, tie("node")), { maxLength: 6 }).map(fromEntries),
  ),
})).node;

const SCRIPT = `
local function copy(v)
  if type(v) ~= "table" then return v end
  if #v > 0 then
    local list = orcs.array{}
    for i = 1, #v do list[i] = v[i] == nil and orcs.null or copy(v[i]) end
    return list
  end
  if next(v) == nil then return orcs.json_encode(v) == "[]" and orcs.array() or {} end
  local object = {}
  for k, w in pairs(v) do object[k] = copy(w) end
  return object
end

local function walk(v)
  if type(v) == "table" then for k, w in pairs(v) do walk(w) assert(v[k] == w) end end
end

local ways = {
  untouched = function(args) args.done = true end,
  walked = function(args) walk(args) end,
  moved = function(args) args.copy = args.v args.v = nil end,
  duplicated = function(args) args.list[1] = args.v args.list[2] = args.v args.copy = args.list end,
  edited = function(args) args.box.new = 1 args.copy = args.box args.box.new = nil end,
  copied = function(args) args.copy = copy(args.v) end,
  coded = function(args) args.copy = orcs.json_encode(args.v) end,
  recoded = function(args) args.copy = orcs.json_encode(orcs.json_decode(args.text)) end,
  decoded = function(args) args.copy = orcs.json_decode(args.text) end,
  kept = function(args) orcs.state.set("k", args.v) args.copy = orcs.state.get("k") end,
  skipped = function(args) return orcs.skip(args.v) end,
  answered = function(args) args.copy = orcs.get("echo", { v = args.v }).v end,
  metadata = function(args, ctx) ctx.metadata.copy = args.v orcs.get("echo", {}, { metadata = { v = args.v } }) end,
}
return function(ctx) local args = ctx.payload.args return ways[args.way](args, ctx) end`;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({
    tool: async (_, arg) => ({ ok: true, v: (arg as { v?: Json }).v ?? null }),
  });
  rig.script(SCRIPT);
});

async function send(
  way: string,
  v: Json,
): Promise<{ outcome: Outcome; args: Record<string, Json> }> {
  const outcome = await rig.call(frozen({ way, v, text: JSON.stringify(v), list: [], box: { v } }));
  expect("reason" in outcome ? outcome.reason : undefined).toBeUndefined();
  return { outcome, args: (outcome.ctx.payload as { args: Record<string, Json> }).args };
}

/** As JSON text has it: it knows no minus nought. */
function asText(v: Json): Json {
  return JSON.parse(JSON.stringify(v)) as Json;
}

/** Without the nulls of objects, which a script that goes through them does not see. */
function withoutNulls(v: Json): Json {
  if (typeof v !== "object" || v === null) return v;
  if (Array.isArray(v)) return v.map(withoutNulls);
  const kept = Object.entries(v).filter(([, item]) => item !== null);
  return fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)] as const));
}

const ways: Record<
  string,
  (v: Json, got: { outcome: Outcome; args: Record<string, Json> }) => [unknown, unknown]
> = {
  untouched: (v, { args }) => [args["v"], v],
  walked: (v, { args }) => [args["v"], v],
  moved: (v, { args }) => ["v" in args ? "still there" : (args["copy"] ?? null), v],
  duplicated: (v, { args }) => [args["copy"], v === null ? [] : [v, v]],
  edited: (v, { args }) => [args["copy"], { v }],
  copied: (v, { args }) => [args["copy"] ?? null, withoutNulls(v)],
  coded: (v, { args }) => [JSON.parse(args["copy"] as string), asText(v)],
  recoded: (v, { args }) => [JSON.parse(args["copy"] as string), asText(v)],
  decoded: (v, { args }) => [args["copy"], asText(v)],
  kept: (v, { args }) => [args["copy"] ?? null, v],
  skipped: (v, { outcome }) => ["result" in outcome ? outcome.result : undefined, v],
  answered: (v, { args }) => [args["copy"] ?? null, withoutNulls(v)],
  metadata: (v, { outcome }) => [outcome.ctx.metadata["copy"] ?? null, v],
};

test.each(Object.keys(ways))("any JSON value is equal after it is %s", async (way) => {
  await fc.assert(
    fc.asyncProperty(json, async (v) => {
      const [got, expected] = (ways[way] as (typeof ways)[string])(v, await send(way, v));
      expect(canonical(got)).toBe(canonical(expected));
      if (way === "untouched" || way === "walked") expect(got).toBe(expected);
    }),
    { numRuns: process.env["ORCS_SOAK"] === "1" ? 5000 : 150 },
  );
});
