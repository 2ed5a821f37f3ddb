import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { ALONE, HookRig } from "../dist/hook-rig.ts";
import { folder, orcsAlone } from "../dist/orcs.ts";

const PROJECT = { "orcs.toml": `self_guard = false\n${ALONE}` };

describe("the installed entry with self_guard", { concurrent: true }, () => {
  test.each(HOST_NAMES)("for %s denies disabling orcs, without any configuration", async (host) => {
    const rig = new HookRig({});
    for (const command of ["npx orcs trust --yes", `rm -rf ${rig.state}`]) {
      const { stdout } = await rig.command(host, command);
      expect(stdout, command).toContain("self-guard: ");
      expect(stdout, command).toContain("deny");
    }
    expect((await rig.command(host, "orcs list")).stdout).not.toContain("self-guard");
  });

  test.each(["", 'isolation = "worker"\n'])(
    "asks about agent settings (user configuration: %j)",
    async (more) => {
      const rig = new HookRig({ "no-user/orcs/orcs.toml": `${ALONE}${more}` });
      const ask = (host: "claude-code" | "codex") =>
        rig.command(host, "echo '{}' > .claude/settings.json");
      expect((await ask("claude-code")).stdout).toContain('"ask"');
      expect((await ask("codex")).stdout).toContain('"deny"');
    },
  );

  test("allows a settings edit that keeps the entries", async () => {
    const rig = new HookRig({ ".claude/settings.json": '{ "model": "a" }' });
    const write = (content: string) =>
      rig.ask("claude-code", {
        session_id: "s",
        transcript_path: null,
        cwd: rig.dir,
        hook_event_name: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: `${rig.dir}/.claude/settings.json`, content },
        tool_use_id: "t",
      });
    expect((await write('{ "model": "b" }')).stdout).not.toContain("self-guard");
    expect((await write('{ "disableAllHooks": true }')).stdout).toContain('"ask"');
  });

  test("cannot be disabled by a project or the environment", async () => {
    const rig = new HookRig(PROJECT);
    const asked = await rig.command("claude-code", "orcs uninstall", {
      env: { ORCS_SELF_GUARD: "false" },
    });
    expect(asked.stdout).toContain("self-guard: ");
    expect(asked.stderr).toContain("ignored: self_guard can be set in your own configuration only");
    const named = await rig.command("claude-code", "orcs uninstall", {
      args: ["--config", join(rig.dir, "orcs.toml")],
    });
    expect(named.stdout).toContain("self-guard: ");
  });

  test("can be disabled by the user's configuration", async () => {
    const rig = new HookRig({ ...PROJECT, "no-user/orcs/orcs.toml": "self_guard = false\n" });
    expect((await rig.command("claude-code", "orcs uninstall")).stdout).not.toContain("self-guard");
    const elsewhere = new HookRig({ "no-user/orcs/orcs.toml": `self_guard = false\n${ALONE}` });
    const { stdout } = await elsewhere.command("claude-code", "orcs uninstall");
    expect(stdout).not.toContain("self-guard");
  });

  test("asks before a hook of a dev-trusted project is changed", async () => {
    const rig = new HookRig({
      "orcs.toml": `${ALONE}[[hooks]]\nscript = "a.lua"\n`,
      "checks/x": "",
      "a.lua": 'return { point = "tool.pre_execute", handler = function() end }',
    });
    await rig.trust({ dev: true });
    const asked = async (file: string) =>
      (await rig.command("claude-code", `echo > ${rig.dir}/${file}`)).stdout.includes('"ask"');
    expect([await asked("orcs.toml"), await asked("a.lua"), await asked("b.lua")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("commands that weaken protection", { concurrent: true }, () => {
  const variables = HOST_NAMES.flatMap((host) =>
    HOSTS[host].agentVariables.map((name) => [host, name]),
  );
  const place = () => {
    const state = folder();
    const cwd = folder({ "orcs.toml": ALONE });
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(cwd, "no-user"), HOME: folder() };
    return { state, cwd, env };
  };

  test.each(variables)("are denied when started by %s (%s)", async (host = "", name = "") => {
    const { state, cwd, env } = place();
    const { code, stderr } = await orcsAlone(["trust", "--yes"], {
      cwd,
      env: { ...env, [name]: "1" },
    });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ORCS5003") as string,
    });
    expect(stderr).toContain(host);
    expect(existsSync(join(state, "orcs/trust.json"))).toBe(false);
    expect(logged(state)).toContain('"action":"refused"');
  });

  test.each([
    [["trust", "--revoke", "--yes"], 2],
    [["trust", "--dev", "--yes"], 2],
    [["uninstall", "--host", "codex", "--yes"], 2],
    [["install", "--host", "codex", "--config", "orcs.toml", "--yes"], 2],
    [["init", "--yes", "--dev"], 2],
    [["doctor", "--repair", "--yes"], 2],
    [["install", "--host", "codex", "--no-strict", "--yes"], 2],
    [["install", "--host", "codex", "--project", "--missing", "allow", "--yes"], 2],
    [["install", "--host", "codex", "--strict", "--yes"], 0],
    [["trust", "--show"], 1],
    [["trust", "--list"], 0],
    [["list"], 0],
    [["check"], 0],
  ] as const)("%j inside a coding agent exits with %i", async (args, code) => {
    const { cwd, env } = place();
    const ended = await orcsAlone(args, { cwd, env: { ...env, CLAUDECODE: "1" } });
    expect(ended.code).toBe(code);
    expect(ended.stderr.includes("ORCS5003")).toBe(code === 2);
  });

  test("are recorded in the audit log", async () => {
    const { state, cwd, env } = place();
    for (const verb of ["install", "uninstall"]) {
      const { code } = await orcsAlone([verb, "--host", "codex", "--yes"], { cwd, env });
      expect(code).toBe(0);
    }
    expect(logged(state)).toContain('"verb":"uninstall"');
    expect(logged(state)).not.toContain('"verb":"install"');
  });
});

/** All audit logs below a folder. */
function logged(state: string): string {
  const names = readdirSync(state, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.includes("audit") && name.endsWith(".jsonl"));
  return files.map((name) => readFileSync(join(state, name), "utf8")).join("");
}
