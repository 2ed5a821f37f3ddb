import * as fc from "fast-check";
import { describe, expect, vi } from "vitest";
import type { MatchSpec, Unread } from "../../../src/core/hook.ts";
import { compileMatcher } from "../../../src/matching/match.ts";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/shell/reader.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

const CWD = "/work/project";
const AROUND = { cwd: CWD, effects: createEffectReader(createShellReader(), "/") };

function failing(spec: MatchSpec, payload: Record<string, unknown>): string | Unread | undefined {
  const matcher = compileMatcher(spec, AROUND);
  if (!matcher) throw new Error("no conditions");
  return matcher.failing(payload);
}
const matches = (spec: MatchSpec, payload: Record<string, unknown>): boolean =>
  failing(spec, payload) === undefined;
const call = (args: unknown, more: object = {}): Record<string, unknown> => ({
  tool_name: "exec",
  args,
  ...more,
});

it("compileMatcher without conditions returns undefined", () => {
  expect(compileMatcher({}, AROUND)).toBeUndefined();
});

it("a matcher names the first failing condition, in table order", () => {
  const spec = {
    agent: "a",
    session: "s",
    runs: ["rm -r"],
    command: "rm",
    path: "src/**",
    tool: "exec",
  };
  expect(failing(spec, {})).toBe("tool");
  expect(failing(spec, { tool_name: "exec" })).toBe("path");
  expect(failing(spec, call({ path: "src/x" }))).toBe("command");
  expect(failing(spec, call({ path: "src/x", command: "rm" }))).toBe("runs");
  const args = { path: "src/x", command: "rm -r" };
  expect(failing(spec, call(args))).toBe("session");
  expect(failing(spec, call(args, { session_id: "s" }))).toBe("agent");
  expect(failing(spec, call(args, { session_id: "s", agent_id: "a" }))).toBeUndefined();
});

describe("match.tool", () => {
  it.each([
    ["exec", "exec", true],
    ["exec", "exec2", false],
    ["exec", "Exec", false],
    ["exec|Bash", "Bash", true],
    [" exec | Bash ", "Bash", true],
    ["Write|Edit", "Write|Edit", false],
    ["Bash*", "BashOutput", true],
    ["*", "", true],
    ["mcp__*", "mcp__fs__a/b", true],
    ["mcp__*__read", "mcp__a/b__read", true],
    ["mcp__*", "xmcp__a", false],
    ["fs/[a-c]?", "fs/bx", true],
    ["a.c", "abc", false],
    ["a\\*", "a*", true],
    ["a\\*", "ab", false],
    ["constructor", "exec", false],
  ])("%j and %j: %s", (tool, tool_name, expected) => {
    expect(matches({ tool }, { tool_name })).toBe(expected);
    // The verdict is kept; it must not change.
    const matcher = compileMatcher({ tool }, AROUND);
    for (let i = 0; i < 3; i++) {
      expect(matcher?.failing({ tool_name }) === undefined).toBe(expected);
    }
  });

  it("also matches the coding agent's own tool name", () => {
    const payload = { tool_name: "exec", host: { tool_name: "Bash" } };
    expect(matches({ tool: "Bash" }, payload)).toBe(true);
    expect(matches({ tool: "exec" }, payload)).toBe(true);
    expect(matches({ tool_regex: "^Ba" }, payload)).toBe(true);
    expect(matches({ tool: "Edit" }, payload)).toBe(false);
  });

  it("stays correct for many tool names", () => {
    const matcher = compileMatcher({ tool: "a*" }, AROUND);
    for (let i = 0; i < 2000; i++) {
      expect(matcher?.failing({ tool_name: `a${i % 700}` })).toBeUndefined();
      expect(matcher?.failing({ tool_name: `b${i % 700}` })).toBe("tool");
    }
    expect(matcher?.failing({ tool_name: "a".repeat(10_000) })).toBeUndefined();
  });
});

it("match.tool_regex matches anywhere in the name", () => {
  expect(matches({ tool_regex: "_read$" }, { tool_name: "mcp_read" })).toBe(true);
  expect(matches({ tool_regex: "^read" }, { tool_name: "mcp_read" })).toBe(false);
});

describe("match.command", () => {
  const command = "git\\s+push.*--force";
  it.each([
    [call({ command: "cd x && git  push --force" }), true],
    [call({ command: ["git", "push", "--force"] }), true],
    [call({ command: "git push" }), false],
    [call({ command: ["git", 1] }), false],
    [call({ command: { a: "git push --force" } }), false],
    [call({}), false],
    [call("git push --force"), false],
    [{ command: "git push --force" }, true],
    [call({ command: "ls" }, { command: "git push --force" }), true],
  ])("%j: %s", (payload, expected) => {
    expect(matches({ command }, payload)).toBe(expected);
  });

  it("takes linear time", () => {
    const started = performance.now();
    expect(matches({ command: "(a+)+$" }, call({ command: `${"a".repeat(50_000)}!` }))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("match.runs", () => {
  const runs = ["git push --force", "rm -r*"];
  it.each([
    [call({ command: "cd x && git  push origin -f" }), true],
    [call({ command: "git push" }), false],
    [call({ command: ["git", "push", "--force"] }), true],
    [call({ command: ["git push --force"] }), true],
    [call({ command: ["bash", "-lc", "ls; git push -f"] }), true],
    [call({ command: ["echo", "git push --force; rm -r x"] }), false],
    [call({ command: ["echo", "x", ";", "rm", "-r", "x"] }), false],
    [call({ command: ["rm", "-r", "a b", "it's"] }), true],
    [call({ command: ["git", 1] }), false],
    [call({ command: [] }), false],
    [call({ command: "" }), false],
    [call({ command: { a: "git push --force" } }), false],
    [call({ cmd: "git push --force" }), false],
    [call({}), false],
    [call("git push --force"), false],
    [{ command: "git push --force" }, true],
    [call({ command: "ls" }, { command: "git push --force" }), true],
    [call({ command: "git push --force" }, { command: "ls" }), true],
  ])("%j: %s", (payload, expected) => {
    expect(matches({ runs }, payload)).toBe(expected);
  });

  it("accepts a string as a list of one", () => {
    expect(matches({ runs: "rm -r*" }, call({ command: "rm -rf x" }))).toBe(true);
    expect(matches({ runs: "rm -r*" }, call({ command: "git push -f" }))).toBe(false);
  });

  it("parses nothing without a command, and each command once", () => {
    const read = vi.fn(() => ({ commands: [], unread: undefined }));
    const matcher = compileMatcher(
      { runs },
      { cwd: CWD, effects: { shell: { read }, ofCall: () => ({ effects: [] }) } },
    );
    for (const args of [{}, { path: "x" }, { command: 5 }]) matcher?.failing(call(args));
    expect(read).not.toHaveBeenCalled();
    matcher?.failing(call({ command: "ls" }, { command: ["a", "b"] }));
    expect(read.mock.calls).toEqual([["ls"], ["'a' 'b'"]]);
  });
});

describe("match.path", () => {
  it.each([
    ["src/**", { path: "src/x" }, true],
    ["src/**", { path: "./lib/../src//x" }, true],
    ["src/**", { path: "/work/project/src/x" }, true],
    ["src/**", { path: "/work/other/../project/src/x" }, true],
    ["src/**", { path: "/elsewhere/src/x" }, false],
    ["src/**", { path: "../src/x" }, false],
    ["./src/**", { path: "src/x" }, true],
    ["/work/project/src/**", { path: "src/x" }, true],
    ["/work/./project//src/**", { path: "src/x" }, true],
    ["../other/**", { path: "/work/other/x" }, true],
    ["**/.env", { path: "/etc/.env" }, true],
    [".env", { path: "a/b/.env" }, true],
    ["*.rs", { file_path: "deep/x.rs" }, true],
    ["*.rs", { notebook_path: "deep/x.rs" }, true],
    ["*.rs", { from: "a.ts", to: "b.rs" }, true],
    ["*.rs", { path: ["a.ts", "b.rs", 5] }, true],
    ["*.rs", { other: "b.rs" }, false],
    ["*.rs", { path: 5 }, false],
    ["*.rs", {}, false],
    ["src/**", { cwd: "src" }, true],
    [".", { path: "/work/project" }, true],
    ["!src/**", { path: "src/x" }, false],
    ["!src/**", { path: "lib/x" }, true],
    ["!src/**", { path: "src/x", to: "lib/x" }, true],
    ["!src/**", {}, false],
  ])("%j and %j: %s", (path, args, expected) => {
    expect(matches({ path }, call(args))).toBe(expected);
  });

  it("resolves against the payload's cwd", () => {
    const path = "src/**";
    expect(matches({ path }, call({ path: "x" }, { cwd: "/work/project/src" }))).toBe(false);
    expect(matches({ path: "/work/project/src/x" }, call({ path: "x" }, { cwd: "src" }))).toBe(
      true,
    );
    expect(matches({ path }, call({ path: "/else/src/x" }, { cwd: "/else" }))).toBe(true);
    expect(matches({ path }, call({ path: "src/x" }, { cwd: 7 }))).toBe(true);
  });

  it("resolves symlinks in the cwd, in both directions", () => {
    const realpath = vi.fn((path: string) => path.replace(/^\/link/, "/real"));
    const held = (path: string, args: object): boolean =>
      compileMatcher({ path }, { ...AROUND, cwd: "/link/p", realpath })?.failing(call(args)) ===
      undefined;
    for (const spelling of ["src/x", "/link/p/src/x", "/real/p/src/x"]) {
      for (const pattern of ["src/**", "/link/p/src/**", "/real/p/src/**"]) {
        expect(held(pattern, { path: spelling }), `${pattern} ${spelling}`).toBe(true);
      }
    }
    expect(held("src/**", { path: "/other/src/x" })).toBe(false);
  });

  it("resolves each directory once, and works without a real path", () => {
    const realpath = vi.fn((path: string) => {
      if (path === "/gone") throw new Error("ENOENT");
      return path;
    });
    const matcher = compileMatcher({ path: "x" }, { ...AROUND, cwd: "/a", realpath });
    for (let i = 0; i < 5; i++) expect(matcher?.failing(call({ path: "x" }))).toBeUndefined();
    expect(realpath).toHaveBeenCalledTimes(1);
    expect(matcher?.failing(call({ path: "x" }, { cwd: "/gone" }))).toBeUndefined();
  });

  repeatedTest("gives every spelling of a path the same result", () => {
    const name = fc.constantFrom("a", "b", "src", ".env");
    const noise = fc.constantFrom("", "./", ".//", "x/../", "y/./../");
    const lead = fc.constantFrom("", "./", `${CWD}/`, "/work/../work/project/", "../project/");
    const pattern = fc.constantFrom(
      "src/**",
      "**/b",
      "/work/project/a/*",
      "{a,b}/**",
      ".env",
      "!a/**",
    );
    fc.assert(
      fc.property(
        pattern,
        fc.array(fc.tuple(name, noise), { minLength: 1, maxLength: 5 }),
        lead,
        (path, parts, lead) => {
          const plain = parts.map(([name]) => name).join("/");
          const spelt = lead + parts.map(([name, noise]) => noise + name).join("/");
          expect(matches({ path }, call({ path: spelt }))).toBe(
            matches({ path }, call({ path: plain })),
          );
        },
      ),
      { numRuns: runCount(500) },
    );
  });
});

it("match.session and match.agent compare exactly", () => {
  expect(matches({ session: "s" }, { session_id: "s" })).toBe(true);
  expect(matches({ session: "s" }, { session_id: "s2" })).toBe(false);
  expect(matches({ agent: "*" }, { agent_id: "x" })).toBe(false);
  expect(matches({ agent: "x" }, { agent_id: "x" })).toBe(true);
});

describe("a matcher on an invalid payload", () => {
  const all: MatchSpec = {
    tool: "x",
    tool_regex: "x",
    path: "x",
    command: "x",
    runs: "x",
    session: "x",
    agent: "x",
  };
  it("does not match and does not throw", () => {
    for (const key of Object.keys(all) as (keyof MatchSpec)[]) {
      const spec = { [key]: "x" };
      for (const odd of [null, undefined, 0, true, [], {}, Symbol("x"), () => "x"]) {
        for (const name of [
          "tool_name",
          "host",
          "args",
          "command",
          "session_id",
          "agent_id",
          "cwd",
        ]) {
          expect(matches(spec, { [name]: odd })).toBe(false);
        }
        expect(
          matches(spec, call({ path: odd, command: odd }, { tool_name: odd, host: odd })),
        ).toBe(false);
      }
    }
    expect(failing(all, Object.create(null) as Record<string, unknown>)).toBe("tool");
  });
});

it("a matcher throws what a payload's accessor throws", () => {
  const throwing = Object.defineProperty({}, "tool_name", {
    get: () => {
      throw new Error("no");
    },
  }) as Record<string, unknown>;
  expect(() => failing({ tool: "x" }, throwing)).toThrow("no");
});

describe("an invalid matcher", () => {
  it.each([
    [{ tool: "" }, "tool", "empty"],
    [{ tool: "a||b" }, "tool", "empty"],
    [{ tool: "a|[b" }, "tool", "has no ']'"],
    [{ tool_regex: "(" }, "tool_regex", "missing closing )"],
    [{ command: "(?=x)" }, "command", "(?="],
    [{ command: "" }, "command", "empty"],
    [{ command: "(.a?){1000}".repeat(100) }, "command", "too large"],
    [{ command: "(?:[ab].?){900}[cd]".repeat(5) }, "command", "too large"],
    [{ command: "x".repeat(5000) }, "command", "longer than"],
    [{ path: "src/[" }, "path", "has no ']'"],
    [{ path: "" }, "path", "empty"],
    [{ tool: 5 }, "tool", "a string"],
    [{ runs: 5 }, "runs", "a list of strings"],
    [{ runs: null }, "runs", "a list of strings"],
    [{ runs: { a: "ls" } }, "runs", "a list of strings"],
    [{ runs: ["ls", 5] }, "runs", "it contains number"],
    [{ runs: "" }, "runs", "does not begin with a program name"],
    [{ runs: "a | b" }, "runs", "write one pattern for each"],
  ])("%#: %s", (spec, key, why) => {
    const compile = (): unknown => compileMatcher(spec as MatchSpec, AROUND);
    expect(compile).toThrow(why);
    const pattern = Object.values(spec)[0];
    expect(compile).toThrow(
      expect.objectContaining({ code: "ORCS1012", fields: { key, pattern } }),
    );
  });

  it("with an unknown condition is rejected", () => {
    const compile = (): unknown => compileMatcher({ comand: "x" } as MatchSpec, AROUND);
    expect(compile).toThrow("did you mean command?");
    expect(compile).toThrow(
      expect.objectContaining({ code: "ORCS1003", fields: { key: "comand" } }),
    );
  });
});

it("matching by tool is much faster than JSON.stringify of the payload", () => {
  const payload = call({ command: "ls" });
  const text = best(() => JSON.stringify(payload));
  for (const tool of ["exec", "exec|Bash|read", "mcp__*", "ex*"]) {
    const matcher = compileMatcher({ tool }, AROUND);
    expect(best(() => matcher?.failing(payload))).toBeLessThan(text / 2);
  }
});

/** The best of many rounds, so that what else the machine does counts for little. */
function best(run: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 50; round++) {
    const started = performance.now();
    for (let i = 0; i < 2_000; i++) run();
    least = Math.min(least, performance.now() - started);
  }
  return least;
}
