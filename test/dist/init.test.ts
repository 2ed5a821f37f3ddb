import { existsSync, readdirSync, readFileSync } from "node:fs";
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

describe("init --yes", { concurrent: true }, () => {
  test("writes a project that works, and says what to try", async () => {
    const cwd = folder();
    expect(await orcs(["init", "--yes"], { cwd })).toEqual({
      code: 0,
      stdout: [
        ...FILES.map((path) => `created    ${path}`),
        "",
        "Try next:",
        "  orcs test",
        '  orcs eval tool.pre_execute tool=exec command="git push --force"',
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(Object.keys(texts(cwd)).sort()).toEqual([...FILES].sort());
    expect(await orcs(["check"], { cwd })).toMatchObject({ code: 0 });
    expect(await orcs(["test"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3 passed/) as string,
    });
    const { stdout, code } = await orcs([...PUSH, "--fail"], { cwd });
    expect(stdout).toContain("abort by no-force-push: a force push loses work of others");
    expect(code).toBe(1);
  });

  test("a second time nothing changes", async () => {
    const cwd = folder();
    await orcs(["init", "--yes"], { cwd });
    const before = texts(cwd);
    const { stdout } = await orcs(["init", "--yes", "--json"], { cwd });
    const { files, next } = JSON.parse(stdout) as { files: unknown; next: string[] };
    expect(files).toEqual(FILES.map((path) => ({ path, status: "unchanged" })));
    expect(next[0]).toBe("orcs test");
    expect(texts(cwd)).toEqual(before);
  });

  test("adds to what is there, and overwrites nothing", async () => {
    const guard = 'return { point = "tool.pre_execute", handler = function() end }\n';
    const cwd = folder({ "orcs.toml": `debug = false\n${PATIENT}`, "hooks/guard.lua": guard });
    expect(await orcs(["init", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "hooks/guard.lua"), "utf8")).toBe(guard);
    expect(readFileSync(join(cwd, "orcs.toml"), "utf8")).toBe(
      `#:schema ./.orcs/orcs.schema.json\ndebug = false\n${PATIENT}\n[[hooks]]\nscript = "hooks/guard.lua"\n`,
    );
    expect(await orcs(["check"], { cwd })).toMatchObject({ code: 0 });
  });

  test("in another folder, which is made, for other tools", async () => {
    const cwd = folder();
    const args = ["init", "--yes", "--dir", "a/b", "--tools", "shell|mcp__*"];
    const { code, stdout } = await orcs(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('orcs eval tool.pre_execute tool=shell command="git push --force"');
    const guard = readFileSync(join(cwd, "a/b/hooks/guard.lua"), "utf8");
    expect(guard).toContain('match = { tool = "shell|mcp__*", ');
  });

  const REFUSED: [name: string, files: Record<string, string>, args: string[], why: string][] = [
    ["no terminal and no --yes", {}, [], "ORCS5001: init asks at a terminal"],
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
  test.each(REFUSED)("%s: exit 2, and nothing is written", async (_name, files, args, why) => {
    const cwd = folder(files);
    const { code, stdout, stderr } = await orcs(["init", ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
    expect(texts(cwd)).toEqual(files);
  });
});

describe("init at a terminal", { concurrent: true }, () => {
  beforeEach(({ skip }) => skip(!HAS_TERMINAL, "this machine has no python3 with the module pty"));

  const TOOLS = "Which tools run commands? [exec|Bash] ";
  const CHANGE = "Change this file? [y/N] ";

  test("asks for the tools; return takes the default", async () => {
    const [a, b] = [folder(), folder()];
    const first = await orcsAtTerminal(["init"], a, [[TOOLS, "\n"]]);
    const second = await orcsAtTerminal(["init"], b, [[TOOLS, "shell\n"]]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(texts(a)["hooks/guard.lua"]).toContain('tool = "exec|Bash"');
    expect(texts(b)["hooks/guard.lua"]).toContain('tool = "shell"');
    expect(first.terminal).not.toContain("[y/N]");
  });

  test("shows how a file would change before it asks; no leaves everything", async () => {
    const files = { "orcs.toml": "debug = true\n" };
    const cwd = folder(files);
    const ended = await orcsAtTerminal(["init"], cwd, [
      [TOOLS, "\n"],
      [CHANGE, "n\n"],
    ]);
    expect(ended.terminal).toContain(
      "\norcs.toml\n+ #:schema ./.orcs/orcs.schema.json\n  debug = true\n",
    );
    expect(ended.terminal).toContain("Nothing was changed.\n");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(texts(cwd)).toEqual(files);
  });

  test("yes changes it", async () => {
    const cwd = folder({ "orcs.toml": "debug = true\n" });
    const ended = await orcsAtTerminal(["init"], cwd, [
      [TOOLS, "\n"],
      [CHANGE, "y\n"],
    ]);
    expect(ended.code).toBe(0);
    expect(existsSync(join(cwd, "hooks/guard.lua"))).toBe(true);
    expect(texts(cwd)["orcs.toml"]).toContain('script = "hooks/guard.lua"');
  });
});
