import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileChange } from "../../../src/cli/atomic-writes.ts";
import { fileChange, statusOf, writeAtomically } from "../../../src/cli/atomic-writes.ts";
import { errorOf, folder } from "../engine/orcs/engine.ts";

/** Every file below a folder with its text, and folders that are empty. */
function contents(dir: string): Record<string, string> {
  const all = readdirSync(dir, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    all.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dir.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "a folder"];
    }),
  );
}

function to(dir: string, path: string, after: string): FileChange {
  return fileChange(path, join(dir, path), () => after);
}

test("writeAtomically writes all files, creates folders, and leaves nothing else", () => {
  const dir = folder({ "a.txt": "old", "same.txt": "same" });
  const changes = [to(dir, "a.txt", "new"), to(dir, "x/y/b.txt", "b"), to(dir, "same.txt", "same")];
  expect(changes.map(statusOf)).toEqual(["changed", "created", "unchanged"]);
  writeAtomically(changes);
  expect(contents(dir)).toEqual({
    "a.txt": "new",
    "same.txt": "same",
    x: "a folder",
    "x/y": "a folder",
    "x/y/b.txt": "b",
  });
});

test("writeAtomically keeps modes and symlinks", () => {
  const dir = folder({ "real.txt": "old" });
  chmodSync(join(dir, "real.txt"), 0o640);
  symlinkSync("real.txt", join(dir, "link.txt"));
  writeAtomically([to(dir, "link.txt", "new")]);
  expect(lstatSync(join(dir, "link.txt")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(dir, "real.txt"), "utf8")).toBe("new");
  expect(statSync(join(dir, "real.txt")).mode & 0o777).toBe(0o640);
});

test("writeAtomically changes no file if any was changed meanwhile", async () => {
  const names = ["a.txt", "b.txt", "n/new.txt"];
  for (const victim of names) {
    const dir = folder({ "a.txt": "a", "b.txt": "b" });
    const stale = names.map((name): FileChange => {
      const { path, file, before, after } = to(dir, name, `${name} anew`);
      return { path, file, before: name === victim ? "what it was" : before, after };
    });
    // A new file is not there yet: what it would have been cannot be kept beside it.
    if (victim === "n/new.txt") writeFileSync(join(dir, "n"), "in the way");
    const untouched = contents(dir);
    const { code, message } = await errorOf(() => writeAtomically(stale));
    expect(code).toBe("ORCS5002");
    expect(message).toContain(`cannot write ${victim}: `);
    expect(message).toContain("nothing was changed");
    expect(contents(dir)).toEqual(untouched);
  }
});

test("a directory or binary file is rejected before anything is written", async () => {
  const dir = folder({ "d/x": "", "binary.txt": Uint8Array.of(0xff, 0xfe) });
  expect((await errorOf(() => to(dir, "d", ""))).message).toBe(
    "ORCS5002: cannot read d: it is not a regular file",
  );
  expect((await errorOf(() => to(dir, "binary.txt", ""))).message).toBe(
    "ORCS5002: cannot read binary.txt: it is not UTF-8",
  );
});
