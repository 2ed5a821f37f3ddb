import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NewestMap } from "../../../../src/agents/adapters/newest-map.ts";

describe("a map of the newest entries", () => {
  test("lets the oldest go, and tells which", () => {
    const map = new NewestMap<string, number>(2);
    expect([map.keep("a", 1), map.keep("b", 2), map.keep("c", 3)]).toEqual([
      undefined,
      undefined,
      1,
    ]);
    expect([...map]).toEqual([
      ["b", 2],
      ["c", 3],
    ]);
  });

  test("a key that is kept again is the newest; its former value goes", () => {
    const map = new NewestMap<string, number>(2);
    map.keep("a", 1);
    map.keep("b", 2);
    expect(map.keep("a", 3)).toBe(1);
    expect(map.keep("c", 4)).toBe(2);
    expect([...map.keys()]).toEqual(["a", "c"]);
  });

  test("nothing is lost but what it returns, and it never grows beyond its limit", () => {
    const kept = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer()));
    fc.assert(
      fc.property(kept, fc.integer({ min: 1, max: 5 }), (entries, most) => {
        const map = new NewestMap<number, number>(most);
        const gone = entries.map(([key, value]) => map.keep(key, value));
        const left = [...gone.filter((value) => value !== undefined), ...map.values()];
        const values = entries.map(([, value]) => value);
        expect(left.toSorted((a, b) => a - b)).toEqual(values.toSorted((a, b) => a - b));
        expect(map.size).toBeLessThanOrEqual(most);
      }),
    );
  });
});
