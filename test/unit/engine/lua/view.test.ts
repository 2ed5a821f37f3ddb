import { describe, expect, test } from "vitest";
import { createRig, type RigOptions } from "./rig.ts";

/** Runs a handler's body on these arguments: what became of them, and which paths changed. */
async function run(body: string, args: Record<string, unknown> = {}, options: RigOptions = {}) {
  const rig = await createRig(options);
  rig.script(`return function(ctx) local args = ctx.payload.args ${body} end`);
  const outcome = await rig.call(args, { trace: true });
  return {
    action: outcome.action,
    args: (outcome.ctx.payload as { args: Record<string, unknown> }).args,
    metadata: outcome.ctx.metadata,
    changed: (outcome.trace?.[0]?.changed ?? []).toSorted(),
    reason: outcome.trace?.[0]?.reason,
    logs: rig.logs,
  };
}

/** What an expression comes to on these arguments. */
async function value(expression: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { metadata, reason } = await run(`ctx.metadata.value = ${expression}`, args);
  expect(reason).toBeUndefined();
  return metadata["value"];
}

describe("reading the context in Lua", () => {
  const args = {
    s: "x",
    n: 1,
    f: 1.5,
    t: true,
    no: false,
    none: null,
    list: [1, null, "c"],
    o: { k: { d: 2 } },
  };

  test.each([
    ["args.s", "x"],
    ["args.n", 1],
    ["args.f", 1.5],
    ["args.t", true],
    ["args.no", false],
    ["args.none == nil", true],
    ["args.missing == nil", true],
    ["args.o.k.d", 2],
    ["args['o']['k']", { d: 2 }],
    ["args.list[1]", 1],
    ["args.list[1.0]", 1],
    ["args.list[2] == nil", true],
    ["args.list[3]", "c"],
    ["args.list[4] == nil", true],
    ["args.list[0] == nil", true],
    ["args.list[-1] == nil", true],
    ["args.list[1.5] == nil", true],
    ["args.list['1'] == nil", true],
    ["args.list[2^60] == nil", true],
    ["args[0/0] == nil", true],
    ["args[true] == nil", true],
    ["args[args] == nil", true],
    ["#args.list", 3],
    ["#args", 0],
    ["#args.o", 0],
    ["rawlen(args.list)", 3],
    ["rawlen(args.o)", 0],
    ["rawget(args, 's')", "x"],
    ["rawget(args.list, 3)", "c"],
    ["rawget(args, 'missing') == nil", true],
    ["rawget(args, true) == nil", true],
    ["type(args)", "table"],
    ["type(args.list)", "table"],
    ["tostring(args):match('^table: ') ~= nil", true],
    ["next({}) == nil", true],
    ["next(args.o)", "k"],
    ["select(2, next(args.o))", { d: 2 }],
    ["next(args.o, 'k') == nil", true],
    ["next(args.list)", 1],
    ["next(args.list, 1)", 3],
    ["next(args.list, 3) == nil", true],
    ["ctx.hook_point", "tool.pre_execute"],
    ["ctx.component_id", "host::main"],
    ["ctx.principal.type", "Host"],
    ["ctx.depth", 0],
    ["math.type(ctx.timestamp_ms)", "integer"],
    ["select('#', table.unpack(args.list))", 3],
    ["table.pack(table.unpack(args.list)).n", 3],
    ["table.concat({ select(3, table.unpack(args.list)) })", "c"],
    ["setmetatable({}, { __index = args }).s", "x"],
    ["orcs.contains(args.list, 'c')", true],
    ["orcs.contains(args.list, 'd')", false],
    ["orcs.json_encode(args.o)", `{"k":{"d":2}}`],
    ["ctx.payload.tool == ctx.payload.tool_name", true],
  ])("%s", async (expression, expected) => {
    expect(await value(expression, args)).toEqual(expected);
  });

  test("changes nothing, and unread parts stay the caller's own objects", async () => {
    const { args: after, changed } = await run(
      `for k, v in pairs(args) do if type(v) == "table" then for _ in pairs(v) do end end end
       local _ = { args.o.k.d, #args.list, next(args), rawget(args, "o"), args.o == args.o }`,
      args,
    );
    expect(after).toBe(args);
    expect(changed).toEqual([]);
  });

  test("pairs skips null and visits each other key once, in the caller's order", async () => {
    const visit = `local t = {} for k, v in pairs(WHAT) do t[#t + 1] = k end`;
    const names = await run(`${visit.replace("WHAT", "args")} ctx.metadata.t = t`, args);
    expect(names.metadata["t"]).toEqual(["s", "n", "f", "t", "no", "list", "o"]);
    const places = await run(`${visit.replace("WHAT", "args.list")} ctx.metadata.t = t`, args);
    expect(places.metadata["t"]).toEqual([1, 3]);
    const none = await run(
      `for k in pairs(args.empty) do error(k) end for k in pairs(args.list) do error(k) end`,
      { empty: {}, list: [] },
    );
    expect(none.action).toBe("continue");
  });

  test("ipairs stops at null", async () => {
    const { metadata } = await run(
      `local n = 0 for i in ipairs(args.list) do n = i end ctx.metadata.n = n`,
      args,
    );
    expect(metadata["n"]).toBe(1);
  });

  test("a part is always the same table", async () => {
    const { action } = await run(
      `local p = ctx.payload
       assert(ctx.payload == p and rawequal(ctx.payload, p) and p.args == args and args.list == args.list)
       local seen = { [args.o] = 1 } assert(seen[args.o] == 1)
       for k, v in pairs(args) do if k == "o" then assert(v == args.o) end end
       assert(rawget(args, "o") == args.o and select(2, next({ args.o })) == args.o)
       assert(args.o ~= args.o.k and args ~= ctx and args.list ~= args.o)`,
      args,
    );
    expect(action).toBe("continue");
  });

  test.each([
    ["next(args, 'missing')", "invalid key to 'next'"],
    ["next(args, 7)", "invalid key to 'next'"],
    ["next(args.list, 4)", "invalid key to 'next'"],
    ["next(args.list, 0)", "invalid key to 'next'"],
    ["next(args, true)", "invalid key to 'next'"],
    ["next(args, {})", "invalid key to 'next'"],
    ["rawlen(5)", "table expected"],
    ["rawget('x', 1)", "table expected"],
    ["next()", "table expected"],
    ["rawset(print, 1, 1)", "table expected"],
    ["args()", "attempt to call a table value"],
    ["args + 1", "attempt to perform arithmetic on a table value"],
    ["args .. 'x'", "attempt to concatenate a table value"],
    ["args < args", "attempt to compare two table values"],
    ["setmetatable(args, {})", "cannot change a protected metatable"],
    ["table.concat(args.list)", "invalid value (nil) at index 2 in table for 'concat'"],
    ["args.missing.deep", "attempt to index a nil value (field 'missing')"],
    ["args.none.deep", "attempt to index a nil value (field 'none')"],
  ])("%s raises %s", async (expression, why) => {
    const { reason } = await run(`local _ = ${expression}`, args);
    expect(reason).toContain(why);
  });

  test("keys of every kind can be read", async () => {
    const keys = [
      "1",
      "",
      "a.b",
      "__proto__",
      "constructor",
      "then",
      "toJSON",
      "__index",
      "__gc",
      "__metatable",
      "é",
      "nul\0l",
      "x".repeat(100),
    ];
    const odd = Object.fromEntries(keys.map((key) => [key, { of: key }]));
    Object.defineProperty(odd, "__proto__", { value: { of: "__proto__" }, enumerable: true });
    const { metadata, args: after } = await run(
      `local seen = {}
       for k, v in pairs(args) do assert(v.of == k and args[k] == v and rawget(args, k) == v) seen[k] = v.of .. "!" end
       ctx.metadata.seen = seen`,
      odd,
    );
    const seen = new Map(Object.entries(metadata["seen"] as object));
    expect(seen).toEqual(new Map(Object.keys(odd).map((key) => [key, `${key}!`])));
    expect(after).toBe(odd);
  });

  test("more key names than the cache holds can be read", async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`name${i}`, i]));
    expect(
      await value(
        `(function() local n = 0 for k, v in pairs(args) do n = n + v assert(args[k] == v) end return n end)()`,
        many,
      ),
    ).toBe((3000 * 2999) / 2);
  });
});

describe("writing the context in Lua", () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ["args.a = 2", { a: 1 }, { a: 2 }, ["/payload/args/a"]],
    ["args.b = 'x'", { a: 1 }, { a: 1, b: "x" }, ["/payload/args/b"]],
    ["args.a = nil", { a: 1, b: 2 }, { b: 2 }, ["/payload/args/a"]],
    ["args.a = orcs.null", { a: 1 }, { a: null }, ["/payload/args/a"]],
    ["args.n = nil", { n: null }, {}, ["/payload/args/n"]],
    [
      "args.o.k.d = 3",
      { o: { k: { d: 2, e: 1 } } },
      { o: { k: { d: 3, e: 1 } } },
      ["/payload/args/o/k/d"],
    ],
    ["args.o = { k = 1 }", { o: { x: 1 } }, { o: { k: 1 } }, ["/payload/args/o"]],
    ["args.list[2] = 'b'", { list: [1, 2, 3] }, { list: [1, "b", 3] }, ["/payload/args/list/1"]],
    ["args.list[2] = 'b'", { list: [1, null] }, { list: [1, "b"] }, ["/payload/args/list/1"]],
    [
      "args.list[3].x = 1",
      { list: [1, 2, {}] },
      { list: [1, 2, { x: 1 }] },
      ["/payload/args/list/2/x"],
    ],
    ["args.list[4] = 4", { list: [1, 2, 3] }, { list: [1, 2, 3, 4] }, ["/payload/args/list"]],
    ["args.list[3] = nil", { list: [1, 2, 3] }, { list: [1, 2] }, ["/payload/args/list"]],
    ["args.list[1] = 9 args.list[1] = nil", { list: [1] }, { list: [] }, ["/payload/args/list"]],
    ["args['a/b~c'].d = 1", { "a/b~c": {} }, { "a/b~c": { d: 1 } }, ["/payload/args/a~1b~0c/d"]],
    [
      "args.a, args.b = args.b, args.a",
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      ["/payload/args/a", "/payload/args/b"],
    ],
    ["rawset(args, 'a', 2)", { a: 1 }, { a: 2 }, ["/payload/args/a"]],
    ["rawset(args.list, 2, 2)", { list: [1] }, { list: [1, 2] }, ["/payload/args/list"]],
    ["rawset(args, 'a', nil)", { a: 1 }, {}, ["/payload/args/a"]],
    ["args[1] = 'x' args[2] = 'y' args[1] = nil args[2] = nil", { a: 1 }, { a: 1 }, []],
    ["args.e[1] = 'x'", { e: {} }, { e: ["x"] }, ["/payload/args/e"]],
    ["args.e.x = 1", { e: [] }, { e: { x: 1 } }, ["/payload/args/e"]],
    ["args.e.a = nil args.e[1] = 'x'", { e: { a: 1 } }, { e: ["x"] }, ["/payload/args/e"]],
    ["args.e[1] = nil args.e.a = 'x'", { e: [1] }, { e: { a: "x" } }, ["/payload/args/e"]],
    ["args.x = {}", {}, { x: {} }, ["/payload/args/x"]],
    ["args.x = orcs.array()", {}, { x: [] }, ["/payload/args/x"]],
    ["args.x = orcs.array{ 1, 2 }", {}, { x: [1, 2] }, ["/payload/args/x"]],
    ["args.x = { { {} }, { a = { 1 } } }", {}, { x: [[{}], { a: [1] }] }, ["/payload/args/x"]],
    [
      "for k in pairs(args) do args[k] = nil end",
      { a: 1, b: { c: 1 } },
      {},
      ["/payload/args/a", "/payload/args/b"],
    ],
  ])("%s", async (body, before, after, changed) => {
    const host = structuredClone(before);
    const result = await run(body, host);
    expect(result.reason).toBeUndefined();
    expect(result.args).toEqual(after);
    expect(result.changed).toEqual(changed);
    expect(host, "the caller's own is never written to").toEqual(before);
  });

  test.each([
    "args.a = args.a",
    "args.a = 1",
    "args.o = args.o",
    "args.o.k = args.o.k args.list[1] = args.list[1]",
    "args.missing = nil",
    "args.list[9] = nil",
    "args.list.x = nil",
    "args.o[1] = nil",
    "args.n = orcs.null",
    "args.new = 1 args.new = nil",
    "args.zero = -0.0",
    "local l = args.list l[#l + 1] = 5 l[#l] = nil",
    "table.insert(args.list, table.remove(args.list))",
  ])("%s is no change", async (body) => {
    const before = { a: 1, o: { k: { x: 1 } }, list: [1, { b: 1 }], n: null, zero: -0 };
    const { args, changed } = await run(body, before);
    expect(args).toEqual(before);
    expect(changed).toEqual([]);
  });

  test("a written value is read back at once", async () => {
    const { action, reason } = await run(
      `args.a = 2 assert(args.a == 2 and rawget(args, "a") == 2)
       args.a = nil assert(args.a == nil and rawget(args, "a") == nil)
       args.a = { 1 } assert(args.a[1] == 1 and #args.a == 1)
       args.n = orcs.null assert(args.n == orcs.null)
       args.f = false assert(args.f == false)
       args.list[2] = nil assert(#args.list == 1)
       args.list[2] = "y" args.list[3] = "z" assert(#args.list == 3 and rawlen(args.list) == 3)
       local seen = {} for k, v in pairs(args) do seen[k] = v end
       assert(seen.f == false and seen.n == orcs.null and seen.a == args.a and seen.gone == 1)
       assert(args.gone == 1) args.gone = nil
       for k in pairs(args) do assert(k ~= "gone") end
       assert(next(args.o) == nil) args.o.x = 1 assert(next(args.o) == "x")`,
      { a: 1, list: [1, "b"], gone: 1, o: {} },
    );
    expect(reason).toBeUndefined();
    expect(action).toBe("continue");
  });

  test("pairs visits a key once, however often it is written", async () => {
    const { metadata } = await run(
      `args.b = 1 args.a = nil args.a = 2 args.c = 3 args.c = nil args.c = 4
       local t = {} for k, v in pairs(args) do t[#t + 1] = k .. v end ctx.metadata.t = t`,
      { a: 1 },
    );
    expect((metadata["t"] as string[]).toSorted()).toEqual(["a2", "b1", "c4"]);
  });
});

describe("table library functions on context lists", () => {
  test.each<[string, unknown[], unknown]>([
    [
      "table.sort(l, function(a, b) return a.k > b.k end)",
      [{ k: 1 }, { k: 3 }, { k: 2 }],
      [{ k: 3 }, { k: 2 }, { k: 1 }],
    ],
    ["table.remove(l)", [1, null], [1]],
    ["table.insert(l, 'x')", [null, null], [null, null, "x"]],
  ])("%s", async (body, before, after) => {
    const { args, reason } = await run(`local l = args.l ${body}`, { l: before });
    expect(reason).toBeUndefined();
    expect(args["l"]).toEqual(after);
  });

  test("long lists that are processed in pieces", async () => {
    const l = Array.from({ length: 12_000 }, (_, i) => (i * 7919) % 12_007);
    const { args, reason } = await run(
      `table.sort(args.l) table.insert(args.l, 1, -1) table.remove(args.l, 2)`,
      { l },
    );
    expect(reason).toBeUndefined();
    expect(args["l"]).toEqual([-1, ...l.toSorted((a, b) => a - b).slice(1)]);
  });
});

describe("the script's own tables in the context", () => {
  test("edits through another reference count until the hook returns", async () => {
    const { args, changed } = await run(
      `local t = { 1 } args.t = t t[2] = 2
       local deep = {} t[3] = { deep } deep.x = 1
       args.u = { t } t[1] = "one"`,
    );
    expect(args).toEqual({ t: ["one", 2, [{ x: 1 }]], u: [["one", 2, [{ x: 1 }]]] });
    expect(changed).toEqual(["/payload/args/t", "/payload/args/u"]);
  });

  test("keep their metatables, which are ignored on output", async () => {
    const { args } = await run(
      `local t = setmetatable({}, { __index = { inherited = 1 } }) args.t = t
       assert(args.t.inherited == 1 and args.t == t)`,
    );
    expect(args).toEqual({ t: {} });
  });

  test("leave no view in the script after the hook", async () => {
    const rig = await createRig();
    rig.script(`local t = { n = 0 } return function(ctx)
      t.n = t.n + 1 ctx.payload.args.t = t ctx.payload.args.t.m = t.n
    end`);
    await rig.call({});
    expect((await rig.call({})).ctx.payload).toMatchObject({ args: { t: { n: 2, m: 2 } } });
  });
});

describe("moving parts of the context in Lua", () => {
  test("a part that is moved is edited through either name", async () => {
    const { args, changed } = await run(
      `local a = args.a args.b = a args.b.x = 2 a.y = 3 assert(args.a.x == 2 and args.b == args.a)`,
      { a: { x: 1 } },
    );
    expect(args).toEqual({ a: { x: 2, y: 3 }, b: { x: 2, y: 3 } });
    expect(changed).toEqual(["/payload/args/a/x", "/payload/args/a/y", "/payload/args/b"]);
  });

  test("a part that is detached and inserted elsewhere keeps its edits", async () => {
    const { args, changed } = await run(
      `local a = args.a a.x = 2 args.a = nil a.y = 3 args.list[1] = a a.z = { a = 1 } a.z.b = 2`,
      { a: { x: 1, deep: { k: 1 } }, list: [0] },
    );
    expect(args).toEqual({ list: [{ x: 2, y: 3, z: { a: 1, b: 2 }, deep: { k: 1 } }] });
    expect(changed).toEqual(["/payload/args/a", "/payload/args/list/0"]);
  });

  test("edits of a part that stays detached are dropped", async () => {
    const { args, changed } = await run(
      `local a = args.a args.a = { n = 1 } a.x = 2 a.deep.k = 3`,
      { a: { x: 1, deep: {} } },
    );
    expect(args).toEqual({ a: { n: 1 } });
    expect(changed).toEqual(["/payload/args/a"]);
  });

  test("a part can be put inside the script's own tables", async () => {
    const { args } = await run(
      `local t = { part = args.a, list = { args.a.deep, args.l } } args.t = t
       args.a.x = 2 t.list[1].k = 2 t.part.y = 3 args.l[1] = "changed"`,
      { a: { x: 1, deep: { k: 1 } }, l: [1] },
    );
    expect(args).toEqual({
      a: { x: 2, y: 3, deep: { k: 2 } },
      l: ["changed"],
      t: { part: { x: 2, y: 3, deep: { k: 2 } }, list: [{ k: 2 }, ["changed"]] },
    });
  });

  test("a moved part is a copy: later hooks edit each one independently", async () => {
    const rig = await createRig();
    rig.script(`
      orcs.hook{ point = "tool.pre_execute", handler = function(ctx) ctx.payload.args.b = ctx.payload.args.a end }
      orcs.hook{ point = "tool.pre_execute", handler = function(ctx) ctx.payload.args.b.x = 2 assert(ctx.payload.args.a.x == 1) end }`);
    const host = { a: { x: 1 } };
    const outcome = await rig.call(host);
    expect(outcome.ctx.payload).toMatchObject({ args: { a: { x: 1 }, b: { x: 2 } } });
    expect(host).toEqual({ a: { x: 1 } });
  });

  test("works between payload and metadata, also for the whole of both", async () => {
    const { args, metadata, changed } = await run(
      `ctx.metadata.saved = args.a args.meta = ctx.metadata args.a.x = 2`,
      { a: { x: 1 } },
    );
    expect(metadata).toEqual({ saved: { x: 2 } });
    expect(args).toEqual({ a: { x: 2 }, meta: { saved: { x: 2 } } });
    expect(changed).toEqual(["/metadata/saved", "/payload/args/a/x", "/payload/args/meta"]);
  });

  test.each([
    ["args.a.self = args.a", /nested deeper/],
    ["args.a.deep.up = args", /nested deeper/],
    ["args.a.t = { args.a }", /circular/],
    ["local t = {} t.t = t args.t = t", /circular/],
    ["args.x = ctx", /cycle|nested deeper/],
    ["args.l[1] = args.l", /nested deeper/],
  ])("putting a part inside itself is rejected: %s", async (body, why) => {
    const before = { a: { deep: {} }, l: [1] };
    const { action, args, reason } = await run(body, before);
    expect(action).toBe("abort");
    expect(reason).toMatch(why);
    expect(args).toEqual(before);
  });
});

describe("iterating the context in Lua", () => {
  const args = { a: 1, b: 2, c: { d: 3, e: 4 }, l: [1, 2, 3] };

  test("while writing the visited keys", async () => {
    const { args: after } = await run(`for k, v in pairs(args.c) do args.c[k] = v * 10 end`, args);
    expect(after["c"]).toEqual({ d: 30, e: 40 });
  });

  test("with nested loops over one table", async () => {
    const { metadata } = await run(
      `local n = 0
       for k in pairs(args.c) do for j in pairs(args.c) do for i in pairs(args) do n = n + 1 end end end
       for i in pairs(args.l) do for j in pairs(args.l) do n = n + 1 end end
       args.l[4] = 4 args.c.f = 5
       for i in pairs(args.l) do for j in pairs(args.l) do n = n + 1 end end
       for i in pairs(args.c) do for j in pairs(args.c) do n = n + 1 end end
       ctx.metadata.n = n`,
      args,
    );
    expect(metadata["n"]).toBe(2 * 2 * 4 + 9 + 16 + 9);
  });

  test("with a loop that is left and restarted, and with next alone", async () => {
    const { metadata } = await run(
      `local t = {}
       for k in pairs(args) do if k == "b" then break end end
       for k in pairs(args) do t[#t + 1] = k end
       local k = next(args) while k do t[#t + 1] = k k = next(args, k) end
       assert(next(args, "a") == "b" and next(args, "c") == "l" and next(args, "a") == "b")
       ctx.metadata.t = table.concat(t)`,
      args,
    );
    expect(metadata["t"]).toBe("abclabcl");
  });

  test("with two coroutines at once", async () => {
    const { metadata } = await run(
      `local function each(t) return coroutine.wrap(function() for k, v in pairs(t) do coroutine.yield(k) end end) end
       local one, two, t = each(args), each(args), {}
       for i = 1, 4 do t[#t + 1] = one() .. two() end
       ctx.metadata.t = table.concat(t)`,
      args,
    );
    expect(metadata["t"]).toBe("aabbccll");
  });

  test("across a wait", async () => {
    const { metadata } = await run(
      `local t = {} for k in pairs(args) do orcs.sleep(1) t[#t + 1] = k end ctx.metadata.t = table.concat(t)`,
      args,
    );
    expect(metadata["t"]).toBe("abcl");
  });
});

describe("context views at the end of a hook and a dispatch", () => {
  test.each([
    ["indexing", "kept.payload.args.x"],
    ["indexing the root", "kept.payload"],
    ["a part", "part.x"],
    ["length", "#list"],
    ["pairs", "pairs(kept)"],
    ["next", "next(part)"],
    ["rawget", "rawget(part, 'x')"],
    ["rawlen", "rawlen(list)"],
    ["ipairs", "(function() for _ in ipairs(list) do end end)()"],
    ["unpack", "table.unpack(list)"],
    ["writing", "(function() part.x = 2 end)()"],
    ["rawset", "rawset(part, 'x', 2)"],
    ["what was written to it", "part.written"],
    ["what was written to a part that was detached", "loose.written"],
    ["encoding", "orcs.json_encode(part)"],
    ["keeping", "orcs.state.set('x', part)"],
  ])("using a kept view raises an error: %s", async (_, use) => {
    for (const ending of ["", "error('x')", "return 1"]) {
      const rig = await createRig({ onError: "open" });
      rig.script(`local kept, part, list, loose return function(ctx)
        if kept then
          local ok, why = pcall(function() return ${use} end)
          ctx.payload.args.ok, ctx.payload.args.why = ok, why
          return
        end
        kept, part, list, loose = ctx, ctx.payload.args, ctx.payload.args.list, ctx.payload.args.loose
        part.written = 1
        loose.written = 1
        part.loose = nil
        ${ending}
      end`);
      await rig.call({ x: 1, list: [1], loose: {} });
      const { ctx } = await rig.call({});
      expect(ctx.payload, ending).toMatchObject({
        args: {
          ok: false,
          why: expect.stringMatching(/belongs to a call that has ended|whose call has ended/),
        },
      });
    }
  });

  test("returning or inserting a kept view fails the hook", async () => {
    for (const use of [
      "return orcs.skip(kept.p)",
      "ctx.payload.args.x = kept.p",
      "return kept.p",
      "return { action = 'continue', ctx = kept.c }",
    ]) {
      const rig = await createRig();
      rig.script(
        `local kept return function(ctx) if kept then ${use} end kept = { p = ctx.payload, c = ctx } end`,
      );
      await rig.call({ x: 1 });
      expect(await rig.call({})).toMatchObject({
        action: "abort",
        reason: expect.stringMatching(/has ended|not the context/),
      });
    }
  });

  test("a kept view can be compared, printed and collected", async () => {
    const rig = await createRig();
    rig.script(`local kept return function(ctx)
      if kept then assert(kept == kept and kept ~= ctx and type(kept) == "table") print(kept) end
      kept = ctx
    end`);
    for (let i = 0; i < 3; i++) expect((await rig.call({})).action).toBe("continue");
  });

  const two = (first: string, second: string): string => `
    orcs.hook{ id = "first", point = "tool.pre_execute", on_error = "open", handler = function(ctx) local args = ctx.payload.args ${first} end }
    orcs.hook{ id = "second", point = "tool.pre_execute", handler = function(ctx) local args = ctx.payload.args ${second} end }`;

  async function both(first: string, second: string, args: Record<string, unknown>) {
    const rig = await createRig({ limits: { maxRunMs: 250 } });
    rig.script(two(first, second));
    const outcome = await rig.call(args, { trace: true });
    expect(outcome.action).toBe("continue");
    return { args: outcome.ctx.payload["args"], trace: outcome.trace, logs: rig.logs };
  }

  test("two hooks of one script see each other's edits, each with its own change paths", async () => {
    const { args, trace } = await both(
      `args.x = { n = 1 } args.o.k = 2 args.list[4] = 4 args.gone = nil G = args.x`,
      `assert(args.x.n == 1 and args.o.k == 2 and #args.list == 4 and args.gone == nil and args.list[4] == 4)
       for k in pairs(args) do assert(k ~= "gone") end
       G.n = "an alias of the first counts no more"
       args.x.n = 2 args.list[1] = "one" args.gone = "back"`,
      { o: { k: 1, j: 1 }, list: [1, 2, 3], gone: 1 },
    );
    expect(args).toEqual({ o: { k: 2, j: 1 }, list: ["one", 2, 3, 4], x: { n: 2 }, gone: "back" });
    const [first, second] = trace ?? [];
    expect(first?.changed?.toSorted()).toEqual([
      "/payload/args/gone",
      "/payload/args/list",
      "/payload/args/o/k",
      "/payload/args/x",
    ]);
    expect(second?.changed?.toSorted()).toEqual([
      "/payload/args/gone",
      "/payload/args/list/0",
      "/payload/args/x/n",
    ]);
  });

  const fails = [
    ["an error", "error('x')"],
    ["a wrong answer", "return 1"],
    ["an edit without a JSON form", "args.f = print"],
    ["edits that do not fit", "ctx.payload.tool_name = 'other'"],
    ["an error after a wait", "orcs.sleep(1) error('x')"],
    ["a loop", "while true do end"],
  ];
  test.each(fails)(
    "edits of a hook that fails by %s are undone for the next",
    async (_, failure) => {
      const { args } = await both(
        `args.x = { n = 1 } args.o.k = 2 args.o.deep.k = 2 table.remove(args.list) args.gone = nil args.moved = args.o ctx.metadata.m = 1 ${failure}`,
        `assert(args.x == nil and args.o.k == 1 and args.o.deep.k == 1 and #args.list == 3 and args.gone == 1 and args.moved == nil)
       assert(ctx.metadata.m == nil and next(ctx.metadata) == nil and args.list[3] == 3)
       args.o.deep.seen = true`,
        { o: { k: 1, deep: { k: 1 } }, list: [1, 2, 3], gone: 1 },
      );
      expect(args).toEqual({ o: { k: 1, deep: { k: 1, seen: true } }, list: [1, 2, 3], gone: 1 });
    },
  );

  test("a part that the script keeps from one hook to the next in a dispatch is usable", async () => {
    const { args } = await both(
      `KEPT = args.o KEPT.a = 1`,
      `assert(KEPT.a == 1 and KEPT == args.o) KEPT.b = 2`,
      { o: {} },
    );
    expect(args).toEqual({ o: { a: 1, b: 2 } });
  });

  test("a replaced result is visible to the next hook", async () => {
    const rig = await createRig();
    rig.script(`
      orcs.hook{ point = "tool.post_execute", handler = function(ctx)
        local _ = ctx.payload.result.a return orcs.replace({ b = ctx.payload.result.a }) end }
      orcs.hook{ point = "tool.post_execute", handler = function(ctx)
        assert(ctx.payload.result.a == nil) ctx.payload.result.c = ctx.payload.result.b + 1 end }`);
    const outcome = await rig.dispatch("tool.post_execute", {
      tool_name: "exec",
      args: {},
      result: { a: 1 },
    });
    expect(outcome.ctx.payload).toMatchObject({ result: { b: 1, c: 2 } });
  });

  test("hooks of two scripts see each other's edits", async () => {
    const rig = await createRig();
    rig.script(`return function(ctx) ctx.payload.args.list[2] = { x = 1 } ctx.metadata.n = 1 end`);
    rig.script(`return function(ctx) ctx.payload.args.list[2].y = ctx.metadata.n + 1 end`);
    rig.script(
      `return function(ctx) ctx.payload.args.json = orcs.json_encode(ctx.payload.args.list) end`,
    );
    expect((await rig.call({ list: [0] })).ctx.payload).toMatchObject({
      args: { list: [0, { x: 1, y: 2 }], json: `[0,{"x":1,"y":2}]` },
    });
  });
});

test("edits in place apply with a valid result, and are dropped with an invalid one", async () => {
  expect(await run(`args.x = 1 return orcs.deny("no")`)).toMatchObject({
    action: "abort",
    args: { x: 1 },
  });
  expect(await run(`args.x = 1 return orcs.allow()`)).toMatchObject({
    action: "continue",
    args: { x: 1 },
  });
  expect(await run(`args.x = 1 return orcs.skip(args)`)).toMatchObject({
    action: "skip",
    args: { x: 1 },
  });
});

test("a frozen context can be edited", async () => {
  const host = Object.freeze({ o: Object.freeze({ a: 1 }), list: Object.freeze([1]) });
  const { args } = await run(`args.o.a = 2 table.insert(args.list, 2) args.new = 1`, host);
  expect(args).toEqual({ o: { a: 2 }, list: [1, 2], new: 1 });
});

test("objects without a prototype are read as tables", async () => {
  const host = Object.assign(Object.create(null) as object, {
    a: 1,
    o: Object.create(null) as object,
  });
  const { args } = await run(`args.o.x = args.a args.copy = args.o`, { host });
  expect(args).toMatchObject({ host: { a: 1 } });
});

describe("a list from which everything was filtered stays a list", () => {
  const args = { list: [1, 2], o: { list: ["a"], other: {} }, none: {} };
  test.each<[string, Record<string, unknown>]>([
    ["local kept = {} args.list = kept", { ...args, list: [] }],
    ["args.o = { list = {}, other = {} }", { ...args, o: { list: [], other: {} } }],
    ["ctx.payload.args = { list = {}, none = {} }", { list: [], none: {} }],
    ["args.list[1] = nil args.list[2] = nil", { ...args, list: [] }],
    ["args.none = {} args.new = {}", { ...args, new: {} }],
    ["args.list = { a = 1 }", { ...args, list: { a: 1 } }],
    ["args.list = args.none", { ...args, list: {} }],
    [
      "return { action = 'continue', ctx = { payload = { tool = 'exec', tool_name = 'exec', args = { list = {} } } } }",
      { list: [] },
    ],
  ])("%s", async (body, expected) => {
    expect((await run(body, args)).args).toEqual(expected);
  });

  test("in the result of replace", async () => {
    const rig = await createRig();
    rig.script(
      'return { point = "tool.post_execute", handler = function(ctx) return orcs.replace({ matches = {}, n = {} }) end }',
    );
    const payload = { tool_name: "grep", args: {}, result: { matches: [{ line: 1 }], n: {} } };
    const { ctx } = await rig.dispatch("tool.post_execute", payload);
    expect((ctx.payload as { result: unknown }).result).toEqual({ matches: [], n: {} });
  });
});
