import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT, project } from "./orcs.ts";

const HOOKS = `
[engine]
on_error = "closed"

[[hooks]]
id = "second"
point = "tool.post_execute"
priority = 20
handler_inline = "ctx"

[[hooks]]
id = "first"
fql = "builtin::*"
point = "PostToolUse"
priority = 10
match = { tool = "exec", command = "^git" }
enabled = false
on_error = "open"
script = "first.lua"
`;
const FILES = { "orcs.toml": HOOKS + PATIENT, "hooks/first.lua": "return function() end" };

const MISTAKES = {
  "orcs.toml": `
[lua]
max_run_ms = "long"

[[hooks]]
point = "tool.pre_execut"
handler_inline = "ctx"

[[hooks]]
script = "nothing.lua"
`,
};

const BROKEN_SCRIPTS = {
  "orcs.toml": `[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n${PATIENT}`,
  "hooks/a.lua": "return {\n  handler = function(ctx\n}\n",
  "hooks/b.lua": 'return { point = "PreToolUse", priorty = 1, handler = function() end }\n',
};

const NAMED = ["check", "--config", "orcs.toml"];

describe("orcs list", { concurrent: true }, () => {
  test("prints a table in run order", async () => {
    const { stdout, stderr, code } = await orcs(["list"], { cwd: await project(FILES) });
    const [header = "", , first = "", second = "", ...rest] = stdout.split("\n");
    expect(header.split(/ {2,}/)).toEqual([
      "point",
      "prio",
      "id",
      "fql",
      "match",
      "enabled",
      "mode",
      "on_error",
      "origin",
      "source",
    ]);
    expect(first.split(/ {2,}/)).toEqual([
      "tool.post_execute",
      "10",
      "first",
      "builtin::*",
      "tool=exec command=^git",
      "no",
      "enforce",
      "open",
      "project",
      "hooks/first.lua:1",
    ]);
    expect(second).toMatch(/ 20 .* second .* yes .* enforce .* closed .* orcs\.toml:9$/);
    expect({ rest, stderr, code }).toEqual({ rest: [""], stderr: "", code: 0 });
  });

  test("--json includes the effective on_error", async () => {
    const { stdout } = await orcs(["list", "--json"], { cwd: await project(FILES) });
    expect(JSON.parse(stdout)).toEqual([
      {
        point: "tool.post_execute",
        priority: 10,
        id: "first",
        fql: "builtin::*",
        match: { tool: "exec", command: "^git" },
        enabled: false,
        mode: "enforce",
        on_error: "open",
        origin: "project",
        source: "hooks/first.lua:1",
      },
      {
        point: "tool.post_execute",
        priority: 20,
        id: "second",
        fql: "*::*",
        match: {},
        enabled: true,
        mode: "enforce",
        on_error: "closed",
        origin: "project",
        source: "orcs.toml:9",
      },
    ]);
  });

  test("without hooks, and with a configuration that does not load", async () => {
    const [none, broken] = await Promise.all([
      orcs(["list"], { cwd: folder() }),
      orcs(["list", "--config", "orcs.toml"], { cwd: folder(MISTAKES) }),
    ]);
    expect(none).toMatchObject({ code: 0, stdout: "no hooks\n" });
    expect(none.stderr).toMatch(
      /^orcs: there is no orcs\.toml in \S+ or above: orcs init creates one\n$/,
    );
    expect(broken).toMatchObject({ code: 2, stdout: "" });
    expect(broken.stderr).toMatch(/^orcs: ORCS1015: the configuration has 3 errors\n/);
  });
});

describe("orcs check", { concurrent: true }, () => {
  test("reports nothing for a correct configuration", async () => {
    const cwd = await project(FILES);
    const [text, json] = await Promise.all([
      orcs(["check"], { cwd }),
      orcs(["check", "--config", "orcs.toml", "--json"], { cwd }),
    ]);
    expect(text).toEqual({ code: 0, stdout: "2 hooks, no errors\n", stderr: "" });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual({ ok: true, hooks: 2, diagnostics: [] });
  });

  test("reports every configuration error with its position, and exits with 2", async () => {
    const { code, stdout, stderr } = await orcs(NAMED, { cwd: folder(MISTAKES) });
    expect(stderr).toBe(`orcs.toml:3:14: error ORCS1004: max_run_ms: expected a number, got "long"
 3 | max_run_ms = "long"
   |              ^^^^^^

orcs.toml:6:9: error ORCS1005: point: unknown hook point "tool.pre_execut"
 6 | point = "tool.pre_execut"
   |         ^^^^^^^^^^^^^^^^^
  hint: did you mean "tool.pre_execute"?

orcs.toml:10:10: error ORCS1009: script: "nothing.lua" was not found; searched hooks, .
 10 | script = "nothing.lua"
    |          ^^^^^^^^^^^^^
`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "3 errors\n" });
  });

  test("reports script errors as JSON", async () => {
    const { code, stdout, stderr } = await orcs([...NAMED, "--json"], {
      cwd: folder(BROKEN_SCRIPTS),
    });
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      hooks: 0,
      diagnostics: [
        {
          code: "ORCS3001",
          severity: "error",
          message: expect.stringContaining("expected"),
          file: "hooks/a.lua",
          line: 3,
        },
        {
          code: "ORCS1003",
          severity: "error",
          message: 'unknown key "priorty"',
          file: "hooks/b.lua",
          line: 1,
          column: 32,
          length: 7,
          hint: 'did you mean "priority"?',
        },
      ],
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  });

  test("exits with 1 for a likely mistake, with 2 for a certain failure", async () => {
    const guard = (body: string) => ({
      "orcs.toml": `[[hooks]]\nscript = "guard.lua"\n${PATIENT}`,
      "hooks/guard.lua": `return { point = "PreToolUse", handler = function(ctx)\n${body}\nend }\n`,
    });
    const [slip, failing] = await Promise.all([
      orcs(["check"], { cwd: await project(guard("print(cout)")) }),
      orcs(["check"], { cwd: await project(guard("return orcs.denny('no')")) }),
    ]);
    expect(slip).toEqual({
      code: 1,
      stdout: "1 hook, no errors, 1 warning\n",
      stderr: `hooks/guard.lua:2:7: warning ORCS1101: the global "cout" is never set
 2 | print(cout)
   |       ^^^^
`,
    });
    expect(failing).toMatchObject({ code: 2, stdout: "1 hook, 1 error\n" });
    expect(failing.stderr).toContain("hooks/guard.lua:2:13: error ORCS1102");
  });

  test("checks single files without a configuration", async () => {
    const cwd = folder({ "a.lua": "print(orcs.uuid())", "b.lua": "local = 1", ...MISTAKES });
    const [fine, broken, json] = await Promise.all([
      orcs(["check", "a.lua"], { cwd }),
      orcs(["check", "a.lua", "b.lua"], { cwd }),
      orcs(["check", "--json", "a.lua"], { cwd }),
    ]);
    expect(fine).toEqual({ code: 0, stdout: "no errors\n", stderr: "" });
    expect(broken).toMatchObject({ code: 2, stdout: "1 error\n" });
    expect(broken.stderr).toContain("b.lua:1:1: error ORCS3001");
    expect(JSON.parse(json.stdout)).toEqual({ ok: true, diagnostics: [] });
  });

  test("--print shows the merged settings and hooks with their origins", async () => {
    const cwd = await project(FILES);
    const [text, json] = await Promise.all([
      orcs(["check", "--print"], { cwd }),
      orcs(["check", "--print", "--json"], { cwd }),
    ]);
    expect(text.stdout).toMatch(/^engine\.on_error +"closed" +project, orcs\.toml:3$/m);
    expect(text.stdout).toMatch(/^engine\.max_depth +4 +default$/m);
    expect(text.stdout).toMatch(
      /^hook first +value +from\n[^\n]+\npoint +"tool\.post_execute" +project, orcs\.toml:14$/m,
    );
    // It runs from the copy that was made of it; it is shown as it is known.
    expect(text.stdout).not.toContain("/seals/");
    expect(text).toMatchObject({ code: 0, stderr: "" });
    const { settings, hooks } = JSON.parse(json.stdout) as {
      settings: { key: string }[];
      hooks: { id: string }[];
    };
    expect(settings).toContainEqual({ key: "engine.load_ms", value: 5000, origin: "default" });
    expect(hooks.map(({ id }) => id)).toEqual(["first", "second"]);
    const broken = await orcs([...NAMED, "--print"], { cwd: folder(MISTAKES) });
    expect(broken).toMatchObject({ code: 2, stdout: "3 errors\n" });
  });

  test("reports ignored project settings once and exits with 1", async () => {
    const user = folder({
      "orcs/orcs.toml": '[[hooks]]\nid = "a"\npoint = "PreToolUse"\nhandler_inline = "ctx"\n',
    });
    const cwd = await project({ "orcs.toml": '[engine]\non_error = "open"\n' });
    const around = { cwd, env: { XDG_CONFIG_HOME: user } };
    const [text, json] = await Promise.all([
      orcs(["check"], around),
      orcs(["check", "--json"], around),
    ]);
    expect(text).toEqual({
      code: 1,
      stdout: "1 hook, no errors, 1 warning\n",
      stderr: `orcs.toml:2:12: warning ORCS1016: on_error: ignored: a project cannot loosen your own settings
 2 | on_error = "open"
   |            ^^^^^^
`,
    });
    expect(json).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      hooks: 1,
      diagnostics: [{ code: "ORCS1016", severity: "warning", line: 2, column: 12 }],
    });
  });
});

test("orcs --version prints it; an unknown command exits with 2", async () => {
  const cwd = folder();
  const version = await orcs(["--version"], { cwd });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  const { code, stdout, stderr } = await orcs(["lst"], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("unknown command 'lst'");
});

describe("orcs check --host", { concurrent: true }, () => {
  const ASKS = {
    "orcs.toml": `[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nhandler_inline = 'return orcs.ask("sure?")'\n${PATIENT}`,
  };

  test("notes are printed for each agent, and are no findings", async () => {
    const cwd = await project(ASKS);
    const { stdout, code } = await orcs([...NAMED, "--host", "codex", "--host", "claude-code"], {
      cwd,
    });
    expect(stdout).toMatch(
      /^1 hook, no errors\n\ncodex: 1 note\n {2}h may return `ask` at PreToolUse: .* denied \(orcs.toml:4\)\n\nclaude-code: no notes\n$/,
    );
    expect(code).toBe(0);
  });

  test("an unknown agent is a usage error that lists the known ones", async () => {
    const cwd = await project(ASKS);
    const { stdout, stderr, code } = await orcs([...NAMED, "--json", "--host", "emacs"], { cwd });
    expect(stderr).toContain(
      "ORCS5001: --host emacs is unknown: the coding agents are claude-code",
    );
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "ORCS5001" } });
    expect(code).toBe(2);
  });
});
