import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
beforeEach(() => {
  box = sandboxFixture();
});
afterEach(() => box.cleanUp());
const text = (path: string): string => readFileSync(join(box.root, path), "utf8");
const makePipe = (path: string): void =>
  void execFileSync("sh", ["-c", 'mkfifo "$0"', join(box.root, path)]);
/** Permissions do not bind the superuser. */
const asUser = it.skipIf(process.getuid?.() === 0);

describe("the tool read", () => {
  it("returns the unchanged text and its size in bytes", async () => {
    const content = "\uFEFFé\r\n😀";
    box.files({ "a/b.txt": content, empty: "" });
    expect(await box.call("read", { path: "./a//b.txt" })).toEqual({ ok: true, content, size: 11 });
    expect(await box.call("read", { path: "empty" })).toEqual({ ok: true, content: "", size: 0 });
  });

  it.each([
    ["a NUL byte", Buffer.from("a\0b"), "binary file"],
    ["invalid UTF-8", Buffer.from([0x61, 0xff]), "binary file"],
    ["cut-off UTF-8", Buffer.from([0xe2, 0x82]), "binary file"],
    ["an encoded surrogate", Buffer.from([0xed, 0xa0, 0x80]), "binary file"],
    ["too much", "x".repeat(101), "larger than the limit of 100 bytes"],
  ])("rejects %s", async (_, content, why) => {
    box.files({ file: content });
    const answer = await box.call("read", { path: "file" }, { limits: { readBytes: 100 } });
    expect(errorOf(answer)).toBe(`read "file": ${errorOf(answer).slice(13)}`);
    expect(errorOf(answer)).toContain(why);
  });

  it("returns up to the limit", async () => {
    box.files({ file: "x".repeat(100) });
    const answer = await box.call("read", { path: "file" }, { limits: { readBytes: 100 } });
    expect(answer).toMatchObject({ ok: true, size: 100 });
  });

  it("rejects a missing path or no regular file, a pipe without waiting", async () => {
    mkdirSync(join(box.root, "dir"));
    makePipe("pipe");
    expect(errorOf(await box.call("read", { path: "no" }))).toBe(
      'read "no": no such file or directory',
    );
    expect(errorOf(await box.call("read", { path: "dir" }))).toBe('read "dir": it is a directory');
    expect(errorOf(await box.call("read", { path: "pipe" }))).toBe(
      'read "pipe": it is not a regular file',
    );
    expect(errorOf(await box.call("read", { path: "n".repeat(300) }))).toContain(
      "the name is too long",
    );
  });

  asUser("refuses what may not be read", async () => {
    box.files({ file: "x" });
    chmodSync(join(box.root, "file"), 0);
    expect(errorOf(await box.call("read", { path: "file" }))).toContain("permission denied");
  });
});

describe("the tool write", () => {
  it("writes and replaces files, creating directories", async () => {
    expect(await box.call("write", { path: "a/b/c", content: "é" })).toEqual({ ok: true, size: 2 });
    expect(await box.call("write", { path: "a/b/c", content: "" })).toEqual({ ok: true, size: 0 });
    expect(text("a/b/c")).toBe("");
    expect(readdirSync(join(box.root, "a/b"))).toEqual(["c"]);
  });

  it("keeps the mode of a file", async () => {
    box.files({ "run.sh": "x" });
    chmodSync(join(box.root, "run.sh"), 0o751);
    await box.call("write", { path: "run.sh", content: "y" });
    expect(statSync(join(box.root, "run.sh")).mode & 0o777).toBe(0o751);
  });

  it("writes through a symlink inside and keeps it", async () => {
    box.files({ real: "x" });
    symlinkSync("real", join(box.root, "link"));
    await box.call("write", { path: "link", content: "y" });
    expect(text("real")).toBe("y");
  });

  it("rejects directories, pipes, and a file as parent, and leaves nothing behind", async () => {
    mkdirSync(join(box.root, "dir"));
    box.files({ file: "x" });
    makePipe("pipe");
    const write = async (path: string): Promise<string> =>
      errorOf(await box.call("write", { path, content: "y" }));
    expect(await write("dir")).toContain("it is a directory");
    expect(await write("pipe")).toContain("not a regular file");
    expect(await write("file/x")).toContain("is not a directory");
    expect(await write("n".repeat(300))).toContain("the name is too long");
    expect(readdirSync(box.root).sort()).toEqual(["dir", "file", "pipe"]);
  });

  asUser("refuses a read-only file and directory", async () => {
    box.files({ "dir/file": "x" });
    chmodSync(join(box.root, "dir/file"), 0o444);
    expect(errorOf(await box.call("write", { path: "dir/file", content: "" }))).toContain(
      "permission",
    );
    chmodSync(join(box.root, "dir"), 0o555);
    expect(errorOf(await box.call("write", { path: "dir/new", content: "" }))).toContain(
      "permission",
    );
    chmodSync(join(box.root, "dir"), 0o755);
  });

  it("is atomic for concurrent readers", async () => {
    const [a, b] = ["a".repeat(300_000), "b".repeat(300_000)];
    box.files({ file: a });
    const writes = Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        box.call("write", { path: "file", content: i % 2 ? a : b }),
      ),
    );
    for (let i = 0; i < 20; i++) {
      const { content } = (await box.call("read", { path: "file" })) as unknown as {
        content: string;
      };
      expect(content === a || content === b).toBe(true);
    }
    await writes;
    expect(readdirSync(box.root)).toEqual(["file"]);
  });
});

describe("the tool mkdir", () => {
  it("creates all directories, and succeeds if they exist", async () => {
    expect(await box.call("mkdir", { path: "a/b/c" })).toEqual({ ok: true });
    expect(await box.call("mkdir", { path: "a/b/c" })).toEqual({ ok: true });
    expect(statSync(join(box.root, "a/b/c")).isDirectory()).toBe(true);
  });

  it("rejects an existing file", async () => {
    box.files({ file: "" });
    expect(errorOf(await box.call("mkdir", { path: "file" }))).toContain("it already exists");
    expect(errorOf(await box.call("mkdir", { path: "file/x" }))).toContain("is not a directory");
  });
});

describe("the tool remove", () => {
  it("removes files, trees and symlinks, not symlink targets", async () => {
    box.files({ file: "", "tree/a/b": "", kept: "x" });
    symlinkSync(join(box.root, "kept"), join(box.root, "tree/link"));
    symlinkSync(box.outside, join(box.root, "tree/out"));
    expect(await box.call("remove", { path: "file" })).toEqual({ ok: true });
    expect(await box.call("remove", { path: "tree/" })).toEqual({ ok: true });
    expect(readdirSync(box.root)).toEqual(["kept"]);
    expect(existsSync(join(box.outside, "secret"))).toBe(true);
  });

  it("rejects a missing path", async () => {
    expect(errorOf(await box.call("remove", { path: "no" }))).toContain("no such file");
  });
});

describe("the tool mv", () => {
  it("renames files and directories, replacing a file", async () => {
    box.files({ a: "a", b: "b", "dir/x": "x" });
    expect(await box.call("mv", { from: "a", to: "b" })).toEqual({ ok: true });
    expect(await box.call("mv", { from: "dir", to: "dir2" })).toEqual({ ok: true });
    expect([text("b"), text("dir2/x")]).toEqual(["a", "x"]);
    expect(await box.call("mv", { from: "b", to: "./b" })).toEqual({ ok: true });
  });

  it("rejects a missing source, a directory as target, and a directory into itself", async () => {
    box.files({ a: "a", "dir/x": "x" });
    const mv = async (from: string, to: string): Promise<string> =>
      errorOf(await box.call("mv", { from, to }));
    expect(await mv("no", "b")).toBe('mv "no" "b": no such file or directory');
    expect(await mv("a", "dir")).toContain("is an existing directory");
    expect(await mv("dir", "dir/y")).toContain("into itself");
    expect(await mv("a", "no/b")).toContain("no such file");
    expect(await mv("dir", "a")).toContain("not a directory");
  });
});

describe("the tool scan_dir", () => {
  it("lists by name, with kind and size", async () => {
    box.files({ "b.txt": "é", ".dot": "", "sub/x": "x" });
    symlinkSync("b.txt", join(box.root, "link"));
    makePipe("pipe");
    expect(await box.call("scan_dir", { path: "." })).toEqual({
      ok: true,
      entries: [
        { name: ".dot", kind: "file", size: 0 },
        { name: "b.txt", kind: "file", size: 2 },
        { name: "link", kind: "link", size: 0 },
        { name: "pipe", kind: "other", size: 0 },
        { name: "sub", kind: "dir", size: 0 },
      ],
    });
  });

  it("reports truncation, and rejects what is not a directory", async () => {
    box.files({ a: "", b: "", c: "" });
    expect(await box.call("scan_dir", { path: "." }, { limits: { files: 2 } })).toMatchObject({
      ok: true,
      truncated: true,
      entries: [{ name: "a" }, { name: "b" }],
    });
    expect(errorOf(await box.call("scan_dir", { path: "a" }))).toContain("not a directory");
    expect(errorOf(await box.call("scan_dir", { path: "no" }))).toContain("no such file");
  });
});
