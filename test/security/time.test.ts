import { describe, expect, test } from "vitest";
import type { AttackReport } from "./attack.ts";
import { inBothModes } from "./modes.ts";

/** Longest stretch, and what may come on top of it: garbage, the compiler, a machine that is busy. */
const RUN_MS = 50;
const GRACE_MS = 1000;
const LIMITS = { maxRunMs: RUN_MS };

/** A handler that does harm when it is told to, and else answers. */
function handler(harm: string): string {
  return `return function(ctx)
    if ctx.payload.args.harm then ${harm} end
    ctx.payload.args.well = true
  end`;
}

const LOOPS: Record<string, string> = {
  "T1 while": `while true do end`,
  "T1 goto": `::again:: goto again`,
  "T1 numeric for": `for i = 1, math.maxinteger do end`,
  "T1 repeat": `repeat until false`,
  "T1 recursion in tail position": `local function f() return f() end f()`,
  "T1 endless iterator": `for _ in function() return 1 end do end`,
  "T1 closures": `while true do local f = function() return ctx end f() end`,
  "T2 pcall swallows": `while true do pcall(function() while true do end end) end`,
  "T3 three nested pcalls": `pcall(function() pcall(function() pcall(function() while true do end end) while true do end end) while true do end end) while true do end`,
  "T3 pcall of pcall": `while true do pcall(pcall, pcall, function() while true do end end) end`,
  "T4 handler of xpcall": `xpcall(error, function() while true do end end)`,
  "T4 handler that fails": `while true do xpcall(error, function() error("again") end) end`,
  "T4 handler and body": `xpcall(function() while true do end end, function() while true do end end)`,
  "T5 coroutine": `coroutine.wrap(function() while true do end end)()`,
  "T5 coroutine in pcall": `while true do pcall(coroutine.wrap(function() while true do end end)) end`,
  "T5 resume swallows": `while true do coroutine.resume(coroutine.create(function() while true do end end)) end`,
  "T5 yielding for ever": `local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end`,
  "T5 many short coroutines": `while true do coroutine.wrap(function() for i = 1, 20 do end end)() end`,
  "T5 trees of short coroutines": `local function f(n) if n == 0 then return end for i = 1, 9 do coroutine.wrap(f)(n - 1) end end while true do f(8) end`,
  "T5 a pool of coroutines": `local cos = {} for i = 1, 3000 do cos[i] = coroutine.wrap(function() while true do for i = 1, 9 do end coroutine.yield() end end) end while true do for i = 1, 3000 do cos[i]() end end`,
  "T5 coroutine.close": `local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) coroutine.yield() end) coroutine.resume(co) coroutine.close(co)`,
  "T9 __index": `local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) while true do pcall(function() return t[1] end) end`,
  "T9 __index loops": `return setmetatable({}, { __index = function() while true do end end }).x`,
  "T9 __newindex": `setmetatable({}, { __newindex = function() while true do end end }).x = 1`,
  "T9 __eq": `local m = { __eq = function() while true do end end } return setmetatable({}, m) == setmetatable({}, m)`,
  "T9 __lt": `local m = { __lt = function() while true do end end } return setmetatable({}, m) < setmetatable({}, m)`,
  "T9 __concat": `return setmetatable({}, { __concat = function() while true do end end }) .. ""`,
  "T9 __len": `return #setmetatable({}, { __len = function() while true do end end })`,
  "T9 __call": `setmetatable({}, { __call = function() while true do end end })()`,
  "T9 __close": `do local x <close> = setmetatable({}, { __close = function() while true do end end }) end`,
  "T9 __pairs": `for _ in pairs(setmetatable({}, { __pairs = function() return function() return 1 end end })) do end`,
  "T9 __tostring": `print(tostring(setmetatable({}, { __tostring = function() while true do end end })))`,
  "T9 __name and __tostring in format": `string.format("%s", setmetatable({}, { __tostring = function() while true do end end }))`,
  "T10 callback of gsub": `("x"):gsub("x", function() while true do end end)`,
  "T10 table of gsub": `("x"):gsub("x", setmetatable({}, { __index = function() while true do end end }))`,
  "T10 comparator of sort": `table.sort({ 3, 1, 2 }, function() while true do end end)`,
  "T10 comparator that contradicts itself": `local t = {} for i = 1, 5000 do t[i] = i end while true do pcall(table.sort, t, function() return true end) end`,
  "T10 gmatch": `for _ in ("x"):rep(100):gmatch("()") do while true do end end`,
  "T10 callback of gsub in pcall": `while true do pcall(string.gsub, "x", "x", function() while true do end end) end`,
  // Loops that run few instructions, each of which makes the VM or the host work hard.
  "views: first key of a long list": `local t = ctx.payload.args for i = 1, 20000 do t[i] = i end while true do next(t) end`,
  "views: reading": `while true do local _ = ctx.payload.args.harm end`,
  "views: nested traversals": `for k in pairs(ctx) do end while true do for k in pairs(ctx) do for j in pairs(ctx.payload) do end end end`,
  "views: growing and shrinking": `local t = ctx.payload.args while true do t.x = { t } t.x = nil end`,
  "long strings: upper": `local s = ("a"):rep(4e6) while true do s:upper() end`,
  "long strings: reverse, lower, sub": `local s = ("a"):rep(4e6) while true do s:reverse() s:lower() s:sub(2) end`,
  "long strings: comparison": `local s = ("a"):rep(4e6) local t = s .. "b" while true do local x = s < t end`,
  "long strings: comparison of NULs": `local s = ("\\0"):rep(7e6) while true do ${"if s <= s then end ".repeat(60)} end`,
  "long strings: equality": `local s = ("a"):rep(4e6) .. "c" local t = ("a"):rep(4e6) .. "b" while true do local x = s == t end`,
  "long strings: concatenation": `local s = ("a"):rep(7e6) while true do pcall(function() return s .. s .. s end) end`,
  "long strings: as keys": `local s = ("a"):rep(2e6) local t = {} while true do t[s .. "b"] = nil end`,
  "long strings: tonumber": `local s = (" "):rep(4e6) while true do tonumber(s) end`,
  "long strings: format": `local s = ("a"):rep(4e6) while true do string.format("%s%q", "", s) end`,
  "allocations that are refused": `local t = {} for i = 1, 150000 do t[i] = {} end while true do pcall(string.rep, "x", 1e9) end`,
  "tables that are refused": `local t = {} while true do pcall(function() for i = 1, 1e5 do t[#t + 1] = {} end end) end`,
  "orcs: json_decode": `local s = "[" .. ("{},"):rep(1e5) .. "{}]" while true do orcs.json_decode(s) end`,
  "orcs: json_decode of what cannot fit": `local s = "[" .. ("{},"):rep(2e6) .. "{}]" while true do pcall(orcs.json_decode, s) end`,
  "orcs: json_encode": `local t = {} for i = 1, 1e5 do t[i] = i end while true do orcs.json_encode(t) end`,
  "orcs: json_encode of escapes": `local s = ("\\0"):rep(2e6) while true do pcall(orcs.json_encode, s) end`,
  "orcs: strings that are not UTF-8": `local s = ("a\\xff"):rep(1e6) while true do pcall(orcs.json_encode, s) end`,
  "orcs: halves of surrogate pairs": `local s = ("a\\xED\\xA0\\x80"):rep(3e5) while true do orcs.json_encode(s) end`,
  "orcs: contains": `local s = ("a"):rep(4e6) local u = "b" .. ("a"):rep(10000) while true do orcs.contains(s, u) end`,
  "orcs: log": `while true do orcs.log("x") print("y") orcs.emit_output("z") end`,
  "orcs: hook": `while true do orcs.hook{ point = "bus.on_register", handler = print } end`,
  "orcs: glob_match": `local text, glob = ("a"):rep(4000), ("*a"):rep(500) .. "b" while true do orcs.glob_match(glob, text) end`,
  "orcs: glob_match of ever new globs": `local n = 0 while true do n = n + 1 orcs.glob_match(("{a,b}"):rep(20) .. n, "a") end`,
  "orcs: shell": `local line = ("for i in a; do "):rep(500) while true do pcall(orcs.shell, line) end`,
  "orcs: shell of what does not end": `local line = ("$( "):rep(1e5) while true do pcall(orcs.shell, line) end`,
  "orcs: unhook": `while true do orcs.unhook("h") end`,
  "require of what is not there": `while true do pcall(require, "nothing") end`,
  "orcs: state, a great value": `local t = {} for i = 1, 1e5 do t[i] = i end orcs.state.set("t", t) while true do orcs.state.get("t") end`,
  "orcs: state": `while true do orcs.state.set("k", orcs.state.incr("n")) end`,
  // C code that goes on without an instruction of the script.
  "__call: itself": `local t = {} setmetatable(t, { __call = t }) t()`,
  "__call: two of each other": `local a, b = {}, {} setmetatable(a, { __call = b }) setmetatable(b, { __call = a }) a()`,
  "__call: a long chain that ends well": `local t = print for i = 1, 6e4 do t = setmetatable({}, { __call = t }) end while true do pcall(t) end`,
  "__call: a short chain with many arguments": `local l, t = {}, print for i = 1, 1e5 do l[i] = i end for i = 1, 500 do t = setmetatable({}, { __call = t }) end while true do t(table.unpack(l)) end`,
  "__call: in a coroutine": `local t = {} setmetatable(t, { __call = t }) coroutine.wrap(function() t() end)()`,
  "__call: as iterator": `local t = {} setmetatable(t, { __call = t }) for x in t do end`,
  "__call: as metamethod": `local m = {} m.__lt, m.__call = setmetatable({}, m), setmetatable({}, m) local x = setmetatable({}, m) < setmetatable({}, m)`,
  "__call: as __close": `local t = {} setmetatable(t, { __close = t, __call = t }) do local x <close> = t end`,
  "__call: as comparator": `local t = {} setmetatable(t, { __call = t }) table.sort({ 1, 2 }, function(...) return t(...) end)`,
  "chains of __index: unpack": `local t = {} for i = 1, 1990 do t = setmetatable({}, { __index = t }) end while true do pcall(table.unpack, t, 1, 2e5) end`,
  "chains of __index: move": `local t = {} for i = 1, 1990 do t = setmetatable({}, { __index = t }) end while true do table.move(t, 1, 1e4, 1, {}) end`,
  "chains of __index: sort": `local t = {} for i = 1, 9999 do t[i] = i % 77 end for i = 1, 1990 do t = setmetatable({}, { __index = t, __len = function() return 9999 end, __newindex = function() end }) end table.sort(t)`,
  "chains of __newindex": `local t = {} for i = 1, 1990 do t = setmetatable({}, { __newindex = t }) end local l = {} for i = 1, 1e4 do l[i] = i end while true do table.move(l, 1, 1e4, 1, t) end`,
  "comparator of C that is slow": `local f, t = ("i1"):rep(1e6), {} for i = 1, 1e4 do t[i] = f end table.sort(t, string.packsize)`,
  "__tostring of C": `local o, l = {}, {} for i = 1, 1e5 do o[i] = "" end setmetatable(o, { __tostring = table.unpack }) for i = 1, 5e4 do l[i] = o end ("%s"):rep(5e4):format(table.unpack(l))`,
  "one value many times in an answer": `local l = {} for i = 1, 1000 do l[i] = i end local t = {} for i = 1, 3e4 do t[i] = l end return orcs.skip(t)`,
  "a great answer": `local t = {} for i = 1, 6e5 do t[i] = i end return orcs.skip(t)`,
};

type Call = AttackReport["calls"][number];

inBothModes(({ attack, createRig }) => {
  async function expectCut(harm: string, kind: RegExp) {
    const carryOut = () =>
      attack({
        scripts: [handler(harm)],
        limits: LIMITS,
        calls: [{ payload: { harm: true } }, {}],
      });
    const report = await carryOut();
    const [cut, next] = report.calls as [Call, Call];
    expect(report.refused).toEqual([]);
    expect(cut).toMatchObject({ action: "abort", reason: expect.stringMatching(kind) });
    expect(cut.payload).toEqual({ tool_name: "exec", tool: "exec", args: { harm: true } });
    // By the wall clock, with others on the processors.
    expect(cut.ms).toBeLessThan(20 * RUN_MS + GRACE_MS);
    // The script itself is loaded again.
    expect(next).toMatchObject({ action: "continue", payload: { args: { well: true } } });
  }

  describe("loops in hooks are interrupted", () => {
    test.each(Object.keys(LOOPS))("%s", async (name) => {
      const wide =
        /it ran longer than 50 ms without waiting|beyond the size limit|not enough memory/;
      await expectCut(LOOPS[name] as string, wide);
    });
  });

  describe("T7: __gc", () => {
    test.each([
      `setmetatable({}, { __gc = function() while true do end end })`,
      `setmetatable({}, { __gc = true })`,
      `local m = { __index = {} } m.__gc = print setmetatable({}, m)`,
    ])("is rejected: %s", async (code) => {
      const rig = await createRig();
      await expect(rig.load(code)).rejects.toThrow(/__gc is not available/);
    });

    test("a finalizer set later never runs", async () => {
      const report = await attack({
        scripts: [
          handler(
            `for i = 1, 1000 do local m = {} local t = setmetatable({}, m) m.__gc = function() while true do end end t = nil end
           local s = ("x"):rep(1e6) while true do end`,
          ),
        ],
        limits: LIMITS,
        calls: [{ payload: { harm: true } }, {}],
      });
      expect(report.calls[0]?.ms).toBeLessThan(RUN_MS + GRACE_MS);
      expect(report.calls[1]?.action).toBe("continue");
    });
  });

  describe("T16: loops while loading a script are interrupted", () => {
    test.each([
      ["at once", `while true do end`],
      ["swallowed", `while true do pcall(function() while true do end end) end`],
      ["in a module", `require("loop")`],
      ["in a coroutine", `coroutine.wrap(function() while true do end end)()`],
    ])("%s", async (_, code) => {
      const modules = { loop: "while true do end" };
      const report = await attack({ scripts: [code], limits: LIMITS, modules });
      expect(report.refused[0]).toContain("it ran longer than 500 ms while it was loading");
      expect(report.loadMs).toBeLessThan(10 * RUN_MS + GRACE_MS);
    });

    test.each([
      ["branches", `if a then ${"elseif a then ".repeat(130_000)}end`],
      [
        "globals below many local variables",
        `${Array.from({ length: 60 }, (_, f) => `local function f${f}() ${Array.from({ length: 190 }, (_, i) => `local a${i}`).join(" ")}\n`).join("")}${"x=x ".repeat(400_000)}${"end ".repeat(60)}`,
      ],
      [
        "keys that collide",
        `t = {${Array.from({ length: 131_073 }, (_, i) => `[${i * 262_143}]=1`).join(",")}}`,
      ],
    ])("source that compiles slowly is interrupted: %s", async (_, code) => {
      const report = await attack({ scripts: [code], limits: LIMITS });
      expect(report.refused[0]).toMatch(/it ran longer than 500 ms while it was|not enough memory/);
      expect(report.loadMs).toBeLessThan(10 * RUN_MS + GRACE_MS);
    });

    test("a loop at reload fails each call in time", async () => {
      const report = await attack({
        scripts: [
          `if orcs.state.get("evil") then while true do end end
         return function() orcs.state.set("evil", true) while true do end end`,
        ],
        limits: LIMITS,
        calls: [{}, {}, {}],
      });
      for (const call of report.calls) {
        expect(call.action).toBe("abort");
        expect(call.ms).toBeLessThan(RUN_MS + GRACE_MS);
      }
    });
  });

  describe("T17: values that loop in __tostring are interrupted", () => {
    const looping = `setmetatable({}, { __tostring = function() while true do end end, __name = "x" })`;
    test.each([
      ["a key of the answer", `return { [${looping}] = 1 }`],
      ["a value of the answer", `return orcs.skip({ x = ${looping}, [1] = 2 })`],
      ["the answer", `return ${looping}`],
      ["the reason", `return orcs.deny(${looping})`],
      ["an argument", `orcs.log(${looping}) error("logged")`],
      ["an argument of print", `print(${looping}) error("printed")`],
    ])("%s", async (_, body) => {
      const report = await attack({
        scripts: [handler(body)],
        calls: [{ payload: { harm: true } }, {}],
      });
      expect(report.calls[0]?.action).toBe("abort");
      expect(report.calls[0]?.reason).not.toContain("ran longer");
      expect(report.calls[0]?.ms).toBeLessThan(GRACE_MS);
      expect(report.calls[1]?.action).toBe("continue");
    });

    // The text of an error is asked for, within the time of the hook.
    test.each([
      ["an error object", `error(${looping})`],
      ["the message of assert", `assert(false, ${looping})`],
    ])("%s", async (_, body) => {
      const report = await attack({
        scripts: [handler(body)],
        limits: LIMITS,
        calls: [{ payload: { harm: true } }, {}],
      });
      expect(report.calls[0]?.action).toBe("abort");
      expect(report.calls[0]?.reason).toContain("ran longer");
      expect(report.calls[0]?.ms).toBeLessThan(2 * RUN_MS + GRACE_MS);
      expect(report.calls[1]?.action).toBe("continue");
    });
  });

  describe("T18: nothing of a dispatch runs after it has settled", () => {
    test("a hook that waits past its timeout is not resumed", async () => {
      const rig = await createRig({ timeoutMs: 40 });
      await rig.load(`return function(ctx)
      local x <close> = setmetatable({}, { __close = function() print("closed") end })
      pcall(orcs.sleep, 120)
      print("resumed")
    end`);
      const began = performance.now();
      const outcome = await rig.call({});
      expect(outcome).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("timed out after 40 ms"),
      });
      expect(performance.now() - began).toBeLessThan(40 + GRACE_MS);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(rig.logs.filter((line) => line.startsWith("info"))).toEqual([]);
    });

    test("another handler cannot resume it", async () => {
      const rig = await createRig();
      await rig.load(`
      local kept = {}
      return function(ctx)
        if ctx.payload.args.again then
          for _, co in ipairs(kept) do kept.ok, kept.why = coroutine.resume(co, { ok = true }) end
          ctx.payload.args.ran = kept.ran
          ctx.payload.args.why = kept.why
        else
          kept[1] = coroutine.running()
          orcs.exec("ls")
          kept.ran = true
        end
      end`);
      const rigged = rig.call({});
      expect((await rigged).action).toBe("continue");
      const slow = await createRig({ timeoutMs: 300, tool: () => new Promise(() => {}) });
      await slow.load(`
      local kept
      return function(ctx)
        if kept then return orcs.skip({ coroutine.resume(kept) }) end
        kept = coroutine.running()
        orcs.exec("ls")
        orcs.state.set("ran", true)
      end`);
      expect(await slow.call({})).toMatchObject({ action: "abort" });
      expect(await slow.call({})).toMatchObject({
        result: [false, "cannot resume dead coroutine"],
      });
    });

    test("the script's own coroutine begun by a timed-out hook stays usable", async () => {
      const rig = await createRig();
      await rig.load(`
      local co = coroutine.wrap(function() while true do coroutine.yield(1) end end)
      return function(ctx)
        co()
        local ok, why = pcall(coroutine.wrap(function() orcs.sleep(1) end))
        return orcs.skip(why)
      end`);
      expect(await rig.call({})).toMatchObject({
        result: expect.stringContaining("orcs.sleep cannot wait here"),
      });
    });
  });

  describe("T19: the time limit of a whole chain", () => {
    /** Runs for `ms` by the clock, without waiting. */
    const busy = (ms: number): string =>
      `local t = orcs.now_ms() while orcs.now_ms() - t < ${ms} do end ctx.payload.args.n = (ctx.payload.args.n or 0) + 1`;

    test.each<[string, string[]]>([
      [
        "of one script",
        [
          `for i = 1, 80 do orcs.hook{ id = "h" .. i, point = "tool.pre_execute", handler = function(ctx) ${busy(40)} end } end`,
        ],
      ],
      [
        "of as many scripts",
        Array.from({ length: 80 }, () => `return function(ctx) ${busy(40)} end`),
      ],
    ])("ends eighty hooks %s, each within its own limit", async (_, scripts) => {
      const report = await attack({ scripts, limits: { maxRunMs: 2000, maxChainMs: 200 } });
      const [call] = report.calls;
      expect(call).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("the hooks of this call ran longer than 200 ms in total"),
      });
      // By the wall clock, with others on the processors.
      expect(call?.ms).toBeLessThan(20 * 200 + GRACE_MS);
    });

    test("later hooks fail without running, and their states are kept", async () => {
      const report = await attack({
        scripts: [
          // Past the limit by the wall clock, as much of processor time is left.
          ...Array.from({ length: 4 }, () => `return function() while true do end end`),
          `local n = 0 return function(ctx) n = n + 1 ctx.payload.args.n = n end`,
        ],
        limits: { maxRunMs: 60, maxChainMs: 100 },
        onError: "open",
        calls: [{}],
      });
      expect(report.calls[0]?.payload["args"]).toEqual({});
      expect(report.logs.at(-1)).toContain("ran longer than 100 ms in total");
    });

    test("includes reloading a killed script", async () => {
      // Their states go as they are full, which takes a fraction of what the chain may.
      const script = `
        if orcs.state.get("killed") then
          -- So much work, however busy the machine is: a few such reloads are more than the limit.
          local n = 0 for i = 1, 4e7 do n = n + i % 7 end
        end
        return function(ctx)
          local args = ctx.payload.args
          if args.kill then
            orcs.state.set("killed", true)
            local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end
          end
          args.ran = (args.ran or 0) + 1
        end`;
      const report = await attack({
        scripts: Array.from({ length: 24 }, () => script),
        limits: { maxRunMs: 5000, maxChainMs: 600 },
        onError: "open",
        calls: [{ payload: { kill: true } }, {}],
      });
      expect(report.refused).toEqual([]);
      const [killed, again] = report.calls as [Call, Call];
      expect(killed.payload["args"]).toEqual({ kill: true });
      expect(report.logs.join("\n")).toContain(
        "the hooks of this call ran longer than 600 ms in total",
      );
      // Past it by the wall clock, as much of processor time is left; all would run if loading them were free.
      expect((again.payload["args"] as { ran?: number }).ran ?? 0).toBeLessThan(24);
    });

    test("excludes waiting", async () => {
      const rig = await createRig({ limits: { maxRunMs: 500, maxChainMs: 500 } });
      await rig.load(`return function() for i = 1, 4 do orcs.sleep(150) end end`);
      expect((await rig.call({})).action).toBe("continue");
    });
  });
});
