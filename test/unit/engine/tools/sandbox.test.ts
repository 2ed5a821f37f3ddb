import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
beforeEach(() => {
  box = sandboxFixture();
  box.files({ "in/file": "inside" });
  const link = (to: string, name: string): void => symlinkSync(to, join(box.root, name));
  link(box.outside, "out-dir");
  link(join(box.outside, "secret"), "out-file");
  link(join(box.outside, "new"), "out-dangling");
  link("../outside", "out-relative");
  link("out-dangling", "out-chain");
  link("nowhere/../../outside/new", "out-devious");
  link("loop-b", "loop-a");
  link("loop-a", "loop-b");
  link("in", "in-link");
  link("in/new", "in-dangling");
  link("/", "top");
});
afterEach(() => {
  // Whatever was tried: nothing outside has changed.
  expect(readdirSync(box.outside)).toEqual(["secret"]);
  expect(readFileSync(join(box.outside, "secret"), "utf8")).toBe("secret");
  box.cleanUp();
});

/** Every tool that takes a path, its other arguments fit. */
const CALLS: [string, (path: string) => JsonObject][] = [
  ["read", (path) => ({ path })],
  ["write", (path) => ({ path, content: "x" })],
  ["grep", (path) => ({ pattern: ".", path })],
  ["glob", (path) => ({ pattern: "*", path })],
  ["glob", (path) => ({ pattern: `${path}/*` })],
  ["mkdir", (path) => ({ path })],
  ["remove", (path) => ({ path })],
  ["mv", (path) => ({ from: path, to: "moved" })],
  ["mv", (path) => ({ from: "in/file", to: path })],
  ["scan_dir", (path) => ({ path })],
  ["exec", (path) => ({ command: "echo pwned > secret; echo pwned > new", cwd: path })],
];
/** Paths that leave the sandbox by their text, or through a link above the last segment. */
const ESCAPES = [
  "..",
  "../outside/secret",
  "in/../../outside/secret",
  "./in/./../../outside/new",
  "/etc",
  "/etc/passwd",
  "/",
  "out-dir/secret",
  "out-dir/new",
  "out-dir/a/b/new",
  "out-relative/secret",
  "in-link/../../outside/secret",
  "top/etc/passwd",
  "top/tmp/orcs-new",
];
/** Links that leave it as the last segment: to be renamed or removed as such, never followed. */
const LINKS = [
  "out-dir",
  "out-file",
  "out-dangling",
  "out-relative",
  "out-chain",
  "out-devious",
  "top",
];

describe.each(CALLS)("sandbox: %s", (tool, args) => {
  it.each(ESCAPES)("rejects %s", async (path) => {
    const error = errorOf(await box.call(tool, args(path)));
    expect(error).toContain(`is outside the sandbox root ${box.root}`);
    expect(error.startsWith(`${tool} `) || error.startsWith(`${tool}:`)).toBe(true);
  });

  it("rejects an absolute path outside", async () => {
    const error = errorOf(await box.call(tool, args(join(box.outside, "secret"))));
    expect(error).toContain("is outside the sandbox root");
  });

  it("returns an error for a symlink loop", async () => {
    const answer = await box.call(tool, args("loop-a/x"));
    expect(errorOf(answer)).toContain("too many symbolic links");
  });

  it("returns an error for unusual paths", async () => {
    const odd = ["in/file/x", `${"d/".repeat(3000)}x`, "n".repeat(300), "a/".repeat(100)];
    for (const path of odd) expect(typeof (await box.call(tool, args(path))).ok).toBe("boolean");
  });
});

describe.each(CALLS.filter(([tool]) => tool !== "remove" && tool !== "mv"))(
  "symlinks and the sandbox: %s",
  (tool, args) => {
    it.each(LINKS)("does not follow %s outside", async (path) => {
      expect(errorOf(await box.call(tool, args(path)))).toContain("is outside the sandbox root");
    });
  },
);

it("remove and mv apply to outward symlinks themselves, not their targets", async () => {
  for (const link of LINKS) {
    expect(await box.call("mv", { from: link, to: "moved" })).toEqual({ ok: true });
    expect(lstatSync(join(box.root, "moved")).isSymbolicLink()).toBe(true);
    expect(await box.call("remove", { path: "moved" })).toEqual({ ok: true });
    expect(existsSync(join(box.root, "moved"))).toBe(false);
  }
});

it("mv replaces a symlink at the target", async () => {
  expect(await box.call("mv", { from: "in/file", to: "out-file" })).toEqual({ ok: true });
  expect(lstatSync(join(box.root, "out-file")).isFile()).toBe(true);
});

it("tools follow symlinks within the sandbox", async () => {
  expect(await box.call("read", { path: "in-link/file" })).toMatchObject({ content: "inside" });
  expect(await box.call("write", { path: "in-dangling", content: "new" })).toEqual({
    ok: true,
    size: 3,
  });
  expect(readFileSync(join(box.root, "in/new"), "utf8")).toBe("new");
  expect(lstatSync(join(box.root, "in-dangling")).isSymbolicLink()).toBe(true);
});

it("tools accept absolute paths inside, also through a symlink to the root, with lexical `..`", async () => {
  const alias = join(box.root, "..", "alias");
  symlinkSync(box.root, alias);
  for (const root of [box.root, alias]) {
    for (const path of [join(root, "in/file"), join(box.root, "in/file"), "out-dir/../in/file"])
      expect(await box.call("read", { path }, { root })).toMatchObject({ content: "inside" });
  }
});

it("a sibling directory with the root's name as prefix is outside", async () => {
  mkdirSync(`${box.root}-evil`);
  expect(errorOf(await box.call("scan_dir", { path: "../root-evil" }))).toContain("outside");
});

it("tools return an error when the root is missing", async () => {
  const answer = await box.call("read", { path: "x" }, { root: join(box.root, "gone") });
  expect(errorOf(answer)).toContain("the sandbox root");
});

it("the root itself cannot be changed", async () => {
  for (const path of [".", "in/..", box.root, "./"]) {
    expect(errorOf(await box.call("remove", { path }))).toContain("the sandbox root itself");
    expect(errorOf(await box.call("mv", { from: path, to: "x" }))).toContain(
      "the sandbox root itself",
    );
    expect(errorOf(await box.call("mv", { from: "in", to: path }))).toContain(
      "the sandbox root itself",
    );
    expect(errorOf(await box.call("write", { path, content: "" }))).toContain("a directory");
  }
});
