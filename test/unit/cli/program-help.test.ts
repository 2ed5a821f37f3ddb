import { expect, test } from "vitest";
import { programHelp } from "../../../src/cli/help.ts";

test("lists the programs, and shows one with its options and operands", () => {
  expect(programHelp([], false)).toMatch(/\bcp\b.*\btee\b/s);
  expect(JSON.parse(programHelp([], true))).toContain("tee");
  expect(programHelp(["touch"], false)).toMatch(
    /^touch.*\n {2}operands: writes\.\.\.\n.* {2}-r, --reference=names\n/s,
  );
  expect(programHelp(["cp"], false)).toContain(
    "  operands (with named): reads...\n  operands: reads... into",
  );
  expect(JSON.parse(programHelp(["rm"], true))).toMatchObject({ names: ["rm", "grm"] });
});

test("an unknown program has a hint", () => {
  expect(() => programHelp(["chmdo"], false)).toThrow(/ORCS9400.*did you mean \w+\?/);
});
