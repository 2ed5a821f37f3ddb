import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { OP } from "../../../../../src/engine/lua/patterns/compile.ts";
import { TwinStates } from "./support/twin-states.ts";

let states: TwinStates;
beforeAll(async () => {
  states = await TwinStates.create();
});

/** Runs an expression list in our state, and in Lua's own: they must agree. */
function evaluate(expressions: string): string {
  const source = `local function show(...)
      local out = table.pack(...)
      for i = 1, out.n do
        local v = out[i]
        out[i] = type(v) == "string" and string.format("%q", v):gsub("\\\\\\n", "\\\\n") or tostring(v)
      end
      return table.concat(out, " ")
    end
    local ok, result = pcall(function() return show(${expressions}) end)
    return result`;
  const own = states.ours.run(source);
  expect(own).toBe(states.ofC.run(source));
  return own;
}

it.each([
  ['("a"):gsub("a", function() return {} end)', "invalid replacement value (a table)"],
  ['("a"):gsub("a", { a = true })', "invalid replacement value (a boolean)"],
  ['("a"):gsub("a", { a = print })', "invalid replacement value (a function)"],
  ['("a"):find(("()"):rep(33))', "too many captures"],
  ['(("a"):rep(300)):find(("a?"):rep(300))', "pattern too complex"],
])("known errors of string patterns %s", (expressions, message) => {
  // The position is that of the caller, as luaL_error has it.
  expect(evaluate(expressions)).toBe(`chunk:9: ${message}`);
});

it.each([
  "string.find()",
  "string.find('a')",
  "string.find(nil, 'a')",
  "string.find({}, 'a')",
  "string.find('a', nil)",
  "('a'):find()",
  "('a'):find({})",
  "('a'):find(print)",
  "('a'):find('a', 'x')",
  "('a'):find('a', {})",
  "('a'):find('a', 1.5)",
  "('a'):find('a', '1')",
  "('a'):find('a', '1.5')",
  "('a'):find('a', 1.0)",
  "('a'):find('a', '0x1')",
  "('abc'):find('b', 2^53)",
  "('abc'):find('b', -2^53)",
  "('abc'):find('b', 2^63)",
  "('abc'):find('b', math.maxinteger)",
  "('abc'):find('b', math.mininteger)",
  "('abc'):find('b', 0/0)",
  "('abc'):find('b', 1/0)",
  "('abc'):find('b', 0)",
  "('abc'):find('b', '0')",
  "('abc'):find('b', 0.0)",
  "('abc'):find('b', true)",
  "('abc'):find('b', nil, true)",
  "('abc'):find('.', nil, 0)",
  "('abc'):find('.', nil, false)",
  "('abc'):find('b', 1, true, 7, 8)",
  "string.find(123, 2)",
  "string.find(1.5, '.', 1, true)",
  "string.find(123, '%d', '2')",
  "(123):find(2)",
  "string.match(12.5, '%d+')",
  "string.match('a')",
  "string.match('a', 'a', 'a')",
  "string.match(true, 'a')",
  "('a'):match()",
  "string.gmatch()",
  "string.gmatch('a')",
  "string.gmatch('a', {})",
  "string.gmatch('a', 'a', 'x')",
  "string.gmatch(123, 2)()",
  "('a'):gmatch('a', 1.5)",
  "('abc'):gmatch('.', 10)()",
  "('abc'):gmatch('.', -10)()",
  "select('#', ('abc'):gmatch('x')())",
  "type(string.gmatch('a', 'a'))",
  "string.gsub()",
  "string.gsub('a')",
  "string.gsub('a', 'a')",
  "string.gsub('a', 'a', nil)",
  "string.gsub('a', 'a', true)",
  "string.gsub('a', 'a', 'b', 'x')",
  "string.gsub('a', 'a', nil, 'x')",
  "string.gsub('a', 'a', 'b', {})",
  "string.gsub('a', 'a', 'b', 1.5)",
  "string.gsub('a1a', 'a', 7)",
  "string.gsub('a1a', 'a', 7.5)",
  "string.gsub(121, 1, 3)",
  "string.gsub('aaa', 'a', 'b', '2')",
  "string.gsub('aaa', 'a', 'b', math.mininteger)",
  "string.gsub('aaa', 'a', 'b', math.maxinteger)",
  "('a'):gsub('a', coroutine.create(print))",
  "string.gsub('a', 'a', io.stdout)",
  "string.gsub('abc', 'b', 'x', nil, 1, 2, 3)",
  "('a'):gsub('a', function() return 12 end)",
  "('a'):gsub('a', function() return 1.50 end)",
  "('a'):gsub('a', function() error('mine') end)",
  "('a'):gsub('a', function() error({}) end) == nil",
  "('a'):gsub('a', error)",
  "('ab'):gsub('%w', setmetatable({}, { __index = function(_, k) return k .. '!' end }))",
  "('ab'):gsub('%w', setmetatable({}, { __index = function(_, k) error('in index') end }))",
  "('ab'):gsub('()', { [1] = 'one', [3] = 'three' })",
  "pcall(string.find)",
  "pcall(string.gsub, 'a', 'a')",
  "pcall(string.rep)",
  "pcall(string.gmatch, {})",
  "select(2, pcall(string.find, 'a', '%'))",
  "select(2, pcall(('a').find, 'a', '['))",
  "coroutine.wrap(function() return ('ab'):gsub('.', function(c) coroutine.yield(c) end) end)()",
  "select(2, coroutine.resume(coroutine.create(function() return ('ab'):gsub('.', coroutine.yield) end)))",
  "coroutine.wrap(function() for w in ('ab cd'):gmatch('%a+') do coroutine.yield(w) end end)()",
  "(function() local f = string.find return f('a', '%') end)()",
  "(function() local s = setmetatable({}, { __index = string }) return s:find('a') end)()",
  "(function() local it = ('a b c'):gmatch('%a') it() return coroutine.wrap(function() return it() end)(), it(), it() end)()",
  "(function() local function deep(s) return (s:gsub('.', deep)) end return deep('a') end)()",
  "(function() local n = 0 local function deep(s) n = n + 1 return (s:gsub('.', deep)) end return pcall(deep, 'a') and 0, n > 150 end)()",
])("invalid arguments of string functions %s", (expressions) => {
  evaluate(expressions);
});

it("the matcher's case numbers agree with the operation constants", () => {
  const source = readFileSync(
    new URL("../../../../../src/engine/lua/patterns/matcher.ts", import.meta.url),
    "utf8",
  );
  const cases = [...source.matchAll(/case (\d+):(?: \{)?\s*\/\/ (\w+)/g)];
  expect(Object.fromEntries(cases.map(([, number, name]) => [name, Number(number)]))).toEqual(OP);
});
