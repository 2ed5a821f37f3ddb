import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { PatternBudget } from "../../../../../src/engine/lua/patterns/matcher.ts";
import { findPlain, findTwoWay } from "../../../../../src/engine/lua/patterns/matcher.ts";
import { quickTest as it, repeatedTest, runCount } from "../../../../slow-test.ts";

const budget = new PatternBudget(() => {});
const piece = fc.tuple(fc.constantFrom("a", "b", "ab", "aab", "ba", "abc", "x\0"), fc.nat(60));
const text = (pieces: number): fc.Arbitrary<string> =>
  fc
    .array(piece, { maxLength: pieces })
    .map((parts) => parts.map(([word, count]) => word.repeat(count)).join(""));

/** Both texts in one memory, with something around them that must not be looked at. */
function layOut(
  subject: string,
  needle: string,
): { memory: Buffer; from: number; to: number; at: number } {
  const memory = Buffer.from(`${needle}|${subject}${needle}|${needle}`, "latin1");
  const from = needle.length + 1;
  return { memory, from, to: from + subject.length, at: from + subject.length + needle.length + 1 };
}

describe.each([
  ["findPlain", findPlain],
  ["findTwoWay", findTwoWay],
])("%s", (_name, find) => {
  repeatedTest("agrees with indexOf", () => {
    fc.assert(
      fc.property(text(8), text(3), (subject, needle) => {
        if (find === findTwoWay && needle === "") return;
        const { memory, from, to, at } = layOut(subject, needle);
        const found = find(memory, from, to, at, needle.length, budget);
        expect(found < 0 ? -1 : found - from).toBe(subject.indexOf(needle));
      }),
      { numRuns: runCount(5_000) },
    );
  });

  repeatedTest("finds any part of the subject", () => {
    fc.assert(
      fc.property(
        text(10),
        fc.nat(2_000),
        fc.integer({ min: 1, max: 500 }),
        (subject, start, size) => {
          const needle = subject.slice(start, start + size);
          if (needle === "") return;
          const { memory, from, to, at } = layOut(subject, needle);
          expect(find(memory, from, to, at, needle.length, budget) - from).toBe(
            subject.indexOf(needle),
          );
        },
      ),
      { numRuns: runCount(3_000) },
    );
  });
});

it("finds a match across two windows of the native search", () => {
  for (const length of [1, 2, 20, 32, 33, 100]) {
    const needle = "n".repeat(length);
    for (let start = 16_384 + 100; start < 16_384 + 320; start++) {
      const { memory, from, to, at } = layOut(`${"-".repeat(start)}${needle}---`, needle);
      expect(findPlain(memory, from, to, at, length, budget) - from).toBe(start);
    }
  }
});

it("takes linear time in both lengths", () => {
  const steps = (subject: string, needle: string): number => {
    let checks = 0;
    const counted = new PatternBudget(() => checks++);
    const { memory, from, to, at } = layOut(subject, needle);
    findPlain(memory, from, to, at, needle.length, counted);
    return checks;
  };
  for (const [subject, needle] of [
    ["a", `${"a".repeat(5_000)}b`],
    ["a", `b${"a".repeat(5_000)}`],
    ["a", `${"a".repeat(2_500)}b${"a".repeat(2_500)}`],
    ["ab", `${"ab".repeat(2_500)}aa`],
  ] as const) {
    const once = steps(subject.repeat(400_000), needle);
    expect(steps(subject.repeat(800_000), needle)).toBeLessThan(2.5 * once + 20);
    expect(once).toBeLessThan(800_000 / 500);
  }
});
