import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { folder, MAIN, orcs, PATIENT } from "./orcs.ts";
import { heard } from "./processes.ts";

const GUARD = `return {
  id = "guard",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    if ctx.payload.args.command:find("--force", 1, true) then
      return orcs.deny("no force")
    end
  end,
  tests = {
    {
      "denies a force push",
      event = { tool = "exec", args = { command = "git push --force" } },
      expect = { action = "abort", reason = "no force" },
    },
    {
      "lets others be",
      event = { tool = "exec", args = { command = "git push" } },
      expect = { action = "continue" },
    },
  },
}
`;
const SPEC = `describe("guard", function()
  pending("later")
  it("denies", function()
    local guard = orcs.test.load("guard.lua")
    assert.equal("abort", guard:dispatch({ tool = "exec", args = { command = "--force" } }).action)
  end)
end)
`;
const TOML = `[[hooks]]\nscript = "guard.lua"\n${PATIENT}`;
const FILES = { "orcs.toml": TOML, "hooks/guard.lua": GUARD };

const unmillied = (text: string): string => text.replaceAll(/\d+\.\d ms/g, "# ms");

/** Tests of a trusted project run in trust-in-verbs.test.ts. */
describe("orcs test of a named configuration", { concurrent: true }, () => {
  const named = ["--config", "orcs.toml"];
  const tested = (cwd: string, ...args: readonly string[]) =>
    orcs(["test", ...named, ...args], { cwd });

  test("exits with 0 and prints counts when all pass", async () => {
    const cwd = folder({ ...FILES, "hooks/guard_test.lua": SPEC });
    const { code, stdout, stderr } = await tested(cwd);
    expect({ code, stdout: unmillied(stdout), stderr }).toEqual({
      code: 0,
      stdout: "3 passed, 1 pending in # ms\n",
      stderr: "",
    });
  });

  test("exits with 1 and prints expected and actual values and the position for a failure", async () => {
    const cwd = folder({
      ...FILES,
      "hooks/guard.lua": GUARD.replace('no force")', 'other")'),
    });
    const { code, stdout, stderr } = await tested(cwd);
    expect({ code, stdout: unmillied(stdout), stderr }).toEqual({
      code: 1,
      stdout: `✗ hooks/guard.lua:12 denies a force push
  reason
    expected  "no force"
    got       "other"

1 passed, 1 failed in # ms
`,
      stderr: "",
    });
  });

  test("exits with 2 for errors or no tests", async () => {
    const ill = folder({ ...FILES, "hooks/guard.lua": GUARD.replace("event =", "evnt =") });
    const ended = await tested(ill);
    expect(ended.code).toBe(2);
    expect(unmillied(ended.stdout)).toBe("1 passed in # ms\n");
    expect(ended.stderr).toContain(
      'hooks/guard.lua:12:1: error ORCS1003: the test "denies a force push": evnt: unknown key "evnt"\n 12 |       "denies',
    );

    const cwd = folder(FILES);
    const filtered = await tested(cwd, "--filter", "nothing");
    expect(filtered).toEqual({
      code: 2,
      stdout: "0 passed in 0.0 ms\n",
      stderr: 'orcs: no tests were found whose name holds "nothing"\n',
    });
    const missing = await tested(cwd, "nowhere.lua");
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/^orcs: ORCS5001: no such file: .*nowhere\.lua\n$/);
    expect((await tested(cwd, "--watch", "--json")).code).toBe(2);
  });

  test("--json prints one document", async () => {
    const cwd = folder({
      ...FILES,
      "hooks/guard.lua": GUARD.replace('no force")', 'other")'),
      "hooks/guard_test.lua": SPEC,
    });
    const { code, stdout } = await tested(cwd, "--json", "--coverage");
    expect(code).toBe(1);
    const duration_ms = expect.any(Number) as number;
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      passed: 2,
      failed: 1,
      pending: 1,
      tests: [
        {
          name: "denies a force push",
          file: "hooks/guard.lua",
          line: 12,
          status: "failed",
          duration_ms,
          expected: { reason: "no force" },
          got: { reason: "other" },
        },
        {
          name: "lets others be",
          file: "hooks/guard.lua",
          line: 17,
          status: "passed",
          duration_ms,
        },
        {
          name: "guard later",
          file: "hooks/guard_test.lua",
          line: 2,
          status: "pending",
          duration_ms,
        },
        {
          name: "guard denies",
          file: "hooks/guard_test.lua",
          line: 3,
          status: "passed",
          duration_ms,
        },
      ],
      coverage: [
        { file: "hooks/guard.lua", lines: expect.any(Number), ran: expect.any(Number), missed: [] },
      ],
    });
  });

  test("--watch reruns when a file is saved", async () => {
    const cwd = folder(FILES);
    const command = [MAIN, "test", ...named, "--watch"];
    const child = spawn(process.execPath, command, {
      cwd,
      env: {
        ...process.env,
        XDG_CONFIG_HOME: join(cwd, "no-user"),
        XDG_STATE_HOME: folder(),
        NO_COLOR: "1",
      },
    });
    const out = heard(child.stdout);
    const until = (text: string) =>
      vi.waitFor(() => expect(out()).toContain(text), { timeout: 20_000 });
    try {
      await until("2 passed in");
      // Only what is saved after it watches is seen at once; what was saved before, within a second.
      writeFileSync(join(cwd, "hooks/guard.lua"), GUARD.replace('no force")', 'other")'));
      await until("1 passed, 1 failed in");
      writeFileSync(join(cwd, "hooks/guard_test.lua"), SPEC);
      await until("2 passed, 1 failed, 1 pending in");
    } finally {
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("close", resolve));
    }
    expect(child.exitCode).toBe(0);
  });
});

test("orcs test of a folder without anything exits with 2", async () => {
  const json = await orcs(["test", "--json"], { cwd: folder({}) });
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    2,
    { ok: false, passed: 0, failed: 0, pending: 0, tests: [] },
  ]);
});

test("orcs test runs given files, a filter, and a script outside the configuration", async () => {
  const cwd = folder({
    "a/guard.lua": GUARD,
    "b/deep/guard_test.lua": "it('b', function() end)",
  });
  const names = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await orcs(["test", "--json", ...args], { cwd });
    return (JSON.parse(stdout) as { tests: { name: string }[] }).tests.map(({ name }) => name);
  };
  expect(await names("a/guard.lua", "b")).toEqual(["denies a force push", "lets others be", "b"]);
  expect(await names("a/guard.lua", "--filter", "others")).toEqual(["lets others be"]);
});
