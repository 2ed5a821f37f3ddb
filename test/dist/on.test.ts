import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { CALLS } from "./hook-rig.ts";
import { folder, orcs, orcsAlone, start, writeFiles } from "./orcs.ts";

const MINE = '{\n  // mine\n  "model": "m",\n}\n';

/** A home with a Claude Code, and an empty project. */
function machine(files: Readonly<Record<string, string>> = { ".claude/settings.json": MINE }) {
  const home = folder(files);
  const cwd = folder();
  const env = {
    HOME: home,
    XDG_STATE_HOME: "",
    XDG_CONFIG_HOME: "",
    XDG_RUNTIME_DIR: home,
    CLAUDE_CONFIG_DIR: "",
    // Agents that this machine has must not count.
    PATH: "/usr/bin:/bin",
  };
  const settings = join(home, ".claude/settings.json");
  const config = join(home, ".config/orcs/orcs.toml");
  const run = (...args: string[]) => orcs(args, { cwd, env });
  /** What the entry of Claude Code answers to a call. @param edit of its command line */
  const call = async (command: string, edit = (line: string): string => line) => {
    const { hooks } = JSON.parse(
      readFileSync(settings, "utf8").replace("// mine", "").replace(",\n}\n", "}"),
    ) as {
      hooks: { PreToolUse: { hooks: { command: string }[] }[] };
    };
    const event = { ...CALLS["claude-code"](command), cwd };
    const entry = hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
    // No service is left behind.
    const alone = { ...env, ORCS_SERVE_AUTO: "false" };
    return start("/bin/sh", ["-c", edit(entry)], { cwd, env: alone, stdin: JSON.stringify(event) });
  };
  return { home, cwd, env, settings, config, run, call };
}

describe("orcs on, status and off", { concurrent: true }, () => {
  test("guards without a file in the project, and is taken back byte for byte", async () => {
    const { run, call, home, cwd, settings, config } = machine();
    const unasked = await run("on", "--json");
    expect(unasked).toMatchObject({ code: 1, stdout: '{"ok":false,"agents":[]}\n' });
    expect(await run("status")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("orcs on guards them"),
    });
    const on = await run("on", "--yes");
    expect(on).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ Claude Code is guarded/),
    });
    expect((await call("git push --force")).stdout).toContain('"permissionDecision":"deny"');
    expect((await call("echo fine")).stdout).toBe("");
    // npm has removed it: which entries of which file to delete.
    const gone = await call("echo fine", (line) =>
      line.replaceAll(/\/\S*\/(bin|dist)\/\S+/g, "/gone"),
    );
    expect(gone).toMatchObject({ code: 2, stdout: "" });
    expect(gone.stderr).toContain(
      `its user deletes the entries that call orcs hook from ${settings}`,
    );
    const status = await run("status", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({
      agents: ["claude-code"],
      hooks: expect.arrayContaining(["self-guard", "shell-guard", "path-guard", "secret-guard"]),
      stopped: { calls: 1, by: { "shell-guard": 1 } },
      wrong: [],
      waiting: [expect.stringContaining("1 refused line")],
    });
    expect((await run("status")).stdout.trimEnd().split("\n")).toHaveLength(5);
    const off = await run("off", "--yes");
    expect(off).toMatchObject({ code: 0, stdout: expect.stringContaining("orcs is off.") });
    expect(readFileSync(settings, "utf8")).toBe(MINE);
    expect(existsSync(config)).toBe(false);
    expect(await run("off", "--purge", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("audit log"),
    });
    expect(existsSync(join(home, ".local/state/orcs"))).toBe(false);
    expect(await run("off")).toMatchObject({ code: 0, stdout: "Nothing to do: orcs is off.\n" });
    expect((await start("ls", ["-A", cwd], { cwd })).stdout).toBe("");
  });

  test("off leaves what was changed since, and a configuration that was there", async () => {
    const own = '# mine\n[[hooks]]\nscript = "orcs:path-guard"\noptions = {}\n';
    const { run, settings, config } = machine({
      ".claude/settings.json": MINE,
      ".config/orcs/orcs.toml": own,
    });
    await run("on", "--yes");
    const written = readFileSync(config, "utf8");
    expect(written).toContain(own);
    expect(written.match(/path-guard/g)).toHaveLength(1);
    await run("on", "--yes");
    expect(readFileSync(config, "utf8")).toBe(written);
    writeFileSync(
      config,
      `${written.replace('"orcs:secret-guard"', '"orcs:secret-guard"\npriority = 7')}# later\n`,
    );
    writeFileSync(settings, readFileSync(settings, "utf8").replace('"m"', '"n"'));
    expect(await run("off", "--yes")).toMatchObject({ code: 0 });
    expect(readFileSync(settings, "utf8")).toBe(MINE.replace('"m"', '"n"'));
    expect(readFileSync(config, "utf8")).toBe(
      `${own}\n[[hooks]]\nscript = "orcs:secret-guard"\npriority = 7\n# later\n`,
    );
  });

  test("an agent whose settings cannot be read is named, and the others are guarded", async () => {
    const { run, config, home } = machine({
      ".claude/settings.json": "{",
      ".gemini/settings.json": "{}",
    });
    const on = await run("on", "--yes", "--json");
    expect(on.code).toBe(1);
    const { agents } = JSON.parse(on.stdout) as {
      agents: { host: string; state: string; text: string }[];
    };
    expect(agents).toMatchObject([
      { host: "claude-code", state: "failed", text: expect.stringContaining("ORCS7004") },
      { host: "gemini", state: "guarded" },
    ]);
    expect((await run("status")).stdout).toContain("Claude Code is not guarded: orcs on");
    writeFiles(home, { ".gemini/settings.json": "{" });
    const off = await run("off", "--yes");
    expect(off).toMatchObject({ code: 2, stderr: expect.stringContaining("ORCS7004") });
    expect(existsSync(config)).toBe(true);
  });

  test.each(["XDG_CONFIG_HOME", "XDG_STATE_HOME", "ORCS_CONFIG_HOME"])(
    "another %s moves no entries: its configuration may guard nothing",
    async (variable) => {
      const { run, cwd, env, settings } = machine();
      await run("on", "--yes");
      const before = readFileSync(settings, "utf8");
      const moved = { ...env, [variable]: folder() };
      const on = await orcs(["on", "--yes"], { cwd, env: moved });
      expect(on).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("orcs uninstall --host claude-code first"),
      });
      const install = await orcs(["install", "--host", "claude-code", "--yes"], {
        cwd,
        env: moved,
      });
      expect(install).toMatchObject({ code: 2, stderr: expect.stringContaining("ORCS5001") });
      expect(readFileSync(settings, "utf8")).toBe(before);
    },
  );

  test("a guard that is new since then is named, and on adds it", async () => {
    const { run, home, config } = machine();
    await run("on", "--yes");
    const written = readFileSync(config, "utf8");
    const file = join(home, ".local/state/orcs/on.json");
    const record = JSON.parse(readFileSync(file, "utf8")) as { asked: string[] };
    writeFileSync(file, JSON.stringify({ ...record, asked: record.asked.slice(1) }));
    const { code, stdout } = await run("status");
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("shell-guard is new and not active: orcs on"),
    });
    await run("on", "--yes");
    expect((await run("status")).code).toBe(0);
    expect(readFileSync(config, "utf8")).toBe(written);
  });

  test("a configuration that does not load is left as it is, with the reason in a line", async () => {
    const { run, settings, config } = machine({
      ".claude/settings.json": MINE,
      ".config/orcs/orcs.toml": "nonsense = 1\n",
    });
    const on = await run("on", "--yes");
    expect(on.code).toBe(1);
    expect(on.stdout).toMatch(
      /^✗ Claude Code is not guarded: ORCS1015: .*orcs\.toml:1:1: .*"nonsense"\n$/,
    );
    expect(readFileSync(config, "utf8")).toBe("nonsense = 1\n");
    expect(readFileSync(settings, "utf8")).toBe(MINE);
    writeFileSync(config, "x = [");
    expect(await run("on", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it is no TOML"),
    });
  });

  test("an agent may not switch it off, and no agent at all is said", async () => {
    const { run, cwd, env, settings } = machine();
    await run("on", "--yes");
    const before = readFileSync(settings, "utf8");
    const asAgent = await orcsAlone(["off", "--yes"], { cwd, env: { ...env, CLAUDECODE: "1" } });
    expect(asAgent).toMatchObject({ code: 2, stderr: expect.stringContaining("ORCS5003") });
    expect(readFileSync(settings, "utf8")).toBe(before);
    const nobody = machine({});
    expect(await nobody.run("on", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No coding agent was found"),
    });
    expect(existsSync(nobody.config)).toBe(false);
  });

  test("an agent without an entry before calls is not guarded", async () => {
    const { run, settings } = machine();
    await run("on", "--yes");
    const text = readFileSync(settings, "utf8");
    writeFileSync(settings, text.replaceAll('"PreToolUse"', '"SubagentStop"'));
    const { code, stdout } = await run("status");
    expect(code).toBe(1);
    expect(stdout).toContain("none of its entries is before a tool call");
    expect(stdout).not.toMatch(/^guarded +Claude Code/m);
  });

  test("the program of an entry that is gone is named with the file", async () => {
    const { run, settings } = machine();
    await run("on", "--yes");
    const text = readFileSync(settings, "utf8");
    const [, program = ""] = /(\S+)\/bin\/orcs\.cjs/.exec(text) ?? [];
    writeFileSync(settings, text.replaceAll(program, "/nowhere/orcs"));
    const { code, stdout } = await run("status");
    expect(code).toBe(1);
    expect(stdout).toContain(`delete the entry at PreToolUse in ${settings}`);
  });

  test.skipIf(!HAS_TERMINAL)(
    "orcs alone asks once at a terminal, and prints help elsewhere",
    async () => {
      const { cwd, env, settings } = machine();
      const shown = await orcsAtTerminal([], cwd, [["[y/N]", "y\n"]], env);
      expect(shown).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ Claude Code is guarded"),
      });
      const [question = ""] = shown.terminal.split("\nSwitch it on?");
      expect(question.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
      expect(readFileSync(settings, "utf8")).toContain("orcs.cjs");
      const again = await orcsAtTerminal([], cwd, [], env);
      expect(again).toMatchObject({
        code: 0,
        terminal: "",
        stdout: expect.stringMatching(/^guarded {3}Claude Code/),
      });
      const help = await orcsAlone([], { cwd, env });
      expect(help.stdout + help.stderr).toMatch(/Usage: orcs/);
    },
  );
});
