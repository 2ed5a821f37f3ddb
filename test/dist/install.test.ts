import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import { settingsPath } from "../../src/agents/install/settings-places.ts";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { trusted } from "../trusted.ts";
import { CALLS } from "./hook-rig.ts";
import { folder, orcs, PATIENT, project, start, writeFiles } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

const GUARD = `[[hooks]]
id = "no-force-push"
point = "tool.pre_execute"
match = { tool = "exec", command = "push.*--force" }
handler_inline = 'return orcs.deny("a force push loses work of others")'
`;
const FILES = { "orcs.toml": GUARD + PATIENT };
const MINE = '{\n  // mine\n  "model": "m",\n}\n';

/** A project in a home of its own. */
async function machine(
  files: Readonly<Record<string, string>> = FILES,
  how?: Parameters<typeof trusted>[2],
) {
  const home = folder();
  const cwd = folder(files);
  const env = {
    HOME: home,
    XDG_STATE_HOME: "",
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    XDG_RUNTIME_DIR: home,
  };
  const trust = () => trusted(cwd, join(home, ".local/state"), how);
  if (files["orcs.toml"] !== undefined) await trust();
  return {
    home,
    cwd,
    /** Trust the project as it is by now. */
    trust,
    run: (...args: string[]): Promise<Ended> => orcs(args, { cwd, env }),
    path: (host: (typeof HOST_NAMES)[number], scope: "user" | "project" = "user"): string =>
      settingsPath(host, scope, { env: {}, home, project: cwd }),
  };
}

function files(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.parentPath.includes("/.local"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.endsWith("/.local"))
    .sort();
}

describe("orcs install and uninstall", { concurrent: true }, () => {
  test.each(HOST_NAMES)("%s: install, install again, uninstall, byte for byte", async (host) => {
    const { path, run, home, cwd } = await machine();
    const before = files(home);
    const first = await run("install", "--host", host, "--yes");
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/^created {2}/);
    const written = readFileSync(path(host), "utf8");
    const second = await run("install", "--host", host, "--user", "--yes", "--json");
    expect(second.code).toBe(0);
    const unchanged = { status: "unchanged", scope: "user", host };
    expect(JSON.parse(second.stdout)).toMatchObject({ ok: true, files: [unchanged] });
    expect(readFileSync(path(host), "utf8")).toBe(written);
    expect(await run("uninstall", "--host", host, "--yes")).toMatchObject({ code: 0 });
    expect(files(home)).toEqual(before);
    const project = path(host, "project");
    writeFiles(cwd, { [project.slice(cwd.length + 1)]: MINE });
    await run("install", "--host", host, "--project", "--yes");
    expect(readFileSync(project, "utf8")).toMatch(/\/\/ mine.* orcs hook --host/s);
    await run("uninstall", "--host", host, "--project", "--yes");
    expect(readFileSync(project, "utf8")).toBe(MINE);
  });

  test("the installed entry works from anywhere with an empty PATH", async () => {
    const { path, run, home, cwd } = await machine({
      "orcs.toml": `[serve]\nauto = false\n${GUARD}${PATIENT}`,
    });
    await run("install", "--host", "claude-code", "--yes");
    const { hooks } = JSON.parse(readFileSync(path("claude-code"), "utf8")) as {
      hooks: { PreToolUse: { hooks: { command: string }[] }[] };
    };
    const command = hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
    const event = { ...CALLS["claude-code"]("git push --force"), cwd };
    const env = {
      PATH: "/nowhere",
      HOME: home,
      XDG_STATE_HOME: "",
      XDG_RUNTIME_DIR: home,
      CLAUDE_PROJECT_DIR: cwd,
    };
    const { stdout } = await start("/bin/sh", ["-c", command], {
      cwd: home,
      env,
      stdin: JSON.stringify(event),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining("a force push loses") as string,
      },
    });
  });

  test("without a terminal or --yes shows the change and does nothing", async () => {
    const { home, run, path } = await machine();
    const before = files(home);
    const shown = await run("install", "--host", "gemini");
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(`\n${path("gemini")}\n`);
    expect(shown.stdout).toContain('+         "matcher": "*",');
    expect(shown.stderr).toContain("use --yes");
    const asJson = await run("install", "--host", "gemini", "--json");
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      ok: false,
      files: [{ status: "created", diff: expect.stringContaining("BeforeTool") as string }],
    });
    expect(files(home)).toEqual(before);
    await run("install", "--host", "gemini", "--yes");
    const out = await run("uninstall", "--host", "gemini");
    expect(out).toMatchObject({ code: 1, stdout: expect.stringContaining("- ") as string });
    expect(existsSync(path("gemini"))).toBe(true);
  });

  test("--sync updates every installed entry without asking", async () => {
    const { cwd, run, path, trust } = await machine();
    expect(await run("install", "--sync")).toMatchObject({ code: 0, stdout: "" });
    await run("install", "--host", "claude-code", "--yes");
    await run("install", "--host", "cursor", "--project", "--yes", "--command", "npx orcs");
    const more = GUARD.replace("no-force-push", "b")
      .replace("tool.pre_execute", "Stop")
      .replace(/match.*\n/, "");
    writeFileSync(join(cwd, "orcs.toml"), GUARD + more + PATIENT);
    await trust();
    const { code, stdout } = await run("install", "--sync", "--json");
    expect(code).toBe(0);
    const { files: synced } = JSON.parse(stdout) as { files: { host: string; status: string }[] };
    expect(synced.map(({ host, status }) => [host, status])).toEqual([
      ["claude-code", "changed"],
      ["cursor", "changed"],
    ]);
    expect(readFileSync(path("claude-code"), "utf8")).toContain('"Stop"');
    expect(readFileSync(path("cursor", "project"), "utf8")).toMatch(/"stop".*npx orcs hook/s);
    writeFileSync(join(cwd, "orcs.toml"), GUARD + PATIENT);
    await trust();
    await run("install", "--sync", "--host", "claude-code");
    expect(readFileSync(path("claude-code"), "utf8")).not.toContain('"Stop"');
    expect(await run("uninstall", "--host", "all", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(path("claude-code")) || existsSync(path("cursor", "project"))).toBe(false);
  });

  test("installs for every discovered agent, with an explicit configuration", async () => {
    const { home, cwd, run, path } = await machine({ "conf/my hooks.toml": GUARD + PATIENT });
    writeFiles(home, { ".codex/config.toml": "", ".gemini/x": "" });
    const args = ["install", "--host", "all", "--yes", "--config", "conf/my hooks.toml"];
    expect(await run(...args)).toMatchObject({ code: 0 });
    const named = `--config '${cwd}/conf/my hooks.toml'`;
    expect(readFileSync(path("codex"), "utf8")).toContain(named);
    expect(readFileSync(path("gemini"), "utf8")).toContain(named);
    expect(existsSync(path("claude-code"))).toBe(false);
    await run("install", "--host", "codex", "--project", "--yes", "--config", "conf/my hooks.toml");
    expect(readFileSync(path("codex", "project"), "utf8")).toContain(
      "--config 'conf/my hooks.toml'",
    );
  });

  test("names the files written when one of several cannot be", async () => {
    const { home, run, path } = await machine();
    writeFiles(home, { ".claude/settings.json": MINE, ".cursor/x": "" });
    symlinkSync("/proc/nowhere/hooks.json", path("cursor"));
    const ended = await run("install", "--host", "all", "--yes");
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /ORCS7004: cannot write .*hooks\.json.*; changed before: .*settings\.json/,
    );
    expect(ended.stderr).not.toContain("nothing was changed");
    await run("uninstall", "--host", "claude-code", "--yes");
    expect(readFileSync(path("claude-code"), "utf8")).toBe(MINE);
  });

  const REFUSED: [name: string, args: string[], code: number, why: string][] = [
    ["no host", ["install", "--yes"], 2, "ORCS5001: install needs --host"],
    ["a host that nobody knows", ["install", "--host", "emacs"], 2, "Allowed choices"],
    ["two scopes", ["install", "--host", "codex", "--user", "--project"], 2, "cannot be used with"],
    ["sync of one scope", ["install", "--sync", "--user"], 2, "cannot be used with"],
    ["no host was found", ["install", "--host", "all", "--yes"], 2, "no coding agent was found"],
    ["out of no host", ["uninstall"], 2, "ORCS5001: uninstall needs --host"],
    ["out of where it is not", ["uninstall", "--host", "codex"], 0, "not installed there"],
    ["import from nobody", ["import"], 2, "--from"],
    [
      "import of no file",
      ["import", "--from", "codex", "no.json"],
      2,
      "ORCS7004: cannot read no.json",
    ],
  ];
  test.each(REFUSED)("exits with 2 for %s", async (_name, args, code, why) => {
    const { run, home } = await machine();
    const ended = await run(...args);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(why);
    expect(files(home)).toEqual([]);
  });

  test("configuration errors and unusable settings are reported, and nothing is written", async () => {
    const ill = '[[hooks]]\npoint = "tool.pre_execut"\nhandler_inline = "ctx"\n';
    const broken = await machine({ "orcs.toml": ill }, { dev: true });
    const told = await broken.run("install", "--host", "codex", "--yes");
    expect(told).toMatchObject({ code: 2, stdout: "" });
    expect(told.stderr).toContain("ORCS1005");
    expect(files(broken.home)).toEqual([]);
    const odd = await machine();
    writeFiles(odd.home, { ".codex/hooks.json": '{"hooks": []}' });
    const refused = await odd.run("install", "--host", "codex", "--yes");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("ORCS7004: cannot use");
  });

  test("in an untrusted project installs the self-guard only, with a message", async () => {
    const { run, cwd, path } = await machine();
    await run("trust", "--revoke", "--yes");
    const text = await run("install", "--host", "codex", "--yes");
    expect(text).toMatchObject({ code: 0 });
    expect(text.stdout).toContain("orcs answers PreToolUse)");
    expect(text.stderr).toContain(`note: the hooks of ${cwd} are inactive`);
    const json = await run("install", "--host", "codex", "--yes", "--json");
    const noted = JSON.parse(json.stdout) as { files: readonly { notes: readonly string[] }[] };
    expect(noted.files[0]?.notes.join()).toContain(`orcs trust ${cwd}`);
    // Once it is trusted, and after that is over: a guard is not taken out for want of trust.
    await run("trust", "--yes");
    expect(await run("install", "--host", "codex", "--yes")).toMatchObject({ code: 0 });
    const installed = readFileSync(path("codex"), "utf8");
    await run("trust", "--revoke", "--yes");
    for (const again of [["--sync"], ["--host", "codex", "--yes"]]) {
      const { code, stderr } = await run("install", ...again);
      expect([again, code, stderr.includes("are inactive")]).toEqual([again, 0, true]);
      expect(readFileSync(path("codex"), "utf8")).toBe(installed);
    }
  });

  test("without hooks installs the self-guard, unless the user disabled it", async () => {
    const { run, cwd, path } = await machine({});
    expect((await run("install", "--host", "codex", "--yes")).stdout).toContain("PreToolUse)");
    expect(existsSync(path("codex"))).toBe(true);
    expect((await run("uninstall", "--host", "codex", "--yes")).code).toBe(0);
    writeFiles(cwd, { "no-user/orcs/orcs.toml": "self_guard = false\n" });
    const ended = await run("install", "--host", "codex", "--yes");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("Nothing to install");
    expect(existsSync(path("codex"))).toBe(false);
  });
});

describe("orcs install at a terminal", () => {
  beforeEach(({ skip }) => skip(!HAS_TERMINAL, "this machine has no python3 with the module pty"));

  test('asks; "no" changes nothing, "yes" installs', async () => {
    const cwd = await project(FILES);
    const args = ["install", "--host", "cursor", "--project"];
    const ask = "Change this file? [y/N] ";
    const missing = "allow the tool calls of their agents unchecked? (no: they are denied) [y/N] ";
    const no = await orcsAtTerminal(args, cwd, [
      [missing, "y\n"],
      [ask, "n\n"],
    ]);
    expect(no).toMatchObject({ code: 1, stdout: "" });
    expect(no.terminal).toContain('+   "version": 1,');
    expect(no.terminal).toContain("Nothing was changed.");
    expect(existsSync(join(cwd, ".cursor"))).toBe(false);
    const yes = await orcsAtTerminal(args, cwd, [
      [missing, "\n"],
      [ask, "y\n"],
    ]);
    expect(yes.code).toBe(0);
    expect(existsSync(join(cwd, ".cursor/hooks.json"))).toBe(true);
    expect(
      (await orcs(["uninstall", "--host", "cursor", "--project", "--yes"], { cwd })).code,
    ).toBe(0);
    expect(existsSync(join(cwd, ".cursor"))).toBe(false);
  });
});

describe("orcs import", { concurrent: true }, () => {
  const entry = (command: string, more: object = {}) => ({ type: "command", command, ...more });
  const SETTINGS = JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            entry("echo 'a\\b' \"c\"\ntrue # ünï ☃", { timeout: 5 }),
            entry("./check.sh"),
            entry("orcs hook --host claude-code"),
          ],
        },
        { hooks: [{ type: "prompt", prompt: "is it\nsafe?" }] },
      ],
    },
  });

  test("prints hooks that orcs check accepts, and the reasons for those not imported", async () => {
    const { cwd, run, trust } = await machine({
      ".claude/settings.json": SETTINGS,
      ".claude/settings.local.json": `\uFEFF// mine\r\n${SETTINGS}`,
      "check.sh": "",
    });
    const { code, stdout } = await run("import", "--from", "claude-code");
    expect(code).toBe(1);
    expect(stdout.match(/^\[\[hooks\]\]$/gm)).toHaveLength(2);
    expect(stdout).toMatch(
      /^# not imported: PreToolUse of \.claude\/settings\.json: is it safe\?: ORCS7012: .* of the type prompt/m,
    );
    expect(stdout).not.toContain("orcs hook");
    writeFileSync(join(cwd, "orcs.toml"), stdout);
    await trust();
    expect(await run("check")).toMatchObject({ code: 0, stdout: "2 hooks, no errors\n" });
  });

  test("adds to a file, and nothing the second time", async () => {
    const { cwd, home, run, trust } = await machine();
    writeFiles(home, {
      ".gemini/settings.json": JSON.stringify({
        hooks: {
          BeforeTool: [{ matcher: "write_file", hooks: [entry("./a.sh", { timeout: 7000 })] }],
        },
      }),
    });
    const args = ["import", "--from", "gemini", "--out", "orcs.toml"];
    expect(await run(...args)).toMatchObject({ code: 0, stdout: "orcs.toml: 1 imported, 0 not\n" });
    const text = readFileSync(join(cwd, "orcs.toml"), "utf8");
    expect(text.startsWith(FILES["orcs.toml"])).toBe(true);
    expect(text).toContain("timeout_ms = 7000");
    await trust();
    // It loads; from the user's settings, it is another program wherever the agent is, which no seal holds.
    const checked = await run("check");
    expect(checked).toMatchObject({ code: 1, stdout: "2 hooks, no errors, 1 warning\n" });
    expect(checked.stderr).toContain("warning ORCS1112: shell: ");
    await run(...args);
    expect(readFileSync(join(cwd, "orcs.toml"), "utf8")).toBe(text);
  });

  test("reads Codex's TOML too, and prints JSON", async () => {
    const { home, run } = await machine();
    writeFiles(home, {
      ".codex/config.toml":
        'model = "m"\n[[hooks.PreToolUse]]\nmatcher = "Edit"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "a"\ntimeout = 3\n',
    });
    const { code, stdout } = await run("import", "--from", "codex", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      hooks: [
        { event: "PreToolUse", hook: { match: { tool: "Edit|apply_patch" }, timeout_ms: 3000 } },
      ],
      not_imported: [],
    });
  });

  test("leaves a file unchanged that it cannot add to", async () => {
    const inline = 'hooks = [{ point = "Stop", handler_inline = "ctx" }]\n';
    const { cwd, run } = await machine({ "orcs.toml": inline, "s.json": SETTINGS });
    const { code, stderr } = await run(
      "import",
      "--from",
      "claude-code",
      "s.json",
      "--out",
      "orcs.toml",
    );
    expect(code).toBe(2);
    expect(stderr).toContain("ORCS5002: [[hooks]] cannot be added to orcs.toml");
    expect(readFileSync(join(cwd, "orcs.toml"), "utf8")).toBe(inline);
  });

  test("names the hooks in front matter, which stay there", async () => {
    const matter = (...lines: string[]): string => `---\nname: a\n${lines.join("\n")}\n---\n# A\n`;
    const hooks = [
      "hooks:",
      "  PreToolUse:",
      "    - matcher: Bash",
      "      hooks: []",
      "  Stop: x",
    ];
    const { run } = await machine({
      ".claude/agents/db.md": matter(...hooks, "tools: Bash"),
      ".claude/agents/plain.md": matter("tools: Bash"),
      ".claude/skills/deploy/SKILL.md": matter("hooks:", "  Stop: []"),
    });
    const all = await run("import", "--from", "claude-code");
    expect(all.code).toBe(1);
    expect(
      all.stdout.match(/^# not imported: \w+ of \S+(?=: front matter: it runs only)/gm),
    ).toEqual([
      "# not imported: PreToolUse of .claude/agents/db.md",
      "# not imported: Stop of .claude/agents/db.md",
      "# not imported: Stop of .claude/skills/deploy/SKILL.md",
    ]);
    const one = await run("import", "--from", "claude-code", ".claude/skills/deploy/SKILL.md");
    expect(one).toMatchObject({ code: 1, stdout: expect.stringContaining("Stop of .claude") });
  });

  test("reports when there is nothing to import", async () => {
    const { run } = await machine();
    const ended = await run("import", "--from", "cursor");
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("No hooks were found");
  });
});
