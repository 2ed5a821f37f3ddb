import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { ALONE } from "./hook-rig.ts";
import { commitAll, folder, orcs } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

const CONFIG = `${ALONE}\n[[hooks]]\nscript = "orcs:undo"\n[[hooks]]\nscript = "orcs:shell-guard"\n`;

test("orcs undo: a person gets back what Claude Code removed", async () => {
  const dir = folder({ "src/a.txt": "one\n", "b.txt": "two\n" });
  const home = folder({ "config/orcs/orcs.toml": CONFIG });
  const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const run = (args: readonly string[], more = {}): Promise<Ended> =>
    orcs(args, { cwd: dir, env: { ...env, ...more } });
  const event = async (name: string, more: object = {}): Promise<string> => {
    const about = {
      session_id: "s",
      hook_event_name: name,
      cwd: dir,
      transcript_path: "/t",
      ...more,
    };
    const around = { cwd: dir, env, stdin: JSON.stringify(about) };
    return (await orcs(["hook", "--host", "claude-code"], around)).stdout;
  };
  const call = (command: string) => ({
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: command,
  });
  commitAll(dir);
  expect((await run(["undo"])).stderr).toContain("ORCS5021: there are no undo points of");
  expect((await run(["undo", "--list"])).stdout).toContain("there are no undo points");

  expect(await event("PreToolUse", call("rm -rf src"))).toBe("");
  rmSync(join(dir, "src"), { recursive: true });
  await event("PostToolUse", { ...call("rm -rf src"), tool_response: {} });
  expect(await event("PreToolUse", call("git checkout -- b.txt"))).toBe("");
  expect(await event("PreToolUse", call("git push --force"))).toContain("deny");
  expect(await event("PreToolUse", call("npx orcs undo --yes"))).toContain("self-guard");
  expect(await event("PreToolUse", call("npx orcs undo --list"))).toBe("");
  expect(await event("SessionEnd", { reason: "other" })).toContain(
    "2 undo points: orcs undo --list",
  );

  const [, removed] = JSON.parse((await run(["undo", "--list", "--json"])).stdout) as {
    id: string;
  }[];
  const src = join(dir, "src");
  expect(removed).toMatchObject({
    call: "rm -rf src",
    agent: "claude-code",
    session: "s",
    changed: [src, join(src, "a.txt")],
  });
  for (const flags of [["--yes"], ["--diff"], ["--dry-run"]])
    expect((await run(["undo", ...flags], { CLAUDECODE: "1" })).stderr).toContain("ORCS5003");
  expect((await run(["undo", "--list"], { CLAUDECODE: "1" })).stdout).toContain("rm -rf src");
  expect((await run(["undo"])).stderr).toContain("use --yes");
  expect((await run(["undo", "--diff"])).stderr).toContain("+ one");
  expect((await run(["undo", "nonsense", "--yes"])).stderr).toContain(
    "ORCS5021: there is no undo point nonsense",
  );
  if (HAS_TERMINAL) {
    const asked = await orcsAtTerminal(["undo"], dir, [["[y/N]", "n\n"]], env);
    expect(asked.code).toBe(1);
  }
  expect(existsSync(src)).toBe(false);
  expect(await run(["undo", "--yes"])).toMatchObject({
    code: 0,
    stdout: "2 changes made; orcs undo --redo takes it back\n",
  });
  expect(readFileSync(join(src, "a.txt"), "utf8")).toBe("one\n");
  expect((await run(["undo", "--yes"])).stdout).toBe("there is nothing to undo\n");
  expect(await run(["undo", "--redo", "--yes", "--json"])).toMatchObject({ code: 0 });
  expect(existsSync(src)).toBe(false);
  const { stdout } = await run(["audit", "show", "--json"]);
  expect(stdout).toContain(`"undo_point":"${removed?.id}"`);
  expect(stdout).toMatch(/"action":"undone"[^\n]*"line":"rm -rf src"/);
});
