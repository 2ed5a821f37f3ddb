import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileBytes, fileText, makeFolder } from "../../../../src/machine/files/read-bounded.ts";
import { folder } from "../../engine/orcs/engine.ts";

const fifo = (path: string): void => void execFileSync("mkfifo", [path]);

/** What can have the name of a file, and why it is not read. */
const OTHERS: Readonly<Record<string, readonly [make: (path: string) => void, why: RegExp]>> = {
  "a FIFO": [fifo, /^it is not a regular file$/],
  "a link to a FIFO": [
    (path) => {
      fifo(`${path}.fifo`);
      symlinkSync(`${path}.fifo`, path);
    },
    /^it is not a regular file$/,
  ],
  "an endless device": [(path) => symlinkSync("/dev/zero", path), /^it is not a regular file$/],
  "a terminal": [(path) => symlinkSync("/dev/tty", path), /^it is not a regular file$/],
  "a directory": [(path) => mkdirSync(path), /^it is a directory$/],
  "a link to itself": [(path) => symlinkSync(path, path), /^ELOOP/],
  nothing: [() => undefined, /^ENOENT/],
  "a file that is too large": [
    (path) => writeFileSync(path, "x".repeat(101)),
    /^it is larger than 100 bytes$/,
  ],
};

describe.skipIf(process.platform === "win32")("a bounded read", () => {
  test.each(Object.entries(OTHERS))("does not wait for %s", (_, [make, why]) => {
    const path = join(folder(), "file");
    make(path);
    expect(() => fileBytes(path, 100)).toThrow(why);
  });

  test("takes files whose size is not known before", () => {
    const path = join(folder(), "file");
    writeFileSync(path, "ä".repeat(50));
    expect(fileText(path, 100)).toBe("ä".repeat(50));
    expect(fileText("/proc/version")).toBe(readFileSync("/proc/version", "utf8"));
  });
});

describe.skipIf(process.platform === "win32")("a folder", () => {
  test("is created with those above it, with its mode", () => {
    const root = folder();
    makeFolder(join(root, "a/b/c"));
    makeFolder(join(root, "a/b/c"));
    for (const path of ["a", "a/b", "a/b/c"])
      expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  });

  // Node's own never returns there.
  test.runIf(process.platform === "linux")("is not created below /proc", () => {
    expect(() => makeFolder("/proc/orcs/state")).toThrow(/^E\w+: .*'\/proc\/orcs'$/);
  });

  test("is not created below a file, or in place of a link to nothing", () => {
    const root = folder({ file: "" });
    symlinkSync(join(root, "nothing"), join(root, "link"));
    expect(() => makeFolder(join(root, "file/a"))).toThrow(/^E/);
    expect(() => makeFolder(join(root, "file"))).toThrow(/^EEXIST/);
    expect(() => makeFolder(join(root, "link"))).toThrow(/^EEXIST/);
  });
});
