import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { CAPABILITIES } from "../../../../src/core/permission.ts";
import { ProcessSet } from "../../../../src/machine/spawn/processes.ts";
import { builtinTools } from "../../../../src/engine/tools/builtin-tools.ts";
import { BUILTIN_TOOLS } from "../../../../src/core/tools.ts";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
beforeEach(() => {
  box = sandboxFixture();
});
afterEach(() => box.cleanUp());

it("the built-in tools match the table of capabilities and main arguments", () => {
  const tools = builtinTools({ root: box.root, env: [], processes: new ProcessSet() });
  expect(tools.map((tool) => tool.name).sort()).toEqual(Object.keys(BUILTIN_TOOLS).sort());
  expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.mainArg]))).toEqual({
    exec: "command",
    read: "path",
    write: "path",
    grep: "pattern",
    glob: "pattern",
    mkdir: "path",
    remove: "path",
    mv: "from",
    scan_dir: "path",
    http: "url",
  });
  for (const tool of tools) {
    expect(Object.keys(CAPABILITIES)).toContain(tool.capability);
    expect(Object.keys(BUILTIN_TOOLS[tool.name as keyof typeof BUILTIN_TOOLS].args)[0]).toBe(
      tool.mainArg,
    );
  }
});

describe("invalid tool arguments return an error that names them", () => {
  it.each([
    ["read", {}, 'argument "path" is missing'],
    ["read", { path: null }, 'argument "path" is missing'],
    ["read", { path: 5 }, 'argument "path" is 5; expected a path'],
    ["read", { path: "" }, 'argument "path" is ""; expected a path'],
    ["read", { path: "a\0b" }, "expected a path without NUL"],
    ["read", { path: ["a"] }, 'argument "path" is ["a"]; expected a path'],
    ["read", { pth: "a" }, 'unknown argument "pth"; did you mean path?'],
    ["read", { path: "a", encoding: "x" }, 'unknown argument "encoding"; known arguments: path'],
    ["read", { path: "a", constructor: "x" }, 'unknown argument "constructor"'],
    ["write", { path: "a" }, 'argument "content" is missing'],
    ["write", { path: "a", content: {} }, 'argument "content" is {}; expected a string'],
    ["exec", { command: "" }, "expected a non-empty string"],
    ["exec", { command: ["ls"] }, 'argument "command"'],
    ["exec", { command: "ls", timeout_ms: 0 }, 'argument "timeout_ms" is 0'],
    ["exec", { command: "ls", timeout_ms: 1.5 }, 'argument "timeout_ms" is 1.5'],
    ["exec", { command: "ls", timeout_ms: 2 ** 31 }, 'argument "timeout_ms"'],
    ["exec", { command: "ls", timeout_ms: "9" }, 'argument "timeout_ms"'],
    ["exec", { command: "ls", env: [] }, 'argument "env" is []'],
    ["exec", { command: "ls", env: { A: 1 } }, 'argument "env" is {"A":1}'],
    ["exec", { command: "ls", env: { "A=B": "1" } }, 'argument "env" has the key "A=B"'],
    ["mv", { from: "a" }, 'argument "to" is missing'],
    ["grep", { pattern: "a" }, 'argument "path" is missing'],
    ["grep", { pattern: "(", path: "." }, "ORCS1012"],
    ["glob", { pattern: "[" }, "ORCS1012"],
    ["http", {}, 'argument "url" is missing'],
    ["http", { url: "x".repeat(500), body: 5 }, 'argument "body" is 5'],
  ] as [string, JsonObject, string][])("%s %j", async (tool, args, error) => {
    expect(errorOf(await box.call(tool, args))).toContain(error);
  });

  it("for any invalid value", async () => {
    const odd = [
      null,
      0,
      -1,
      1e300,
      true,
      "",
      "\0",
      "x".repeat(5000),
      [],
      [[]],
      {},
      { a: { b: 1 } },
    ];
    for (const [tool, { args }] of Object.entries(BUILTIN_TOOLS)) {
      for (const key of Object.keys(args)) {
        for (const value of odd) {
          const answer = await box.call(tool, { [key]: value });
          expect(typeof answer.ok).toBe("boolean");
        }
      }
    }
  });

  it("but optional arguments may be null", async () => {
    expect(await box.call("exec", { command: "true", cwd: null, env: null })).toMatchObject({
      ok: true,
    });
  });
});
