import * as fc from "fast-check";
import { expect } from "vitest";
import { getOwn, isPlainObject, type Json } from "../../src/core/index.ts";
import { createRig } from "../unit/engine/lua/rig.ts";
import { canonical, fromEntries } from "./mutations.ts";
import { repeatedTest as test, runCount } from "../slow-test.ts";

// The view of a context against a table of the script's own that holds the same: the same operations,
// in up to three hooks one after the other, must give the same results and leave the same JSON.

const KEYS = ["a", "b", "1", "__proto__"] as const;
const name = fc.constantFrom(...KEYS);
const scalar = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom("", "x", "a\0b", 1.5),
);

/** Values that Lua's own tables can hold: without null, which is no value there. */
const root: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie("node")), { maxLength: 5 }).map(fromEntries),
  ),
})).node;

const table = fc.nat(7);
const key = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: fc.constant("length" as const) },
);
const fresh = fc.constantFrom<Json>({}, [], [1], [1, "x"], { a: 1 }, [{ b: [] }]);

/** `t` and `u` choose among the tables met so far; `k` is a key, `p` a position. */
const operation: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ op: fc.constantFrom("get", "rawget", "walk"), t: table, k: key }),
  fc.record({ op: fc.constantFrom("set", "rawset"), t: table, k: key, v: scalar }),
  fc.record({ op: fc.constant("put"), t: table, k: key, v: fresh }),
  fc.record({ op: fc.constant("alias"), t: table, k: key, u: table }),
  fc.record({ op: fc.constant("delete"), t: table, k: key }),
  fc.record({
    op: fc.constantFrom("insert", "insertAt"),
    t: table,
    p: fc.integer({ min: 0, max: 6 }),
    v: scalar,
  }),
  fc.record({ op: fc.constant("insertTable"), t: table, u: table }),
  fc.record({ op: fc.constant("removeAt"), t: table, p: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ op: fc.constant("move"), t: table, u: table, p: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    op: fc.constantFrom(
      "length",
      "pairs",
      "next",
      "remove",
      "sort",
      "concat",
      "unpack",
      "clear",
      "wait",
      "swap",
    ),
    t: table,
    k: key,
    u: table,
  }),
);
/** Most operations keep a table of one kind and do not close a circle: else nearly all hooks would fail. */
const careful = fc.oneof(
  { weight: 30, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);
const careless: fc.Arbitrary<Json> = fc
  .tuple(operation, careful)
  .map(([made, flag]) => Object.assign(made as object, { careful: flag }) as Json);
const hooks = fc.array(fc.array(careless, { maxLength: 14 }), { minLength: 1, maxLength: 3 });

const INTERPRETER = `
local function apply(root, operations)
  local tables, log = { root }, {}

  local function numberOf(t)
    for i, known in ipairs(tables) do if known == t then return i end end
    tables[#tables + 1] = t
    return #tables
  end
  local function show(v)
    if type(v) == "table" then return "table " .. numberOf(v) end
    return type(v) .. " " .. tostring(v)
  end
  -- A list without holes: of others Lua may say any of several lengths.
  local function isSequence(t)
    local count, greatest = 0, 0
    for k in pairs(t) do
      if math.type(k) ~= "integer" then return false end
      count = count + 1
      if k > greatest then greatest = k end
    end
    return count == greatest
  end
  local function kinds(t)
    local kind
    for i = 1, #t do
      local k = type(t[i])
      if (kind and k ~= kind) or (k ~= "number" and k ~= "string") then return nil end
      kind = k
    end
    return true
  end

  local run = {}
  function run.get(t, o) return show(t[o.k]) end
  function run.rawget(t, o) return show(rawget(t, o.k)) end
  function run.set(t, o) t[o.k] = o.v end
  function run.rawset(t, o) return show(rawset(t, o.k, o.v)) end
  function run.put(t, o) t[o.k] = o.v return show(o.v) end
  function run.alias(t, o, u) t[o.k] = u end
  run["delete"] = function(t, o) t[o.k] = nil end
  function run.walk(t)
    local seen = {}
    for k, v in pairs(t) do
      if type(v) == "table" then for j in pairs(v) do seen[#seen + 1] = type(k) .. k .. type(j) .. j end end
      seen[#seen + 1] = type(k) .. k
    end
    table.sort(seen)
    return table.concat(seen, ",")
  end
  function run.length(t) return isSequence(t) and show(#t) .. show(rawlen(t)) end
  function run.pairs(t)
    local seen = {}
    for k, v in pairs(t) do seen[#seen + 1] = show(k) .. "=" .. (type(v) == "table" and "table" or show(v)) end
    table.sort(seen)
    return table.concat(seen, ",")
  end
  function run.next(t)
    local seen = {}
    local k, v = next(t)
    while k ~= nil do
      seen[#seen + 1] = show(k) .. "=" .. (type(v) == "table" and "table" or show(v))
      k, v = next(t, k)
    end
    table.sort(seen)
    return table.concat(seen, ",") .. show(next(t) == nil)
  end
  function run.insert(t, o) if isSequence(t) then table.insert(t, o.v) end end
  function run.insertAt(t, o) if isSequence(t) then table.insert(t, o.p, o.v) end end
  function run.insertTable(t, o, u) if isSequence(t) then table.insert(t, u) end end
  function run.remove(t) return isSequence(t) and show(table.remove(t)) end
  function run.removeAt(t, o) return isSequence(t) and show(table.remove(t, o.p)) end
  function run.move(t, o, u) if isSequence(t) and isSequence(u) then table.move(t, 1, #t, o.p, u) end end
  function run.sort(t) if isSequence(t) and kinds(t) then table.sort(t) end end
  function run.concat(t) return isSequence(t) and kinds(t) and table.concat(t, ",") end
  function run.unpack(t) return isSequence(t) and select("#", table.unpack(t)) .. show((table.unpack(t))) end
  function run.clear(t) for k in pairs(t) do t[k] = nil end return show(next(t) == nil) end
  function run.wait() orcs.get("pass") end
  function run.swap(t, o, u) t[o.k], u[o.k] = u[o.k], t[o.k] end

  -- A key that keeps a table of one kind, and without holes.
  local function fit(t, k)
    if next(t) == nil then return type(k) == "number" and 1 or k end
    if isSequence(t) then return type(k) == "number" and (k - 1) % (#t + 1) + 1 or 1 end
    return type(k) == "number" and "a" or k
  end
  local function reaches(from, to, seen)
    if from == to then return true end
    if seen[from] then return false end
    seen[from] = true
    for _, v in pairs(from) do
      if type(v) == "table" and reaches(v, to, seen) then return true end
    end
    return false
  end
  local puts = { alias = true, insertTable = true, move = true, swap = true }
  local removes = { ["delete"] = true, swap = true }

  for i, o in ipairs(operations) do
    local t, u = tables[o.t % #tables + 1], tables[(o.u or 0) % #tables + 1]
    if o.careful then
      if o.k then o.k = fit(t, o.k) end
      if removes[o.op] and isSequence(t) and #t > 0 then o.k = #t end
      if puts[o.op] and (reaches(u, t, {}) or reaches(t, u, {})) then o.op = "pairs" end
      if o.op == "swap" and (isSequence(t) or isSequence(u)) then o.op = "length" end
      if o.op == "move" and isSequence(u) then o.p = (o.p - 1) % (#u + 1) + 1 end
    end
    local ok, result = pcall(run[o.op], t, o, u)
    log[i] = o.op .. " " .. (ok and tostring(result) or "error")
  end
  return log
end

for i = 1, 3 do
  orcs.hook{ id = "view" .. i, point = "tool.pre_execute", on_error = "open", handler = function(ctx)
    local operations = orcs.json_decode(ctx.payload.args.operations)[i]
    if operations then orcs.get("log", { log = apply(ctx.payload.args.root, operations) }) end
  end }
end

orcs.hook{ id = "plain", point = "prompt.pre_submit", handler = function(ctx)
  local text = ctx.payload.root
  for _, operations in ipairs(orcs.json_decode(ctx.payload.operations)) do
    local root = orcs.json_decode(text)
    orcs.get("log", { log = apply(root, operations) })
    local ok, json = pcall(orcs.json_encode, root)
    if ok then text = json end
  end
  ctx.payload.root = text
end }
`;

/**
 * What the view has, with an object for an empty list where the model has one: an empty table stays a list where a list
 * stood, which the table of a script cannot know. See `view.test.ts`.
 */
function asInModel(view: Json, model: Json | undefined): Json {
  if (Array.isArray(view)) {
    if (view.length === 0 && isPlainObject(model) && Object.keys(model).length === 0) return {};
    return view.map((each, at) => asInModel(each, Array.isArray(model) ? model[at] : undefined));
  }
  if (!isPlainObject(view)) return view;
  const of = isPlainObject(model) ? model : {};
  return Object.fromEntries(
    Object.entries(view).map(([key, each]) => [
      key,
      asInModel(each as Json, getOwn(of, key) as Json | undefined),
    ]),
  );
}

test("a context view behaves like the script's own table", async () => {
  let logs: Json[] = [];
  const rig = await createRig({
    tool: async (kind, arg) => {
      if (kind === "log") logs.push((arg as { log: Json }).log);
      return { ok: true };
    },
  });
  rig.script(INTERPRETER);
  const container = root.filter((value) => typeof value === "object");
  await fc.assert(
    fc.asyncProperty(container, hooks, async (value, operations) => {
      const before = canonical(value);
      const written = JSON.stringify(operations);
      logs = [];
      const viewed = await rig.call({ root: value, operations: written });
      const viewLogs = logs;
      logs = [];
      const prompt = "";
      const text = JSON.stringify(value);
      const plain = await rig.dispatch("prompt.pre_submit", {
        prompt,
        root: text,
        operations: written,
      });
      expect(plain.action).toBe("continue");
      expect(viewed.action).toBe("continue");
      expect(viewLogs).toEqual(logs);
      const { args } = viewed.ctx.payload as { args: { root: Json } };
      const model = JSON.parse(plain.ctx.payload["root"] as string) as Json;
      expect(canonical(asInModel(args.root, model))).toBe(canonical(model));
      expect(canonical(value), "the host's own value").toBe(before);
      rig.logs.length = 0;
    }),
    { numRuns: process.env["ORCS_SOAK"] === "1" ? 20_000 : runCount(1000) },
  );
});
