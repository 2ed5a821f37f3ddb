import { expect, test } from "vitest";
import { isPatch, patchFiles } from "../../../src/guards/effects/patch-files.ts";

/** A text, whether it is a patch, and the files in it; `?`: it depends on how it is applied whether that is the name. */
test.each([
  ["*** Begin Patch\n*** Update File: a b \n@@\n-x\n+y\n*** End Patch", "patch: update a b"],
  ["*** Begin Patch\n*** Update File: a\n*** Move to: b", "patch: update a, move b"],
  ["*** Add File: a\n+x", "patch: add a"],
  ["x\n*** Delete File: a", "patch: delete a"],
  [" *** delete file : a", "patch: delete a"],
  ["*** Rename File: a", "patch: "],
  ["*** Update: a", "no patch: update a"],
  ["*** Update File:", "patch: "],
  ["*** Begin x", "no patch: "],
  ["--- a/x\n+++ b/y\n@@ -1 +1 @@", "patch: update x, ?update a/x, update y, ?update b/y"],
  [
    "--- a/x\t2020-01-01\n+++ b/x\t2020-01-01",
    "patch: update x, ?update a/x, update x, ?update b/x",
  ],
  ["--- /dev/null\n+++ b/x", "patch: add x, ?add b/x"],
  ["--- a/x\n+++ /dev/null", "patch: delete x, ?delete a/x"],
  ['--- "a/x y"\n+++ "b/x y"', "patch: update x y, ?update a/x y, update x y, ?update b/x y"],
  ["--- x\n+++ x", "patch: update x, update x"],
  [
    "--- /dev/null\n+++ b/x\n--- a/y\n+++ b/y",
    "patch: add x, ?add b/x, update y, ?update a/y, update y, ?update b/y",
  ],
  ["y\n--- a/x\n+++ b/x", "patch: update x, ?update a/x, update x, ?update b/x"],
  ["--- a/x", "no patch: update x, ?update a/x"],
  ["x --- a/x\n+++ b/x", "no patch: update x, ?update b/x"],
  ["+++ b/x", "no patch: update x, ?update b/x"],
  ["diff --git a/x b/y\nrename from x\nrename to y", "patch: leave x, move y"],
  ["diff --git a/x b/y\ncopy from x\ncopy to y", "patch: update x, move y"],
  ["x diff --git a/x b/y\nrename from x", "no patch: leave x"],
  ["diff --git a/x b/x\ndeleted file mode 100644\nnew mode 100644", "patch: "],
  ["diff --git a/x b/x\nsimilarity index 100%", "patch: "],
  ["some text from me", "no patch: "],
])("%j", (text, expected) => {
  const files = patchFiles(text).map(({ verb, path, sure }) => `${sure ? "" : "?"}${verb} ${path}`);
  expect(`${isPatch(text) ? "patch" : "no patch"}: ${files.join(", ")}`).toBe(expected);
});
