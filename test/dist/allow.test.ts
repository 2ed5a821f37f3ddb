import { join } from "node:path";
import { expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { ALONE, CALLS } from "./hook-rig.ts";
import { folder, orcs } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

const CONFIG = `${ALONE}\n[[hooks]]\nscript = "orcs:shell-guard"\n`;

test("orcs rules allow: a person lets Claude Code run a refused line once", async () => {
  const dir = folder();
  const home = folder({ "config/orcs/orcs.toml": CONFIG });
  const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const run = (args: readonly string[], more = {}): Promise<Ended> =>
    orcs(args, { cwd: dir, env: { ...env, ...more } });
  /** What Claude Code is told. */
  const answer = async (command: string): Promise<string> => {
    const stdin = JSON.stringify({ ...CALLS["claude-code"](command), cwd: dir });
    return (await orcs(["hook", "--host", "claude-code"], { cwd: dir, env, stdin })).stdout;
  };

  const code = /orcs rules allow (\w{8})"/.exec(await answer("git push --force"))?.[1] ?? "";
  expect(await answer(`npx orcs rules allow ${code} --yes`)).toContain("self-guard");

  const agent = await run(["rules", "allow", code, "--yes"], { CLAUDECODE: "1" });
  expect(agent).toMatchObject({ code: 2, stdout: "" });
  expect(agent.stderr).toContain("run it yourself, in your own terminal");
  expect((await run(["rules", "allow", code])).stderr).toContain("use --yes");
  expect((await run(["rules", "allow", "00000000", "--yes"])).stderr).toContain(
    "orcs rules allow --list",
  );
  expect((await run(["rules", "allow", code, "--hours", "25"])).stderr).toContain("at most 24");
  const listed = JSON.parse((await run(["rules", "allow", "--list", "--json"])).stdout) as unknown;
  expect(listed).toEqual([expect.objectContaining({ code, line: "git push --force", cwd: dir })]);

  if (HAS_TERMINAL) {
    const asked = await orcsAtTerminal(["rules", "allow", code], dir, [["[y/N]", "n\n"]], env);
    expect(asked.code).toBe(1);
    expect(asked.terminal).toContain("git push --force");
  }
  const allowed = await run(["rules", "allow", code.toUpperCase(), "--yes"]);
  expect(allowed).toMatchObject({ code: 0, stderr: "" });
  expect(await answer("git push --force")).toBe("");
  const { stdout } = await run(["audit", "show", "--json"]);
  expect(stdout).toMatch(/"action":"allowed_once"[^\n]*"line":"git push --force"/);
});
