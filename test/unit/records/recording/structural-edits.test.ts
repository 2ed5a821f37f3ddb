import { expect } from "vitest";
import type { RecordedEdit } from "../../../../src/records/recording/format.ts";
import { structuralEdits } from "../../../../src/records/recording/recorded-event.ts";
import { setOwn, type Json } from "../../../../src/core/json.ts";
import { anyJson, canonical } from "./json-values.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";

import * as fc from "fast-check";

const ROWS: Readonly<Record<string, readonly [before: Json, after: Json, edits: RecordedEdit[]]>> =
  {
    "nothing changed": [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    "keys in another order": [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    "a value": [{ a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [{ path: "/p/a/b", value: 3 }]],
    "a new key": [{ a: {} }, { a: { b: null } }, [{ path: "/p/a/b", value: null }]],
    "a key that is gone": [{ a: { b: 1 } }, { a: {} }, [{ path: "/p/a/b" }]],
    "another type": [{ a: [1] }, { a: { "0": 1 } }, [{ path: "/p/a", value: { "0": 1 } }]],
    "null for an object": [{ a: {} }, { a: null }, [{ path: "/p/a", value: null }]],
    "an item": [[1, 2, 3], [1, 5, 3], [{ path: "/p/1", value: 5 }]],
    "more at the end": [[1, { a: 1 }], [1, { a: 1 }, 3], [{ path: "/p/2", value: 3 }]],
    "more at the end, and another one": [[1], [2, 3], [{ path: "/p", value: [2, 3] }]],
    less: [[1, 2], [1], [{ path: "/p", value: [1] }]],
    "keys that pointers escape": [
      { "a/b": 1, "~": 2 },
      { "a/b": 2 },
      [{ path: "/p/~0" }, { path: "/p/a~1b", value: 2 }],
    ],
    "zero of another sign": [{ a: 0 }, { a: -0 }, [{ path: "/p/a", value: -0 }]],
    "the value itself": ["x", "y", [{ path: "/p", value: "y" }]],
  };

test.each(Object.entries(ROWS))("structuralEdits: %s", (_name, [before, after, edits]) => {
  expect(structuralEdits(before, after, "/p")).toEqual(edits);
});

test("structuralEdits treats __proto__ and constructor as ordinary keys", () => {
  const before = JSON.parse('{"__proto__":{"a":1},"constructor":1}') as Json;
  const after = JSON.parse('{"__proto__":{"a":2},"toString":1}') as Json;
  expect(structuralEdits(before, after, "")).toEqual([
    { path: "/constructor" },
    { path: "/__proto__/a", value: 2 },
    { path: "/toString", value: 1 },
  ]);
});

repeatedTest(
  "structuralEdits turn one value into the other, and are empty for equal values",
  () => {
    fc.assert(
      fc.property(anyJson, anyJson, fc.boolean(), (before, other, isSame) => {
        const after = isSame ? structuredClone(before) : other;
        const edits = structuralEdits(before, after, "");
        if (isSame) expect(edits).toEqual([]);
        expect(canonical(applied(structuredClone(before), edits))).toBe(canonical(after));
      }),
      { numRuns: runCount(2000) },
    );
  },
);

/** What edits make of a value. */
function applied(before: Json, edits: readonly RecordedEdit[]): Json {
  const root: { value: Json } = { value: before };
  for (const { path, value } of edits) {
    const steps = ["value", ...path.split("/").slice(1).map(unescaped)];
    const last = steps.pop() ?? "";
    const at = steps.reduce((parent, step) => Reflect.get(parent, step) as object, root as object);
    if (value === undefined) Reflect.deleteProperty(at, last);
    else if (Array.isArray(at)) at[Number(last)] = value;
    else setOwn(at as Record<string, unknown>, last, value);
  }
  return root.value;
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
