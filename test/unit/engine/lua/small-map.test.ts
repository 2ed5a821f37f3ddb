import * as fc from "fast-check";
import { expect, it } from "vitest";
import { SmallMap } from "../../../../src/engine/lua/context-view.ts";

it("SmallMap behaves like Map", () => {
  const step = fc.record({
    act: fc.constantFrom("set", "delete"),
    key: fc.constantFrom("a", "b", "c", 1),
    value: fc.integer(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const small = new SmallMap<string | number, number>();
      const model = new Map<string | number, number>();
      for (const { act, key, value } of steps) {
        if (act === "set") {
          small.set(key, value);
          model.set(key, value);
        } else {
          small.delete(key);
          model.delete(key);
        }
        expect(small.get(key)).toBe(model.get(key));
        const entries: [string | number, number][] = [];
        small.forEach((item, at) => void entries.push([at, item]));
        expect(new Map(entries)).toEqual(model);
        expect(entries).toHaveLength(model.size);
      }
    }),
  );
});
