import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const MAIN = fileURLToPath(new URL("../../bin/orcs.cjs", import.meta.url));

interface Settings {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

test("a project entry with --config is sealed, on this machine and on others", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "orcs-sealed-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const toml = (says: string): string =>
    `[serve]\nauto = false\n[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = 'return orcs.deny("${says}")'\n`;
  const config = join(project, "team.toml");
  writeFileSync(config, toml("as installed"));
  const run = (user: string, file: string, args: readonly string[], input = ""): string => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(home, user), TMPDIR: home };
    mkdirSync(env.HOME, { recursive: true });
    const { stdout, stderr } = spawnSync(file, args, {
      cwd: project,
      env,
      input,
      encoding: "utf8",
    });
    return stdout + stderr;
  };
  const words = [
    "--host",
    "claude-code",
    "--project",
    "--config",
    "team.toml",
    "--missing",
    "deny",
  ];
  const program = `${process.execPath} ${MAIN}`;
  run("one", process.execPath, [MAIN, "install", ...words, "--command", program, "--yes"]);
  const settings = readFileSync(join(project, ".claude/settings.json"), "utf8");
  const command = (JSON.parse(settings) as Settings).hooks["PreToolUse"]?.[0]?.hooks[0]?.command;
  expect(command).toMatch(/--config team.toml --seal [0-9a-f]{64}/);
  const event = {
    session_id: "s",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "t",
  };
  const asked = (user: string): string =>
    run(user, "/bin/sh", ["-c", command ?? ""], JSON.stringify(event));
  expect([asked("one"), asked("two")]).toEqual([
    expect.stringContaining("as installed"),
    expect.stringContaining("as installed"),
  ]);
  writeFileSync(config, toml("as edited"));
  expect(asked("one")).toContain("as installed");
  // Who has no copy of what was installed has none of what it became, either.
  expect(asked("three")).toMatch(/"permissionDecision":"deny".*ORCS8010/);
}, 120_000);

test("an entry with --config runs the file as installed, whatever happens to it", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "orcs-sealed-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "project");
  const config = join(home, "guards/team.toml");
  mkdirSync(join(home, "guards/hooks"), { recursive: true });
  mkdirSync(join(home, ".claude"));
  mkdirSync(project);
  const toml = `[serve]\nauto = false\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n[[hooks]]\nscript = "guard.lua"\n`;
  writeFileSync(config, toml);
  writeFileSync(
    join(home, "guards/hooks/guard.lua"),
    'return { id = "g", point = "tool.pre_execute", match = { runs = { "git push --force" } }, handler = function() return orcs.deny("as installed") end }\n',
  );
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: home };
  const orcs = (...args: string[]): string =>
    execFileSync(process.execPath, [MAIN, ...args], { cwd: project, env, encoding: "utf8" });
  const install = ["install", "--host", "claude-code", "--user", "--config", config, "--yes"];
  orcs(...install);
  const settings = () =>
    JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8")) as Settings;
  const asked = (): string => {
    const command = settings().hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? "";
    expect(command).toContain("--seal ");
    const event = {
      session_id: "s",
      cwd: project,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "git push --force" },
      tool_use_id: "t",
    };
    const asked_ = { cwd: project, env, input: JSON.stringify(event), encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], asked_);
    return stdout + stderr;
  };
  expect(asked()).toContain("as installed");
  writeFileSync(join(home, "guards/hooks/guard.lua"), "return nil\n");
  const changed = asked();
  expect(changed).toContain("as installed");
  expect(changed).toContain("changed since then: hooks/guard.lua; run orcs install again");
  rmSync(join(home, "guards"), { recursive: true });
  expect(asked()).toContain("as installed");
  // Its copy gone, nothing passes.
  rmSync(join(home, ".local/state/orcs/seals"), { recursive: true });
  expect(asked()).toContain("ORCS8010");
  // Installed again, it is as it is now.
  mkdirSync(join(home, "guards"));
  writeFileSync(config, "[serve]\nauto = false\n");
  orcs(...install);
  expect(asked()).not.toContain("as installed");
}, 120_000);
