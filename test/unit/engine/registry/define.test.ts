import { describe, expect, it } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Hook, HookRunner } from "../../../../src/core/hook.ts";
import { compileHook } from "../../../../src/engine/registry/compile-hook.ts";
import type { HookOptions } from "../../../../src/core/hook.ts";
import { bench, POINTS, statuses, sync } from "./hooks.ts";

const runner: HookRunner = { run: (turn) => void turn.settle({ answer: undefined, edits: [] }) };
const AROUND = {
  points: POINTS,
  cwd: "/w",
  effects: {
    shell: { read: () => ({ commands: [], unread: undefined }) },
    ofCall: () => ({ effects: [] }),
    onlyReads: () => undefined,
  },
};
const point = POINTS.resolve("PreToolUse");
if (!point) throw new Error("no such point");
const define = (options: HookOptions): Hook =>
  compileHook("h", point, options, runner, { origin: "test" }, AROUND);
const codeOf = (options: HookOptions): string => {
  try {
    define(options);
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown.code;
    throw thrown;
  }
  return "fine";
};

describe("compileHook", () => {
  it("fills in the documented defaults", () => {
    expect(define({})).toMatchObject({
      id: "h",
      point,
      fql: "*::*",
      match: undefined,
      matcher: undefined,
      rank: 0,
      priority: 100,
      enabled: true,
      timeoutMs: 30_000,
      maxRetries: 3,
      onError: undefined,
      onTimeout: undefined,
      once: false,
      source: undefined,
      origin: "test",
      runner,
    });
  });

  it("keeps given options", () => {
    const source = { file: "a.lua", line: 1 };
    const hook = compileHook(
      "h",
      point,
      {
        fql: "builtin::*",
        match: { tool: "exec" },
        priority: -5,
        enabled: false,
        once: true,
        timeoutMs: 1,
        maxRetries: 0,
        onError: "open",
        onTimeout: "closed",
      },
      runner,
      { origin: "project", rank: 1, source },
      AROUND,
    );
    expect(hook).toMatchObject({
      fql: "builtin::*",
      match: { tool: "exec" },
      priority: -5,
      enabled: false,
      once: true,
      timeoutMs: 1,
      maxRetries: 0,
      onError: "open",
      onTimeout: "closed",
      rank: 1,
      source,
      origin: "project",
    });
  });

  it.each<[HookOptions, string]>([
    [{ fql: "" }, "ORCS1011"],
    [{ fql: "builtin" }, "ORCS1011"],
    [{ match: { command: "(" } }, "ORCS1012"],
    [{ priority: NaN }, "ORCS1004"],
    [{ priority: Infinity }, "ORCS1004"],
    [{ priority: -Infinity }, "ORCS1004"],
    [{ timeoutMs: 0 }, "ORCS1004"],
    [{ timeoutMs: -1 }, "ORCS1004"],
    [{ timeoutMs: 2 ** 31 }, "ORCS1004"],
    [{ timeoutMs: NaN }, "ORCS1004"],
    [{ maxRetries: -1 }, "ORCS1004"],
    [{ maxRetries: Infinity }, "ORCS1004"],
    [{ timeoutMs: 2 ** 31 - 1, priority: -1e9, maxRetries: 0 }, "fine"],
  ])("rejects %o with %s", (options, code) => {
    expect(codeOf(options)).toBe(code);
  });

  it("compiles fql and match for use at dispatch", () => {
    const { registry } = bench();
    registry.register(define({ fql: "builtin::*", match: { tool: "exec|Bash", command: "^rm" } }));
    const status = (component: string, tool_name: string, command: string): string[] =>
      statuses(
        sync(
          registry.dispatch(
            "tool.pre_execute",
            { tool_name, args: { command } },
            { component, trace: true },
          ),
        ),
      );
    expect(status("builtin::x", "Bash", "rm x")).toEqual(["h ran"]);
    expect(status("lua::x", "Bash", "rm x")).toEqual(["h not_matched"]);
    expect(status("builtin::x", "read", "rm x")).toEqual(["h not_matched"]);
    expect(status("builtin::x", "Bash", "ls")).toEqual(["h not_matched"]);
  });

  it("omits the matcher for empty conditions", () => {
    expect(define({ match: {} }).matcher).toBeUndefined();
  });
});
