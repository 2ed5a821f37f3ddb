import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/core/outcome.ts";
import { inBothModes } from "./modes.ts";

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

inBothModes(({ createRig, createOwnRig, expected }) => {
  describe("S1: changes by one script are invisible to another", () => {
    test("in libraries, globals and their metatable, strings and loaded modules", async () => {
      const rig = await createRig({ modules: { m: "return { n = 0 }" } });
      const other = `return { point = "prompt.pre_submit", handler = function(ctx)
      assert(getmetatable(_G) == nil and leaked == nil and string.evil == nil)
      assert(require("m").n == 0)
      assert(("x"):upper() == "X" and tostring(12) == "12" and type(pairs) == "function")
      assert(orcs.json_encode({}) == "{}" and orcs.null ~= nil and math.max(1, 2) == 2)
      ctx.payload.prompt = ctx.payload.prompt:upper()
    end }`;
      await rig.load(other, "before.lua");
      await rig.load(`
      string.upper = function() return "evil" end
      string.evil = true
      tostring = function() return "evil" end
      type, pairs, ipairs, next, pcall, error, assert = nil, nil, nil, nil, nil, nil, nil
      setmetatable(_G, { __index = function() return "evil" end })
      leaked = true
      require("m").n = 1
      orcs = { json_encode = nil, null = nil, options = orcs.options }
      orcs.options.x = 1
      math.max = nil
      table.sort, table.insert = nil, nil
      rawget, rawset, coroutine.running, select = nil, nil, nil, nil
      return function(ctx) ctx.payload.args.evil = ("x"):upper() end`);
      await rig.load(other, "after.lua");
      const evil = await rig.call({});
      expect(evil.ctx.payload).toMatchObject({ args: { evil: "evil" } });
      const outcome = await rig.dispatch("prompt.pre_submit", { prompt: "ok" });
      expect(outcome).toMatchObject({ action: "continue", ctx: { payload: { prompt: "OK" } } });
    });

    test("built-in functions do not use globals that a script replaced", async () => {
      const rig = await createRig();
      await rig.load(`
      error = function() print("error") end
      pcall = function() print("pcall") return true end
      type = function() return "evil" end
      rawequal = function() return true end
      table.move, table.concat, string.rep, select, math.min = nil, nil, nil, nil, nil
      _G.getmetatable, _G.setmetatable = nil, nil
      return function(ctx)
        local t = {} for i = 1, 20001 do t[i] = 20002 - i end
        table.sort(t) table.insert(t, 1, 0) table.remove(t, 1)
        ctx.payload.args.first = t[1]
        ctx.payload.args.found = orcs.contains({ 1, 2 }, 3)
        return orcs.deny("well")
      end`);
      expect(await rig.call({})).toMatchObject({ action: "abort", reason: "well" });
      expect(rig.logs).toEqual([]);
    });

    test("the same script configured twice has two states", async () => {
      const rig = await createRig();
      const code = `n = (n or 0) + 1 return function(ctx) n = n + 1 ctx.payload.args["n" .. #ctx.payload.args.who] = n end`;
      await rig.load(code, "a.lua");
      await rig.load(code, "b.lua");
      await rig.call({ who: "x" });
      const outcome = await rig.call({ who: "x" });
      expect(outcome.ctx.payload).toMatchObject({ args: { n1: 3 } });
    });
  });

  describe("changes by one inline handler are invisible to another", () => {
    const modules = { m: "seen = (seen or 0) + 1 return { judge = function() return seen end }" };
    const TRIES: Record<string, string> = {
      "a field of orcs": `orcs.deny = function() end`,
      "a field of orcs, in pcall": `pcall(function() orcs.deny = function() end end)`,
      "rawset on orcs": `pcall(rawset, orcs, "deny", function() end)`,
      "table.insert on orcs": `pcall(table.insert, orcs, 1)`,
      "orcs itself": `orcs = { deny = function() end } _G.orcs = orcs`,
      "a metatable for orcs": `pcall(setmetatable, orcs, { __index = function() end })`,
      "what pairs gives": `for k, v in pairs(orcs) do end local _, t = pairs(orcs) t.deny = nil`,
      "orcs.state": `pcall(function() orcs.state.get = nil end) pcall(rawset, orcs.state, "get", nil) pcall(function() orcs.state = nil end)`,
      "orcs.options": `orcs.options.list = nil orcs.options = nil`,
      libraries: `string.find = nil string.upper = function() return "" end table.concat, math.max = nil, nil`,
      "libraries, by _G": `for _, t in pairs(_G) do if type(t) == "table" and t ~= _G then for k in pairs(t) do pcall(rawset, t, k, nil) end end end`,
      functions: `tostring, pairs, ipairs, type, error, pcall, select = nil, nil, nil, nil, nil, nil, nil`,
      "the metatable of _G": `setmetatable(_G, { __index = function() return 1 end, __newindex = function() end })`,
      "a module": `local m = require("m") m.judge = nil m.judge = function() return 0 end`,
      "a global": `n = 5 _G.seen = 7`,
    };
    test.each(Object.keys(TRIES))("%s", async (name) => {
      const guard = `
        assert(n == nil and orcs.options ~= nil and orcs.state.get("x") == nil)
        assert(require("m").judge() == 1 and getmetatable(_G) == nil)
        assert(("x"):upper() == "X" and string.find("ab", "b", 1, true) == 2 and tostring(1) == "1")
        assert(table.concat({ "a" }) == "a" and math.max(1, 2) == 2 and type(pairs) == "function")
        return orcs.deny("guarded")`;
      const rig = await createRig({ modules });
      await rig.load([`do pcall(function() ${TRIES[name]} end) end`, guard], "orcs.toml", "inline");
      expect(await rig.call({})).toMatchObject({ action: "abort", reason: "guarded" });
    });
  });

  test.each([
    [`orcs.deny = 1`, "orcs.deny cannot be set: orcs is read-only"],
    [`orcs.new = 1`, "orcs.new cannot be set: orcs is read-only"],
    [`orcs.state.get = 1`, "orcs.state.get cannot be set: orcs.state is read-only"],
    [`rawset(orcs, "deny", 1)`, "the table is read-only"],
    [`rawset(orcs.state, "get", 1)`, "the table is read-only"],
    [`setmetatable(orcs, {})`, "cannot change a protected metatable"],
    [`table.insert(orcs, 1)`, "orcs is read-only"],
  ])("orcs is read-only: %s", async (code, why) => {
    const rig = await createRig();
    await rig.load(`return function(ctx) ${code} end`);
    const outcome = await rig.call({});
    expect(outcome).toMatchObject({ action: "abort", reason: expect.stringContaining(why) });
  });

  test("orcs can be iterated", async () => {
    const rig = await createRig();
    await rig.load(`return function(ctx)
      local n, by_next, key, value = 0, 0
      for name, fn in pairs(orcs) do n = n + 1 assert(rawget(orcs, name) == fn and orcs[name] == fn) end
      repeat key, value = next(orcs, key) if key then by_next = by_next + 1 end until not key
      assert(n == by_next and n > 30 and getmetatable(orcs) == false)
      local states = {}
      for name in pairs(orcs.state) do states[#states + 1] = name end
      table.sort(states)
      return orcs.skip(states)
    end`);
    expect(await rig.call({})).toMatchObject({
      result: ["compare_and_set", "delete", "get", "incr", "set"],
    });
  });

  test("S3: in-place edits of a context that is not returned count", async () => {
    const rig = await createRig();
    await rig.load(`return function(ctx) ctx.payload.args.x = 1 ctx.metadata.m = { 2 } end`);
    const outcome = await rig.call({ y: 2 }, { metadata: { a: 1 } });
    expect(outcome.ctx.payload).toMatchObject({ args: { x: 1, y: 2 } });
    expect(outcome.ctx.metadata).toEqual({ a: 1, m: [2] });
  });

  describe("S4: a failure in one state does not affect others", () => {
    test("a VM trap", async () => {
      const { rig, trap } = await createOwnRig();
      await rig.load(`return { point = "prompt.pre_submit", handler = function(ctx)
      n = (n or 0) + 1 ctx.payload.prompt = ctx.payload.prompt:upper() .. n end }`);
      await rig.load(`kept = 0 return function(ctx)
      kept = kept + 1
      if ctx.payload.args.trap then pcall(pcall, function() return ctx.payload.args.half end) end
      ctx.payload.args.kept = kept
    end`);
      const prompt = async () =>
        (await rig.dispatch("prompt.pre_submit", { prompt: "ok" })).ctx.payload;
      expect(await prompt()).toMatchObject({ prompt: "OK1" });
      for (let i = 0; i < 20; i++) {
        await trap(true);
        const trapped = await rig.call({ trap: true, half: 0.5 });
        await trap(false);
        expect(trapped).toMatchObject({
          action: "abort",
          reason: expect.stringContaining("the Lua VM failed: RuntimeError: unreachable"),
        });
        expect(await prompt()).toMatchObject({ prompt: `OK${i + 2}` });
        expect((await rig.call({})).ctx.payload).toMatchObject({ args: { kept: 1 } });
      }
    });

    test("an error thrown by host code becomes a script error or is ignored", async () => {
      const rig = await createRig();
      const errors: string[] = [];
      rig.logs.push = (line) => {
        if (line.startsWith("info")) throw new TypeError("the logger is broken");
        return errors.push(line);
      };
      await rig.load(`n = 0 return function(ctx)
      n = n + 1
      local ok, why = pcall(orcs.log, "x")
      ctx.payload.args.said = { ok = ok, why = why, n = n }
    end`);
      await rig.call({});
      const outcome = await rig.call({});
      expect((outcome.ctx.payload as { args: unknown }).args).toEqual(
        expected<unknown>({
          thread: { said: { ok: false, why: "the logger is broken", n: 2 } },
          // The line is a message there, which nobody waits for.
          worker: { said: { ok: true, n: 2 } },
        }),
      );
      const line = "error: lua: the handler of script output threw: the logger is broken";
      expect(errors).toEqual(expected<string[]>({ thread: [], worker: [line, line] }));
    });

    test("a killed state ends only the calls waiting in it", async () => {
      const rig = await createRig({ limits: { maxRunMs: 250 } });
      const script = `return function(ctx)
      if ctx.payload.args.loop == NAME then while true do end end
      orcs.sleep(600)
      ctx.payload.args["done" .. NAME] = true
    end`;
      await rig.load(script.replaceAll("NAME", `"a"`), "a.lua");
      const lone = await createRig({ limits: { maxRunMs: 250 } });
      await lone.load(script.replaceAll("NAME", `"b"`), "b.lua");
      const waiting = [rig.call({}), rig.call({})];
      const apart = lone.call({});
      await delay(50);
      const killer = await rig.call({ loop: "a" });
      expect(killer).toMatchObject({ reason: expect.stringContaining("ran longer than 250 ms") });
      for (const outcome of await Promise.all(waiting)) {
        expect(outcome).toMatchObject({
          action: "abort",
          reason: expect.stringContaining("its Lua state was killed while it was waiting"),
        });
      }
      expect(await apart).toMatchObject({ action: "continue" });
      expect((await rig.call({})).ctx.payload).toMatchObject({ args: { donea: true } });
    });
  });

  describe("S5: concurrent dispatches", () => {
    test("200 with their own waits each get their own outcome", async () => {
      const rig = await createRig({
        tool: async (_, arg) => {
          const { i, ms } = arg as { i: number; ms: number };
          await delay(ms);
          return { ok: true, i };
        },
      });
      for (const name of ["a", "b", "c"]) {
        await rig.load(
          `return function(ctx)
        local args = ctx.payload.args
        local i = args.i
        args.${name} = {}
        for step = 1, 3 do
          local r = orcs.get("work", { i = i * 10 + step, ms = args.delays[step] })
          args.${name}[step] = r.i
          ctx.metadata.${name} = (ctx.metadata.${name} or 0) + 1
        end
        if i % 5 == 0 then error("five") end
        assert(args.i == i and ctx.payload.args == args)
        return ctx
      end`,
          `${name}.lua`,
        );
      }
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          rig.call({ i, delays: [Math.random() * 20, Math.random() * 20, 0] }),
        ),
      );
      outcomes.forEach((outcome: Outcome, i) => {
        const steps = [i * 10 + 1, i * 10 + 2, i * 10 + 3];
        if (i % 5 === 0) {
          expect(outcome).toMatchObject({
            action: "abort",
            reason: expect.stringContaining("five"),
          });
          return;
        }
        expect(outcome.ctx.payload).toMatchObject({ args: { i, a: steps, b: steps, c: steps } });
        expect(outcome.ctx.metadata).toEqual({ a: 3, b: 3, c: 3 });
      });
    });

    test("have separate context views", async () => {
      const rig = await createRig();
      await rig.load(`
      local first
      return function(ctx)
        if not first then
          first = ctx
          orcs.sleep(30)
          ctx.payload.args.mine = true
          first = nil
        else
          ctx.payload.args.taken = first.payload.args.who
          first.payload.args.from_second = ctx.payload.args.who
          ctx.payload.args.equal = first.payload == ctx.payload
          local ok, why = pcall(next, first)
          return { action = "continue", ctx = first }
        end
      end`);
      const [first, second] = await Promise.all([rig.call({ who: 1 }), rig.call({ who: 2 })]);
      expect(first?.ctx.payload).toMatchObject({ args: { who: 1, mine: true, from_second: 2 } });
      expect(second).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("the result's ctx is not the context"),
      });
    });
  });

  describe("dispatches from within a hook's call", () => {
    test("by an event listener complete, and the running hook continues", async () => {
      const rig = await createRig({ onError: "open" });
      const nested: Promise<Outcome>[] = [];
      rig.registry.events.on("failed", ({ hook }) => {
        if (hook === "first") nested.push(rig.dispatch("agent.on_notification", { message: hook }));
      });
      await rig.load(`
      orcs.hook{ id = "first", point = "tool.pre_execute", handler = function() error("x") end }
      orcs.hook{ id = "second", point = "tool.pre_execute", handler = function(ctx) ctx.payload.args.n = 2 end }
      orcs.hook{ id = "third", point = "agent.on_notification", handler = function(ctx) ctx.metadata.seen = ctx.payload.message end }`);
      const outcome = await rig.call({});
      expect(outcome.ctx.payload).toMatchObject({ args: { n: 2 } });
      expect(nested).toHaveLength(1);
      expect((await nested[0])?.ctx.metadata).toEqual({ seen: "first" });
    });

    test("by an output or log function complete, also in the same script", async () => {
      const rig = await createRig();
      const nested: Promise<Outcome>[] = [];
      rig.output.push = (text) => nested.push(rig.call({ text }));
      await rig.load(`return function(ctx)
      if ctx.payload.args.text == nil then orcs.emit_output("hello") end
      ctx.payload.args.seen = ctx.payload.args.text
    end`);
      expect((await rig.call({})).action).toBe("continue");
      expect((await nested[0])?.ctx.payload).toMatchObject({ args: { seen: "hello" } });
    });

    test("a listener that unloads the script ends only that script", async () => {
      // On the worker what is unloaded runs on to the end of its time: nothing reaches in there.
      const rig = await createRig({ onError: "open", limits: { maxRunMs: 300 } });
      const source = (code: string) => ({
        name: "x.lua",
        chunks: [{ file: "x.lua", code, kind: "script" as const }],
        roots: [],
      });
      await rig.load(
        `return { point = "prompt.pre_submit", handler = function(ctx) ctx.payload.prompt = "ok" end }`,
      );
      for (const code of [
        `return function() orcs.emit_output("x") while true do end end`,
        `return function() orcs.emit_output("x") end`,
        `return function() pcall(orcs.emit_output, "x") orcs.sleep(10) end`,
      ]) {
        const { runner, specs } = await rig.layer.load(source(code), {
          add: () => "",
          remove: () => false,
        });
        rig.output.push = () => {
          rig.layer.unload(runner);
          return 0;
        };
        const id = `x${code.length}`;
        runner.bind(id, specs[0]?.slot ?? 0);
        const [template] = rig.registry.list("prompt.pre_submit");
        if (!template) throw new Error("no hook");
        rig.registry.register({ ...template, id, runner });
        const outcome = await rig.dispatch("prompt.pre_submit", { prompt: "" });
        expect(outcome).toMatchObject({ action: "continue", ctx: { payload: { prompt: "ok" } } });
        expect(rig.logs.at(-1)).toContain("its script was unloaded");
        rig.registry.unregister(id);
      }
    });
  });

  describe("handlers of a reloaded script", () => {
    test("stay with their hooks, also when defined in another order", async () => {
      const rig = await createRig({ limits: { maxRunMs: 250 } });
      await rig.load(`
      local again = orcs.state.get("loaded")
      orcs.state.set("loaded", true)
      local function a() orcs.hook{ id = "a", point = "tool.pre_execute", handler = function(ctx)
        ctx.payload.args.a = "a" if ctx.payload.args.kill then while true do end end end } end
      local function b() orcs.hook{ id = "b", point = "tool.pre_execute", handler = function(ctx) ctx.payload.args.b = "b" end } end
      if again then b() a() else a() b() end`);
      await rig.call({ kill: true });
      expect((await rig.call({})).ctx.payload).toMatchObject({ args: { a: "a", b: "b" } });
    });

    test("a hook that is not defined again fails closed, and no other handler runs instead", async () => {
      const rig = await createRig({ limits: { maxRunMs: 250 } });
      await rig.load(`
      local again = orcs.state.get("loaded")
      orcs.state.set("loaded", true)
      if not again then
        orcs.hook{ id = "guard", point = "tool.pre_execute", handler = function(ctx) return orcs.deny("guarded") end }
      end
      orcs.hook{ id = "other", point = "tool.on_failure", handler = function() while true do end end }`);
      expect(await rig.call({})).toMatchObject({ reason: "guarded" });
      await rig.dispatch("tool.on_failure", { tool_name: "exec", args: {}, error: "x" });
      expect(await rig.call({})).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("hook guard failed: its handler no longer exists"),
      });
    });

    test("a hook defined at run time is removed with its state", async () => {
      const rig = await createRig({ limits: { maxRunMs: 250 } });
      await rig.load(`return function(ctx)
      if ctx.payload.args.add then
        orcs.hook{ id = ctx.payload.args.add, point = "prompt.pre_submit", handler = function(c) c.payload.prompt = ctx == nil and "" or "added" end }
      end
      if ctx.payload.args.kill then while true do end end
    end`);
      await rig.call({ add: "late" });
      expect((await rig.dispatch("prompt.pre_submit", { prompt: "" })).ctx.payload).toMatchObject({
        prompt: "added",
      });
      await rig.call({ kill: true });
      const gone = await rig.dispatch("prompt.pre_submit", { prompt: "" });
      expect(gone).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("hook late failed: its handler no longer exists"),
      });
      await rig.call({ add: "other" });
      rig.registry.setEnabled("other", false);
      expect(await rig.dispatch("prompt.pre_submit", { prompt: "" })).toMatchObject({
        action: "abort",
      });
    });

    test("identical hooks keep their order", async () => {
      const rig = await createRig({ limits: { maxRunMs: 250 } });
      await rig.load(`for i = 1, 3 do orcs.hook{ point = "tool.pre_execute", handler = function(ctx)
      if ctx.payload.args.kill then while true do end end
      ctx.payload.args.trail = (ctx.payload.args.trail or "") .. i end } end`);
      expect((await rig.call({})).ctx.payload).toMatchObject({ args: { trail: "123" } });
      await rig.call({ kill: true });
      expect((await rig.call({})).ctx.payload).toMatchObject({ args: { trail: "123" } });
    });
  });
});
