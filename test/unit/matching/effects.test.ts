import { expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import type { MatchSpec, Unread } from "../../../src/core/index.ts";
import { compileMatcher, createShellReader, mismatchOf } from "../../../src/matching/index.ts";

const shell = createShellReader({ home: "/home/me", root: "/" });
const AROUND = { cwd: "/work", effects: createEffectReader(shell, "/work") };

type Call = string | readonly [tool: string, args: object];

function failing(spec: MatchSpec, call: Call, more: object = {}): string | Unread | undefined {
  const [tool, args] = typeof call === "string" ? ["exec", { command: call }] : call;
  const payload = { tool_name: tool, args, cwd: "/work", ...more };
  return compileMatcher(spec, AROUND)?.failing(payload);
}

/** "yes", "no", or "maybe" where a denial is a question. */
function matched(spec: MatchSpec, call: Call, more?: object): string {
  const found = failing(spec, call, more);
  if (found === undefined) return "yes";
  if (typeof found === "string") return "no";
  return found.asks ? "maybe" : `unread ${found.isMatch}`;
}

const PATCH = "*** Begin Patch\n*** Update File: .github/ci.yml\n@@\n-a\n+b\n*** End Patch";

test.each<[Call, string]>([
  ["echo > .github/ci.yml", "yes"],
  ["cd .github && touch x", "yes"],
  ["ls | tee -a .github/workflows/ci.yml", "yes"],
  ["cp a.yml .github/ci.yml", "yes"],
  ["cp a.yml .github/", "yes"],
  ["mv a.yml .github/ci.yml", "yes"],
  [["Write", { file_path: "/work/.github/ci.yml", content: "x" }], "yes"],
  [["Edit", { file_path: ".github/ci.yml", old_string: "a", new_string: "b" }], "yes"],
  [["apply_patch", { input: PATCH }], "yes"],
  [["edit", { patch: PATCH }], "yes"],
  [["mcp__fs__move_file", { source: "a", destination: ".github/ci.yml" }], "yes"],
  [["mcp__any__tool", { uri: "file:///work/.github/x", contents: "x" }], "yes"],
  ["sed -i s/a/b/ .github/ci.yml", "yes"],
  // Files of a container and of another machine are others.
  ["docker exec web touch .github/ci.yml", "no"],
  ["ssh host rm /work/.github/ci.yml", "no"],
  ["git mv ci.yml .github/ci.yml", "yes"],
  ["git apply <<'EOF'\n--- a/.github/x\n+++ b/.github/x\nEOF", "yes"],
  ["sed -i s/a/b/ $F", "maybe"],
  ["touch $F", "maybe"],
  ["cp a .github", "yes"],
  ["cp -r a .", "maybe"],
  ["touch .g*/x", "maybe"],
  ['sh -c "$X"', "maybe"],
  ["echo 'a", "maybe"],
  [["read", { path: 7 }], "maybe"],
  ["cat .github/ci.yml", "no"],
  ["echo > src/.github", "no"],
  ["touch src/*.ts", "no"],
  ["cp -r a src", "no"],
  [["Read", { file_path: ".github/ci.yml" }], "no"],
  [["mcp__tickets__create", { title: ".github/x" }], "no"],
])("writes .github/**: %j", (call, expected) => {
  expect(matched({ writes: ".github/**" }, call)).toBe(expected);
});

test.each<[MatchSpec, Call, string]>([
  [{ removes: ".github/**" }, "rm -rf .github", "yes"],
  [{ removes: ".github/**" }, "rm -rf .", "yes"],
  [{ removes: ".github/**" }, "rm -rf ../work", "yes"],
  [{ removes: ".github/**" }, "rm -rf /", "yes"],
  [{ removes: ".github/**" }, "rm .github/*", "yes"],
  [{ removes: ".github/**" }, "rm -rf *", "maybe"],
  [{ removes: ".github/**" }, "rm -rf build", "no"],
  [{ removes: ".github/**" }, "rm -rf build/*", "no"],
  [{ removes: ".github/**" }, ["mcp__fs__delete_directory", { path: ".github" }], "yes"],
  [{ removes: "src/*/gen.ts" }, "rm -rf src/a", "maybe"],
  [{ removes: "src/*/gen.ts" }, "rm -rf docs", "no"],
  [{ removes: "*.lock" }, "rm yarn.lock", "yes"],
  [{ removes: "*.lock" }, "rm *.lock", "yes"],
  [{ removes: "*.lock" }, "rm y*", "maybe"],
  [{ removes: "*.lock" }, "rm *.ts", "no"],
  [{ removes: "*.lock" }, "rm -rf node_modules", "no"],
  [{ removes: "*.lock" }, "rm -rf .", "maybe"],
  [{ removes: "/etc/**" }, "rm -r /etc", "yes"],
  [{ removes: "../**" }, "rm -r ../x", "yes"],
  [{ reads: "secrets/**" }, ["Grep", { pattern: "x", path: "secrets" }], "yes"],
  [{ reads: "secrets/**" }, ["Grep", { pattern: "x" }], "maybe"],
  [{ reads: "secrets/**" }, ["Grep", { pattern: "x", glob: "*.ts" }], "maybe"],
  [{ reads: "secrets/**" }, ["Grep", { pattern: "x", path: "src" }], "no"],
  [{ reads: "secrets/**" }, ["any", { path: "secrets/a" }], "maybe"],
  [{ writes: "!src/**" }, "touch src/a", "no"],
  [{ writes: "!src/**" }, "touch src/*.ts", "no"],
  [{ writes: "!src/**" }, "cp -r a src/", "no"],
  [{ writes: "!src/**" }, "touch a", "yes"],
  [{ writes: "!src/**" }, "touch src/a ../b", "yes"],
  [{ writes: "!src/**" }, "touch $F", "yes"],
  [{ writes: "!src/**" }, "ls", "no"],
  [{ writes: "!src/**" }, ["Edit", { file_path: "/etc/passwd", new_string: "" }], "yes"],
  [{ writes: "!src/**" }, ["Write", { file_path: "/work/src/a", content: "" }], "no"],
  [{ writes: ["!src/**", "!/tmp/**"] }, "touch src/a /tmp/b", "no"],
  [{ writes: ["!src/**", "!/tmp/**"] }, "touch b", "yes"],
  [{ writes: ["**", "!*.md"] }, "touch a.md", "no"],
  [{ writes: ["**", "!*.md"] }, "touch a.ts", "yes"],
  [{ writes: ["a", "b"] }, "touch b", "yes"],
  [{ connects: "!*.corp.example" }, ["WebFetch", { url: "https://a.corp.example/x" }], "no"],
  [{ connects: "!*.corp.example" }, ["WebFetch", { url: "https://A.CORP.example:8080" }], "no"],
  [{ connects: "!*.corp.example" }, ["WebFetch", { url: "https://corp.example.evil" }], "yes"],
  [{ connects: "!*.corp.example" }, "curl https://a.corp.example/x", "no"],
  [{ connects: "!*.corp.example" }, "curl https://evil.example", "yes"],
  [{ connects: "!*.corp.example" }, "curl $H", "yes"],
  [{ connects: "!*.corp.example" }, ["WebSearch", { query: "x" }], "yes"],
  [{ connects: "localhost:8080" }, ["http", { url: "http://localhost:8080/x" }], "yes"],
  [{ connects: "localhost:8080" }, ["http", { url: "http://localhost/x" }], "no"],
  [{ connects: "*" }, ["WebSearch", { query: "x" }], "maybe"],
  [{ writes: "a", unsure: "match" }, "touch $F", "yes"],
  [{ writes: "a", unsure: "ignore" }, "touch $F", "no"],
  [{ writes: "a", unsure: "ignore" }, "touch a $F", "yes"],
  [{ writes: "a" }, "touch a; echo 'b", "unread true"],
  [{ tool: "exec", runs: "touch", writes: "a" }, "touch $F", "maybe"],
  [{ tool: "read", writes: "a" }, "touch $F", "no"],
  [{ writes: "a", removes: "b" }, "mv b a", "yes"],
  [{ writes: "a", removes: "b" }, "touch a", "no"],
])("%j %j", (spec, call, expected) => {
  expect(matched(spec, call)).toBe(expected);
});

test("says what may happen", () => {
  expect(failing({ writes: "a" }, "touch $F")).toEqual({
    why: "it writes $F (unknown)",
    isMatch: false,
    asks: true,
  });
  expect(failing({ writes: "a/x" }, "cp x a")).toMatchObject({ why: "it may write a/x from x" });
});

test("is relative to the folder of the call, and to its real path", () => {
  const realpath = (path: string): string => path.replace(/^\/link/, "/work");
  const matcher = compileMatcher({ writes: "src/**" }, { ...AROUND, realpath });
  const payload = { tool_name: "exec", args: { command: "touch /work/src/a" }, cwd: "/link" };
  expect(matcher?.failing(payload)).toBeUndefined();
  expect(matched({ writes: "src/**" }, "touch src/a", { cwd: "/other" })).toBe("yes");
  expect(matched({ writes: "/work/src/**" }, "touch src/a", { cwd: "/other" })).toBe("no");
});

test("a command of a point that is about one", () => {
  const matcher = compileMatcher({ writes: "a" }, AROUND);
  expect(matcher?.failing({ command: "touch a", cwd: "/work" })).toBeUndefined();
  expect(matcher?.failing({ command: "touch b", cwd: "/work" })).toBe("writes");
  expect(matcher?.failing({})).toBe("writes");
});

test("an explanation has what the call does", () => {
  const payload = { tool_name: "exec", args: { command: "touch b && rm -rf c" }, cwd: "/work" };
  const effects = compileMatcher({ writes: "a" }, AROUND)?.effects;
  expect(mismatchOf({ writes: "a" }, "writes", payload, effects)).toEqual({
    pattern: "a",
    value: ["writes b", "removes c/**"],
  });
  expect(mismatchOf({ writes: "a" }, "writes", {}, effects)).toEqual({ pattern: "a" });
});

test.each<[MatchSpec, object]>([
  [{ writes: "[" }, { key: "writes", pattern: "[" }],
  [{ removes: "!" }, { key: "removes", pattern: "!" }],
  [{ connects: "[" }, { key: "connects", pattern: "[" }],
  [{ reads: [] }, { key: "reads", pattern: "" }],
  [{ writes: 7 as never }, { key: "writes", pattern: 7 }],
  [{ unsure: "no" as never }, { key: "unsure", pattern: "no" }],
])("an invalid pattern: %j", (spec, details) => {
  expect(() => compileMatcher(spec, AROUND)).toThrowError(
    expect.objectContaining({ code: "ORCS1012", fields: details }),
  );
});
