import { describe, expect, test } from "vitest";
import { inBothModes } from "./modes.ts";
import type { Measure } from "./vm-probe.ts";

const MB = 1 << 20;

/** What it took to do something many times is what it took to do it once. */
function expectAsBefore(after: Measure, before: Measure): void {
  expect(after.slots).toBe(before.slots);
  expect(after.vmBytes).toBeLessThanOrEqual(before.vmBytes * 1.1);
  expect(after.heapBytes).toBeLessThan(before.heapBytes * 1.1 + 2 * MB);
}

/** Counts as large as attacks.md has them; they take minutes. */
const SOAK = process.env["ORCS_SOAK"] === "1";

function handler(harm: string): string {
  return `return function(ctx)
    if ctx.payload.args.harm then ${harm} end
    local t = {} for i = 1, 1000 do t[i] = { i } end
    ctx.payload.args.well = #t
  end`;
}

const TOO_LARGE_TO_CROSS =
  "the part of the context that it reads is larger than 16 MB, too large for the worker thread; raise engine.max_payload_mb";

const OUT =
  /not enough memory|stack overflow|C stack overflow|error in error handling|string too large|too many results/;
/** Bombs that take their time over it: any end will do. */
const SLOW = [
  "M5 varargs",
  "M6 recursion of xpcall handlers",
  "M6 recursion of pcall",
  "M6 recursion of wrap",
];

inBothModes(({ attack, createRig, createOwnRig, expected }) => {
  describe("M1–M6: memory bombs end in an error, and the script continues", () => {
    const bombs: Record<string, string> = {
      "M1 tables": `local t = {} while true do t[#t + 1] = {} end`,
      "M1 one table": `local t = {} for i = 1, 1e9 do t[i] = i end`,
      "M1 keys": `local t = {} for i = 1, 1e9 do t["k" .. i] = true end`,
      "M1 nested tables": `local t = {} while true do t = { t } end`,
      "M1 preallocated": `local t = {} for i = 1, 40 do t[i] = table.pack(table.unpack({}, 1, 100000)) end`,
      "M2 doubling": `local s = "x" while true do s = s .. s end`,
      "M2 many strings": `local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end`,
      "M3 rep": `local s = string.rep("x", 1e9)`,
      "M3 rep with a separator": `local s = ("x"):rep(1e6, ("y"):rep(1e6))`,
      "M3 concat": `local s = ("x"):rep(1e6) local t = {} for i = 1, 100 do t[i] = s end table.concat(t)`,
      "M3 format": `local s = ("x"):rep(6e6) string.format("%s%s%s", s, s, s)`,
      "M3 gsub": `(("x"):rep(1e5)):gsub("x", ("y"):rep(1e5))`,
      "M5 coroutines": `local t = {} while true do t[#t + 1] = coroutine.create(print) end`,
      "M5 running coroutines": `local t = {} while true do local co = coroutine.wrap(function() coroutine.yield() end) co() t[#t + 1] = co end`,
      "M5 closures": `local t = {} while true do t[#t + 1] = function() return t end end`,
      "M5 varargs": `local function f(...) return f(1, ...) end f()`,
      "M6 recursion": `local function f() return 1 + f() end f()`,
      "M6 recursion of pcall": `local function f() local ok, e = pcall(f) error(e) end f()`,
      "M6 recursion of gsub": `local function f() return ("x"):gsub("x", f) end f()`,
      "M6 recursion of sort": `local function f() table.sort({ 1, 2 }, f) end f()`,
      "M6 recursion of wrap": `local function f() coroutine.wrap(f)() end f()`,
      "M6 recursion of xpcall handlers": `local function f(e) error(e) end xpcall(f, f) local function g() xpcall(g, g) error("x") end g()`,
      "M6 recursion of __index": `local m = {} m.__index = function(t, k) return t[k .. "x"] end return setmetatable({}, m).x`,
      "M6 recursion of __tostring": `local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) tostring(t)`,
      "M6 recursion of require": `require("again")`,
      "views: growing": `local t = ctx.payload.args for i = 1, 1e9 do t[i] = {} end`,
      "views: many": `local t = {} for i = 1, 1e9 do local p = ctx.payload p.x = { {} } t[i] = p.x end`,
      "orcs.json_decode": `local t = {} for i = 1, 1e9 do t[i] = orcs.json_decode("[[],[],[],[]]") end`,
    };
    test.each(Object.keys(bombs))("%s", async (name) => {
      const report = await attack({
        scripts: [handler(bombs[name] as string)],
        limits: SLOW.includes(name) ? { maxRunMs: 200 } : {},
        modules: { again: `require("once")`, once: `require("again")` },
        calls: [{ payload: { harm: true } }, {}, {}],
      });
      const [bomb, ...after] = report.calls;
      expect(bomb?.action).toBe("abort");
      if (!SLOW.includes(name)) {
        expect(bomb?.reason).toMatch(name.includes("require") ? /requires itself/ : OUT);
      }
      for (const call of after) {
        expect(call).toMatchObject({ action: "continue", payload: { args: { well: 1000 } } });
      }
      // 16 MB for each script at most, two scripts, and room for what the VM keeps free.
      expect(report.vmBytes).toBeLessThan(96 * MB);
      expect(bomb?.reason).not.toContain("the Lua VM failed");
    });

    test("a script that keeps its memory full gets a new state", async () => {
      const rig = await createRig();
      await rig.load(`kept = {}
      return function(ctx)
        if ctx.payload.args.harm then while true do kept[#kept + 1] = {} end end
        ctx.payload.args.kept = #kept
      end`);
      expect(await rig.call({ harm: true })).toMatchObject({
        reason: expect.stringContaining("not enough memory"),
      });
      expect((await rig.call({})).ctx.payload).toMatchObject({ args: { kept: 0 } });
    });

    test("a full state is kept while a call waits in it, which completes", async () => {
      const rig = await createRig();
      await rig.load(`return function(ctx)
      if ctx.payload.args.harm then local t = {} while true do t[#t + 1] = {} end end
      local r = orcs.exec("ls")
      orcs.sleep(30)
      ctx.payload.args.seen = r.kind
    end`);
      const waiting = rig.call({});
      expect(await rig.call({ harm: true })).toMatchObject({ action: "abort" });
      expect((await waiting).ctx.payload).toMatchObject({ args: { seen: "exec" } });
    });

    test("M3: string.rep of 1 GB fails at once", async () => {
      const report = await attack({
        scripts: [handler(`string.rep("x", 1e9)`)],
        calls: [{ payload: { harm: true } }],
      });
      expect(report.calls[0]?.ms).toBeLessThan(50 + 450);
    });

    test("a caught memory error does not change the context", async () => {
      const report = await attack({
        scripts: [
          `return function(ctx)
          local full = {}
          pcall(function() while true do full[#full + 1] = {} end end)
          for i = 1, 10 do
            pcall(function() ctx.payload.args["a key of its own that is not interned anywhere else yet " .. i] = i end)
          end
          pcall(function() ctx.payload.args.keep = {} end)
          full = nil
          ctx.payload.args.done = true
        end`,
        ],
        calls: [{ payload: { keep: "kept" } }],
      });
      const args = report.calls[0]?.payload["args"] as Record<string, unknown>;
      expect(report.calls[0]?.action).toBe("continue");
      expect(args["done"]).toBe(true);
      // Written or left alone, but not removed.
      expect(["kept", {}]).toContainEqual(args["keep"]);
    });

    test("edits that need more memory than is left are still read", async () => {
      const report = await attack({
        scripts: [
          `local full = {}
        return function(ctx)
          pcall(function() while true do full[#full + 1] = { 1, 2, 3, 4 } end end)
          ctx.payload.args.x = 1
          ctx.payload.args.list[1] = "y"
          return ctx
        end`,
        ],
        calls: [{ payload: { list: [{ a: 1 }] } }],
      });
      const [call] = report.calls;
      expect(call?.reason ?? "").not.toContain("the Lua VM");
      if (call?.action === "continue") expect(call.payload["args"]).toEqual({ x: 1, list: ["y"] });
    });

    test("a memory bomb at load is rejected with ORCS3006", async () => {
      const rig = await createRig();
      await expect(rig.load(`local t = {} while true do t[#t + 1] = {} end`)).rejects.toThrow(
        /ORCS3006/,
      );
    });
  });

  describe("M8: values too large for a script are rejected by the host", () => {
    test("a string of 300 MB is not copied", async () => {
      const { rig, measure } = await createOwnRig();
      const big = "x".repeat(300 * MB);
      await rig.load(`return function(ctx)
        if ctx.payload.args.read then ctx.payload.args.n = #ctx.payload.args.big end
        ctx.payload.args.seen = ctx.payload.args.small
      end`);
      const began = performance.now();
      const outcome = await rig.call({ big, read: true });
      const refused = {
        thread:
          "ctx/payload/args/big is a string of 314572800 characters, which is beyond the size limit",
        worker: TOO_LARGE_TO_CROSS,
      };
      expect(outcome).toMatchObject({
        action: "abort",
        reason: expect.stringContaining(expected(refused)),
      });
      // To copy it takes several seconds.
      expect(performance.now() - began).toBeLessThan(2000);
      expect((await measure()).vmBytes).toBeLessThan(32 * MB);
      // Nothing is copied, and nothing crosses, that is not read.
      const other = await rig.call({ big, small: 1 });
      expect(other).toMatchObject({
        action: "continue",
        ctx: { payload: { args: { seen: 1 } } },
      });
      expect((other.ctx.payload as { args: { big: string } }).args.big).toBe(big);
    });

    describe.each([
      ["moved elsewhere", `ctx.payload.args.copy = ctx.payload.args.list`],
      ["as a result", `return orcs.skip(ctx.payload.args.list)`],
      ["encoded", `orcs.json_encode(ctx.payload.args.list)`],
      ["kept", `orcs.state.set("x", ctx.payload.args.list)`],
    ])("%s", (_, body) => {
      const text = "x".repeat(MB);
      const part = { text };

      test.each([
        [
          "a list of many strings",
          text,
          { thread: "beyond the size limit", worker: TOO_LARGE_TO_CROSS },
        ],
        // Crosses once, but is as much as the other where it is written out.
        [
          "a list of one part many times",
          part,
          { thread: "beyond the size limit", worker: "beyond the size limit" },
        ],
      ])("%s", async (_, item, why) => {
        const { rig, measure } = await createOwnRig();
        await rig.load(`return function(ctx) ${body} end`);
        const outcome = await rig.call({ list: Array.from({ length: 300 }, () => item) });
        const reason = expect.stringContaining(expected(why)) as string;
        expect(outcome).toMatchObject({ action: "abort", reason });
        expect((await measure()).vmBytes).toBeLessThan(32 * MB);
      });
    });

    test("a tool's result", async () => {
      const text = "x".repeat(MB);
      const { rig, measure } = await createOwnRig({
        tool: async () => ({ ok: true, list: Array.from({ length: 300 }, () => text) }),
      });
      await rig.load(`return function(ctx) orcs.exec("x") end`);
      expect(await rig.call({})).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("exceeds the script's memory limit"),
      });
      expect((await measure()).vmBytes).toBeLessThan(64 * MB);
      expect(await rig.call({})).toMatchObject({ action: "abort" });
    });

    test("a result over max_payload_mb is rejected with its path", async () => {
      const rig = await createRig({ limits: { maxValueBytes: 10_000 } });
      await rig.load(
        `return function(ctx) ctx.payload.args.big = ("x"):rep(ctx.payload.args.n) end`,
      );
      expect(await rig.call({ n: 9_000 })).toMatchObject({ action: "continue" });
      expect(await rig.call({ n: 11_000 })).toMatchObject({
        reason: expect.stringContaining("ctx/payload/args/big is beyond the size limit"),
      });
    });
  });

  describe("M9–M11: no memory leak after", () => {
    test(`M9: ${SOAK ? "1e5" : "4,000"} dispatches`, { timeout: 300_000 }, async () => {
      const { rig, measure } = await createOwnRig();
      await rig.load(`return function(ctx)
      local name = "k" .. ctx.payload.args.i
      ctx.payload.args[name] = { name, { ctx.payload.args.list } }
      for k, v in pairs(ctx.payload.args) do end
      ctx.metadata.seen = #ctx.payload.args.list
      if ctx.payload.args.i % 10 == 0 then error("now and then") end
      if ctx.payload.args.i % 7 == 0 then orcs.exec("ls") end
    end`);
      const round = async (from: number, count: number): Promise<void> => {
        for (let i = from; i < from + count; i++) await rig.call({ i, list: [1, { a: i }] });
      };
      const rounds = SOAK ? 25_000 : 1_000;
      await round(0, rounds);
      rig.logs.length = 0;
      const before = await measure();
      await round(rounds, 3 * rounds);
      rig.logs.length = 0;
      expectAsBefore(await measure(), before);
    });

    test(`M10: ${SOAK ? "1e4" : "150"} kills`, { timeout: 300_000 }, async () => {
      const { rig, measure } = await createOwnRig({ limits: { maxRunMs: 5 } });
      await rig.load(`local t = {} for i = 1, 1000 do t[i] = i end
      return function() local u = {} while true do for i = 1, 1e4 do u[i] = {} end end end`);
      const kills = SOAK ? 10_000 : 150;
      const kill = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) expect((await rig.call({})).action).toBe("abort");
      };
      await kill(kills / 3);
      rig.logs.length = 0;
      const before = await measure();
      await kill(kills);
      rig.logs.length = 0;
      expectAsBefore(await measure(), before);
    });

    test("M10: kills during an allocation", { timeout: 300_000 }, async () => {
      const { rig, measure } = await createOwnRig({ limits: { maxRunMs: 3 } });
      await rig.load(`return function()
      local t, s = {}, ("x"):rep(1e6)
      while true do t = {} for i = 1, 8 do t[i] = s .. i end for i = 1, 20000 do t[i] = i end end
    end`);
      const kill = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) expect((await rig.call({})).action).toBe("abort");
      };
      // Until blocks of all sizes have been taken and given back: when a kill comes depends on the machine.
      await kill(400);
      const before = await measure();
      await kill(SOAK ? 5000 : 150);
      // Once more than it had, by the step in which it grows, for what lies scattered.
      expect((await measure()).vmBytes).toBeLessThanOrEqual(before.vmBytes * 1.25);
    });

    test(
      `M11: ${SOAK ? "1,000" : "100"} scripts loaded and unloaded`,
      { timeout: 300_000 },
      async () => {
        const { rig, measure } = await createOwnRig();
        const runtime = { add: () => "x", remove: () => false };
        const open = async (count: number): Promise<void> => {
          for (let i = 0; i < count; i++) {
            const source = {
              name: "s.lua",
              chunks: [
                {
                  file: "s.lua",
                  code: "T = {} for i = 1, 5000 do T[i] = {} end return print",
                  kind: "script" as const,
                },
              ],
              roots: [],
            };
            rig.layer.unload((await rig.layer.load(source, runtime)).runner);
          }
        };
        await open(50);
        const before = await measure();
        await open(SOAK ? 1000 : 100);
        const after = await measure();
        expectAsBefore(after, before);
        expect(after.vmBytes).toBe(before.vmBytes);
      },
    );

    test("M11: closed engines' VMs", { timeout: 300_000 }, async () => {
      for (let i = 0; i < (SOAK ? 1000 : 10); i++) {
        const { rig, end } = await createOwnRig();
        await rig.load("return function(ctx) ctx.payload.args.x = 1 end");
        expect((await rig.call({})).ctx.payload).toMatchObject({ args: { x: 1 } });
        await end();
      }
      // 16 MB each, were they kept.
      expect(process.memoryUsage().rss).toBeLessThan(SOAK ? 4000 * MB : 1200 * MB);
    });
  });

  describe("M12: log floods", () => {
    test.each([
      ["orcs.log", `orcs.log("x")`],
      ["print", `print("x", 1, nil)`],
      ["emit_output", `orcs.emit_output("x")`],
    ])("%s: 64 lines per call", async (_, line) => {
      const rig = await createRig();
      await rig.load(`return function() for i = 1, 10000 do ${line} end end`);
      await rig.call({});
      expect(rig.logs.length + rig.output.length).toBe(64);
      expect([...rig.logs, ...rig.output].at(-1)).toContain(
        "further lines of this call are dropped",
      );
      await rig.call({});
      expect(rig.logs.length + rig.output.length).toBe(128);
    });

    test.each([
      ["one long line", `orcs.log(("x"):rep(4e6))`],
      [
        "many words",
        `local s = ("x"):rep(4000) local t = {} for i = 1, 60000 do t[i] = s end print(table.unpack(t))`,
      ],
      ["a long error", `error(("x"):rep(4e6))`],
      ["a long name of an action", `return { action = ("x"):rep(4e6) }`],
      ["a long key of an answer", `return { [("x"):rep(4e6)] = 1 }`],
      ["a long key of an edit that is refused", `ctx.payload.args[("x"):rep(1e6)] = print`],
      [
        "a long path",
        `local t = print for i = 1, 20 do t = { [("x"):rep(1e5)] = t } end return orcs.skip(t)`,
      ],
      ["a long module name", `require(("x"):rep(1e6))`],
      ["a long hook", `orcs.unhook(("x"):rep(1e6)) orcs.hook(("x"):rep(1e6), 1)`],
    ])("%s is truncated", async (_, body) => {
      const rig = await createRig();
      await rig.load(`return function(ctx) ${body} end`);
      const outcome = await rig.call({});
      expect(rig.logs.join("").length).toBeLessThan(10_000);
      if ("reason" in outcome) expect(outcome.reason?.length).toBeLessThan(5_000);
    });

    test("are limited while a script loads and across a wait", async () => {
      const rig = await createRig();
      await rig.load(`for i = 1, 1000 do print("x") end
      return function() for i = 1, 100 do orcs.log("y") orcs.sleep(0) end end`);
      expect(rig.logs).toHaveLength(64);
      await rig.call({});
      expect(rig.logs).toHaveLength(128);
    });
  });
});
