import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { ScriptObject } from "../../../../src/engine/lua/ports.ts";
import { tryPart } from "../../../slow-test.ts";
import { call, failureOf, Gate, objectRig, pause, scopeOf, type Isolation } from "./object-rig.ts";

// Both isolations keep the same promises; what is a worker's own is in test/dist/worker-objects.test.ts.
const ISOLATIONS: readonly Isolation[] = ["thread", "worker"];

describe.each(ISOLATIONS)("the return value of a program (%s)", (isolation) => {
  tryPart(isolation);

  test.each<[string, Json | undefined]>([
    ["local x = 1", undefined],
    ["return nil, function() end", undefined],
    ["return 5", 5],
    ["return {}", {}],
    ["return orcs.array()", []],
    ["return { a = { 1 } }", { a: [1] }],
    ["return setmetatable({ 1 }, { __index = function() return print end })", [1]],
  ])("%s gives the value", async (code, value) => {
    const rig = await objectRig(isolation);
    expect(await rig.run(code)).toMatchObject({ value });
  });

  test("functions are methods, other entries are fields in order", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(`return setmetatable({
      id = "lua::x", subscriptions = { "A", "B" }, none = orcs.null, deep = { { orcs.array() } },
      z = function() end, a = function() end, ["__proto__"] = { 1 }, constructor = print,
    }, { __pairs = error, __index = error })`);
    expect(JSON.stringify(object.fields)).toBe(
      '{"__proto__":[1],"deep":[[[]]],"id":"lua::x","none":null,"subscriptions":["A","B"]}',
    );
    expect([...object.methods]).toEqual(["a", "constructor", "z"]);
    expect(object.lost).toBe(false);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a single function becomes the method run", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load("return function(a, b) return { b, a } end");
    expect([object.fields, [...object.methods]]).toEqual([{}, ["run"]]);
    expect(await call(object, "run", [1, "x"])).toEqual(["x", 1]);
  });

  test("a program with a scope may wait before it returns its functions", async () => {
    const rig = await objectRig(isolation);
    const code = `local r = orcs.exec("ls") return { say = function() return r.arg.command end }`;
    expect(await call(await rig.load(code, scopeOf()), "say")).toBe("ls");
    expect(await failureOf(rig.run(code))).toBe(
      "ORCS3002: c.lua:1: orcs.exec cannot be called while a script is loading",
    );
  });

  test.each([
    ["return { f = print, a = { { g = print } } }", "the script's result/a/0/g is a function"],
    ["return { f = print, a = 0/0 }", "the script's result/a is NaN"],
    ["return { f = print, a = coroutine.create(print) }", "result/a is a coroutine or userdata"],
    ["return { print }", "the script's result contains functions and a key that is not a string"],
    ["return { f = print, [1] = 1 }", "contains functions and a key that is not a string"],
    ["return { f = print, ['\\xff'] = 1 }", "contains functions and a key that is not a string"],
    ["local t = { f = print } t.t = t return t", "the script's result/t/"],
    ["return { a = { print } }", "the script's result/a/0 is a function"],
    ["error('no way')", "c.lua:1: no way"],
    ["return {", "c.lua:1: "],
    ["coroutine.yield(1)", "yield"],
    ["orcs.sleep(1)", "orcs.sleep cannot be called while a script is loading"],
    ["orcs.request('a', 'b')", "orcs.request cannot be called while a script is loading"],
  ])("%s is an error", async (code, message) => {
    const rig = await objectRig(isolation);
    expect(await failureOf(rig.run(code))).toContain(message);
    expect(await call(await rig.load("return function() return 1 end"), "run")).toBe(1);
  });

  test("fields over the size limit, or too slow to read, are an error", async () => {
    const small = await objectRig(isolation, { limits: { maxValueBytes: 10_000 } });
    expect(
      await failureOf(small.run("return { f = print, a = ('x'):rep(6000), b = ('x'):rep(6000) }")),
    ).toContain("is beyond the size limit");
    const hasty = await objectRig(isolation, {
      limits: { maxRunMs: 100, maxValueBytes: 2 ** 32 },
    });
    // A million paths to one table: made in no time, read for long.
    const code = "local t = {} for i = 1, 24 do t = { t, t } end";
    expect(await failureOf(hasty.run(`${code} return { f = print, t = t }`))).toContain(
      "ORCS3005: reading its result took longer than 100 ms",
    );
    const object = await hasty.load(`return {
      long = function() ${code} return t end, short = function() return 1 end }`);
    expect(await failureOf(call(object, "long"))).toBe(
      "reading its result took longer than 100 ms",
    );
    expect(await call(object, "short")).toBe(1);
    expect(object.lost).toBe(false);
  });

  test("a failed program leaves no hooks behind", async () => {
    const rig = await objectRig(isolation);
    const hook = `orcs.hook { id = "h", point = "bus.on_register", handler = print }`;
    await failureOf(rig.run(`${hook} error("late")`));
    expect(rig.hooks.size).toBe(0);
    await failureOf(rig.run(`${hook} return { print }`));
    expect(rig.hooks.size).toBe(0);
    expect(await rig.run(`${hook} return 1`)).toMatchObject({ value: 1 });
    expect([...rig.hooks.keys()]).toEqual(["h"]);
  });
});

const BASIC = `local n = 0
return {
  count = function() n = n + 1 return n end,
  echo = function(...) return ... end,
  how_many = function(...) return select("#", ...) end,
  many = function() local t = {} for i = 1, 200 do t[i] = i end return table.unpack(t) end,
  wait = function(x) local r = orcs.get("t", x) n = n + 1 return { x, r.value, n } end,
  fails = function()
    error("boom")
  end,
  raises = function(v) error(v) end,
  later = function() orcs.get("t") error("late") end,
  yields = function() coroutine.yield(1) end,
  own = function() return coroutine.wrap(function() return orcs.get("t") end)() end,
  says = function(m) for i = 1, m do print(i) end orcs.get("t") for i = 1, m do print(i) end end,
}`;

describe.each(ISOLATIONS)("a method call (%s)", (isolation) => {
  tryPart(isolation);

  test("keeps state between calls", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    for (let i = 1; i <= 3; i++) expect(await call(object, "count")).toBe(i);
  });

  test("is synchronous on this thread when it does not wait", async () => {
    if (isolation === "worker") return;
    const object = await (await objectRig(isolation)).load(BASIC);
    const bound = { scope: scopeOf(), signal: new AbortController().signal };
    expect(object.call("count", [], bound)).toBe(1);
    expect(() => object.call("fails", [], bound)).toThrow("c.lua:9: boom");
    expect(object.call("count", [], bound)).toBe(2);
    const waiting = object.call("wait", ["x"], {
      ...bound,
      scope: scopeOf({ get: new Gate().get }),
    });
    expect(waiting).toBeInstanceOf(Promise);
    object.close();
    await expect(waiting).rejects.toThrow("unloaded");
  });

  test("round-trips any JSON, except nulls", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    const json = fc.jsonValue({ maxDepth: 5 });
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const given = value as Json;
        expect(await call(object, "echo", [given])).toEqual(withoutNulls(given) ?? undefined);
      }),
      { numRuns: 100 },
    );
  });

  test("passes undefined and null as nil; the first result is returned", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    expect(await call(object, "how_many", [undefined, null])).toBe(2);
    expect(await call(object, "echo", [undefined, 2])).toBeUndefined();
    expect(await call(object, "echo", [])).toBeUndefined();
    expect(await call(object, "many")).toBe(1);
    expect(await call(object, "how_many", Array(10_000).fill(1))).toBe(10_000);
  });

  test("copies its arguments and results", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load("return function(t) t.x[1] = 9 kept = kept or t return kept end");
    const arg = { x: [1] };
    expect(await call(object, "run", [arg])).toEqual({ x: [9] });
    expect(arg).toEqual({ x: [1] });
    arg.x.push(5);
    expect(await call(object, "run", [arg])).toEqual({ x: [9] });
  });

  test("non-JSON arguments fail this call only", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    for (const bad of [deep(40)]) {
      await failureOf(call(object, "echo", [1, bad as unknown as Json]));
      expect(await call(object, "count")).toBeGreaterThan(0);
    }
    const huge = "x".repeat(20 << 20);
    expect(await failureOf(call(object, "echo", [huge]))).toContain(
      "exceeds the script's memory limit",
    );
    expect(object.lost).toBe(false);
  });

  test.each([
    ["fails", [], "c.lua:9: boom"],
    ["raises", ["text"], "c.lua:11: text"],
    ["raises", [{ a: 1 }], "c.lua:11: error value { a = 1 }"],
    ["raises", [undefined], "c.lua:11: error value nil"],
    ["later", [], "c.lua:12: late"],
    ["yields", [], "yield"],
    ["own", [], "orcs.get cannot wait here"],
    ["absent", [], 'the script has no function "absent"'],
    ["__proto__", [], 'the script has no function "__proto__"'],
  ])("%s(%j) fails this call only", async (method, args, message) => {
    const object = await (await objectRig(isolation)).load(BASIC);
    expect(await failureOf(call(object, method, args))).toContain(message);
    expect(await call(object, "count")).toBe(1);
    expect(object.lost).toBe(false);
  });

  test("fails when a tool call rejects or its result is too large", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    const get = () => Promise.reject(new Error("the tool broke"));
    expect(await failureOf(call(object, "wait", [], { get }))).toBe("the tool broke");
    const large = async () => ({ ok: true as const, value: "x".repeat(20 << 20) });
    expect(await failureOf(call(object, "wait", [], { get: large }))).toContain(
      "exceeds the script's memory limit",
    );
    expect(await call(object, "count")).toBe(1);
  });

  test.each([
    ["return 0/0", "the result of run is NaN"],
    ["return print", "the result of run is a function"],
    ["local t = {} t.t = t return t", "the result of run/t is a circular reference"],
    ["return { 1, x = 2 }", "has both string keys and list indices"],
    ["return ('x'):rep(5000)", "the result of run is beyond the size limit"],
    ["local t = {} for i = 1, 999 do t[i] = 1 end return t", "is beyond the size limit"],
    ["local t for i = 1, 40 do t = { t } end return t", "nested deeper than 32 levels"],
  ])("a non-JSON result fails: %s", async (body, message) => {
    const rig = await objectRig(isolation, { limits: { maxValueBytes: 4000 } });
    const object = await rig.load(`local n = 0 return {
      run = function() n = n + 1 ${body} end, count = function() return n end }`);
    expect(await failureOf(call(object, "run"))).toContain(message);
    expect(await call(object, "count")).toBe(1);
  });

  test("is limited to 64 log lines, including those after waits", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(BASIC);
    await call(object, "says", [40]);
    expect(rig.logs).toHaveLength(64);
    expect(rig.logs.at(-1)).toContain("dropped");
    await call(object, "says", [1]);
    expect(rig.logs).toHaveLength(66);
  });

  test("a thousand calls with every third failing leave the state intact", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(BASIC);
    for (let i = 0; i < 1000; i++) {
      if (i % 3 === 0) await failureOf(call(object, i % 2 ? "later" : "fails"));
      else expect(await call(object, "echo", [i])).toBe(i);
    }
    expect(await call(object, "count")).toBe(1);
  });
});

describe.each(ISOLATIONS)("concurrent calls (%s)", (isolation) => {
  tryPart(isolation);

  test("run while another waits; each gets its own result, in any order", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    const gate = new Gate();
    const first = call(object, "wait", ["a"], gate);
    const second = call(object, "wait", ["b"], gate);
    await gate.until(2);
    expect(await call(object, "count")).toBe(1);
    gate.answer(1, "for b");
    expect(await second).toEqual(["b", "for b", 2]);
    gate.answer(0, "for a");
    expect(await first).toEqual(["a", "for a", 3]);
  });

  test("work for 200 results in random order", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    const get = async (_: string, arg?: Json) => {
      await pause(Math.random() * 20);
      return { ok: true as const, value: arg ?? null };
    };
    const all = Array.from({ length: 200 }, (_, i) => call(object, "wait", [i], { get }));
    for (const [i, answer] of (await Promise.all(all)).entries())
      expect((answer as Json[]).slice(0, 2)).toEqual([i, i]);
  });

  test("a waiting call can call its own object", async () => {
    const rig = await objectRig(isolation);
    const object: ScriptObject = await rig.load(`return { down = function(n)
      if n == 0 then return 0 end
      return orcs.get("again", n - 1).value + 1
    end }`);
    const get = async (_: string, n?: Json) => ({
      ok: true as const,
      value: (await call(object, "down", [n], { get })) ?? null,
    });
    expect(await call(object, "down", [30], { get })).toBe(30);
  });

  test("a call made from within a Lua callback runs after it", async () => {
    let object: ScriptObject | undefined;
    const inner: Promise<Json | undefined>[] = [];
    const rig = await objectRig(isolation, {
      onLog: () => void (object && inner.push(call(object, "count"))),
    });
    object = await rig.load(`local n = 0 return {
      loud = function() print("x") n = n + 10 return n end,
      count = function() n = n + 1 return n end }`);
    expect(await call(object, "loud")).toBe(10);
    expect(await Promise.all(inner)).toEqual([11]);
  });
});

describe.each(ISOLATIONS)("cancelling a call (%s)", (isolation) => {
  tryPart(isolation);

  const WATCHED = `local trace = {} return {
    run = function()
      trace[#trace + 1] = "began"
      local close <close> = setmetatable({}, { __close = function() trace[#trace + 1] = "closed" end })
      orcs.get("t")
      trace[#trace + 1] = "went on"
    end,
    trace = function() return trace end }`;

  test("while it waits: it rejects at once, its Lua does not resume, its tool's signal is aborted", async () => {
    const object = await (await objectRig(isolation)).load(WATCHED);
    const gate = new Gate();
    const abort = new AbortController();
    const given = failureOf(call(object, "run", [], { get: gate.get, signal: abort.signal }));
    await gate.until(1);
    abort.abort();
    expect(await given).toBe("the call was cancelled");
    while (!gate.aborted(0)) await pause(1);
    gate.answer(0);
    await pause(20);
    expect(await call(object, "trace")).toEqual(["began"]);
    expect(object.lost).toBe(false);
  });

  test.each(Array.from({ length: 16 }, (_, ticks) => ticks))(
    "after its tool returned, before it resumed: %i ticks later",
    async (ticks) => {
      const events: string[] = [];
      const rig = await objectRig(isolation, { onLog: (text) => void events.push(text) });
      const object = await rig.load(`return { run = function() orcs.get("t") print("woke") end,
        count = function() return 1 end }`);
      const gate = new Gate();
      const abort = new AbortController();
      const ended = call(object, "run", [], { get: gate.get, signal: abort.signal }).then(
        () => "woke",
        (thrown: Error) => thrown.message,
      );
      await gate.until(1);
      gate.answer(0);
      for (let i = 0; i < ticks; i++) await Promise.resolve();
      const wokeBefore = events.includes("woke");
      abort.abort();
      if (isolation === "thread") {
        expect(await ended).toBe(wokeBefore ? "woke" : "the call was cancelled");
      } else expect(await ended).toBe("the call was cancelled");
      await pause(20);
      // A worker may have gone on before the word reaches it.
      if (isolation === "thread") expect(events.includes("woke")).toBe(wokeBefore);
      expect(await call(object, "count")).toBe(1);
    },
  );

  test("before it started rejects; after it ended does nothing", async () => {
    const object = await (await objectRig(isolation)).load(WATCHED);
    const signal = AbortSignal.abort();
    expect(await failureOf(call(object, "run", [], { signal }))).toBe("the call was cancelled");
    const abort = new AbortController();
    expect(await call(object, "trace", [], { signal: abort.signal })).toEqual({});
    abort.abort();
    expect(await call(object, "trace")).toEqual({});
  });

  test("from within the tool it waits for", async () => {
    const object = await (await objectRig(isolation)).load(WATCHED);
    const abort = new AbortController();
    const get = async () => {
      abort.abort();
      return { ok: true as const };
    };
    const { signal } = abort;
    expect(await failureOf(call(object, "run", [], { get, signal }))).toBe(
      "the call was cancelled",
    );
    await pause(20);
    expect(await call(object, "trace")).toEqual(["began"]);
  });

  test("a thousand times leaves nothing behind", async () => {
    const object = await (
      await objectRig(isolation, { limits: { memoryBytes: 2 << 20 } })
    ).load(`
      return { run = function() local t = ("x"):rep(50000) .. orcs.uuid() orcs.get("t") return t end,
        count = function() return 1 end }`);
    const gate = new Gate();
    for (let i = 1; i <= 1000; i++) {
      const abort = new AbortController();
      const given = failureOf(call(object, "run", [], { get: gate.get, signal: abort.signal }));
      await gate.until(i);
      abort.abort();
      expect(await given).toBe("the call was cancelled");
    }
    expect(await call(object, "count")).toBe(1);
    expect(object.lost).toBe(false);
  });
});

describe.each(ISOLATIONS)("limits of a script object (%s)", (isolation) => {
  tryPart(isolation);

  const RISKY = `loads = orcs.state.incr("loads")
  local n, hold = 0, {}
  return { loads = loads,
    count = function() n = n + 1 return n end,
    wait = function() orcs.get("t") return "woke" end,
    loop = function() while true do pcall(function() while true do end end) end end,
    late = function() orcs.get("t") while true do end end,
    fill = function() for i = 1, 1e9 do hold[i] = ("x"):rep(1000) .. i end end,
    again = function() return pcall(function() for i = 1, 1e9 do hold[i] = i end end) end }`;

  test("an overrun kills the state: pending calls fail, and later calls fail until a reload", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(RISKY);
    const gate = new Gate();
    const waiting = failureOf(call(object, "wait", [], gate));
    await gate.until(1);
    expect(await call(object, "count")).toBe(1);
    expect(await failureOf(call(object, "loop"))).toContain(
      "it ran longer than 250 ms without waiting; it was at c.lua:",
    );
    expect(await waiting).toMatch(
      /^its Lua state was killed while it was waiting: it ran longer than 250 ms without waiting; it was at c\.lua:6 \(\d+ ms elapsed, /,
    );
    expect(object.lost).toBe(true);
    expect(await failureOf(call(object, "count"))).toContain("load it again");
    gate.answer(0);
    await object.reload();
    expect(object.lost).toBe(false);
    expect(object.fields).toEqual({ loads: 2 });
    expect(await call(object, "count")).toBe(1);
  });

  test("time spent waiting does not count; each stretch has its own limit", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(RISKY);
    const gate = new Gate();
    const waiting = call(object, "wait", [], gate);
    await pause(400);
    gate.answer(0);
    expect(await waiting).toBe("woke");
    const late = failureOf(call(object, "late", [], gate));
    await gate.until(2);
    gate.answer(1);
    expect(await late).toContain("it ran longer than 250 ms without waiting; it was at c.lua:");
    expect(object.lost).toBe(true);
  });

  test("two calls resumed together, the first of which overruns", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(RISKY);
    const other = await rig.load(BASIC);
    const gate = new Gate();
    const late = failureOf(call(object, "late", [], gate));
    await gate.until(1);
    const waiting = failureOf(call(object, "wait", [], gate));
    await gate.until(2);
    gate.answer(0);
    gate.answer(1, "x".repeat(100_000));
    expect(await late).toContain("it ran longer than 250 ms without waiting; it was at c.lua:");
    expect(await waiting).toContain("its Lua state was killed while it was waiting");
    expect(await call(other, "count")).toBe(1);
  });

  test("out of memory fails the call, then the state is discarded", async () => {
    const rig = await objectRig(isolation, { limits: { memoryBytes: 4 << 20 } });
    const object = await rig.load(RISKY);
    expect(await failureOf(call(object, "fill"))).toBe(
      "c.lua:8: not enough memory: more than 4 MB (lua.memory_mb)",
    );
    expect(object.lost).toBe(true);
    expect(await failureOf(call(object, "count"))).toContain("load it again");
    await object.reload();
    expect(await call(object, "count")).toBe(1);
  });

  test("out of memory does not affect another waiting call", async () => {
    const rig = await objectRig(isolation, { limits: { memoryBytes: 4 << 20 } });
    const object = await rig.load(RISKY);
    const gate = new Gate();
    const waiting = call(object, "wait", [], gate);
    await gate.until(1);
    expect(await failureOf(call(object, "fill"))).toBe(
      "c.lua:8: not enough memory: more than 4 MB (lua.memory_mb)",
    );
    expect(object.lost).toBe(false);
    gate.answer(0);
    // What fills the memory is kept: it may fail, but not otherwise.
    await waiting.catch((thrown: Error) =>
      expect(thrown.message).toBe("c.lua:8: not enough memory: more than 4 MB (lua.memory_mb)"),
    );
  });

  test("reload does nothing without a lost state, and runs once for concurrent requests", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(RISKY);
    await call(object, "count");
    await object.reload();
    expect(await call(object, "count")).toBe(2);
    await failureOf(call(object, "loop"));
    await Promise.all([object.reload(), object.reload(), object.reload()]);
    expect(object.fields).toEqual({ loads: 2 });
  });

  test("a reload that fails or returns no functions can be tried again", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(`
      local n = orcs.state.incr("n")
      if n == 2 then error("second") end
      if n == 3 then return 5 end
      if n == 4 then while true do end end
      if n == 5 then orcs.sleep(1) end
      return { loop = function() while true do end end, n = n }`);
    await failureOf(call(object, "loop"));
    expect(await failureOf(object.reload())).toBe("ORCS3002: c.lua:3: second");
    expect(object.lost).toBe(true);
    expect(await failureOf(object.reload())).toContain("returned no functions");
    expect(await failureOf(object.reload())).toContain("ORCS3005");
    expect(await failureOf(object.reload())).toContain(
      "cannot be called while a script is loading",
    );
    expect(object.lost).toBe(true);
    await object.reload();
    expect(object.fields).toEqual({ n: 6 });
  });

  test("modules are loaded again with the state", async () => {
    const modules = { m: "return { n = 1 }", late: "return 5" };
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 }, modules });
    const object = await rig.load(`local m = require("m") return {
      late = function() return require("late") + m.n end, loop = function() while true do end end }`);
    expect([...object.requires]).toEqual(["m.lua"]);
    expect(await call(object, "late")).toBe(6);
    expect([...object.requires]).toEqual(["m.lua", "late.lua"]);
    await failureOf(call(object, "loop"));
    await object.reload();
    expect(await call(object, "late")).toBe(6);
  });
});

describe.each(ISOLATIONS)("hooks of a loaded program (%s)", (isolation) => {
  tryPart(isolation);

  const HOOKED = `
    orcs.hook { id = "named", point = "tool.pre_execute", handler = print }
    if orcs.state.incr("loads") == 1 then
      orcs.hook { id = "once", point = "tool.pre_execute", handler = print }
      orcs.hook { point = "tool.post_execute", handler = print }
    end
    orcs.hook { point = "tool.pre_execute", handler = print }
    return {
      add = function(id) return orcs.hook { id = id, point = "bus.on_register", handler = print } end,
      remove = function(id) return orcs.unhook(id) end,
      loop = function() while true do end end,
    }`;

  test("are registered while it loads and later", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(HOOKED);
    expect([...rig.hooks.keys()]).toEqual(["named", "once", "c.lua:3", "c.lua:4"]);
    expect(await call(object, "add", ["late"])).toBe("late");
    expect(rig.hooks.get("late")?.spec.place).toEqual({ file: "c.lua", line: -1 });
    expect(await call(object, "remove", ["late"])).toBe(true);
    expect(rig.hooks.has("late")).toBe(false);
  });

  test("need permission, if the scope requires it", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(HOOKED);
    const { size } = rig.hooks;
    expect(await failureOf(call(object, "add", ["x"], { mayHook: false }))).toContain(
      "c.lua:9: orcs.hook: registering a hook here needs the capability SPAWN",
    );
    expect(await failureOf(call(object, "remove", ["named"], { mayHook: false }))).toContain(
      "c.lua:10: orcs.unhook: removing a hook here needs the capability SPAWN",
    );
    expect(rig.hooks.size).toBe(size);
    expect(await call(object, "add", ["x"], { mayHook: true })).toBe("x");
  });

  test("of the killed state stay until the reload, then are replaced", async () => {
    const rig = await objectRig(isolation, { limits: { maxRunMs: 250 } });
    const object = await rig.load(HOOKED);
    await call(object, "add", ["late"]);
    await failureOf(call(object, "loop"));
    expect([...rig.hooks.keys()]).toEqual(["named", "once", "c.lua:3", "c.lua:4", "late"]);
    await object.reload();
    expect([...rig.hooks.keys()].toSorted()).toEqual(["c.lua:2", "named"]);
    expect(await call(object, "add", ["late"])).toBe("late");
    await failureOf(call(object, "loop"));
    await object.reload();
    expect([...rig.hooks.keys()].toSorted()).toEqual(["c.lua:2", "named"]);
  });
});

describe.each(ISOLATIONS)("closing a script object (%s)", (isolation) => {
  tryPart(isolation);

  test("fails pending and later calls and reloads; closing twice does nothing", async () => {
    const object = await (await objectRig(isolation)).load(BASIC);
    const gate = new Gate();
    const waiting = failureOf(call(object, "wait", [], gate));
    await gate.until(1);
    object.close();
    object.close();
    expect(await waiting).toContain("its script was unloaded while it was waiting");
    expect(object.lost).toBe(true);
    expect(await failureOf(call(object, "count"))).toBe(
      "the script was closed; count can no longer be called",
    );
    expect(await failureOf(object.reload())).toContain("its script was unloaded");
    gate.answer(0);
    await pause(10);
  });

  test("from within a Lua callback does not affect other objects", async () => {
    let object: ScriptObject | undefined;
    const rig = await objectRig(isolation, { onLog: () => object?.close() });
    const other = await rig.load(BASIC);
    object = await rig.load(`return function() print("x") orcs.get("t") return 1 end`);
    expect(await failureOf(call(object, "run"))).toContain("unloaded");
    expect(await call(other, "count")).toBe(1);
  });

  test("closing the layer closes all objects", async () => {
    const rig = await objectRig(isolation);
    const object = await rig.load(BASIC);
    const gate = new Gate();
    const waiting = failureOf(call(object, "wait", [], gate));
    await gate.until(1);
    await rig.layer.close();
    expect(await waiting).toContain("unloaded");
    expect(object.lost).toBe(true);
    await failureOf(call(object, "count"));
    await failureOf(object.reload());
    expect(object.lost).toBe(true);
  });
});

test("opening and closing a thousand script objects again needs no more memory", async () => {
  const rig = await objectRig("thread");
  const round = async () => {
    const all: ScriptObject[] = [];
    for (let i = 0; i < 1000; i++) {
      const result = await rig.run(BASIC);
      if (!("object" in result)) throw new Error("it returned no functions");
      all.push(result.object);
      // A value, and what fails, keep no state either.
      await rig.run("return 1");
      await failureOf(rig.run("error(1)"));
    }
    const last = all.at(-1);
    expect(last && (await call(last, "count"))).toBe(1);
    for (const object of all) object.close();
  };
  await round();
  const before = process.memoryUsage();
  await round();
  const after = process.memoryUsage();
  // A state takes some 50 kB of the VM's memory; a thousand that leaked would be 50 MB.
  const grown = after.rss - after.heapTotal - (before.rss - before.heapTotal);
  expect(grown / 2 ** 20).toBeLessThan(25);
}, 120_000);

/** As Lua has it: nil is no value of an object. A list keeps its nulls. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item as Json)]));
}

function deep(levels: number): Json {
  return levels === 0 ? 1 : [deep(levels - 1)];
}
