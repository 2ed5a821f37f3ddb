import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { memoryState } from "../../../../src/engine/orcs/state/memory-state.ts";

function store() {
  const clock = { time: 0, now: () => clock.time, sleep: () => Promise.resolve() };
  return { clock, state: memoryState(clock) };
}

describe("memoryState", () => {
  test("get, set, delete", () => {
    const { state } = store();
    expect(state.get("k")).toBeUndefined();
    state.set("k", { a: [1, null] });
    expect(state.get("k")).toEqual({ a: [1, null] });
    expect([state.delete("k"), state.delete("k")]).toEqual([true, false]);
  });

  test("compareAndSet sets what is expected, and nothing else; undefined is no value", () => {
    const { clock, state } = store();
    expect(state.compareAndSet("k", { a: 1 }, 1)).toBe(false);
    expect(state.compareAndSet("k", null, 1)).toBe(false);
    expect(state.get("k")).toBeUndefined();
    expect(state.compareAndSet("k", undefined, { a: [1, null], b: 2 })).toBe(true);
    expect(state.compareAndSet("k", undefined, 1)).toBe(false);
    expect(state.compareAndSet("k", { a: [null, 1], b: 2 }, 1)).toBe(false);
    // The order of keys does not count.
    expect(state.compareAndSet("k", { b: 2, a: [1, null] }, 1)).toBe(true);
    expect(state.compareAndSet("k", 1, undefined)).toBe(true);
    expect(state.get("k")).toBeUndefined();
    expect(state.compareAndSet("k", undefined, undefined)).toBe(true);
    // A counter that has expired is no value, and what takes its place does not expire.
    state.incr("n", 1, 100);
    expect(state.compareAndSet("n", 1, 5)).toBe(true);
    clock.time = 1000;
    expect(state.get("n")).toBe(5);
    state.incr("m", 1, 100);
    clock.time = 2000;
    expect(state.compareAndSet("m", undefined, 7)).toBe(true);
    expect(state.get("m")).toBe(7);
  });

  test("keys such as __proto__ are stored as data", () => {
    const { state } = store();
    expect(state.get("__proto__")).toBeUndefined();
    state.set("__proto__", 1);
    expect(state.get("__proto__")).toBe(1);
  });

  test("incr starts at 0 and adds", () => {
    const { state } = store();
    expect([state.incr("n", 1), state.incr("n", 5), state.incr("n", -2)]).toEqual([1, 6, 4]);
    state.set("n", 10);
    expect(state.incr("n", 1)).toBe(11);
  });

  test("a counter with a ttl expires that long after its first increment", () => {
    const { clock, state } = store();
    expect(state.incr("n", 1, 100)).toBe(1);
    clock.time = 99;
    expect(state.incr("n", 1, 100)).toBe(2);
    clock.time = 100;
    expect(state.get("n")).toBeUndefined();
    expect(state.incr("n", 1, 100)).toBe(1);
  });

  test.each<Json>(["text", "1", true, [], [1], {}])("incr of %j fails with ORCS4002", (value) => {
    const { state } = store();
    state.set("a k", value);
    expect(() => state.incr("a k", 1)).toThrow(
      expect.objectContaining({
        code: "ORCS4002",
        message: 'ORCS4002: state "a k" is not a number',
        fields: { key: "a k" },
      }),
    );
    expect(state.get("a k")).toEqual(value);
    state.delete("a k");
    expect(state.incr("a k", 2)).toBe(2);
  });
});
