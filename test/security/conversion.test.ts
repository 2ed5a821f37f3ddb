import { describe, expect, test } from "vitest";
import type { RigOptions } from "../unit/engine/lua/rig.ts";
import { inBothModes } from "./modes.ts";

/** A list or object that is `levels` deep. */
function nested(levels: number, kind: "list" | "object" = "list"): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = kind === "list" ? [value] : { x: value };
  return value;
}

inBothModes(({ createRig }) => {
  /** Runs a handler's body once on these arguments. */
  async function run(body: string, args: Record<string, unknown> = {}, options: RigOptions = {}) {
    const rig = await createRig(options);
    await rig.load(`return function(ctx) local args = ctx.payload.args ${body} end`);
    const outcome = await rig.call(args);
    const { action, ctx } = outcome;
    return {
      action,
      args: (ctx.payload as { args: Record<string, unknown> }).args,
      reason: "reason" in outcome ? outcome.reason : undefined,
      result: "result" in outcome ? (outcome.result as unknown) : undefined,
      rig,
    };
  }

  async function expectRefused(
    body: string,
    why: RegExp | string,
    args: Record<string, unknown> = {},
  ) {
    const { action, reason, args: after, rig } = await run(body, args);
    expect(action).toBe("abort");
    if (typeof why === "string") expect(reason).toContain(why);
    else expect(reason).toMatch(why);
    expect(after).toEqual(args);
    await rig.load(
      `return { point = "prompt.pre_submit", handler = function(c) c.payload.prompt = "ok" end }`,
    );
    const other = await rig.dispatch("prompt.pre_submit", { prompt: "" });
    expect(other.ctx.payload).toMatchObject({ prompt: "ok" });
  }

  describe("C1, C2: NUL and other bytes", () => {
    test("C1: Lua sees all bytes of a string with NUL", async () => {
      const { args } = await run(
        `args.n = #args.command
       args.bytes = table.concat({ args.command:byte(1, -1) }, " ")
       args.found = args.command:find("rm", 1, true)
       args.back = args.command`,
        { command: "ls\0; rm" },
      );
      expect(args).toMatchObject({
        n: 7,
        bytes: "108 115 0 59 32 114 109",
        found: 6,
        back: "ls\0; rm",
      });
    });

    test("C2: keys with NUL are keys of their own", async () => {
      const { args } = await run(
        `args.seen = { args["a\\0b"], args["a"], args["a\\0"] == nil, rawget(args, "a\\0b") }
       args["a\\0c"] = 3
       args["a\\0b"] = nil
       local n = 0 for k in pairs(args) do if k:find("\\0", 1, true) then n = n + #k end end
       args.n = n`,
        { "a\0b": 1, a: 2 },
      );
      expect(args).toEqual({ a: 2, "a\0c": 3, seen: [1, 2, true, 1], n: 3 });
    });

    test("any UTF-8, a byte order mark, halves of surrogate pairs", async () => {
      const texts = [
        "é€😀",
        "\ufeffx",
        "\ud800",
        "a\udfffb",
        "\ud83d\ude00\ud83d",
        "\u0000",
        "",
        "x".repeat(100),
      ];
      const { args } = await run(
        `for i, text in ipairs(args.texts) do args.copies[i] = text .. "" end
       args.lengths = {} for i, text in ipairs(args.texts) do args.lengths[i] = #text end`,
        { texts, copies: orEmpty() },
      );
      expect(args["copies"]).toEqual(texts);
      expect(args["lengths"]).toEqual([9, 4, 3, 5, 7, 1, 0, 100]);
    });

    test("invalid UTF-8 is rejected, in any place", async () => {
      await expectRefused(`args.x = "\\xff"`, "ctx/payload/args/x is not valid UTF-8");
      await expectRefused(
        `args.x = { ["\\xff"] = 1 }`,
        "ctx/payload/args/x has a key that is not valid UTF-8",
      );
      await expectRefused(
        `args["\\xff"] = 1`,
        "a key of the context must be a string or a list index",
      );
      await expectRefused(`return orcs.deny("\\xc0\\x80")`, "not valid UTF-8");
      await expectRefused(`return { ["\\xff"] = 1 }`, /key/);
      const { args } = await run(`args.read = args["\\xff"] == nil`);
      expect(args).toEqual({ read: true });
    });
  });

  function orEmpty(): unknown[] {
    return [];
  }

  describe("C3–C5: numbers", () => {
    test("C3: a number beyond integers becomes a float of the same sign and magnitude", async () => {
      const numbers = [1e19, 1e300, 2 ** 63, -(2 ** 63), 2 ** 53, -(2 ** 53), 1.5, -0.5, 5e-324];
      const { args } = await run(
        `args.types = {} args.signs = {} args.copies = {}
       for i, n in ipairs(args.numbers) do
         args.types[i] = math.type(n) args.signs[i] = n > 0 args.copies[i] = n
       end
       args.exact = args.numbers[1] == 1e19 and args.numbers[2] == 1e300 and args.numbers[3] == 2.0^63`,
        { numbers },
      );
      expect(args["types"]).toEqual(numbers.map(() => "float"));
      expect(args["signs"]).toEqual(numbers.map((n) => n > 0));
      expect(args["copies"]).toEqual(numbers);
      expect(args["exact"]).toBe(true);
    });

    test("integers up to 2^53 stay integers, in both directions", async () => {
      const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53 - 1)];
      const { args } = await run(
        `args.types = {} args.copies = {}
       for i, n in ipairs(args.numbers) do args.types[i] = math.type(n) args.copies[i] = n + 0 end
       args.edge = { 1 << 53, -(1 << 53), 3.0, 2^53, 1e300 }`,
        { numbers },
      );
      expect(args["types"]).toEqual(numbers.map(() => "integer"));
      expect(args["copies"]).toEqual(numbers);
      expect(args["edge"]).toEqual([2 ** 53, -(2 ** 53), 3, 2 ** 53, 1e300]);
    });

    test.each([
      ["2^53 + 1", `(1 << 53) + 1`, "the integer 9007199254740993, which is beyond 2^53"],
      ["-2^53 - 1", `-(1 << 53) - 1`, "the integer -9007199254740993, which is beyond 2^53"],
      ["the greatest integer", `math.maxinteger`, "the integer 9223372036854775807"],
      ["the least integer", `math.mininteger`, "the integer -9223372036854775808"],
      ["NaN", `0/0`, "is NaN"],
      ["infinity", `1/0`, "is Infinity"],
      ["minus infinity", `-math.huge`, "is -Infinity"],
    ])("C4: %s is rejected with its path", async (_, value, why) => {
      await expectRefused(`args.x = ${value}`, `ctx/payload/args/x is`);
      await expectRefused(`args.list[2] = { a = ${value} }`, `ctx/payload/args/list/2/a`, {
        list: [1, 2],
      });
      await expectRefused(`return orcs.skip({ ${value} })`, why);
      await expectRefused(`orcs.json_encode(${value})`, why);
      await expectRefused(`orcs.state.set("x", ${value})`, why);
    });

    test("C5: negative zero is kept", async () => {
      const { args } = await run(
        `args.kind = math.type(args.zero) args.inverse = 1 / args.zero < 0 args.copy = args.zero
       args.own = -0.0 args.plus = 0.0`,
        { zero: -0 },
      );
      expect(args).toEqual({ zero: -0, kind: "float", inverse: true, copy: -0, own: -0, plus: 0 });
    });
  });

  describe("C6–C8: null, empty, holes", () => {
    test("C6: null reads as nil and stays; orcs.null writes it; nil removes", async () => {
      const { args } = await run(
        `args.read = args.kept == nil and args.missing == nil
       args.written = orcs.null
       args.nested = { orcs.null, { x = orcs.null } }
       args.removed = nil
       args.other = nil
       args.box.y = 1`,
        { kept: null, removed: null, other: 1, box: { n: null }, list: [null] },
      );
      expect(args).toEqual({
        kept: null,
        read: true,
        written: null,
        nested: [null, { x: null }],
        box: { n: null, y: 1 },
        list: [null],
      });
      expect("missing" in args).toBe(false);
    });

    test("orcs.null is the only truthy null in Lua", async () => {
      const { args } = await run(
        `args.own = orcs.null ~= nil and not not orcs.null
       args.decoded = orcs.json_decode("null") == orcs.null
       args.inside = orcs.json_decode('{"a":null,"b":[null]}').a == orcs.null
       args.encoded = orcs.json_encode({ orcs.null, { a = orcs.null } })
       local r = orcs.exec("x")
       args.answer = { r.gone == nil, r.list[1] == orcs.null, r.list[2].deep == nil, #r.list }`,
        {},
        { tool: async () => ({ ok: true, gone: null, list: [null, { deep: null }] }) },
      );
      expect(args).toEqual({
        own: true,
        decoded: true,
        inside: true,
        encoded: `[null,{"a":null}]`,
        answer: [true, true, true, 2],
      });
    });

    test("C7: an empty list and an empty object stay distinct, in both directions", async () => {
      const { args } = await run(
        `args.copy = { args.list, args.object, orcs.array(), orcs.array{}, {}, orcs.json_decode("[]"), orcs.json_decode("{}") }
       args.json = orcs.json_encode({ args.list, args.object, orcs.array{}, {} })
       args.grown[1] = "x"
       args.named.x = 1
       table.remove(args.emptied)
       args.cleared.a = nil`,
        { list: [], object: {}, grown: [], named: {}, emptied: [1], cleared: { a: 1 } },
      );
      expect(args).toEqual({
        list: [],
        object: {},
        copy: [[], {}, [], [], {}, [], {}],
        json: "[[],{},[],{}]",
        grown: ["x"],
        named: { x: 1 },
        emptied: [],
        cleared: {},
      });
    });

    test("C8: nulls in a list count, holes are rejected", async () => {
      const { args } = await run(
        `args.n = #args.list
       args.last = args.list[3]
       args.sum = 0 for _, v in pairs(args.list) do args.sum = args.sum + v end
       args.copy = args.list
       args.grown[#args.grown + 1] = 4`,
        { list: [1, null, 3], grown: [null, null] },
      );
      expect(args).toEqual({
        list: [1, null, 3],
        n: 3,
        last: 3,
        sum: 4,
        copy: [1, null, 3],
        grown: [null, null, 4],
      });
    });

    test.each([
      [`args.x = { 1, nil, 3 }`, "ctx/payload/args/x is a list with a missing element at 2"],
      [`args.x = { [2] = 1 }`, "ctx/payload/args/x is a list with a missing element at 1"],
      [`args.list[5] = 1`, "ctx/payload/args/list is a list with a missing element at 4"],
      [`args.list[1] = nil`, "ctx/payload/args/list is a list with a missing element at 1"],
      [`args.x = {} args.x[1e9] = 1`, "is a list with a missing element at 1"],
      [`args.list[1e15] = 1`, "is a list with a missing element at 4"],
      [`return orcs.skip({ 1, nil, 3 })`, "missing element at 2"],
      [`return { action = "continue", inject = { "a", nil, "b" } }`, "missing element at 2"],
    ])("C8: %s", async (body, why) => {
      await expectRefused(body, why, { list: [1, 2, 3] });
    });
  });

  describe("C10: keys of two kinds", () => {
    test.each([
      [`args.x = { 1, a = 2 }`, "both string keys and list indices"],
      [`args.list.a = 1`, "ctx/payload/args/list has both string keys and list indices"],
      [`args.object[1] = 1`, "ctx/payload/args/object has both string keys and list indices"],
      [`args.x = { [0] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.x = { [1.5] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.x = { [-1] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.x = { [true] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.x = { [print] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.x = { [{}] = 1 }`, "a key that is neither a string nor a list index"],
      [`args.list[0] = 1`, "neither a string nor a list index"],
      [`args[true] = 1`, "a key of the context must be a string or a list index"],
      [`args[1.5] = 1`, "a key of the context must be a string or a list index"],
      [`args[{}] = 1`, "a key of the context must be a string or a list index"],
      [`return { 1, action = "continue" }`, "a key that is not a string"],
    ])("%s", async (body, why) => {
      await expectRefused(body, why, { list: [1], object: { a: 1 } });
    });

    test("objects with keys that look like positions stay objects", async () => {
      const { args } = await run(
        `args.read = { args.o["1"], args.o[1] == nil, #args.o }
       args.copy = args.o
       args.own = { ["1"] = "x", ["2"] = "y" }
       args.json = orcs.json_encode(orcs.json_decode('{"1":"a"}'))`,
        { o: { "1": "a", "2": "b" } },
      );
      expect(args).toEqual({
        o: { "1": "a", "2": "b" },
        read: ["a", true, 0],
        copy: { "1": "a", "2": "b" },
        own: { "1": "x", "2": "y" },
        json: `{"1":"a"}`,
      });
    });
  });

  describe("C12–C14: cycles and depth", () => {
    test("C12: a cycle in the caller's data is readable up to the depth limit", async () => {
      const cycle: Record<string, unknown> = { a: 1 };
      cycle["self"] = cycle;
      await expectRefused(
        `local t = args.c while true do t = t.self end`,
        /nested deeper than 32 levels/,
        { c: cycle },
      );
      await expectRefused(`args.copy = args.c`, /nested deeper than 32 levels/, { c: cycle });
      await expectRefused(`orcs.json_encode(args.c)`, /nested deeper than 32 levels/, { c: cycle });
      const { action } = await run(`args.seen = args.c.self.self.self.a`, { c: cycle });
      expect(action).toBe("continue");
    });

    test.each([
      [`local t = {} t.t = t args.x = t`, "is a circular reference"],
      [`local a, b = {}, {} a.b = b b.a = a return orcs.skip(a)`, "is a circular reference"],
      [`local t = {} t[1] = { { { t } } } args.x = t`, "is a circular reference"],
      [`local t = {} t.t = t orcs.json_encode(t)`, "is a circular reference"],
      [
        `local t = {} t.t = t return { action = "continue", ctx = { payload = t } }`,
        "is a circular reference",
      ],
      [`args.x = args`, "nested deeper than 32 levels"],
      [`args.box.a = args args.box.b = args`, "nested deeper than 32 levels"],
      [`args.box.own = { args.box }`, "is a circular reference"],
      [`args.x = {} args.x.ctx = ctx`, "is a circular reference"],
    ])("C12: %s", async (body, why) => {
      await expectRefused(body, why, { box: {} });
    });

    test.each([33, 1000, 100_000])("C13: %i levels written by Lua are rejected", async (levels) => {
      const deep = `local t = 1 for i = 1, ${levels} do t = { t } end`;
      await expectRefused(`${deep} args.x = t`, /nested deeper than 32 levels/);
      await expectRefused(`${deep} return orcs.skip(t)`, /nested deeper than 32 levels/);
      await expectRefused(`${deep} orcs.json_encode(t)`, /nested deeper than 32 levels/);
      await expectRefused(
        `orcs.json_decode(("["):rep(${levels}) .. ("]"):rep(${levels}))`,
        /nested deeper than 32 levels|valid JSON/,
      );
    });

    test.each([33, 1000, 100_000])(
      "C13: %i levels in the payload are rejected when read",
      async (levels) => {
        const value = nested(levels);
        await expectRefused(
          `local t = args.deep while type(t) == "table" do t = t[1] end`,
          /nested deeper than 32 levels/,
          { deep: value },
        );
        const { args } = await run(`args.top = #args.deep`, { deep: value });
        expect(args["top"]).toBe(1);
        expect(args["deep"]).toBe(value);
      },
    );

    test("C13: 30 levels are accepted, in both directions and when moved", async () => {
      const list = nested(30);
      const object = nested(30, "object");
      const { args, reason } = await run(
        `local t = args.list local n = 0 while type(t) == "table" do t = t[1] n = n + 1 end
       local o = args.object while type(o) == "table" do o = o.x n = n + 1 end
       args.n = n
       local own = 1 for i = 1, 30 do own = { own } end
       args.own = own args.list2 = args.list args.object2 = args.object`,
        { list, object },
      );
      expect(reason).toBeUndefined();
      expect(args).toEqual({ list, object, n: 60, own: list, list2: list, object2: object });
    });

    test("C13: what can be read can be written in the same place, but nothing deeper", async () => {
      // The arguments are two levels below the context.
      const deepest = 30;
      for (const levels of [deepest, deepest + 1]) {
        const { action } = await run(
          `local t = args.list while type(t) == "table" do t = t[1] end`,
          {
            list: nested(levels),
          },
        );
        expect(action).toBe(levels === deepest ? "continue" : "abort");
        const written = await run(`local t = 1 for i = 1, ${levels} do t = { t } end args.x = t`);
        expect(written.action).toBe(levels === deepest ? "continue" : "abort");
        const moved = await run(`args.x = args.list`, { list: nested(levels) });
        expect(moved.action).toBe(levels === deepest ? "continue" : "abort");
      }
    });

    test("C14: a shared table is no cycle", async () => {
      const { args } = await run(
        `local shared = { a = 1 } args.x = { shared, shared, { shared } }
       args.y = { args.box, args.box }`,
        { box: { b: 2 } },
      );
      expect(args).toMatchObject({ x: [{ a: 1 }, { a: 1 }, [{ a: 1 }]], y: [{ b: 2 }, { b: 2 }] });
    });

    test("C14: sharing that doubles at each level is rejected by size, in time", async () => {
      // Of this process: a machine with other things to do takes its time as well.
      const began = process.cpuUsage();
      await expectRefused(
        `local t = {} for i = 1, 30 do t = { t, t } end return orcs.skip(t)`,
        /beyond the size limit|ran longer/,
      );
      await expectRefused(
        `local t = args.big for i = 1, 25 do t = { t, t } end args.x = t`,
        /beyond the size limit|ran longer/,
        { big: Array.from({ length: 1000 }, (_, i) => i) },
      );
      const { user, system } = process.cpuUsage(began);
      expect((user + system) / 1000).toBeLessThan(4000);
    });
  });

  describe("C15, C16: ignored return values and metatables", () => {
    test("C15: the first of many return values counts", async () => {
      const { result } = await run(
        `local t = {} for i = 1, 200 do t[i] = "deny" end return orcs.skip("first"), table.unpack(t)`,
      );
      expect(result).toBe("first");
      expect((await run(`return ctx, 1, 2, 3`)).action).toBe("continue");
      expect((await run(`return nil, orcs.deny("no")`)).action).toBe("continue");
    });

    test("C15: ten thousand return values are accepted", async () => {
      const { action } = await run(
        `local t = {} for i = 1, 10000 do t[i] = i end return ctx, table.unpack(t)`,
      );
      expect(action).toBe("continue");
    });

    test("C16: metamethods of a returned table are not called", async () => {
      const { result, rig } = await run(
        `local asked = {}
       local loud = function(t, k) print("asked", k) return "no" end
       local meta = { __index = loud, __pairs = loud, __len = loud, __eq = loud, __tostring = loud, __iter = loud, __metatable = "x" }
       local t = setmetatable({ a = 1, list = setmetatable({ 1, 2 }, meta) }, meta)
       args.x = t
       return setmetatable({ action = "skip", result = t }, meta)`,
      );
      expect(result).toEqual({ a: 1, list: [1, 2] });
      expect(rig.logs).toEqual([]);
    });

    test("C16: an action from a metatable is ignored", async () => {
      await expectRefused(
        `return setmetatable({}, { __index = { action = "continue" } })`,
        /empty table/,
      );
    });
  });
});
