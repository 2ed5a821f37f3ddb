import { expect, test } from "vitest";
import { LogThrottle } from "../../../../src/engine/runtime/log-throttle.ts";

test("LogThrottle reports the first occurrence and each doubling, separately per message", () => {
  const repeats = new LogThrottle();
  const told = (what: string, times: number) =>
    Array.from({ length: times }, () => repeats.another(what)).filter(
      (count) => count !== undefined,
    );
  expect(told("a", 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  expect(told("b", 3)).toEqual([1, 2]);
  repeats.forget("a");
  expect(told("a", 5)).toEqual([1, 2, 4]);
  expect(told("b", 5)).toEqual([4, 8]);
});
