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
  // Names that only the shell or a program knows.
  ["dirty", 'for f in src/*; do rm -rf "$f"; done'],
  ["dirty", 'for f in src/*.ts; do mv "$f" "${f%.ts}.js"; done'],
  ["dirty", 'f=(src/*); rm -rf "${f[@]}"'],
  ["dirty", 'ls src | while read f; do rm -rf "src/$f"; done'],
  ["no git", 'for f in $(ls src); do rm -rf "src/$f"; done'],
  ["dirty", "rm -rf ~+/src"],
  ["dirty", "python3 -c \"import os; os.remove('READ'+'ME.md')\""],
  ["no git", "python3 -c 'import sys, os; os.remove(sys.argv[1])' src/a.ts"],
  ["dirty", "perl -e 'unlink @ARGV' README.md"],
  ["dirty", 'node -e \'require("child_process").execSync("rm README.md")\''],
])("in a work tree that is %s: %s", async (tree, line) => {
  const { denied, differs, changed } = await undone(orcs, tree, line);
  expect(denied).toBeUndefined();
  expect(changed).toBeGreaterThan(0);
  expect(differs).toEqual([]);
});
