local patch = require "file_guard.patch"

-- A text, whether it is a patch, and the files in it.
local PATCHES = {
  { "*** Begin Patch\n*** Update File: a b \n@@\n-x\n+y\n*** End Patch", "patch: update a b" },
  { "*** Begin Patch\n*** Update File: a\n*** Move to: b", "patch: update a, move b" },
  { "*** Add File: a\n+x", "patch: add a" },
  { "x\n*** Delete File: a", "patch: delete a" },
  { " *** delete file : a", "patch: delete a" },
  { "*** Rename File: a", "patch: " },
  { "*** Update: a", "no patch: update a" },
  { "*** Update File:", "patch: " },
  { "*** Begin x", "no patch: " },
  { "--- a/x\n+++ b/y\n@@ -1 +1 @@", "patch: update a/x, update x, update b/y, update y" },
  { "--- a/x\t2020-01-01\n+++ b/x\t2020-01-01", "patch: update a/x, update x, update b/x, update x" },
  { "--- /dev/null\n+++ b/x", "patch: add b/x, add x" },
  { "--- a/x\n+++ /dev/null", "patch: update a/x, update x" },
  { "--- \"a/x y\"\n+++ \"b/x y\"", "patch: update a/x y, update x y, update b/x y, update x y" },
  { "--- x\n+++ x", "patch: update x, update x" },
  { "--- /dev/null\n+++ b/x\n--- a/y\n+++ b/y", "patch: add b/x, add x, update a/y, update y, update b/y, update y" },
  { "y\n--- a/x\n+++ b/x", "patch: update a/x, update x, update b/x, update x" },
  { "--- a/x", "no patch: update a/x, update x" },
  { "x --- a/x\n+++ b/x", "no patch: update b/x, update x" },
  { "+++ b/x", "no patch: update b/x, update x" },
  { "diff --git a/x b/y\nrename from x\nrename to y", "patch: update x, move y" },
  { "diff --git a/x b/y\ncopy from x\ncopy to y", "patch: update x, move y" },
  { "x diff --git a/x b/y\nrename from x", "no patch: update x" },
  { "diff --git a/x b/x\ndeleted file mode 100644\nnew mode 100644", "patch: " },
  { "diff --git a/x b/x\nsimilarity index 100%", "patch: " },
  { "some text from me", "no patch: " },
}

describe("a patch", function()
  it("names its files", function()
    for _, row in ipairs(PATCHES) do
      local found = {}
      for _, file in ipairs(patch.files(row[1])) do found[#found + 1] = file.verb .. " " .. file.path end
      local got = (patch.is_patch(row[1]) and "patch: " or "no patch: ") .. table.concat(found, ", ")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)
end)
