import { join } from "node:path";
import { SHIPPED_HOOKS } from "../../../src/config/scripts.ts";
import { describe, expect, test } from "vitest";
import { errorOf, folder, load, loadToml, reportOn } from "./folder.ts";

test("loads all keys of a hook", async () => {
  const { hooks } = await loadToml(`
[[hooks]]
id = "h"
point = "tool.pre_execute"
fql = "builtin::*"
priority = -5
enabled = false
match = { tool = "exec|Bash", tool_regex = "^e", path = "src/**", command = "rm", session = "s", agent = "a" }
once = true
timeout_ms = 500
max_retries = 0
options = { roots = ["src"], nested = { n = 1.5, yes = true } }
on_error = "open"
on_timeout = "closed"
handler_inline = "return nil"
`);
  expect(hooks).toEqual([
    {
      id: "h",
      idGiven: true,
      point: expect.objectContaining({ name: "tool.pre_execute" }) as unknown,
      fql: "builtin::*",
      priority: -5,
      enabled: false,
      match: {
        tool: "exec|Bash",
        tool_regex: "^e",
        path: "src/**",
        command: "rm",
        session: "s",
        agent: "a",
      },
      once: true,
      timeoutMs: 500,
      maxRetries: 0,
      options: { roots: ["src"], nested: { n: 1.5, yes: true } },
      onError: "open",
      onTimeout: "closed",
      handler: {
        kind: "inline",
        code: "return nil",
        place: { file: "orcs.toml", line: 15, column: 19 },
      },
      place: { file: "orcs.toml", line: 2, column: 1 },
      origin: "named",
      rank: 0,
      needsGrants: false,
      agent: undefined,
      baseDir: expect.any(String) as unknown,
      scriptRoots: [],
      exceptions: [],
      agents: [],
      tests: [],
    },
  ]);
});

test("[[hooks.hooks]] is read like [[hooks]]", async () => {
  const { hooks } = await loadToml(`
[[hooks.hooks]]
id = "a"
point = "Stop"
handler_inline = "return nil"
[[hooks.hooks]]
id = "b"
point = "Stop"
handler_inline = "return nil"
`);
  expect(hooks.map(({ id, place }) => [id, place.line])).toEqual([
    ["a", 2],
    ["b", 6],
  ]);
});

describe("hook ids", () => {
  const hook = (more: string) => `[[hooks]]\n${more}\n`;

  test("are generated from file, point and number, avoiding used ids", async () => {
    const inline = `handler_inline = "return nil"`;
    const dir = folder({
      "orcs.toml": [
        hook(`point = "Stop"\n${inline}`),
        hook(`point = "agent.pre_stop"\n${inline}`),
        hook(`point = "PreToolUse"\n${inline}`),
        hook(`id = "orcs.toml:agent.pre_stop:2"\npoint = "PreToolUse"\n${inline}`),
        hook(`script = "guard.lua"`),
        hook(`script = "guard.lua"`),
      ].join(""),
      "hooks/guard.lua": "",
    });
    const { hooks } = await load(dir);
    expect(hooks.map(({ id, idGiven }) => `${id}${idGiven ? " given" : ""}`)).toEqual([
      "orcs.toml:agent.pre_stop:1",
      "orcs.toml:agent.pre_stop:3",
      "orcs.toml:tool.pre_execute:1",
      "orcs.toml:agent.pre_stop:2 given",
      "orcs.toml:guard.lua:1",
      "orcs.toml:guard.lua:2",
    ]);
  });

  test("generated in two layers differ", async () => {
    const toml = hook(`point = "Stop"\nhandler_inline = "return nil"`);
    const dir = folder({ "orcs/orcs.toml": toml, "p/orcs.toml": toml, "p/orcs.local.toml": toml });
    const { hooks } = await load(join(dir, "p"), { userDir: join(dir, "orcs") });
    expect(hooks.map(({ id }) => id)).toEqual([
      "orcs/orcs.toml:agent.pre_stop:1",
      "orcs.toml:agent.pre_stop:1",
      "orcs.local.toml:agent.pre_stop:1",
    ]);
  });
});

describe("the position of inline code", () => {
  const place = async (code: string) => {
    const { hooks } = await loadToml(`[[hooks]]\npoint = "Stop"\nhandler_inline = ${code}\n`);
    const handler = hooks[0]?.handler;
    return handler?.kind === "inline" ? [handler.place.line, handler.place.column] : undefined;
  };

  test.each([
    [`"return nil"`, [3, 19]],
    [`'return nil'`, [3, 19]],
    [`"""return nil"""`, [3, 21]],
    [`"""\nreturn nil\n"""`, [4, 1]],
    [`'''\r\n  return nil\r\n'''`, [4, 1]],
    [`"""\n\nreturn nil\n"""`, [4, 1]],
  ])("is found in %j", async (code, expected) => {
    expect(await place(code)).toEqual(expected);
  });

  test("is found despite code that looks like TOML", async () => {
    const { hooks } = await loadToml(`
[[hooks]]
id = "a"
point = "Stop"
handler_inline = '''
local text = [[
[[hooks]]
id = "b"
]]
'''
[[hooks]]
id = "c"
point = "Stop"
handler_inline = "return nil"
`);
    expect(hooks.map(({ id, place: { line } }) => [id, line])).toEqual([
      ["a", 2],
      ["c", 11],
    ]);
  });
});

describe("script paths", () => {
  const script = (name: string) => `[[hooks]]\nscript = ${JSON.stringify(name)}\n`;
  const fileOf = async (dir: string, options = {}) => {
    const handler = (await load(dir, options)).hooks[0]?.handler;
    return handler?.kind === "script" ? handler.file : undefined;
  };

  test("are searched in scripts.dirs, in order, then beside the config file", async () => {
    const toml = `scripts.dirs = ["a", "b"]\n${script("x.lua")}`;
    const files = { "orcs.toml": toml, "b/x.lua": "", "x.lua": "", "hooks/x.lua": "" };
    const dir = folder(files);
    expect(await fileOf(dir)).toBe(join(dir, "b/x.lua"));
    const both = folder({ ...files, "a/x.lua": "" });
    expect(await fileOf(both)).toBe(join(both, "a/x.lua"));
    const beside = folder({ "orcs.toml": toml, "x.lua": "", "hooks/x.lua": "" });
    expect(await fileOf(beside)).toBe(join(beside, "x.lua"));
  });

  test("may be absolute", async () => {
    const elsewhere = folder({ "x.lua": "" });
    const dir = folder({ "orcs.toml": script(join(elsewhere, "x.lua")) });
    expect(await fileOf(dir)).toBe(join(elsewhere, "x.lua"));
  });

  test("are relative to their file, not to the working directory", async () => {
    const dir = folder({ "conf/orcs.toml": script("x.lua"), "conf/hooks/x.lua": "", "x.lua": "" });
    expect(await fileOf(dir, { config: "conf/orcs.toml" })).toBe(join(dir, "conf/hooks/x.lua"));
  });

  test("orcs:NAME is a shipped script only", async () => {
    const dir = folder({ "orcs.toml": script("orcs:budget") });
    expect(await fileOf(dir)).toBe(join(SHIPPED_HOOKS, "budget.lua"));
    const paths = ["orcs:../hooks/budget", "orcs:../lua/prelude", "orcs:./budget"];
    for (const name of [...paths, "orcs:budget.lua", "orcs:", "orcs:none"]) {
      const bad = folder({ "orcs.toml": script(name) });
      const { diagnostics } = await errorOf(load(bad));
      expect(diagnostics).toMatchObject([{ code: "ORCS1009" }]);
    }
    const { diagnostics } = await errorOf(load(folder({ "orcs.toml": script("orcs:budgte") })));
    expect(diagnostics[0]?.hint).toBe(`did you mean "orcs:budget"?`);
  });

  test("that are missing are reported with the searched places and a suggestion", async () => {
    const dir = folder({ "orcs.toml": script("lib/gaurd.lua"), "hooks/lib/guard.lua": "" });
    expect((await errorOf(load(dir))).message).toMatchInlineSnapshot(`
      "ORCS1015: the configuration has 1 error

      orcs.toml:2:10: error ORCS1009: script: "lib/gaurd.lua" was not found; searched hooks/lib, lib
       2 | script = "lib/gaurd.lua"
         |          ^^^^^^^^^^^^^^^
        hint: did you mean "lib/guard.lua"?"
    `);
    expect(await reportOn(script("none.lua"))).toMatchInlineSnapshot(`
      "orcs.toml:2:10: error ORCS1009: script: "none.lua" was not found; searched hooks, .
       2 | script = "none.lua"
         |          ^^^^^^^^^^"
    `);
  });

  test("that are directories are rejected", async () => {
    const dir = folder({ "orcs.toml": script("x.lua"), "hooks/x.lua/y": "" });
    expect((await errorOf(load(dir))).diagnostics).toMatchObject([{ code: "ORCS1009" }]);
  });
});
