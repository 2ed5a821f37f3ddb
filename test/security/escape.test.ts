import { describe, expect, test } from "vitest";
import type { Rig } from "../unit/engine/lua/rig.ts";
import { inBothModes } from "./modes.ts";

inBothModes(({ createRig }) => {
  /** Runs a handler's body once; afterwards a script that has nothing to do with it must still answer. */
  async function run(body: string, args: Record<string, unknown> = {}) {
    const rig = await createRig();
    await rig.load(`return function(ctx) ${body} end`);
    const outcome = await rig.call(args);
    await expectBystander(rig);
    return { outcome, rig, reason: "reason" in outcome ? outcome.reason : undefined };
  }

  async function expectBystander(rig: Rig): Promise<void> {
    await rig.load(
      `return { point = "prompt.pre_submit", handler = function(ctx) ctx.payload.prompt = ctx.payload.prompt:upper() end }`,
    );
    const { ctx } = await rig.dispatch("prompt.pre_submit", { prompt: "ok" });
    expect(ctx.payload).toMatchObject({ prompt: "OK" });
  }

  describe("E1: Lua cannot reach properties of JavaScript objects", () => {
    test("__proto__ can be set as data, constructor is absent", async () => {
      const { reason } = await run(
        `ctx.__proto__ = function() end; return ctx.constructor("return canary()")()`,
      );
      expect(reason).toContain("attempt to call a nil value (field 'constructor')");
    });

    const names = [
      "constructor",
      "__proto__",
      "prototype",
      "toString",
      "toJSON",
      "valueOf",
      "hasOwnProperty",
      "__defineGetter__",
      "__lookupGetter__",
      "then",
      "caller",
      "length",
      "push",
      "map",
      "at",
    ];
    const owners = [
      "ctx",
      "ctx.payload",
      "ctx.payload.args",
      "ctx.payload.args.list",
      "ctx.metadata",
    ];
    test.each(owners)("of %s", async (owner) => {
      const probes = names.map((name) => `assert(${owner}["${name}"] == nil, "${name}")`);
      const raw = names.map((name) => `assert(rawget(${owner}, "${name}") == nil, "${name}")`);
      const { outcome } = await run([...probes, ...raw].join("\n"), { list: [1, 2] });
      expect(outcome.action).toBe("continue");
    });

    test("of functions, null and strings", async () => {
      const { outcome, rig } = await run(`
      print(pcall(function() return orcs.get.constructor end))
      print(pcall(function() return orcs.null.constructor end))
      print(("").constructor, ("x").__proto__, ("x").length)`);
      expect(outcome.action).toBe("continue");
      expect(rig.logs[0]).toContain("attempt to index a function value");
      expect(rig.logs[1]).toContain("attempt to index a userdata value");
      expect(rig.logs[2]).toBe("info: nil\tnil\tnil");
    });
  });

  describe("E3: non-data values are converted or raise an error when read, and their code never runs", () => {
    const touched: string[] = [];
    const touch = (what: string) => (): never => {
      touched.push(what);
      throw new Error("host code ran");
    };
    const trap = new Proxy({}, { get: (_, name) => touch(String(name)) });
    class Own {
      secret = 1;
      get [Symbol.toStringTag](): string {
        return touch("toStringTag")();
      }
    }
    Object.defineProperty(Own.prototype, "constructor", { get: touch("constructor") });
    class OwnDate extends Date {
      override toISOString = touch("toISOString");
      override toJSON = touch("toJSON");
      override getTime = touch("getTime");
      override valueOf = touch("valueOf");
    }
    class OwnMap extends Map<string, unknown> {
      override entries = touch("entries");
      override forEach = touch("forEach");
      override [Symbol.iterator] = touch("iterator");
      override get size(): number {
        return touch("size")();
      }
    }
    /** What hooks cannot look into, in front of an operation. */
    const unreadable = new Set(["Promise", "proxy", "proxy of a list", "getter"]);
    const values: Record<string, () => unknown> = {
      Date: () => new Date(0),
      Map: () => new Map([["a", 1]]),
      Promise: () => Promise.resolve(1),
      Buffer: () => Buffer.from("x"),
      class: () => new Own(),
      "class of a Date": () => new OwnDate(0),
      "class of a Map": () => new OwnMap([["a", touch("value")]]),
      "object of a proxy": () => Object.create(new Proxy({}, trap)) as unknown,
      proxy: () => new Proxy({ a: 1 }, trap),
      "proxy of a list": () => new Proxy([1], trap),
      function: () => touch("function"),
      symbol: () => Symbol("s"),
      bigint: () => 1n,
      getter: () => Object.defineProperty({}, "v", { get: touch("getter"), enumerable: true }),
    };
    const reads: Record<string, string> = {
      index: "return orcs.skip({ ctx.payload.args.box.v ~= nil })",
      rawget: "return orcs.skip({ rawget(ctx.payload.args.box, 'v') ~= nil })",
      pairs: "for k, v in pairs(ctx.payload.args.box) do print(k, v) end",
      next: "local k, v = next(ctx.payload.args.box) print(k, v)",
      json_encode: "print(orcs.json_encode(ctx.payload.args.box))",
      "result of skip": "return orcs.skip(ctx.payload.args.box)",
      "moved elsewhere": "ctx.payload.args.copy = ctx.payload.args.box",
      state: "orcs.state.set('box', ctx.payload.args.box) print(orcs.state.get('box'))",
      tool: "orcs.exec(ctx.payload.args.box)",
    };
    describe.each(Object.keys(values))("%s", (name) => {
      test.each(Object.keys(reads))("%s", async (read) => {
        touched.length = 0;
        const value = (values[name] as () => unknown)();
        // What holds the accessor is the box itself.
        const box = name === "getter" ? value : { v: value };
        const { outcome, reason } = await run(reads[read] as string, { box });
        if (unreadable.has(name)) {
          expect(outcome.action).toBe("abort");
          expect(reason).toMatch(/which a hook cannot read|is (a|an) [\w ]+$/);
        } else expect(reason ?? "").not.toContain("host code ran");
        expect(touched).toEqual([]);
      });

      test("are kept unchanged when not read", async () => {
        touched.length = 0;
        const value = (values[name] as () => unknown)();
        if (name === "getter") return;
        const { outcome } = await run("ctx.payload.args.seen = true", { box: { v: value } });
        const { args } = outcome.ctx.payload as { args: { box: { v: unknown } } };
        expect(args.box.v).toBe(value);
        expect(touched).toEqual([]);
      });
    });

    test("an accessor in a list is not called", async () => {
      touched.length = 0;
      const list = Object.defineProperty([1, 2], 1, { get: touch("item"), enumerable: true });
      const { reason } = await run("for i, v in ipairs(ctx.payload.args.list) do end", { list });
      expect(reason).toContain("ctx/payload/args/list/2 is an accessor, which a hook cannot read");
      const { outcome } = await run("ctx.payload.args.n = #ctx.payload.args.list", { list });
      expect(outcome.ctx.payload).toMatchObject({ args: { n: 2 } });
      const grown = await run("table.insert(ctx.payload.args.list, 3)", { list });
      expect(grown.reason).toContain("is an accessor");
      expect(touched).toEqual([]);
    });

    test("an array subclass's own iterator is not called", async () => {
      touched.length = 0;
      class List extends Array<number> {
        override [Symbol.iterator](): never {
          return touch("iterator")();
        }
      }
      const list = List.from({ length: 3 }, (_, i) => i);
      const { outcome } = await run(
        `local n = 0
       for _, v in ipairs(ctx.payload.args.list) do n = n + v end
       for _, v in pairs(ctx.payload.args.list) do n = n + v end
       ctx.payload.args.n = n
       ctx.payload.args.copy = ctx.payload.args.list`,
        { list },
      );
      expect(outcome.ctx.payload).toMatchObject({ args: { n: 6, copy: [0, 1, 2] } });
      expect(touched).toEqual([]);
    });
  });

  describe("E4, E7, E8, E9: results with keys that JSON or promises interpret", () => {
    test.each([
      ["__proto__", `return { ["__proto__"] = { action = "continue" } }`, /unknown|without action/],
      [
        "__proto__ beside an action",
        `return { action = "continue", ["__proto__"] = {} }`,
        /__proto__/,
      ],
      ["then", `return { ["then"] = function(r) r() end }`, /then is a function/],
      ["then as data", `return { ["then"] = 1 }`, /"then"/],
      [
        "toJSON",
        `return { action = "skip", result = { toJSON = function() end } }`,
        /toJSON is a function/,
      ],
      [
        "toString",
        `return { action = "skip", result = { toString = function() end } }`,
        /toString is a function/,
      ],
      ["a function", `return function() end`, /is a function/],
      ["a function as the result", `return orcs.skip(print)`, /is a function/],
      ["a coroutine", `return coroutine.create(function() end)`, /is a coroutine/],
      [
        "a coroutine as the result",
        `return orcs.skip({ coroutine.create(print) })`,
        /is a coroutine/,
      ],
      ["null", `return orcs.null`, /returned null/],
    ])("%s", async (_, body, why) => {
      const { outcome, reason } = await run(body);
      expect(outcome.action).toBe("abort");
      expect(reason).toMatch(why);
    });

    test("toJSON and then are ordinary keys", async () => {
      const { outcome } = await run(
        `return orcs.skip({ toJSON = "x", ["then"] = "y", valueOf = 1 })`,
      );
      expect(outcome).toMatchObject({ action: "skip" });
      const { result } = outcome as unknown as { result: object };
      expect(Object.entries(result)).toEqual([
        ["then", "y"],
        ["toJSON", "x"],
        ["valueOf", 1],
      ]);
    });
  });

  describe("E6: __proto__, constructor and prototype are ordinary keys", () => {
    const written = { __proto__: null } as unknown as Record<string, unknown>;
    test.each(["__proto__", "constructor", "prototype"])("%s in an edit", async (key) => {
      const { outcome } = await run(
        `
      ctx.payload.args["${key}"] = { polluted = 1, prototype = { polluted = 2 } }
      ctx.payload.args.deep["${key}"] = { polluted = 3 }
      ctx.metadata["${key}"] = { polluted = 4 }`,
        { deep: {} },
      );
      expect(outcome.action).toBe("continue");
      const { args } = outcome.ctx.payload as { args: Record<string, Record<string, unknown>> };
      const own = (from: object, name: string): unknown =>
        Object.getOwnPropertyDescriptor(from, name)?.value;
      expect(own(args, key)).toEqual({ polluted: 1, prototype: { polluted: 2 } });
      expect(own(args["deep"] as object, key)).toEqual({ polluted: 3 });
      expect(own(outcome.ctx.metadata, key)).toEqual({ polluted: 4 });
      expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
      expect(written["polluted"]).toBeUndefined();
    });

    test("in the caller's payload and in a tool's result", async () => {
      const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}`;
      const rig = await createRig({ tool: async () => ({ ok: true, odd: JSON.parse(text) }) });
      await rig.load(`return function(ctx)
        local args = ctx.payload.args
        for _, odd in ipairs({ args.odd, orcs.exec("x").odd }) do
          assert(odd["__proto__"].polluted == 1 and odd.polluted == nil)
          assert(odd.constructor.prototype.polluted == 2 and rawget(odd, "__proto__").polluted == 1)
        end
        args.copy, args.answer = args.odd, orcs.exec("x").odd
        args.list[2] = args.odd
      end`);
      const { ctx, ...rest } = await rig.call({ odd: JSON.parse(text), list: [{ a: 1 }] });
      expect(rest).toMatchObject({ action: "continue" });
      const { args } = ctx.payload as { args: Record<string, unknown> };
      const written = `{"odd":${text},"list":[{"a":1},${text}],"answer":${text},"copy":${text}}`;
      expect(sorted(JSON.stringify(args))).toEqual(sorted(written));
    });

    test("in a result, decoded and encoded JSON, options and state", async () => {
      const rig = await createRig({ options: JSON.parse(`{ "__proto__": { "polluted": 1 } }`) });
      await rig.load(`return function(ctx)
      assert(orcs.options["__proto__"].polluted == 1 and orcs.options.polluted == nil)
      local decoded = orcs.json_decode('{"__proto__":{"polluted":1},"a":2}')
      assert(decoded["__proto__"].polluted == 1 and decoded.polluted == nil)
      orcs.state.set("__proto__", decoded)
      assert(orcs.state.get("__proto__")["__proto__"].polluted == 1)
      assert(orcs.json_encode(decoded) == '{"__proto__":{"polluted":1},"a":2}')
      return orcs.skip(decoded)
    end`);
      const outcome = await rig.call({});
      expect(JSON.stringify(outcome)).toContain(`"result":{"__proto__":{"polluted":1},"a":2}`);
    });
  });

  describe("E10, E16: globals that are not allowed are absent", () => {
    const gone = [
      "io",
      "os",
      "debug",
      "package",
      "load",
      "loadstring",
      "loadfile",
      "dofile",
      "collectgarbage",
      "warn",
      "string.dump",
      "module",
      "setfenv",
      "js",
      "null",
      "sleep",
      "Promise",
    ];
    test.each(gone)("%s", async (name) => {
      const rig = await createRig();
      await rig.load(`assert(${name} == nil) return function() assert(${name} == nil) end`);
      expect(await rig.call({})).toMatchObject({ action: "continue" });
    });

    test("os.exit does not exist", async () => {
      const { reason } = await run("os.exit(3)");
      expect(reason).toContain("global 'os'");
      expect(process.exitCode).toBeUndefined();
    });

    test("exactly the documented globals exist", async () => {
      const { outcome } = await run(
        `local t = {} for k in pairs(_G) do t[#t + 1] = k end table.sort(t) return orcs.skip(t)`,
      );
      expect((outcome as { result?: unknown }).result).toEqual(
        [
          "_G _VERSION assert coroutine error getmetatable ipairs math next orcs pairs pcall print rawequal",
          "rawget rawlen rawset require select setmetatable string table tonumber tostring type utf8 xpcall",
        ].flatMap((line) => line.split(" ")),
      );
    });

    test("they cannot be reached through a metatable, an error or a coroutine", async () => {
      const { outcome } = await run(`
      assert(getmetatable("") == false)
      assert(getmetatable(ctx) == false and getmetatable(ctx.payload) == false)
      assert(getmetatable(orcs.array{}) == false)
      assert(not pcall(setmetatable, ctx, {}) and not pcall(setmetatable, orcs.array{}, {}))
      assert(getmetatable(print) == nil and getmetatable(orcs.null) == nil)
      assert(getmetatable(coroutine.running()) == nil)
      local _, e = pcall(error) assert(e == nil)`);
      expect(outcome.action).toBe("continue");
    });
  });

  describe("E12: bytecode", () => {
    test("in a script is rejected", async () => {
      const rig = await createRig();
      await expect(rig.load("\x1bLuaT\0\x19\x93\r\n\x1a\n")).rejects.toThrow(
        /attempt to load a binary chunk/,
      );
      await expectBystander(rig);
    });

    test("in a module is rejected", async () => {
      const rig = await createRig({ modules: { m: "\x1bLuaT\0\x19\x93" } });
      await rig.load(`return function() require("m") end`);
      expect(await rig.call({})).toMatchObject({
        action: "abort",
        reason: expect.stringContaining("binary chunk"),
      });
      await expectBystander(rig);
    });
  });

  test("E13: the string metatable is protected and separate per state", async () => {
    const { outcome } = await run(`assert(getmetatable("") == false) string.evil = print`);
    expect(outcome.action).toBe("continue");
  });

  describe("E14: metatables have no meaning to the host", () => {
    test("a table with __name js_function stays a table", async () => {
      const { outcome } = await run(`
      local t = setmetatable({ a = 1 }, { __name = "js_function", __call = print, __tostring = error })
      assert(orcs.json_encode(t) == '{"a":1}')
      orcs.state.set("t", t)
      return orcs.skip({ t, setmetatable({}, { __name = "js_promise", __index = { action = "abort" } }) })`);
      expect(outcome).toMatchObject({ action: "skip", result: [{ a: 1 }, {}] });
    });
  });

  describe("E15: calls with arbitrary arguments", () => {
    test("a thousand arguments, and one of each type, do no harm", async () => {
      const { outcome } = await run(`
      local many = {}
      for i = 1, 1000 do many[i] = i end
      local weird = { 1, 1.5, 0/0, -1/0, "s", "\\xff", true, {}, { 1, a = 2 }, print, orcs.null, coroutine.create(print), ctx, ctx.payload }
      local function visit(t, name)
        for k, f in pairs(t) do
          if type(f) == "function" and k ~= "sleep" and k ~= "hook" then
            for _, w in ipairs(weird) do
              local ok, e = pcall(f, w, w, w)
              assert(ok or type(e) == "string", k)
            end
            local ok, e = pcall(f, table.unpack(many))
            assert(ok or type(e) == "string", k)
          elseif type(f) == "table" and k ~= "options" then visit(f) end
        end
      end
      visit(orcs)`);
      expect(outcome.action).toBe("continue");
    });
  });

  test("a handler cannot resume the coroutine it runs in", async () => {
    const rig = await createRig();
    await rig.load(`
    local waiting
    return function(ctx)
      if not waiting then
        waiting = coroutine.running()
        assert(coroutine.status(waiting) == "dead")
        orcs.sleep(30)
        ctx.payload.args.who = "first"
      else
        local ok, why = coroutine.resume(waiting, "an answer of my own")
        ctx.payload.args.who = tostring(ok) .. ": " .. why
        assert(not pcall(coroutine.close, "waiting"))
        coroutine.close(waiting)
      end
    end`);
    const [first, second] = await Promise.all([rig.call({}), rig.call({})]);
    expect(first.ctx.payload).toMatchObject({ args: { who: "first" } });
    expect(second.ctx.payload).toMatchObject({
      args: { who: "false: cannot resume dead coroutine" },
    });
  });
});

/** JSON with its keys in order; `toEqual` would not see a key `__proto__`. */
function sorted(text: string): string {
  const inOrder = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(inOrder);
    return Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, inOrder(item)]);
  };
  return JSON.stringify(inOrder(JSON.parse(text)));
}
