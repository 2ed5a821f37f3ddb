import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineDiff } from "../../../../src/core/index.ts";
import { failureText, shownValue } from "../../../../src/engine/testing/failure-text.ts";

const place = { file: "hooks/h.lua", line: 12 };
const failed = { name: "it", place, status: "failed", duration_ms: 1 } as const;

describe("the text of a failing test", () => {
  test("has short values below each other", () => {
    const differences = [
      { at: "action", expected: "abort", got: "continue" },
      { at: "reason", expected: "no", got: undefined },
    ];
    expect(failureText({ ...failed, message: "h did not run", differences })).toBe(
      `✗ hooks/h.lua:12 it
  h did not run
  action
    expected  "abort"
    got       "continue"
  reason
    expected  "no"
    got       nothing`,
    );
  });

  test("has a line diff of long values", () => {
    const long = (n: number) => ({
      some: "long text",
      other: ["a", "b"],
      more: "of the same kind",
      n,
    });
    expect(
      failureText({ ...failed, differences: [{ at: "result", expected: long(1), got: long(2) }] }),
    ).toBe(
      `✗ hooks/h.lua:12 it
  result
    - expected  + got
      {
        "some": "long text",
        "other": [
          "a",
          "b"
        ],
        "more": "of the same kind",
    -   "n": 1
    +   "n": 2
      }`,
    );
  });

  test("has text values of a test file unchanged", () => {
    const differences = [{ at: "", expected: '"a"', got: "{\n  1,\n}" }];
    expect(failureText({ ...failed, differences })).toBe(
      `✗ hooks/h.lua:12 it
    - expected  + got
    - "a"
    + {
    +   1,
    + }`,
    );
  });

  test("escapes control characters and newlines from scripts", () => {
    const text = failureText({
      ...failed,
      name: "a\u001B[2Jb\nc",
      message: "m\u001B[31m",
      differences: [{ at: "metadata.\u0007", expected: "\u001B", got: "\u009B" }],
    });
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    expect(text.split("\n")[0]).toBe("✗ hooks/h.lua:12 a\\x1b[2Jb\\nc");
  });

  test("truncates huge values between characters", () => {
    const shown = shownValue("🎈".repeat(50_000));
    expect(shown.length).toBeLessThan(2100);
    expect(shown).not.toMatch(/\p{Surrogate}/u);
    expect(shownValue(Array.from({ length: 1000 }, (_, i) => i)).split("\n")).toHaveLength(41);
  });

  test("has a minimal diff that contains both texts", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const diff = lineDiff(one, other);
        const side = (mark: string) =>
          diff
            .filter((line) => line.startsWith("  ") || line.startsWith(mark))
            .map((line) => line.slice(2));
        expect(side("- ")).toEqual(one);
        expect(side("+ ")).toEqual(other);
        if (one.join() === other.join())
          expect(diff.every((line) => line.startsWith("  "))).toBe(true);
      }),
    );
  });
});
