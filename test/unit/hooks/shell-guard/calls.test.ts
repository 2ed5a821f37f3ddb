import { expect, onTestFinished, vi } from "vitest";
import { CALLS } from "./call-rows.ts";
import { guard, judged } from "./guard.ts";
import { OPTIONS } from "./option-rows.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { open } from "../../engine/orcs/engine.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

test("orcs:shell-guard judges calls by their arguments and directory", async () => {
  const orcs = await guard();
  for (const [args, payload, verdict] of CALLS) {
    const given = await judged(orcs, args, payload);
    expect(given.verdict, `${JSON.stringify([args, payload])} ${given.reason ?? ""}`).toBe(verdict);
  }
});

test("orcs:shell-guard applies to tools of any name", async () => {
  const orcs = await guard();
  for (const tool_name of ["exec", "Bash", "run_shell_command", "local_shell", "mcp__x__y"]) {
    const outcome = await orcs.dispatch("tool.pre_execute", {
      tool_name,
      args: { command: "rm -rf /" },
    });
    expect(outcome.action, tool_name).toBe("abort");
  }
});

test.each<[Json]>([[7], [true], [{ a: "rm -rf /" }], [["rm", 7]], [[["rm"]]], [["rm", null, "/"]]])(
  "orcs:shell-guard does not allow a command that is no text: %j",
  async (command) => {
    const orcs = await guard();
    const { verdict, reason } = await judged(orcs, { command });
    expect(verdict).toBe("refuse");
    expect(reason).toContain("shell-guard: command is");
  },
);

const BAD: Readonly<Record<string, string>> = {
  "NUL bytes": "ls\0rm -rf /",
  "an unterminated quote": 'rm -rf "/',
  "64 KB of parentheses": "(".repeat(65_536),
  "10,000 pipes": Array.from({ length: 10_001 }, () => "ls").join("|"),
  "10,000 pipes to rm": `${"ls|".repeat(10_000)}rm -rf /`,
  "deep substitution": `${"$(".repeat(5000)}rm -rf /${")".repeat(5000)}`,
  "more than 64 KB": `echo ${"a".repeat(70_000)}; rm -rf /`,
  "a here-document without an end": "sh <<X\nrm -rf /",
  "find with 30,000 parentheses": `find . ${"\\( ".repeat(20_000)}-delete`,
  "a lone surrogate": "rm -rf /\ud800",
};

slowTest("invalid input is denied or needs approval, and no hook fails", async () => {
  const orcs = await guard();
  for (const [name, command] of Object.entries(BAD)) {
    const { verdict, reason } = await judged(orcs, { command });
    if (name === "10,000 pipes") continue;
    expect(verdict, name).not.toBe("pass");
    expect(reason, name).not.toContain("failed");
  }
});

test("orcs:shell-guard knows a home directory in an unusual place", async () => {
  vi.stubEnv("HOME", "/srv/people/me");
  onTestFinished(() => void vi.unstubAllEnvs());
  // One that loads here.
  const orcs = await open({ config: { hooks: [{ script: "orcs:shell-guard" }] } });
  for (const command of ["rm -rf ~", "rm -rf /srv/people/me", 'rm -rf "$HOME"']) {
    const { verdict, reason } = await judged(orcs, { command });
    expect([command, verdict, reason]).toEqual([
      command,
      "refuse",
      expect.stringContaining("(files.rm-home)"),
    ]);
  }
  expect(await judged(orcs, { command: "rm -rf ~/.cache/x" })).toMatchObject({ verdict: "pass" });
});

test("orcs:shell-guard is not bypassed by CRLF", async () => {
  const orcs = await guard();
  expect((await judged(orcs, { command: "ls\r\nrm -rf /\r\n" })).verdict).toBe("refuse");
});

const PERMISSIONS: readonly (readonly [payload: JsonObject, action: string, decision?: string])[] =
  [
    [{ command: "git push --force" }, "abort"],
    [{ command: "exec", args: { command: "rm -rf /" } }, "abort"],
    [{ command: "git push --force", args: { command: "ls" } }, "abort"],
    [{ command: "ls", args: { command: "rm -rf $X" } }, "continue", "ask"],
    [{ command: "git status" }, "continue"],
    [{ tool_name: "read", args: { path: "x" } }, "continue"],
  ];

test("orcs:shell-guard applies to permission checks", async () => {
  const orcs = await guard();
  for (const [payload, action, decision] of PERMISSIONS) {
    const outcome = await orcs.dispatch("auth.pre_check", payload);
    expect(outcome.action, JSON.stringify(payload)).toBe(action);
    if (outcome.action === "continue") expect(outcome.decision).toBe(decision);
  }
});

slowTest("options have their documented effect", async () => {
  for (const [options, lines] of OPTIONS) {
    const orcs = await guard(options);
    for (const [command, verdict] of Object.entries(lines)) {
      const given = await judged(orcs, { command });
      expect(given.verdict, `${JSON.stringify(options)} ${command} ${given.reason ?? ""}`).toBe(
        verdict,
      );
    }
  }
});

test("orcs:shell-guard works with worker isolation", async () => {
  const orcs = await open({
    config: { hooks: [{ script: "orcs:shell-guard" }], lua: { isolation: "worker" } },
  });
  expect((await judged(orcs, { command: "sudo sh -c 'rm -rf /'" })).verdict).toBe("refuse");
  expect((await judged(orcs, { command: 'rm -rf "$X"' })).verdict).toBe("ask");
  expect((await judged(orcs, { command: "git status && npm test" })).verdict).toBe("pass");
});
