import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CALLS } from "../dist/hook-rig.ts";
import { folder, orcsAlone, PATIENT, ROOT, start } from "../dist/orcs.ts";

interface Settings {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

const ALONE = "[serve]\nauto = false\n";

/** Homes of users side by side, and a project that they share. */
function machine(files: Readonly<Record<string, string>>) {
  const root = folder({ "project/.claude/x": "", "one/.claude/x": "", "two/x": "", ...files });
  const cwd = join(root, "project");
  const around = (user: string) => ({
    cwd,
    env: { HOME: join(root, user), XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", TMPDIR: root },
  });
  const install = async (...args: string[]): Promise<void> => {
    const words = ["install", "--host", "claude-code", "--yes", ...args];
    expect(await orcsAlone(words, around("one"))).toMatchObject({ code: 0 });
  };
  const commandIn = (settings: string): string => {
    const { hooks } = JSON.parse(readFileSync(join(root, settings), "utf8")) as Settings;
    return hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? "";
  };
  /** What the entry in these settings answers to a user. */
  const asked = async (settings: string, user = "one"): Promise<string> => {
    const stdin = JSON.stringify({ ...CALLS["claude-code"]("git push --force"), cwd });
    const args = ["-c", commandIn(settings)];
    const { stdout, stderr } = await start("/bin/sh", args, { ...around(user), stdin });
    return stdout + stderr;
  };
  return { root, install, commandIn, asked };
}

test("a project entry with --config is sealed, on this machine and on others", async () => {
  const toml = (says: string): string =>
    `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = 'return orcs.deny("${says}")'\n`;
  const { root, install, commandIn, asked } = machine({
    "project/team.toml": toml("as installed"),
    "three/x": "",
  });
  const program = `${process.execPath} ${join(ROOT, "bin/orcs.cjs")}`;
  const named = ["--config", "team.toml", "--missing", "deny", "--command", program];
  await install("--project", ...named);
  const settings = "project/.claude/settings.json";
  expect(commandIn(settings)).toMatch(/--config team.toml --seal [0-9a-f]{64}/);
  expect([await asked(settings), await asked(settings, "two")]).toEqual([
    expect.stringContaining("as installed"),
    expect.stringContaining("as installed"),
  ]);
  writeFileSync(join(root, "project/team.toml"), toml("as edited"));
  expect(await asked(settings)).toContain("as installed");
  // Who has no copy of what was installed has none of what it became, either.
  expect(await asked(settings, "three")).toMatch(/"permissionDecision":"deny".*ORCS8010/);
}, 120_000);

test("an entry with --config runs the file as installed, whatever happens to it", async () => {
  const { root, install, commandIn, asked } = machine({
    "guards/team.toml": `${ALONE}[[hooks]]\nscript = "guard.lua"\n${PATIENT}`,
    "guards/hooks/guard.lua":
      'return { id = "g", point = "tool.pre_execute", match = { runs = { "git push --force" } }, handler = function() return orcs.deny("as installed") end }\n',
  });
  const config = join(root, "guards/team.toml");
  const settings = "one/.claude/settings.json";
  await install("--user", "--config", config);
  expect(commandIn(settings)).toContain("--seal ");
  expect(await asked(settings)).toContain("as installed");
  writeFileSync(join(root, "guards/hooks/guard.lua"), "return nil\n");
  const changed = await asked(settings);
  expect(changed).toContain("as installed");
  expect(changed).toContain("changed since then: hooks/guard.lua; run orcs install again");
  rmSync(join(root, "guards"), { recursive: true });
  expect(await asked(settings)).toContain("as installed");
  // Its copy gone, nothing passes.
  rmSync(join(root, "one/.local/state/orcs/seals"), { recursive: true });
  expect(await asked(settings)).toContain("ORCS8010");
  // Installed again, it is as it is now.
  mkdirSync(join(root, "guards"));
  writeFileSync(config, ALONE);
  await install("--user", "--config", config);
  expect(await asked(settings)).not.toContain("as installed");
}, 120_000);
