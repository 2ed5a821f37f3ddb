import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textDiff } from "../../../src/cli/text-diff.ts";

test("textDiff shows removed and added lines with two lines of context", () => {
  expect(textDiff("1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nfour\n5\n6\n7")).toBe(
    "  2\n  3\n- 4\n+ four\n  5\n  6",
  );
});

test("textDiff omits lines between distant changes", () => {
  const middle = "a\nb\nc\nd\ne\nf";
  expect(textDiff(middle, `first\n${middle}\nlast`)).toBe("+ first\n  a\n  b\n…\n  e\n  f\n+ last");
});

test("textDiff truncates a long diff and says by how much", () => {
  const long = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
  const lines = textDiff("", long).split("\n");
  expect(lines).toHaveLength(61);
  expect(lines.at(-1)).toBe("… 41 more lines");
});

test("textDiff of repeated lines, whole texts, equal texts, and texts too long to compare", () => {
  expect(textDiff("a\na", "a\na\na")).toBe("  a\n  a\n+ a");
  expect(textDiff("a", "b")).toBe("- a\n+ b");
  expect(textDiff("a", "a")).toBe("");
  const huge = (mark: string): string =>
    Array.from({ length: 3000 }, (_, i) => mark + i).join("\n");
  expect(textDiff(huge("a"), huge("b")).split("\n")).toHaveLength(61);
});

test("textDiff: removed lines are from the old text, added lines from the new", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((l) => l.join("\n"));
  const taken = (diff: string, mark: string): number =>
    diff.split("\n").filter((line) => line.startsWith(mark)).length;
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = textDiff(before, after);
      const [gone, come] = [taken(diff, "-"), taken(diff, "+")];
      expect(after.split("\n").length - before.split("\n").length).toBe(come - gone);
      expect(diff === "").toBe(before === after);
    }),
  );
});
