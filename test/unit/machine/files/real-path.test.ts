import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { followedPath } from "../../../../src/machine/files/real-path.ts";
import { folder } from "../../engine/orcs/engine.ts";

/** A folder of links; what they lead to stands before the arrow's head. */
const LINKS: Readonly<Record<string, string>> = {
  "in/to-dir": "../out/deep",
  "in/to-file": "../out/deep/file",
  "in/to-link": "to-dir/again",
  "in/dangling": "../out/new/file",
  "in/dangling-2": "./dangling",
  "in/up": "..",
  "in/here": ".",
  "in/slash": "../out//deep/.//",
  "in/through-missing": "nothing/../../out",
  "out/deep/again": "../../out/deep/below",
  "loop/self": "self",
  "loop/a": "b",
  "loop/b": "a/x",
};

let dir: string;
beforeEach(() => {
  dir = folder({ "out/deep/file": "x", "out/deep/below/leaf": "y", "in/plain": "z", "loop/f": "" });
  for (const [at, target] of Object.entries(LINKS)) symlinkSync(target, join(dir, at));
  symlinkSync(join(dir, "out"), join(dir, "in/absolute"));
  symlinkSync("/", join(dir, "in/root"));
});

/** From `in`, unless a case says otherwise; what comes out is seen from the folder. */
const from = (path: string, cwd = "in"): string => followedPath(path, cwd, dir);
const messageOf = (path: string, cwd?: string): string => {
  try {
    return `no error, but ${from(path, cwd)}`;
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

describe("followedPath", () => {
  test.each<[path: string, to: string]>([
    // What exists.
    ["plain", "in/plain"],
    [".", "in"],
    ["", "in"],
    ["./", "in"],
    ["..", ""],
    ["../in//plain", "in/plain"],
    ["to-dir", "out/deep"],
    ["to-dir/", "out/deep"],
    ["to-dir/file", "out/deep/file"],
    ["to-file", "out/deep/file"],
    ["to-link/leaf", "out/deep/below/leaf"],
    ["absolute/deep/file", "out/deep/file"],
    ["slash/file", "out/deep/file"],
    ["here/here/here/plain", "in/plain"],
    ["up/in/up/out", "out"],
    // Behind a link, `..` is above what it leads to.
    ["to-dir/..", "out"],
    ["to-dir/../deep/file", "out/deep/file"],
    ["to-dir/../../in", "in"],
    ["to-link/../..", "out"],
    ["../in/to-dir/../new", "out/new"],
    // What does not exist yet.
    ["new", "in/new"],
    ["new/", "in/new"],
    ["new/er/est", "in/new/er/est"],
    ["to-dir/new", "out/deep/new"],
    ["to-dir/new/er", "out/deep/new/er"],
    ["to-dir/../new/er", "out/new/er"],
    ["absolute/new", "out/new"],
    // A dangling link: where a write makes the file.
    ["dangling", "out/new/file"],
    ["dangling-2", "out/new/file"],
    ["dangling/..", "out/new"],
    ["dangling/below", "out/new/file/below"],
    ["dangling/../../deep/again/leaf", "out/deep/below/leaf"],
    // By its text where nothing is, by what is there as soon as something is again.
    ["new/..", "in"],
    ["new/../to-dir", "out/deep"],
    ["new/er/../../to-dir/x", "out/deep/x"],
    ["new/er/../to-dir/x", "in/new/to-dir/x"],
    ["new/./../to-dir/../dangling", "out/dangling"],
    ["through-missing/deep/again", "out/deep/below"],
    [`new/../..//../${"../".repeat(20)}nothing-of-this-name`, "/nothing-of-this-name"],
    // What is no directory.
    ["plain/below", "in/plain/below"],
    ["plain/", "in/plain"],
    ["plain/..", "in"],
    ["plain/../to-dir/file", "out/deep/file"],
    ["to-file/../again/leaf", "out/deep/below/leaf"],
    // The root, and nothing above it.
    ["root", "/"],
    ["root/..", "/"],
    ["root/../../nothing-of-this-name", "/nothing-of-this-name"],
    ["/", "/"],
    ["/..", "/"],
    ["//", "/"],
    ["/nothing-of-this-name/../..", "/"],
    // No shell reads it.
    ["~", "in/~"],
    ["$HOME/x", "in/$HOME/x"],
    ["*", "in/*"],
    [" new ", "in/ new "],
    ["a\nb", "in/a\nb"],
    ["ünï/日本", "in/ünï/日本"],
    ["..new", "in/..new"],
    ["...", "in/..."],
    ["\\..\\x", "in/\\..\\x"],
  ])("of %j is %j", (path, to) => {
    expect(from(path)).toBe(to.startsWith("/") ? to : join(dir, to));
  });

  test.each<[cwd: string, path: string, to: string]>([
    ["", "in/to-dir", "out/deep"],
    [".", "in/to-dir", "out/deep"],
    ["in/to-dir", "file", "out/deep/file"],
    ["in/to-dir", "..", "out"],
    ["in/to-dir/..", "deep/file", "out/deep/file"],
    ["in/new", "../to-dir/file", "out/deep/file"],
    ["in/new", "x", "in/new/x"],
    ["in/dangling", "x", "out/new/file/x"],
    ["../nothing-of-this-name", "x", "../nothing-of-this-name/x"],
  ])("from %j, of %j", (cwd, path, to) => {
    expect(from(path, cwd)).toBe(join(dir, to));
    expect(from(path, `${dir}/${cwd}`)).toBe(join(dir, to));
  });

  test("of an absolute path ignores the directory", () => {
    for (const cwd of ["in", "loop/self", "/nothing-of-this-name"])
      expect(from(join(dir, "in/to-dir/file"), cwd)).toBe(join(dir, "out/deep/file"));
  });

  test("works with a root that is a symlink or does not exist", () => {
    expect(followedPath("again/leaf", ".", join(dir, "in/to-dir"))).toBe(
      join(dir, "out/deep/below/leaf"),
    );
    expect(followedPath("x", "y", join(dir, "gone"))).toBe(join(dir, "gone/y/x"));
  });

  test("follows a changed symlink", () => {
    expect(from("to-dir/file")).toBe(join(dir, "out/deep/file"));
    renameSync(join(dir, "in/here"), join(dir, "in/to-dir"));
    expect(from("to-dir/file")).toBe(join(dir, "in/file"));
  });

  test("names the file that a write through the path creates", () => {
    mkdirSync(join(dir, "out/new"));
    for (const path of ["in/dangling-2", "in/to-dir/../made"]) {
      const told = followedPath(path, ".", dir);
      // Not with `join`, which would take the `..` away by its text.
      closeSync(openSync(`${dir}/${path}`, "w"));
      expect(realpathSync.native(`${dir}/${path}`)).toBe(told);
    }
  });

  (process.getuid?.() === 0 ? test.skip : test)(
    "uses the text of a path that it may not inspect",
    () => {
      chmodSync(join(dir, "out/deep"), 0o000);
      try {
        expect(from("to-dir/again/leaf")).toBe(join(dir, "out/deep/again/leaf"));
        expect(from("to-dir/again/../x")).toBe(join(dir, "out/deep/x"));
        expect(from("to-dir/again/../../../in/to-file")).toBe(join(dir, "out/deep/file"));
      } finally {
        chmodSync(join(dir, "out/deep"), 0o755);
      }
    },
  );
});

describe("errors of followedPath", () => {
  test.each([
    ["loop/self", "in"],
    ["loop/self", "nothing/.."],
    ["loop/a", "in"],
    ["loop/a/x/y", "in"],
    ["loop/f/../self", "in"],
    ["new/../loop/self/..", "."],
  ])("a symlink loop: %s", (path, cwd) => {
    expect(messageOf(`${dir}/${path}`, cwd)).toContain("has too many levels of symbolic links");
    expect(messageOf(path, dir)).toContain("has too many levels of symbolic links");
  });

  test("more symlinks in a row than the kernel follows", () => {
    for (let i = 1; i <= 45; i++) symlinkSync(`l${i - 1}`, join(dir, `in/l${i}`));
    for (let i = 1; i <= 45; i++) symlinkSync(`m${i - 1}`, join(dir, `in/m${i}`));
    writeFileSync(join(dir, "in/l0"), "");
    expect(from("l40")).toBe(join(dir, "in/l0"));
    expect(messageOf("l41")).toContain("has too many levels of symbolic links");
    expect(from("m40")).toBe(join(dir, "in/m0"));
    expect(messageOf("m41")).toContain("has too many levels of symbolic links");
  });

  test.each([
    ["a NUL byte", "plain\0", "contains a NUL byte"],
    ["a NUL byte in what does not exist", "new/a\0/../..", "contains a NUL byte"],
    ["half of a character", "new/\ud800", "is not valid Unicode"],
    ["longer than PATH_MAX", "x/".repeat(2048), "is too long for a path"],
    ["longer than PATH_MAX in bytes", "ü".repeat(2048), "is too long for a path"],
    ["64 KB", "x".repeat(65_536), "is too long for a path"],
    ["a name that is too long", "x".repeat(300), "cannot be resolved: ENAMETOOLONG"],
  ])("%s", (_, path, why) => {
    expect(messageOf(path)).toContain(why);
    expect(messageOf(path).length).toBeLessThan(300);
    expect(messageOf("x", path)).toContain(why);
  });

  test("none just below PATH_MAX", () => {
    expect(from(`/nothing-of-this-name/${"x/".repeat(2036)}`)).toHaveLength(22 + 2 * 2036 - 1);
  });

  (process.platform === "linux" ? test : test.skip)("names that are not UTF-8", () => {
    // Node would put U+FFFD in their place, which is another name.
    mkdirSync(Buffer.from(`${dir}/in/r\xff`, "latin1"));
    symlinkSync(Buffer.from("r\xff", "latin1"), join(dir, "in/odd"));
    symlinkSync(Buffer.from("s\xff", "latin1"), join(dir, "in/odd-2"));
    for (const path of ["odd", "odd/x", "odd/..", "odd-2", "odd-2/../plain"]) {
      const led = messageOf(path);
      if (path === "odd/..") expect(led).toBe(`no error, but ${join(dir, "in")}`);
      else expect(led).toContain("is not valid UTF-8");
    }
  });
});

repeatedTest("followedPath agrees with the kernel for existing and possible paths", () => {
  const names = [
    ...Object.keys(LINKS).filter((at) => !at.startsWith("loop")),
    "in",
    "out",
    "out/deep",
    "plain",
  ].map((at) => at.slice(at.lastIndexOf("/") + 1));
  const segment = fc.constantFrom(...names, "..", "..", ".", "", "file", "again", "absent", "f");
  // Of long paths, few exist.
  const path = fc
    .oneof(
      fc.array(segment, { minLength: 1, maxLength: 3 }),
      fc.array(segment, { minLength: 1, maxLength: 9 }),
    )
    .map((list) => list.join("/"));
  let existing = 0;
  let missing = 0;
  fc.assert(
    fc.property(path, (written) => {
      const whole = `${dir}/in/./${written}`;
      const told = followedPath(`./${written}`, "in", dir);
      // It holds no link any more, and is the same for itself.
      expect(followedPath(told, "/", "/")).toBe(told);
      expect(told === "/" || dirname(told) !== told).toBe(true);
      const real = native(whole);
      if (real !== undefined) {
        existing++;
        expect(told).toBe(real);
        // Link by link, too.
        expect(followedPath(`absent/../${written}`, "in", dir)).toBe(real);
        return;
      }
      missing++;
      const parent = native(whole.slice(0, whole.lastIndexOf("/")));
      const last = whole.slice(whole.lastIndexOf("/") + 1);
      if (parent !== undefined && last === "absent") expect(told).toBe(join(parent, "absent"));
    }),
    { numRuns: runCount(1500) },
  );
  expect(existing).toBeGreaterThan(runCount(1500) / 15);
  expect(missing).toBeGreaterThan(runCount(1500) / 15);
});

function native(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
