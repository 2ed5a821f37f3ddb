import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { Edit } from "../../src/core/hook.ts";
import type { Json } from "../../src/core/json.ts";
import { applyEdits } from "../../src/engine/registry/payload-validation.ts";
import { canonical, frozen, KEYS, object, tree } from "./mutations.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

type Any = any;
type Path = (string | number)[];

const ctxOf = fc
  .tuple(object, object)
  .map(([payload, metadata]) => frozen({ payload, metadata, depth: 0 }) as unknown as HookContext);

/** Edits as a runner makes them: below payload or metadata, through containers that are there. */
const choices = fc.array(
  fc.record({
    root: fc.constantFrom("payload", "metadata"),
    route: fc.array(fc.nat(5), { maxLength: 3 }),
    key: fc.constantFrom(...KEYS),
    value: fc.option(tree, { nil: undefined, freq: 3 }),
  }),
  { maxLength: 6 },
);

function own(target: Any, key: string | number): Any {
  return Object.getOwnPropertyDescriptor(target, key)?.value;
}

/** Write like a child would: on a plain copy, one edit after the other. */
function naive(ctx: HookContext, edits: readonly Edit[]): Any {
  const copy = structuredClone(ctx) as Any;
  for (const { path, value } of edits) {
    let at = copy;
    for (const part of path.slice(0, -1)) at = own(at, part);
    const last = path.at(-1) as string;
    if (value === undefined) delete at[last];
    else {
      Object.defineProperty(at, last, {
        value: structuredClone(value),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
  return copy;
}

/** Turn choices into edits that make sense one after the other. */
function editsFor(ctx: HookContext, picked: Parameters<typeof pick>[1][]): Edit[] {
  const edits: Edit[] = [];
  for (const choice of picked) {
    const edit = pick(naive(ctx, edits), choice);
    if (edit) edits.push(edit);
  }
  return edits;
}

function pick(
  state: Any,
  choice: { root: string; route: readonly number[]; key: string; value: Json | undefined },
): Edit | undefined {
  const path: Path = [choice.root];
  let at = state[choice.root];
  for (const n of choice.route) {
    const below = Object.keys(at).filter((k) => typeof own(at, k) === "object" && own(at, k));
    if (below.length === 0) break;
    const part = below[n % below.length] as string;
    path.push(Array.isArray(at) ? Number(part) : part);
    at = own(at, part);
  }
  if (!Array.isArray(at)) return { path: [...path, choice.key], value: choice.value };
  // A list takes a value at an index it has, or the one behind; nothing is removed from it by an edit.
  if (choice.value === undefined) return undefined;
  return { path: [...path, choice.key.length % (at.length + 1)], value: choice.value };
}

const scenario = fc.tuple(ctxOf, choices, choices).map(([ctx, one, two]) => {
  const first = editsFor(ctx, one);
  const second = editsFor(naive(ctx, first) as HookContext, two);
  return { ctx, first, second };
});

describe("applyEdits", () => {
  repeatedTest("agrees with writing each edit to a plain copy", () => {
    fc.assert(
      fc.property(scenario, ({ ctx, first }) => {
        expect(canonical(applyEdits(ctx, first))).toBe(canonical(naive(ctx, first)));
      }),
      { numRuns: runCount(1000) },
    );
  });

  it("does not write to its input", () => {
    fc.assert(
      fc.property(scenario, ({ ctx, first, second }) => {
        // Both are frozen: a write would throw.
        const edits = frozen([...first, ...second]);
        const before = canonical([ctx, edits.map(({ path, value }) => [path, value ?? null])]);
        applyEdits(ctx, edits);
        expect(canonical([ctx, edits.map(({ path, value }) => [path, value ?? null])])).toBe(
          before,
        );
      }),
    );
  });

  it("composes: all edits at once equal one after the other", () => {
    fc.assert(
      fc.property(scenario, ({ ctx, first, second }) => {
        const atOnce = applyEdits(ctx, [...first, ...second]);
        const inTurn = applyEdits(applyEdits(ctx, first), second);
        expect(canonical(atOnce)).toBe(canonical(inTurn));
      }),
    );
  });

  it("returns the same context for no edits", () => {
    fc.assert(
      fc.property(ctxOf, (ctx) => {
        expect(applyEdits(ctx, [])).toBe(ctx);
      }),
    );
  });

  it("keeps the last of two edits of a path, and is idempotent", () => {
    fc.assert(
      fc.property(ctxOf, fc.constantFrom(...KEYS), tree, tree, (ctx, key, one, two) => {
        const path = ["payload", key];
        const last = applyEdits(ctx, [{ path, value: two }]);
        const both = applyEdits(ctx, [
          { path, value: one },
          { path, value: two },
        ]);
        expect(canonical(both)).toBe(canonical(last));
        expect(canonical(applyEdits(last, [{ path, value: two }]))).toBe(canonical(last));
        expect(canonical(own(last.payload, key))).toBe(canonical(two));
        const gone = applyEdits(last, [{ path, value: undefined }]);
        expect(Object.hasOwn(gone.payload, key)).toBe(false);
      }),
    );
  });

  it("shares unchanged containers and copies changed ones", () => {
    const check = (before: Any, after: Any, at: Path, edits: readonly Edit[]): void => {
      if (typeof before !== "object" || before === null) return;
      const touched = edits.some(
        ({ path }) => path.length > at.length && at.every((part, i) => part === path[i]),
      );
      const replaced = edits.some(
        ({ path }) => path.length <= at.length && path.every((part, i) => part === at[i]),
      );
      if (replaced) return;
      if (!touched) {
        expect(after).toBe(before);
        return;
      }
      // Edits that leave all as it was copy nothing; those that cancel each other out may have copied.
      if (canonical(after) !== canonical(before)) expect(after).not.toBe(before);
      else if (edits.length === 1) expect(after).toBe(before);
      if (after === before) return;
      for (const key of Object.keys(before)) {
        const part = Array.isArray(before) ? Number(key) : key;
        check(own(before, key), own(after, key), [...at, part], edits);
      }
    };
    fc.assert(
      fc.property(scenario, ({ ctx, first }) => check(ctx, applyEdits(ctx, first), [], first)),
    );
  });

  it("pollutes no prototype", () => {
    const hostile: Edit[] = [
      { path: ["payload", "__proto__", "polluted"], value: true },
      { path: ["payload", "constructor", "prototype", "polluted"], value: true },
      { path: ["__proto__", "polluted"], value: true },
      { path: ["metadata", "__proto__"], value: { polluted: true } },
    ];
    const ctx = frozen({ payload: {}, metadata: {} }) as unknown as HookContext;
    const after = applyEdits(ctx, hostile) as Any;
    expect(({} as Any).polluted).toBeUndefined();
    expect((Object as Any).polluted).toBeUndefined();
    expect(after.metadata.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(after.payload)).toBe(Object.prototype);
  });
});
