import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ViewCache, type ViewNode } from "../../../../src/engine/lua/context-view.ts";

const node = (table: number): ViewNode => ({ table }) as ViewNode;

it("ViewCache finds each part that was added and not removed", () => {
  const addresses = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(fc.array(addresses, { maxLength: 200 }), (steps) => {
      const live = new ViewCache();
      const model = new Map<number, ViewNode>();
      // An address that is there goes, one that is not comes: the number goes up and down across the limit.
      for (const table of steps) {
        const known = model.get(table);
        if (known) {
          live.remove(known);
          model.delete(table);
        } else {
          const fresh = node(table);
          live.add(fresh);
          model.set(table, fresh);
        }
        // A million comparisons: only one that fails is an assertion.
        for (let at = 1; at <= 60; at++) {
          if (live.get(at) !== model.get(at)) expect(live.get(at)).toBe(model.get(at));
        }
      }
    }),
  );
});

it("ViewCache keeps working when many parts are removed and others added", () => {
  const live = new ViewCache();
  const many = Array.from({ length: 40 }, (_, i) => node(i + 1));
  for (const one of many) live.add(one);
  for (const one of many) live.remove(one);
  const last = node(7);
  live.add(last);
  expect(live.get(7)).toBe(last);
  expect(live.get(8)).toBeUndefined();
});
