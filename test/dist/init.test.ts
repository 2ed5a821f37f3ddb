import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { folder, orcs, PATIENT } from "./orcs.ts";

const FILES = [
  "orcs.toml",
  "hooks/guard.lua",
  ".orcs/meta/orcs.lua",
  ".orcs/orcs.schema.json",
  ".luarc.json",
];
const NEXT = ["orcs test", 'orcs eval tool.pre_execute tool=exec command="git push --force"'];
const PUSH = ["eval", "tool.pre_execute", "tool=exec", "command=git push --force"];

function texts(cwd: string): Record<string, string> {
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(cwd.length + 1), readFileSync(path, "utf8")];
      }),
  );
}

describe("orcs init --yes", { concurrent: true }, () => {
  test("writes a working project and prints what to try", async () => {
    const cwd = folder();
    expect(await orcs(["init", "--yes"], { cwd })).toEqual({
      code: 0,
      stdout: [
        ...FILES.map((path) => `created    ${path}`),
        "",
        "Try next:",
        "  orcs trust --dev",
        "  orcs test",
        '  orcs eval tool.pre_execute tool=exec command="git push --force"',
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(Object.keys(texts(cwd)).sort()).toEqual([...FILES].sort());
    expect(await orcs(["check"], { cwd })).toMatchObject({ code: 0 });
    // Nobody has said that it is to be trusted.
    expect((await orcs([...PUSH, "--fail"], { cwd })).code).toBe(0);
    expect(await orcs(["trust", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect(await orcs(["test"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3 passed/) as string,
    });
    const { stdout, code } = await orcs([...PUSH, "--fail"], { cwd });
    expect(stdout).toContain("abort by no-force-push: a force push loses work of others");
    expect(code).toBe(1);
  });

  test("--policies activates the named policies", async () => {
    const cwd = folder({ "infra/main.tf": "" });
    const args = ["init", "--yes", "--dev", "--policies", "shell-guard"];
    const done = await orcs(args, { cwd });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(
      "Rules of shell-guard switched on, for:\n  terraform  infra/main.tf\n",
    );
    expect(texts(cwd)["orcs.toml"]).toContain('options = { enable = ["terraform"] }');
    const event = ["eval", "tool.pre_execute", "tool=exec", "command=sh -c 'git reset --hard'"];
    const { stdout, code } = await orcs([...event, "--fail"], { cwd });
    expect(stdout).toContain("abort by shell-guard: shell-guard (");
    expect(code).toBe(1);
    const { stderr, code: used } = await orcs(["init", "--yes", "--policies", "x"], { cwd });
    expect(stderr).toContain('ORCS5001: there is no policy "x"');
    expect(used).toBe(2);
  });

  test("changes nothing the second time", async () => {
    const cwd = folder();
    await orcs(["init", "--yes"], { cwd });
    const before = texts(cwd);
    const { stdout } = await orcs(["init", "--yes", "--json"], { cwd });
    const { files, ...said } = JSON.parse(stdout) as { files: unknown };
    expect(files).toEqual(FILES.map((path) => ({ path, status: "unchanged" })));
    expect(said).toEqual({ ok: true, trust: "unknown", next: ["orcs trust --dev", ...NEXT] });
    expect(texts(cwd)).toEqual(before);
  });

  test("--dev makes the written hooks active, and each save too", async () => {
    const cwd = folder();
    const { code, stdout } = await orcs(["init", "--yes", "--dev", "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, trust: "dev", next: NEXT });
    expect((await orcs([...PUSH, "--fail"], { cwd })).code).toBe(1);
    const guard = join(cwd, "hooks/guard.lua");
    writeFileSync(guard, readFileSync(guard, "utf8").replace("a force push", "any push"));
    const after = await orcs([...PUSH, "--fail"], { cwd });
    expect(after.stdout).toContain("abort by no-force-push: any push loses work");
    const again = await orcs(["init", "--yes"], { cwd });
    expect(again.stdout).toContain(`\ndev-trusted  ${cwd}\n`);
    expect(again.stdout).toContain("\nTry next:\n  orcs test\n");
    expect(await orcs(["trust", "--revoke", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect((await orcs([...PUSH, "--fail"], { cwd })).code).toBe(0);
  });

  test.each([["--dev"], []])(
    "does not promise trust when the trust store is unusable: %s",
    async (...more) => {
      const cwd = folder();
      const state = folder({ "orcs/trust.json": "{" });
      chmodSync(join(state, "orcs/trust.json"), 0o600);
      const env = { XDG_STATE_HOME: state };
      const ended = await orcs(["init", "--yes", "--json", ...more], { cwd, env });
      if (more.length > 0) {
        expect(ended.code).toBe(2);
        expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "ORCS8002" } });
        expect(ended.stderr).toContain("ORCS8002");
        expect(texts(cwd)).toEqual({});
      } else {
        expect(JSON.parse(ended.stdout)).toMatchObject({ ok: true, trust: "store" });
      }
    },
  );

  test("in the user's configuration folder needs no trust", async () => {
    const home = folder();
    const cwd = join(home, "orcs");
    mkdirSync(cwd);
    const env = { XDG_CONFIG_HOME: home };
    const { code, stdout } = await orcs(["init", "--yes", "--dev", "--json"], { cwd, env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ trust: "trusted", next: NEXT });
    expect((await orcs([...PUSH, "--fail"], { cwd, env })).code).toBe(1);
  });

  test("adds to existing files without overwriting", async () => {
    const guard = 'return { point = "tool.pre_execute", handler = function() end }\n';
    const cwd = folder({ "orcs.toml": `debug = false\n${PATIENT}`, "hooks/guard.lua": guard });
    expect(await orcs(["init", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "hooks/guard.lua"), "utf8")).toBe(guard);
    expect(readFileSync(join(cwd, "orcs.toml"), "utf8")).toBe(
      `#:schema ./.orcs/orcs.schema.json\ndebug = false\n${PATIENT}\n[[hooks]]\nscript = "hooks/guard.lua"\n`,
    );
    expect(await orcs(["check"], { cwd })).toMatchObject({ code: 0 });
  });

  test("creates another folder, for other tools", async () => {
    const cwd = folder();
    const args = ["init", "--yes", "--dir", "a/b", "--tools", "shell|mcp__*"];
    const { code, stdout } = await orcs(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('orcs eval tool.pre_execute tool=shell command="git push --force"');
    const guard = readFileSync(join(cwd, "a/b/hooks/guard.lua"), "utf8");
    expect(guard).toContain('match = { tool = "shell|mcp__*", ');
  });

  const REFUSED: [name: string, files: Record<string, string>, args: string[], why: string][] = [
    ["no terminal and no --yes", {}, [], "ORCS5001: init asks in a terminal"],
    ["tools that are no names", {}, ["--yes", "--tools", 'a" }'], "ORCS5001: the tools"],
    ["a file in place of a folder", { hooks: "" }, ["--yes"], "ORCS5002: cannot read hooks/guard"],
    ["a broken orcs.toml", { "orcs.toml": "debug = " }, ["--yes"], "ORCS5002: orcs.toml is left"],
    [
      "comments in .luarc.json",
      { ".luarc.json": "{} // mine" },
      ["--yes"],
      "ORCS5002: .luarc.json is not plain JSON",
    ],
  ];
  test.each(REFUSED)("%s exits with 2 and writes nothing", async (_name, files, args, why) => {
    const cwd = folder(files);
    const { code, stdout, stderr } = await orcs(["init", ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
    expect(texts(cwd)).toEqual(files);
  });
});

describe("orcs init at a terminal", { concurrent: true }, () => {
  beforeEach(({ skip }) => skip(!HAS_TERMINAL, "this machine has no python3 with the module pty"));

  const TOOLS = "Which tools run commands? [exec|Bash] ";
  const POLICIES = "Which of them should be active (names, all, none)? [none] ";
  const CHANGE = "Change this file? [y/N] ";
  const DEV =
    "Trust this folder and every later change to it, so that saved hooks become active at once (dev trust)? [y/N] ";

  test("asks for the tools, with a default", async () => {
    const [a, b] = [folder(), folder()];
    const first = await orcsAtTerminal(["init"], a, [
      [TOOLS, "\n"],
      [POLICIES, "\n"],
      [DEV, "\n"],
    ]);
    const second = await orcsAtTerminal(["init"], b, [
      [TOOLS, "shell\n"],
      [POLICIES, "shell-guard, loop-guard\n"],
      [DEV, "y\n"],
    ]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(texts(a)["hooks/guard.lua"]).toContain('tool = "exec|Bash"');
    expect(texts(b)["hooks/guard.lua"]).toContain('tool = "shell"');
    expect(texts(a)["orcs.toml"]).not.toMatch(/^script = "orcs:/m);
    expect(texts(b)["orcs.toml"]).toContain(
      'script = "orcs:shell-guard"\n\n[[hooks]]\nscript = "orcs:loop-guard"\n',
    );
    expect(first.terminal).not.toContain("Change");
    // No is what return means there.
    expect([first, second].map(({ stdout }) => stdout.includes("orcs trust --dev"))).toEqual([
      true,
      false,
    ]);
    const third = await orcsAtTerminal(["init"], b, []);
    expect([third.code, third.terminal]).toEqual([0, ""]);
    expect((await orcs(["trust", "--show", "--json"], { cwd: a })).code).toBe(1);
    expect((await orcs(["trust", "--show", "--json"], { cwd: b })).code).toBe(0);
  });

  test("asks again when an answer cannot be used", async () => {
    const cwd = folder();
    const ended = await orcsAtTerminal(["init", "--dev"], cwd, [
      [TOOLS, "a b\n"],
      [TOOLS, "shell\n"],
      [POLICIES, "shell-gard\n"],
      [POLICIES, "shell-guard\n"],
    ]);
    expect(ended).toMatchObject({
      code: 0,
      terminal: expect.stringMatching(/are not tool names[\s\S]*did you mean shell-guard/),
    });
    // Nor is it asked for what --dev says.
    expect(ended.terminal).not.toContain("[y/N]");
    expect((await orcs(["trust", "--show", "--json"], { cwd })).code).toBe(0);
    expect(texts(cwd)["orcs.toml"]).toContain('script = "orcs:shell-guard"');
  });

  test('shows how a file would change before asking; "no" changes nothing', async () => {
    const files = { "orcs.toml": "debug = true\n" };
    const cwd = folder(files);
    const ended = await orcsAtTerminal(["init"], cwd, [
      [TOOLS, "\n"],
      [POLICIES, "\n"],
      [CHANGE, "n\n"],
    ]);
    expect(ended.terminal).toContain(
      "\norcs.toml\n+ #:schema ./.orcs/orcs.schema.json\n  debug = true\n",
    );
    expect(ended.terminal).toContain("Nothing was changed.\n");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(texts(cwd)).toEqual(files);
  });

  test('"yes" changes the file', async () => {
    const cwd = folder({ "orcs.toml": "debug = true\n" });
    const ended = await orcsAtTerminal(["init"], cwd, [
      [TOOLS, "\n"],
      [POLICIES, "\n"],
      [CHANGE, "y\n"],
      [DEV, "n\n"],
    ]);
    expect(ended.code).toBe(0);
    expect(existsSync(join(cwd, "hooks/guard.lua"))).toBe(true);
    expect(texts(cwd)["orcs.toml"]).toContain('script = "hooks/guard.lua"');
  });
});
