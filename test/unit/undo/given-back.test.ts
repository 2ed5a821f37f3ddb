import { afterAll, beforeAll, expect, test } from "vitest";
import type { Orcs } from "../../../src/engine/index.ts";
import { openOrcs, undone } from "./undone.ts";

// A share of given-back.slow.test.ts.

let orcs: Orcs;
beforeAll(async () => void (orcs = await openOrcs()));
afterAll(() => orcs.close());

test.each([
  ["dirty", "rm -rf src"],
  ["staged", "git reset --hard HEAD~1"],
  ["conflict", "git checkout -f"],
  ["worktree", "git stash clear"],
  ["nested", "git clean -ffdx"],
  ["no git", "sed -i s/one/two/ src/a.ts"],
  ["links and case", "ln -sf /etc/passwd src/a.ts"],
  ["dirty", "ln -sf README.md link"],
  ["dirty", "rm -r folder-link/"],
  ["dirty", "find . -type f -size -9 -not -path './.git/*' -delete"],
  ["dirty", "find empty -type d -empty -delete"],
])("in a work tree that is %s: %s", async (tree, line) => {
  const { denied, differs, changed } = await undone(orcs, tree, line);
  expect(denied).toBeUndefined();
  expect(changed).toBeGreaterThan(0);
  expect(differs).toEqual([]);
});
