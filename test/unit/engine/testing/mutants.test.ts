import { describe, expect, test } from "vitest";
import { mutantsOf } from "../../../../src/engine/testing/mutation/mutants.ts";

/** What becomes of a code: each mutant as `before → after`. */
function changes(code: string, kind: "script" | "inline" = "script"): string[] {
  return mutantsOf(code, kind).map(({ from, to }) => `${from} → ${to}`);
}

/** Each mutant, as the whole text. */
function texts(code: string, kind: "script" | "inline" = "script"): string[] {
  return mutantsOf(code, kind).map(
    ({ range, replacement }) => code.slice(0, range.start) + replacement + code.slice(range.end),
  );
}

describe("mutants of Lua", () => {
  test.each([
    ["local a = x < y", ["x < y → x <= y", "x < y → x >= y"]],
    ["local a = x ~= y", ["x ~= y → x == y"]],
    ["local a = x and y", ["x and y → x or y"]],
    ["local a = x + y * z", ["x + y * z → x - y * z", "y * z → y / z"]],
    ["local a = not x", ["not  → (nothing)"]],
    ["local a = -x", ["- → (nothing)"]],
    ["local a = 41", ["41 → 42"]],
    ["local a = 0.5", ["0.5 → (0.5 + 1)"]],
    ["local a = true", ["true → false"]],
    ["local a = 'text'", ["'text' → \"\""]],
    ["local a = ''", ["'' → \"mutant\""]],
    ["local a = [[x]]", ['[[x]] → ""']],
    ["if x then f() end", ["x → true", "x → false", "f() → (nothing)"]],
    ["while x do f() end", ["x → false", "f() → (nothing)"]],
    ["repeat f() until x", ["f() → (nothing)", "x → true"]],
    ["a.b = c", ["a.b = c → (nothing)"]],
    ["while true do break end", ["true → false", "break → (nothing)"]],
    ["local function f(x) return x end", ["x → nil"]],
    ["local function f(x) return x == y end", ["x == y → nil", "x == y → true", "x == y → x ~= y"]],
    [
      "local function f() return orcs.deny('no') end",
      ["orcs.deny('no') → orcs.ask('no')", "orcs.deny('no') → nil"],
    ],
    [
      "local function f() return orcs.ask('no') end",
      ["orcs.ask('no') → orcs.deny('no')", "orcs.ask('no') → nil"],
    ],
    [
      "local function f() return orcs.allow() end",
      ['orcs.allow() → orcs.ask("mutant")', "orcs.allow() → nil"],
    ],
    ["local a = { action = 'abort', reason = 'no' }", ["'abort' → \"continue\""]],
  ])("of %s", (code, expected) => {
    expect(changes(code).sort()).toEqual([...expected].sort());
  });

  test.each([
    ["names", "local a = b.c; local d = { e = f, g = h }"],
    ["modules", 'local a = require("b.c")'],
    ["the log", 'orcs.log.info("a" .. x); print("b", 1); orcs.log("info", "c")'],
    ["what tables say to people", 'local a = { about = "databases: SQL", because = "loses data" }'],
    ["sentences", 'local a = "throws away what is not committed"'],
    [
      "sentences beside other arguments",
      'local a = refuse(x, "removes the folder", "Name a file")',
    ],
    ["the result of a module", "local M = {}\nreturn M"],
    [
      "whether a plain text is searched as such",
      "local a = x:find(y, z)\nlocal b = x:find(c, d, e)",
    ],
    ["code that cannot run", "if false then f() end\ndo return end\nf(1)"],
    [
      "tests, what only they use, and what they cannot see",
      `local N = 1
local function helper(x) return x + N end
return { id = "a", priority = 5, description = "b", handler = g, tests = { helper(1) } }`,
    ],
    ["what is not Lua", "if if"],
  ])("leave %s alone", (_, code) => {
    expect(changes(code)).toEqual([]);
  });

  test.each(["x:find('ab', y, true)", "find(x, 'ab', y, true)", "string.find(x, 'ab', y, true)"])(
    "leave alone that %s searches a text without special characters as such",
    (call) => {
      expect(changes(`local a = ${call}`)).toEqual(["'ab' → \"\""]);
      expect(changes(`local a = ${call.replace("ab", "a.")}`)).toContain("true → false");
    },
  );

  test("change lists of words, also such as `a`", () => {
    expect(changes("local a = set 'the a of b'")).toHaveLength(1);
    expect(changes("local a = of(x, 'c d a n r')")).toHaveLength(1);
  });

  test("keep texts of a reason, not what it depends on", () => {
    const code = 'local function f(x) return orcs.deny("a " .. (x > 1 and "b" or "c")) end';
    expect(new Set(mutantsOf(code, "script").map(({ kind }) => kind))).toEqual(
      new Set(["comparison", "logic", "answer"]),
    );
    expect(texts(code)).not.toContain(code.replace('"b"', '""'));
  });

  test("change exactly the place that they name, on its line", () => {
    const code = "-- a < b\nlocal x = a --[[ < ]] < b\n";
    expect(texts(code)).toEqual([
      "-- a < b\nlocal x = a --[[ < ]] <= b\n",
      "-- a < b\nlocal x = a --[[ < ]] >= b\n",
    ]);
    expect(mutantsOf(code, "script").map(({ line, column }) => [line, column])).toEqual([
      [2, 23],
      [2, 23],
    ]);
  });

  test.each([
    ["function(ctx) return ctx.n > 3 end", "ctx.n >= 3"],
    ["ctx.n > 3", "ctx.n >= 3"],
    ["local n = 3\nreturn ctx.n > n", "ctx.n >= n"],
  ])("of the inline handler %j", (code, changed) => {
    expect(texts(code, "inline").some((text) => text.includes(changed))).toBe(true);
  });

  test.each([
    ["local a = n > 3", "a test in which `n` is 3"],
    ["local a = n > m", "a test in which `n` is equal to `m`"],
    ["local a = n and m", "a test in which only one of `n` and `m` is true"],
    ["if n then f() end", "a test in which `n` is false"],
    [
      "local function f() return orcs.deny('x') end",
      "a test that expects action = \"abort\" from `orcs.deny('x')`",
    ],
  ])("say what would notice a change of %s", (code, expected) => {
    expect(mutantsOf(code, "script")[0]?.killer).toBe(expected);
  });
});
