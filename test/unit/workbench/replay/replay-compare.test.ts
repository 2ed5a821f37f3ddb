import { describe, expect, test } from "vitest";
import type { RecordedOutcome } from "../../../../src/records/recording/format.ts";
import {
  holdsMask,
  outcomeDifference,
  sameButForMasks,
} from "../../../../src/records/recording/outcome-difference.ts";
import { MASK } from "../../../../src/core/json.ts";

const PLAIN: RecordedOutcome = { action: "continue", edits: [] };
const DENY: RecordedOutcome = { action: "abort", reason: "no", hook: "a", edits: [] };
const ASK: RecordedOutcome = { action: "continue", decision: "ask", hook: "a", edits: [] };
const edit = (path: string, value?: string): RecordedOutcome => {
  return { ...PLAIN, edits: [{ path, ...(value !== undefined && { value }) }] };
};

type Flags = { gained?: true; lostChanges?: true };
const same = (a: string, b: string): boolean => a === b;

/** What it was, what it is, in what they differ, and whether that is more or less. */
const DIFFERENT: Readonly<
  Record<string, readonly [RecordedOutcome, RecordedOutcome, readonly string[], Flags]>
> = {
  "a refusal is gone": [DENY, PLAIN, ["action", "hook", "reason"], {}],
  "a refusal is new": [PLAIN, DENY, ["action", "hook", "reason"], { gained: true }],
  "another hook refuses": [DENY, { ...DENY, hook: "b" }, ["hook"], { gained: true }],
  "another reason": [DENY, { ...DENY, reason: "never" }, ["reason"], { gained: true }],
  "it is asked no more": [ASK, PLAIN, ["decision", "hook"], {}],
  "refused in place of asked": [ASK, DENY, ["action", "decision", "reason"], { gained: true }],
  "another answer in place of the tool": [
    { action: "skip", result: { ok: true, n: 1 }, hook: "a", edits: [] },
    { action: "skip", result: { ok: true, n: 2 }, hook: "a", edits: [] },
    ["result"],
    { gained: true },
  ],
  "an answer of null in place of none": [
    { action: "skip", hook: "a", edits: [] },
    { action: "skip", result: null, hook: "a", edits: [] },
    ["result"],
    { gained: true },
  ],
  "another delay": [
    { action: "retry", delay_ms: 1, hook: "a", edits: [] },
    { action: "retry", delay_ms: 2, hook: "a", edits: [] },
    ["delay_ms"],
    { gained: true },
  ],
  "an edit is gone": [edit("/payload/a", "1"), PLAIN, ["edits"], { lostChanges: true }],
  "an edit is new": [PLAIN, edit("/payload/a", "1"), ["edits"], { gained: true }],
  "removed in place of written": [
    edit("/payload/a", "1"),
    edit("/payload/a"),
    ["edits"],
    { gained: true, lostChanges: true },
  ],
  "a text for the model is gone": [
    { ...PLAIN, inject: ["one", "two"] },
    { ...PLAIN, inject: ["two"] },
    ["inject"],
    { lostChanges: true },
  ],
  "texts in another order": [
    { ...PLAIN, inject: ["one", "two"] },
    { ...PLAIN, inject: ["two", "one"] },
    ["inject"],
    {},
  ],
  "a text of another strategy": [
    { ...PLAIN, inject: ["one"] },
    { ...PLAIN, inject: [{ content: "one", strategy: "tool_result" }] },
    ["inject"],
    { gained: true, lostChanges: true },
  ],
};

describe("outcomeDifference of different outcomes", () => {
  test.each(Object.entries(DIFFERENT))("%s", (_, [was, is, keys, flags]) => {
    const none = { gained: false, lostChanges: false };
    const expected = { ...none, ...flags };
    const difference = outcomeDifference(was, is, same);
    expect(difference).toEqual({ keys: expect.anything(), ...expected });
    expect([...(difference?.keys ?? [])].sort()).toEqual([...keys].sort());
  });

  test.each(Object.entries(DIFFERENT))("%s: each outcome equals itself", (_, [was, is]) => {
    expect(outcomeDifference(was, structuredClone(was), same)).toBeUndefined();
    expect(outcomeDifference(is, structuredClone(is), same)).toBeUndefined();
  });
});

test("outcomeDifference treats missing inject as an empty list, and ignores the order of keys and edits", () => {
  expect(outcomeDifference(PLAIN, { ...PLAIN, inject: [] }, same)).toBeUndefined();
  const [a, b] = [
    { path: "/payload/a", value: { x: 1, y: [2] } },
    { path: "/payload/b", value: "2" },
  ];
  const turned = { path: "/payload/a", value: { y: [2], x: 1 } };
  expect(
    outcomeDifference({ ...PLAIN, edits: [a, b] }, { ...PLAIN, edits: [b, turned] }, same),
  ).toBeUndefined();
});

test("outcomeDifference compares the last edit of each path", () => {
  const edits = [
    { path: "/payload/a", value: "1" },
    { path: "/payload/a", value: "2" },
  ];
  expect(outcomeDifference({ ...PLAIN, edits }, edit("/payload/a", "2"), same)).toBeUndefined();
  expect(outcomeDifference({ ...PLAIN, edits }, edit("/payload/a", "1"), same)).toBeDefined();
});

test("outcomeDifference treats `__proto__` in a value as an ordinary key", () => {
  const value = JSON.parse('{"__proto__":{"a":1}}') as { a: number };
  const was = { ...PLAIN, edits: [{ path: "/payload/a", value }] };
  const is = { ...PLAIN, edits: [{ path: "/payload/a", value: {} }] };
  expect(outcomeDifference(was, is, same)?.keys).toEqual(["edits"]);
});

const M = MASK;
describe("sameButForMasks", () => {
  test.each<readonly [string, string, boolean]>([
    ["key k-123 is bad", `key ${M} is bad`, true],
    [`key ${M} is bad`, "key k-123 is bad", true],
    [`key ${M} is bad`, "key k-123 is good", false],
    [`key ${M}`, "kex k-123", false],
    [M, "", true],
    [`a${M}a`, "a", false],
    [`a${M}b${M}c`, "a1b2c", true],
    [`a${M}b${M}c`, "a1c2b", false],
    [`${M}b${M}`, "xby", true],
    [`${M}b${M}`, "xy", false],
    [`a ${M}`, `a ${M}`, true],
    ["no", "yes", false],
  ])("%j and %j", (a, b, expected) => {
    expect(sameButForMasks(a, b)).toBe(expected);
    expect(sameButForMasks(b, a)).toBe(expected);
  });

  test("holdsMask finds a mask at any depth", () => {
    expect(holdsMask({ a: [{ b: `x ${M}` }] })).toBe(true);
    expect(holdsMask({ a: [{ b: "x" }, 1, null, true] })).toBe(false);
  });

  test("takes linear time", () => {
    const masked = `a${M}`.repeat(20_000);
    const started = performance.now();
    expect(sameButForMasks(`${masked}b`, "a".repeat(20_000 * 3))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
