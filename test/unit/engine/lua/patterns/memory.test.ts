import { beforeAll, describe, expect } from "vitest";
import { newModule, TestState, type FullModule } from "./support/lua-state.ts";
import { isSlowRun, quickTest as it, repeatedTest, slowTest } from "../../../../slow-test.ts";

let module: FullModule;
beforeAll(async () => {
  module = await newModule();
});

function withState<Result>(use: (state: TestState) => Result, limit?: number): Result {
  const state = new TestState(module, limit);
  try {
    return use(state);
  } finally {
    state.close();
  }
}

describe("gsub results count towards the state's memory limit", () => {
  repeatedTest.each([
    'return (("x"):rep(100000):gsub(".", ("y"):rep(100000)))',
    'return (("x"):rep(100000):gsub(".", function() return ("y"):rep(100000) end))',
    'local y = ("y"):rep(100000) return (("x"):rep(100000):gsub(".", { x = y }))',
    'return (("x"):rep(1000000):gsub("x*", ("%0"):rep(1000)))',
  ])("%s", (source) => {
    withState((state) => {
      for (let round = 0; round < (isSlowRun ? 5 : 1); round++) {
        expect(() => state.run(source)).toThrow("not enough memory");
      }
      expect(state.run('return (("a"):gsub("a", "b"))')).toBe("b");
    }, 16_000_000);
  });
});

it("gsub works while callbacks collect garbage and memory grows", () => {
  withState((state) => {
    const source = `
      local hoard = {}
      local out = {}
      local text = ("key" .. 1 .. "=value "):rep(300)
      local result = text:gsub("(%w+)=(%w+)", function(k, v)
        hoard[#hoard + 1] = ("x"):rep(100000) .. #hoard
        if #hoard % 50 == 0 then collectgarbage() end
        return v:gsub("%w", "%0%0"):sub(1, 4) .. "=" .. k
      end)
      for word in (text .. ""):gmatch("%w+") do
        hoard[#hoard + 1] = word .. ("y"):rep(10000)
        if #hoard % 100 == 0 then hoard = {} collectgarbage() end
        out[#out + 1] = word
      end
      return tostring(result == ("vvaa=key1 "):rep(300)) .. #out`;
    const before = module.HEAPU8.length;
    expect(state.run(source)).toBe("true600");
    expect(module.HEAPU8.length).toBeGreaterThan(before);
  });
});

it("gsub works when memory grows while a string replacement is built", async () => {
  // A module of its own: its memory is as small as it can be.
  const fresh = await newModule();
  const state = new TestState(fresh);
  const before = fresh.HEAPU8.length;
  const source = `
    local text = ("ab "):rep(20000)
    local result, count = text:gsub("(%w)(%w)", "%2" .. ("."):rep(300) .. "%1")
    return tostring(result == (("b" .. ("."):rep(300) .. "a "):rep(20000))) .. count`;
  expect(state.run(source)).toBe("true20000");
  expect(fresh.HEAPU8.length).toBeGreaterThan(before);
  state.close();
});

it("gsub works within a gsub callback, at every result size", () => {
  withState((state) => {
    const source = `
      local sizes = {}
      for _, size in ipairs({ 1, 100, 511, 512, 513, 5000, 65535, 65536, 65537, 200000 }) do
        local text = ("a"):rep(size)
        local plain = text:gsub("a", "bc")
        local called = text:gsub("a+", function(x) return (x:gsub("a", "bc")) end)
        sizes[#sizes + 1] = tostring(plain == called and #plain == 2 * size)
      end
      return table.concat(sizes, " ")`;
    expect(state.run(source)).toBe(Array.from({ length: 10 }, () => "true").join(" "));
  });
});

slowTest("many states, errors and patterns leave no memory allocated", () => {
  const round = (): void => {
    withState((state) => {
      state.run(`
        for i = 1, 300 do
          pcall(string.find, "a", "[" .. i)
          pcall(string.gsub, "a", "a", function() error("x") end)
          ;("abc" .. i):gsub("%w" .. i, "x")
        end`);
    });
  };
  for (let warm = 0; warm < 20; warm++) round();
  const memory = module.HEAPU8.length;
  const slot = module.addFunctions([() => 0], "ii");
  for (let index = 0; index < 100; index++) round();
  const next = module.addFunctions([() => 1], "ii");
  expect(module.HEAPU8.length).toBe(memory);
  expect(next).toBe(slot + 1);
});
