import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileMatcher } from "../../../../src/matching/match.ts";
import { createEffectReader } from "../../../../src/guards/index.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { brokenLines, pushesOf } from "./broken-lines.ts";

/** More lines than the usual ones: see test/slow/broken-lines.test.ts. */
const COUNT = 40;

test("a guard on git push --force matches every malformed line with which bash pushes", () => {
  const guard = compileMatcher(
    { runs: ["git push --force"] },
    { cwd: "/work", effects: createEffectReader(createShellReader(), "/") },
  );
  const lines = fc.sample(brokenLines, { numRuns: COUNT, seed: 1 });
  const pushes = pushesOf(lines);
  const missed = lines.filter(
    (command, at) =>
      pushes[at] === true && guard?.failing({ tool_name: "exec", args: { command } }) === "runs",
  );
  expect(missed.map((line) => line.replaceAll(/x{99,}/g, "x…"))).toStrictEqual([]);
  // Else the test would show nothing.
  expect(pushes.filter(Boolean).length).toBeGreaterThan(COUNT / 3);
});
