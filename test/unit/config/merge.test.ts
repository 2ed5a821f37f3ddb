import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeHooks } from "../../../src/config/load.ts";
import { mergeSettings, type SettingsTable } from "../../../src/config/settings.ts";

interface Entry {
  readonly id: string;
  readonly rank: 0 | 1;
  /** Tells entries with one id apart. */
  readonly mark: number;
}

/** A layer: hooks of one rank, each id once. */
const layer = fc
  .record({
    rank: fc.constantFrom<0 | 1>(0, 1),
    hooks: fc.uniqueArray(
      fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e", "f"), mark: fc.integer() }),
      {
        selector: ({ id }) => id,
      },
    ),
  })
  .map(({ rank, hooks }): Entry[] => hooks.map((hook) => ({ ...hook, rank })));

const merge = (lower: readonly Entry[], upper: readonly Entry[]) => mergeHooks(lower, upper).hooks;

describe("merging hooks", () => {
  test("is associative", () => {
    fc.assert(
      fc.property(layer, layer, layer, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
      }),
    );
  });

  test("with an empty layer changes nothing", () => {
    fc.assert(
      fc.property(layer, (a) => {
        expect(merge(a, [])).toEqual(a);
        expect(merge([], a)).toEqual(a);
      }),
    );
  });

  test("keeps one hook per id: the upper, unless it is from a project and the lower is not", () => {
    fc.assert(
      fc.property(layer, layer, (a, b) => {
        const merged = merge(a, b);
        const ids = new Set([...a, ...b].map(({ id }) => id));
        expect(merged.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
        for (const hook of merged) {
          const below = a.find(({ id }) => id === hook.id);
          const above = b.find(({ id }) => id === hook.id);
          const isHeld = below !== undefined && above !== undefined && below.rank < above.rank;
          expect(hook).toBe(isHeld ? below : (above ?? below));
        }
      }),
    );
  });

  test("keeps the order of each layer, lower first", () => {
    fc.assert(
      fc.property(layer, layer, (a, b) => {
        const { hooks, ignored } = mergeHooks(a, b);
        const left = a.filter((hook) => hooks.includes(hook));
        const added = b.filter((hook) => !ignored.includes(hook));
        expect(hooks).toEqual([...left, ...added]);
      }),
    );
  });

  test("never writes to a layer", () => {
    const a: Entry[] = [{ id: "a", rank: 0, mark: 1 }];
    mergeHooks(Object.freeze(a), Object.freeze([{ id: "a", rank: 0, mark: 2 } as const]));
    expect(a).toEqual([{ id: "a", rank: 0, mark: 1 }]);
  });
});

describe("merging settings", () => {
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const settings: fc.Arbitrary<SettingsTable> = fc.record({
    debug: maybe(fc.boolean()),
    otel: maybe(fc.record({ enabled: maybe(fc.boolean()), content: maybe(fc.boolean()) })),
    lua: maybe(fc.record({ max_run_ms: maybe(fc.nat(3)) })),
    permissions: maybe(fc.record({ env: maybe(fc.array(fc.constantFrom("A", "B"))) })),
  });

  test("is associative", () => {
    fc.assert(
      fc.property(settings, settings, settings, (a, b, c) => {
        expect(mergeSettings(mergeSettings(a, b), c)).toEqual(
          mergeSettings(a, mergeSettings(b, c)),
        );
      }),
    );
  });

  test("takes each key from the uppermost layer that sets it", () => {
    fc.assert(
      fc.property(settings, settings, (a, b) => {
        const merged = mergeSettings(a, b);
        expect(merged.debug).toBe(b.debug ?? a.debug);
        expect(merged.permissions?.env).toEqual(b.permissions?.env ?? a.permissions?.env);
      }),
    );
  });
});
