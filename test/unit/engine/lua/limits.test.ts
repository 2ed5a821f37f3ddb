import { describe, expect, test } from "vitest";
import {
  chainLeftMs,
  cpuMsOf,
  LoadTime,
  LuaLimits,
  Overrun,
  threadCpuMs,
  threadId,
} from "../../../../src/engine/lua/limits.ts";

const TOO_LONG = { message: "too long", setting: "lua.max_run_ms" };
const NO_ANSWER = { message: "no answer", setting: "timeout_ms" };

/** Use the processor for so many milliseconds of its time. */
function burn(ms: number): void {
  for (const from = threadCpuMs(); threadCpuMs() - from < ms;);
}

/** Let the wall clock go on without using a processor. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** What is thrown past the limit. */
function overrun(limits: LuaLimits): Overrun {
  try {
    limits.check();
  } catch (thrown) {
    if (thrown instanceof Overrun) return thrown;
  }
  throw new Error("it is not passed");
}

describe("LuaLimits", () => {
  test("does not count time waiting for a processor", () => {
    const limits = new LuaLimits();
    limits.arm(performance.now(), 20, TOO_LONG);
    for (let i = 0; i < 5; i++) {
      wait(40);
      expect(limits.passed).toBeUndefined();
    }
  });

  test("is exceeded by CPU time from the first reading on, until it is armed again", () => {
    const limits = new LuaLimits();
    limits.arm(performance.now(), 20, TOO_LONG);
    wait(25);
    expect(limits.passed).toBeUndefined();
    burn(30);
    expect([limits.passed, limits.passed]).toEqual(["too long", "too long"]);
    expect(() => limits.check()).toThrow("too long");
    const { spent } = overrun(limits);
    expect(spent).toMatch(
      /^\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms$/,
    );
    const [wall, cpu] = Array.from(spent.matchAll(/\d+/g), Number) as [number, number];
    expect(cpu).toBeGreaterThanOrEqual(20);
    expect(wall).toBeGreaterThanOrEqual(cpu + 20);
    limits.arm(performance.now(), 1000, TOO_LONG);
    expect(limits.passed).toBeUndefined();
    limits.disarm();
    expect(limits.passed).toBeUndefined();
  });

  test("is exceeded after twenty times the limit of elapsed time", () => {
    const limits = new LuaLimits();
    limits.arm(performance.now() - 500, 50, TOO_LONG);
    expect(limits.passed).toBeUndefined();
    limits.disarm();
    limits.arm(performance.now() - 1001, 50, TOO_LONG);
    expect(limits.passed).toBe("too long");
  });

  test('with "wall" counts elapsed time', () => {
    const limits = new LuaLimits();
    limits.arm(performance.now(), 5, NO_ANSWER, "wall");
    wait(10);
    expect(limits.passed).toBe("no answer");
    expect(overrun(limits).spent).toMatch(/^\d+ ms elapsed; shorten it or raise timeout_ms$/);
  });

  test("extend adds time that was not the script's", () => {
    const limits = new LuaLimits();
    limits.arm(performance.now(), 5, NO_ANSWER, "wall");
    wait(10);
    limits.extend(1000);
    expect(limits.passed).toBeUndefined();
  });
});

test("the Lua time limit of a dispatch is counted in CPU time once the elapsed time has passed it", () => {
  const spent = { luaMs: 30 };
  expect(chainLeftMs(spent, 100)).toBe(70);
  spent.luaMs = 150;
  expect(chainLeftMs(spent, 100)).toBe(100);
  burn(30);
  expect(chainLeftMs(spent, 100)).toBeLessThan(75);
  spent.luaMs = 2000;
  expect(chainLeftMs(spent, 100)).toBeLessThan(0);
});

test.skipIf(process.platform !== "linux")(
  "cpuMsOf reads the CPU time of another thread of the process",
  () => {
    const id = threadId();
    const before = cpuMsOf(id ?? 0) ?? Number.NaN;
    burn(20);
    expect((cpuMsOf(id ?? 0) ?? 0) - before).toBeGreaterThan(10);
    expect(cpuMsOf(1)).toBeUndefined();
  },
);

describe("the time for loading", () => {
  test("is CPU time once the wall clock has passed it", () => {
    const time = new LoadTime(20);
    expect(time.left).toBeGreaterThan(0);
    wait(60);
    expect(time.left).toBe(20);
    burn(30);
    expect(time.left).toBe(0);
  });

  test("ends after twenty times the limit of elapsed time", () => {
    const time = new LoadTime(3);
    wait(70);
    expect(time.left).toBe(0);
  });
});
