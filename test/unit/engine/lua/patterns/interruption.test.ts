import { beforeAll, describe, expect, it } from "vitest";
import { CALL_UNITS } from "../../../../../src/engine/lua/raw.ts";
import { LOOK_EVERY } from "../../../../../src/engine/lua/limits.ts";
import { newModule, TestState, type FullModule } from "./support/lua-state.ts";

const BUDGET_MS = 20;
/** What building the texts may add, and the compilers of V8. */
const GRACE_MS = 250;

class DeadlinePassed extends Error {}

/** Processor time: how long this process waits for its turn is no matter of the code. */
function now(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let module: FullModule;
const clock = { deadline: Infinity, last: 0, longest: 0, checks: 0 };

beforeAll(async () => {
  module = await newModule();
  module.onCallsCounted = () => {
    const at = now();
    clock.longest = Math.max(clock.longest, at - clock.last);
    clock.last = at;
    clock.checks++;
    if (at > clock.deadline) throw new DeadlinePassed();
    module.units_left.value = LOOK_EVERY * CALL_UNITS;
  };
});

/** Runs a chunk with a deadline in a state of its own; what the host gets. */
function runWithDeadline(source: string): { outcome: string; elapsed: number; longest: number } {
  const state = new TestState(module);
  const start = now();
  Object.assign(clock, { deadline: start + BUDGET_MS, last: start, longest: 0, checks: 0 });
  let outcome: string;
  try {
    outcome = state.run(source);
  } catch (error) {
    outcome = error instanceof DeadlinePassed ? "deadline" : String(error);
  }
  const elapsed = now() - start;
  clock.deadline = Infinity;
  // After the deadline the state is only good for being closed.
  state.close();
  return { outcome, elapsed, longest: clock.longest };
}

/** Each would hold the thread for seconds to centuries in C. */
const NEVER_ENDING = [
  'return ("a"):rep(200):find(".-.-.-.-b$")',
  'return ("a"):rep(10000):find(".-.-.-.-b$")',
  'return ("a"):rep(100000):find(".-b")',
  'return (" "):rep(200000):match("^(.-)%s*$x")',
  'return (" "):rep(200000):match("(.-)%s*x")',
  'return (("a"):rep(30)):find(("a?"):rep(60) .. ("a"):rep(31))',
  'return ("a"):rep(100):find("a*a*a*a*a*a*a*b")',
  'return ("a"):rep(100):match("a-a-a-a-a-a-a-b")',
  'return ("a"):rep(100):gsub("a*a*a*a*a*a*a*b", "")',
  'for x in ("a"):rep(100):gmatch("a*a*a*a*a*a*a*b") do end',
  'return ("("):rep(300000):find("%b()")',
  'return ("("):rep(300000):gsub("%b()", "")',
  'return ("a"):rep(100000):find("(a*)%1b")',
  'return ("ab"):rep(100000):find("(.-)%1b$")',
  'return ("a"):rep(400000):find(("a"):rep(30000) .. "[b]")',
  'return ("a"):rep(400000):find(("[ab]"):rep(10000) .. "c")',
  'return ("a"):rep(400000):gsub("()a-$b", "")',
  'return ("a"):rep(100):gsub("a", function() return (("a"):rep(200):find(".-.-.-.-b$")) end)',
  'while true do pcall(string.find, ("a"):rep(200), ".-.-.-.-b$") end',
  'local s = ("a"):rep(1000) while true do s:find("b") end',
  'while true do ("a"):find("b") end',
  'local n = 0 while true do n = n + 1; ("a"):find("b%d" .. n) end',
  'local n = 0 while true do n = n + 1; ("x"):find(("[a%d-f]"):rep(2000) .. n) end',
  'local s = ("a"):rep(100000) while true do s:gsub("a", "%0%0") end',
  'local s = ("a"):rep(100000) while true do for x in s:gmatch("a") do end end',
  'local s = ("a"):rep(1000000) while true do s:match(".*") end',
  'local s = ("a"):rep(3000000) while true do s:find(("a"):rep(300000) .. "b", 1, true) end',
  'return ("a"):rep(1000000):gsub("()", ("%1"):rep(50000))',
  'return ("a"):rep(1000000):gsub("(b?)a", ("%1"):rep(500000))',
  "local t = table.move({ 1 }, 1, 3e6, 1, {}) while true do table.insert(t, 1, 0) end",
  "local t = {} for i = 1, 3e5 do t[i] = i end while true do table.move(t, 1, 3e5, 2) end",
  'local t = {} for i = 1, 3e5 do t[i] = "a" end while true do table.concat(t) end',
  "local t = {} for i = 1, 3e5 do t[i] = i end while true do table.sort(t) end",
  "local t = {} for i = 1, 3e5 do t[i] = i end while true do table.remove(t, 1) end",
  'return string.rep("", 1e15)',
  'while true do string.rep("ab", 1e6) end',
  'coroutine.wrap(function() return ("a"):rep(200):find(".-.-.-.-b$") end)()',
  'return pcall(pcall, pcall, string.find, ("a"):rep(200), ".-.-.-.-b$")',
  'return xpcall(string.find, function() return "caught" end, ("a"):rep(200), ".-.-.-.-b$")',
];

describe("a pattern call that takes too long is interrupted, despite pcall", () => {
  it.each(NEVER_ENDING)("%s", (source) => {
    const { outcome, elapsed, longest } = runWithDeadline(source);
    expect(outcome).toBe("deadline");
    expect(elapsed).toBeLessThan(BUDGET_MS + GRACE_MS);
    // Far above the 20 µs aimed at: building the texts falls into these gaps.
    expect(longest).toBeLessThan(GRACE_MS);
    // Another state of the module is none the worse.
    const other = new TestState(module);
    expect(other.run('return (("key=value"):gsub("(%w+)=(%w+)", "%2=%1"))')).toBe("value=key");
    other.close();
  });
});

it("a time check that does not throw does not change the result", () => {
  const state = new TestState(module);
  clock.checks = 0;
  expect(state.run('return tostring(("a"):rep(60):find(".-.-.-b$"))')).toBe("nil");
  expect(clock.checks).toBeGreaterThan(2);
  state.close();
});

it("an exception in a count hook propagates through a gsub callback", () => {
  const pass = (): void => {
    throw new DeadlinePassed();
  };
  const hook = module.addFunctions([pass], "vii");
  for (let round = 0; round < 10; round++) {
    const state = new TestState(module);
    module.lua_sethook(state.L, hook, 8, 10_000);
    expect(() =>
      state.run('return (("abc"):gsub(".", function() while true do pcall(error) end end))'),
    ).toThrow(DeadlinePassed);
    state.close();
  }
});
