import { expect, test } from "vitest";
import { forbiddenAmong, forbiddenPatterns } from "../../../../src/workbench/fuzz/forbidden.ts";

test.each([
  ["git push --force", true],
  ["git -C . --git-dir .git --no-pager push --force", true],
  ["git -c alias.zz=x push --force", true],
  ["/usr/bin/git --work-tree=. push -f", true],
  // git ends with "unknown option".
  ["git -c alias.zz=push --force zz", false],
  ["git -C . -vC . push --force", false],
  ["git push --forc", false],
  ["git push x -vn -f", false],
  ["git push --force --dry-run", false],
  ["git push", false],
  // Its stub starts git, which is recorded by itself.
  ["sudo git push --force", false],
])("what git really does: %s", (line, pushes) => {
  const ran = [{ argv: line.split(" "), env: {} }];
  const found = forbiddenAmong(ran, forbiddenPatterns(["git push --force"]));
  expect(found !== undefined).toBe(pushes);
});
