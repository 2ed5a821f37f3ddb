import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtinTools } from "../../../../src/engine/tools/builtin-tools.ts";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
beforeEach(() => {
  box = sandboxFixture();
});
afterEach(() => box.cleanUp());

describe("the tool grep", () => {
  it("finds lines in a file", async () => {
    box.files({ "src/a.ts": "one\r\ntwo\nthree two\n" });
    expect(await box.call("grep", { pattern: "two$", path: "src/a.ts" })).toEqual({
      ok: true,
      matches: [
        { path: "src/a.ts", line: 2, text: "two" },
        { path: "src/a.ts", line: 3, text: "three two" },
      ],
    });
    expect(await box.call("grep", { pattern: "^$", path: "src/a.ts" })).toEqual({
      ok: true,
      matches: [],
    });
  });

  it("searches a directory in order, without .git, node_modules, binary files and symlinks", async () => {
    box.files({
      "b.txt": "x",
      "a/z.txt": "x",
      "a/b/c.txt": "x",
      ".git/config": "x",
      "node_modules/p/i.js": "x",
      "bin.dat": "x\0",
      "latin.txt": Buffer.from([0x78, 0xff]),
      ".env": "x",
    });
    symlinkSync("b.txt", join(box.root, "link"));
    symlinkSync(box.outside, join(box.root, "out"));
    expect(await box.call("grep", { pattern: "x|secret", path: "." })).toEqual({
      ok: true,
      matches: [".env", "b.txt", "a/z.txt", "a/b/c.txt"].map((path) => ({
        path,
        line: 1,
        text: "x",
      })),
    });
    const below = await box.call("grep", { pattern: "x", path: "a" });
    expect(below).toMatchObject({ matches: [{ path: "a/z.txt" }, { path: "a/b/c.txt" }] });
  });

  it("agrees with a line-by-line search for any text", async () => {
    const part = fc.constantFrom("x", "äx", "\n", "\r", "\r\n", "\n\n", "", "\ufeff", "b", "😀");
    const long = fc.integer({ min: 60_000, max: 70_000 }).map((n) => "b".repeat(n));
    const parts = fc.array(fc.oneof({ weight: 20, arbitrary: part }, long), { maxLength: 24 });
    const texts = fc.array(fc.tuple(parts, fc.constantFrom("", "\0", "\xff")), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(texts, async (written) => {
        const names = written.map((_, index) => `any/${index}`);
        rmSync(join(box.root, "any"), { recursive: true, force: true });
        mkdirSync(join(box.root, "any"));
        const expected: unknown[] = [];
        for (const [index, [text, last]] of written.entries()) {
          const content = text.join("");
          writeFileSync(join(box.root, `any/${index}`), content);
          appendFileSync(join(box.root, `any/${index}`), last, "latin1");
          // Neither a NUL byte nor what is not UTF-8 is text.
          if (last !== "") continue;
          const lines = content.split(/\r?\n/);
          if (lines.at(-1) === "") lines.pop();
          for (const [at, line] of lines.entries()) {
            if (!line.slice(0, 16_384).includes("x")) continue;
            const shown = line.length > 1_000 ? `${line.slice(0, 1_000)}…` : line;
            expected.push({ path: names[index], line: at + 1, text: shown });
          }
        }
        expect(await box.call("grep", { pattern: "x", path: "any" })).toMatchObject({
          ok: true,
          matches: expected,
        });
      }),
      { numRuns: 60 },
    );
  });

  it("reports truncation at the limit", async () => {
    box.files({ a: "x\nx\n", b: "x\nx\n" });
    const grep = (matches: number) =>
      box.call("grep", { pattern: "x", path: "." }, { limits: { matches } });
    expect(await grep(3)).toMatchObject({ truncated: true, matches: { length: 3 } });
    expect(await grep(4)).not.toHaveProperty("truncated");
  });

  it("reports files that are too large to search", async () => {
    box.files({ big: "x".repeat(200), small: "x" });
    const options = { limits: { searchBytes: 100 } };
    expect(await box.call("grep", { pattern: "x", path: "." }, options)).toEqual({
      ok: true,
      matches: [{ path: "small", line: 1, text: "x" }],
      truncated: true,
    });
    expect(errorOf(await box.call("grep", { pattern: "x", path: "big" }, options))).toContain(
      "limit",
    );
  });

  it("limits how far long lines are searched and shown", async () => {
    box.files({ long: `a${"b".repeat(50_000)}c` });
    const found = await box.call("grep", { pattern: "a", path: "long" });
    expect(found).toMatchObject({ truncated: true });
    expect(JSON.stringify(found).length).toBeLessThan(1200);
    expect(await box.call("grep", { pattern: "c", path: "long" })).toEqual({
      ok: true,
      matches: [],
      truncated: true,
    });
  });

  it("yields to other work, and ends at the timeout", async () => {
    box.files({ big: "aab\n".repeat(400_000) });
    // As slow as a pattern may be.
    const compileRegex = () => ({
      test: () => {
        for (const until = performance.now() + 0.02; performance.now() < until;);
        return false;
      },
    });
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const started = performance.now();
    const options = { compileRegex, limits: { searchMs: 300 } };
    const answer = await box.call("grep", { pattern: "x", path: "." }, options);
    clearInterval(timer);
    expect(answer).toEqual({ ok: true, matches: [], truncated: true });
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(turns).toBeGreaterThan(3);
  });

  it("can be cancelled", async () => {
    box.files({ a: "x" });
    const tools = builtinTools({ root: box.root, env: [], processes: box.processes });
    const tool = tools.find((tool) => tool.name === "grep");
    const answer = await tool?.run({ pattern: "x", path: "." }, { signal: AbortSignal.abort() });
    expect(answer).toEqual({ ok: false, error: 'grep ".": the search was cancelled' });
  });

  it("returns an error for a missing path", async () => {
    expect(errorOf(await box.call("grep", { pattern: "x", path: "no" }))).toContain("no such file");
  });

  it.skipIf(process.getuid?.() === 0)("reports unreadable directories", async () => {
    box.files({ "closed/a": "x", b: "x" });
    chmodSync(join(box.root, "closed"), 0);
    expect(await box.call("grep", { pattern: "x", path: "." })).toEqual({
      ok: true,
      matches: [{ path: "b", line: 1, text: "x" }],
      truncated: true,
    });
    chmodSync(join(box.root, "closed"), 0o755);
  });
});

describe("the tool glob", () => {
  beforeEach(() => {
    box.files({
      "a.ts": "",
      "src/b.ts": "",
      "src/c.js": "",
      "src/deep/.d.ts": "",
      "node_modules/p/e.ts": "",
      ".git/f.ts": "",
      "src-x/g.ts": "",
    });
    symlinkSync("a.ts", join(box.root, "link.ts"));
    symlinkSync("src", join(box.root, "src-link"));
    symlinkSync(box.outside, join(box.root, "out"));
  });

  it.each([
    [{ pattern: "*.ts" }, ["a.ts", "src-x/g.ts", "src/b.ts", "src/deep/.d.ts"]],
    [{ pattern: "./*.ts" }, ["a.ts"]],
    [{ pattern: "src/*" }, ["src/b.ts", "src/c.js"]],
    [{ pattern: "src/" }, ["src/b.ts", "src/c.js", "src/deep/.d.ts"]],
    [{ pattern: "**/deep/**" }, ["src/deep/.d.ts"]],
    [{ pattern: "*.ts", path: "src" }, ["src/b.ts", "src/deep/.d.ts"]],
    [{ pattern: "./*.ts", path: "src" }, ["src/b.ts"]],
    [{ pattern: "deep/*", path: "./src/" }, ["src/deep/.d.ts"]],
    [{ pattern: "../*.ts", path: "src" }, ["a.ts"]],
    [{ pattern: "src-link/*.ts" }, ["src/b.ts"]],
    [{ pattern: "*.ts", path: "src-link" }, ["src/b.ts", "src/deep/.d.ts"]],
    [{ pattern: "node_modules/p/*" }, ["node_modules/p/e.ts"]],
    [{ pattern: "{src,src-x}/*.ts" }, ["src-x/g.ts", "src/b.ts"]],
    [{ pattern: "!**/*.ts" }, ["src/c.js"]],
    [{ pattern: "no/*" }, []],
    [{ pattern: "a.ts/*" }, []],
  ])("%j", async (args, files) => {
    expect(await box.call("glob", args)).toEqual({ ok: true, files });
  });

  it("accepts an absolute pattern inside the root", async () => {
    expect(await box.call("glob", { pattern: `${box.root}/src/*.ts` })).toEqual({
      ok: true,
      files: ["src/b.ts"],
    });
  });

  it("reports truncation at the limit", async () => {
    const glob = (files: number) => box.call("glob", { pattern: "*.ts" }, { limits: { files } });
    expect(await glob(2)).toMatchObject({ truncated: true, files: { length: 2 } });
    expect(await glob(4)).not.toHaveProperty("truncated");
  });

  it("rejects a missing path or a file as directory", async () => {
    expect(errorOf(await box.call("glob", { pattern: "*", path: "no" }))).toContain("no such file");
    expect(errorOf(await box.call("glob", { pattern: "*", path: "a.ts" }))).toContain(
      "not a directory",
    );
  });
});
