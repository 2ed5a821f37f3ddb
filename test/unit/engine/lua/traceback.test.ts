import { describe, expect } from "vitest";
import type { LuaFrame } from "../../../../src/core/diagnostic.ts";
import { createRig, type RigOptions } from "./rig.ts";
import { isSlowRun, quickTest as test, repeatedTest } from "../../../slow-test.ts";

/** The calls that led to the failure of a handler with this body. */
async function failedIn(
  body: string,
  options: RigOptions = {},
): Promise<{ reason: string | undefined; traceback: readonly LuaFrame[] | undefined }> {
  const rig = await createRig(options);
  rig.script(body, "guard.lua");
  const { trace = [] } = await rig.call({ command: "ls" }, { trace: true });
  return { reason: trace[0]?.reason, traceback: trace[0]?.traceback };
}

describe("the traceback of a failed hook", () => {
  test("lists each call with its line, innermost first", async () => {
    const { reason, traceback } =
      await failedIn(`local function inner(x) local y = x.a.b return y end
local function outer(x) inner(x) end
return function(ctx)
  outer({})
end`);
    expect(reason).toBe("guard.lua:1: attempt to index a nil value (field 'a')");
    expect(traceback).toEqual([
      { file: "guard.lua", line: 1, function: "inner" },
      { file: "guard.lua", line: 2, function: "outer" },
      { file: "guard.lua", line: 4 },
    ]);
  });

  test("includes a required module", async () => {
    const { traceback } = await failedIn(
      `local m = require("m")
return function() m.go() end`,
      { modules: { m: 'local M = {}\nfunction M.go()\n  error("no")\nend\nreturn M' } },
    );
    expect(traceback?.map(({ line, function: called }) => [line, called])).toEqual([
      [3, "go"],
      [2, undefined],
    ]);
  });

  test("is that of the last failed hook", async () => {
    const rig = await createRig({ onError: "open" });
    rig.script(
      `orcs.hook{ id = "a", point = "tool.pre_execute", handler = function() error("a") end }
orcs.hook{ id = "b", point = "tool.pre_execute",
  handler = function() pcall(error, "inner") local x = nil + 1 end }`,
      "two.lua",
    );
    const { trace = [] } = await rig.call({ command: "ls" }, { trace: true });
    expect(trace.map(({ traceback }) => traceback?.map(({ line }) => line))).toEqual([[1], [3]]);
  });

  repeatedTest(
    "is limited to 20 calls on a stack overflow, and is as fast the third time",
    async () => {
      // Each check of the clock once visited all active calls, so that a deep recursion took minutes.
      for (let i = 0; i < (isSlowRun ? 3 : 1); i++) {
        const { reason, traceback } = await failedIn(
          "local function f(n) return 1 + f(n + 1) end\nreturn function() f(1) end",
          { limits: { memoryBytes: 64 << 20 } },
        );
        expect(reason).toContain("stack overflow");
        expect(traceback).toHaveLength(20);
      }
    },
  );

  test.each([
    ["an endless loop", "while true do\n  end"],
    ["an endless loop over a library function", 'while true do\n  ("a"):rep(9):find("b")\n  end'],
    ["an endless loop over a function of orcs", "while true do\n  orcs.now_ms()\n  end"],
    ["a pattern without an end", '\n  local s = ("a"):rep(50000) s:find(".-.-.-.-b")'],
  ])("%s has the line where it was stopped", async (_, loop) => {
    const { reason, traceback } = await failedIn(`return function()\n  ${loop}\nend`, {
      limits: { maxRunMs: 50 },
    });
    const [{ file, line } = { file: "", line: 0 }] = traceback ?? [];
    expect(file).toBe("guard.lua");
    expect([2, 3]).toContain(line);
    expect(reason).toContain(`it was at guard.lua:${line} (`);
  });
});

describe("an error value that is not a string", () => {
  test.each([
    ["{ code = 5 }", "guard.lua:1: error value { code = 5 }"],
    ["nil", "guard.lua:1: error value nil"],
    ["true", "guard.lua:1: error value true"],
    [
      'setmetatable({ 1, ["a b"] = print }, {})',
      'guard.lua:1: error value { 1, ["a b"] = <function> }',
    ],
    [
      'setmetatable({}, { __metatable = 1, __tostring = function() return "no ticket" end })',
      "guard.lua:1: no ticket",
    ],
    ["setmetatable({}, { __tostring = error })", "guard.lua:1: error value of type table"],
    [
      "setmetatable({}, { __tostring = coroutine.yield })",
      "guard.lua:1: error value of type table",
    ],
    ["orcs.null", "guard.lua:1: error value orcs.null"],
  ])("error(%s) shows the value", async (value, reason) => {
    expect((await failedIn(`return function() error(${value}) end`)).reason).toBe(reason);
  });

  test("its __tostring runs within the limits of the hook", async () => {
    const value = "setmetatable({}, { __tostring = function() while true do end end })";
    const { reason } = await failedIn(`return function() error(${value}) end`, {
      limits: { maxRunMs: 50 },
    });
    expect(reason).toContain("it ran longer than 50 ms");
  });

  test("while the script is loaded", async () => {
    const rig = await createRig();
    const value = 'setmetatable({}, { __tostring = function() return "no ticket" end })';
    await expect(rig.load(`\nerror(${value})`, "guard.lua")).rejects.toThrow(
      "guard.lua:2: no ticket",
    );
  });
});

describe("an error of a library function has the line of its caller, and the name of what is nil", () => {
  const nil = "(table expected, got nil)";
  test.each([
    ["for _, f in ipairs(ctx.files) do end", `bad argument #1 to 'ipairs' ${nil}: ctx.files`],
    ["for _, f in ipairs(ctx.files or x) do end", `bad argument #1 to 'ipairs' ${nil}`],
    ["for _, f in ipairs( x ) do end", `bad argument #1 to 'ipairs' ${nil}: x`],
    [
      "for _, f in ipairs(true) do end",
      "bad argument #1 to 'ipairs' (table expected, got boolean)",
    ],
    ["for _, f in pairs(ctx.files) do end", `bad argument #1 to 'for iterator' ${nil}: ctx.files`],
    ["return table.unpack(ctx.files)", "attempt to get length of a nil value: ctx.files"],
    ["return table.unpack({}, 1, 1e8)", "too many results to unpack"],
    ["table.insert(ctx.files, 1)", `bad argument #1 to 'insert' ${nil}: ctx.files`],
    ["local _ = table.concat(ctx.files)", `bad argument #1 to 'concat' ${nil}: ctx.files`],
    ["table.remove(ctx.files)", `bad argument #1 to 'remove' ${nil}: ctx.files`],
    ["table.sort(ctx.files)", `bad argument #1 to 'sort' ${nil}: ctx.files`],
    ["table.sort(1)", "bad argument #1 to 'sort' (table expected, got number)"],
    ["table.move(x, 1, 2, 3)", `bad argument #1 to 'move' ${nil}: x`],
    ["setmetatable(1, {})", "bad argument #1 to 'setmetatable' (table expected, got number)"],
    [
      "setmetatable({}, 1)",
      "bad argument #2 to 'setmetatable' (nil or table expected, got number)",
    ],
    ["local _ = ctx.name:lower()", "attempt to index a nil value (field 'name')"],
    ["string.rep(ctx.name, 3)", "bad argument #1 to 'rep' (string expected, got nil): ctx.name"],
    ["string.find('x', x)", "bad argument #2 to 'find' (string expected, got nil): x"],
    ["coroutine.wrap(x)", "bad argument #1 to 'wrap' (function expected, got nil): x"],
    ["next(x)", `bad argument #1 to 'next' (table expected, got nothing): x`],
    ["local ok, e = pcall(table.insert, nil, 1) error(e, 0)", `bad argument #1 to '?' ${nil}`],
    [
      "local a = {} for i = 1, 1e8 do a[i] = { i } end",
      "not enough memory: more than 16 MB (lua.memory_mb)",
    ],
    [
      "local function f(n) return 1 + f(n + 1) end f(1)",
      "stack overflow: its calls need more than 16 MB (lua.memory_mb)",
    ],
    ["error('plain', 0)", undefined],
  ])("%s", async (body, expected) => {
    const { reason } = await failedIn(`return function(ctx)\n  local x\n  ${body}\nend`);
    expect(reason).toBe(expected === undefined ? "plain" : `guard.lua:3: ${expected}`);
  });
});

describe("print and orcs.log show tables", () => {
  const shown = async (code: string): Promise<string[]> => {
    const rig = await createRig();
    rig.script(`return function(ctx) ${code} end`);
    await rig.call({ command: "ls" });
    return rig.logs;
  };

  test.each([
    ['{ 1, { b = "x", a = 2.5 } }', '{ 1, { a = 2.5, b = "x" } }'],
    ["{}", "{}"],
    ["{ [1] = 1, [3] = 3, [true] = false }", "{ 1, [3] = 3, [true] = false }"],
    ["(function() local t = { n = 1 } t.t = t return t end)()", "{ n = 1, t = <cycle> }"],
    ["ctx.payload.args", '{ command = "ls" }'],
    ["{ ctx.payload.args }", '{ { command = "ls" } }'],
    ["coroutine.create(print)", "<coroutine>"],
  ])("%s", async (value, text) => {
    const [printed, logged] = await shown(`print(${value}) orcs.log("warn", ${value})`);
    expect(printed).toContain(text);
    expect(logged).toContain(text);
  });

  test("a large table is truncated, and deep nesting ends", async () => {
    const [large, deep] = await shown(`local t = {} for i = 1, 100000 do t[i] = i end print(t)
      local d = {} for i = 1, 1000 do d = { d } end print(d)`);
    expect(large?.length).toBeLessThan(5000);
    expect(large).toContain("{ 1, 2, 3,");
    expect(large).toContain("…");
    expect(deep).toContain("{ { { { { { { {…} } } } } } } }");
  });
});
