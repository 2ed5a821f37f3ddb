import { describe, expect } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Diagnostic } from "../../../../src/core/diagnostic.ts";
import { errorOf, folder, Lines } from "./engine.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

/** A script that is to overrun does so soon, and no other does. */
const overrides = { lua: { max_run_ms: 500 } };

/** The mistakes of an `orcs.toml` beside these files. */
async function mistakesOf(
  toml: string | Uint8Array,
  files: Record<string, string | Uint8Array> = {},
) {
  const cwd = folder({ "orcs.toml": toml, ...files });
  const error = await errorOf(
    createOrcs({ cwd, config: "orcs.toml", overrides, logger: new Lines() }),
  );
  expect(error.code).toBe("ORCS1015");
  return { error, found: error.diagnostics.map(summary) };
}

function summary({ code, place, message, hint }: Diagnostic): string {
  const at = place ? `${place.file}:${place.line}${place.column ? `:${place.column}` : ""} ` : "";
  return `${at}${code} ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Mistakes of one script that one hook of `orcs.toml` names. */
async function mistakesOfScript(code: string | Uint8Array): Promise<string[]> {
  return (await mistakesOf('[[hooks]]\nscript = "s.lua"\n', { "hooks/s.lua": code })).found;
}

describe("load errors in scripts", () => {
  test("a syntax error is ORCS3001 with its line", async () => {
    expect(await mistakesOfScript("return {\n  point = ,\n}")).toEqual([
      "hooks/s.lua:2 ORCS3001 unexpected symbol near ','",
    ]);
  });

  test("a runtime error while loading is ORCS3002 with its line", async () => {
    expect(await mistakesOfScript("local config\nlocal roots = config.roots\n")).toEqual([
      "hooks/s.lua:2 ORCS3002 attempt to index a nil value (local 'config')",
    ]);
  });

  test("an error in a required module names the module's file and line", async () => {
    const files = { "hooks/s.lua": 'require("m")', "hooks/m.lua": "\n\nerror('bad module')" };
    const { found } = await mistakesOf('[[hooks]]\nscript = "s.lua"\n', files);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/hooks\/m\.lua:3 ORCS3002 bad module/);
  });

  slowTest("an endless loop is reported at its hook, with its line", async () => {
    const found = await mistakesOfScript("while true do end");
    const [first, ...others] = found;
    expect(first?.replace(/\d+(?= ms (?:while|elapsed|of))/g, "…")).toBe(
      "hooks/s.lua:1 ORCS3005 it ran longer than … ms while it was loading; it was at hooks/s.lua:1 (… ms elapsed, at least … ms of them CPU time; shorten it or raise lua.max_run_ms or engine.load_ms)",
    );
    // It had what was left of the time of the whole configuration, which is over then but for a rounded millisecond.
    for (const other of others) {
      expect(other).toBe(
        "orcs.toml:1:1 ORCS1021 the scripts and modules of your own configuration took longer than 5000 ms to load",
      );
    }
  });

  test("bytecode is rejected with ORCS3001", async () => {
    expect(await mistakesOfScript(Buffer.from("\x1bLuaT\0"))).toEqual([
      "orcs.toml:1:1 ORCS3001 hooks/s.lua: attempt to load a binary chunk (mode is 't')",
    ]);
  });

  test("a script without a hook is ORCS3003", async () => {
    expect(await mistakesOfScript("local x = 1")).toEqual([
      "hooks/s.lua:1:1 ORCS3003 the script did not define a hook (return a function or a table with a handler, or call orcs.hook)",
    ]);
  });

  test("a handler without a point is ORCS1013", async () => {
    expect(await mistakesOfScript("return function() end")).toEqual([
      'hooks/s.lua:1 ORCS1013 neither the configuration nor the script sets the point of this hook (add a point, such as point = "tool.pre_execute")',
    ]);
  });

  test("all invalid fields of a hook table are reported", async () => {
    const code =
      'return { point = "tool.pre_execut", priorty = 1, fql = "x", handler = function() end }';
    expect((await mistakesOfScript(code)).map((text) => text.slice(0, 28)).sort()).toEqual([
      "hooks/s.lua:1:18 ORCS1005 po",
      "hooks/s.lua:1:47 ORCS1003 un",
      "hooks/s.lua:1:56 ORCS1011 fq",
    ]);
  });

  test("a wrong pattern in a list has its own line, and is counted as Lua counts", async () => {
    const code = `return { point = "tool.pre_execute",
  match = { runs = { "git push",
    "git (" } },
  handler = function() end }`;
    expect(await mistakesOfScript(code)).toEqual([
      expect.stringContaining(
        'hooks/s.lua:3:5 ORCS1012 match.runs[2]: the runs pattern "git ("',
      ) as string,
    ]);
  });

  test("a third argument of orcs.hook, and an end that is missing", async () => {
    const first = async (code: string): Promise<string> => (await mistakesOfScript(code))[0] ?? "";
    expect(await first('\norcs.hook("a::b:tool.pre_execute", print, "x")')).toContain(
      "hooks/s.lua:2 ORCS3002 orcs.hook: it takes a text and a function;",
    );
    expect(await first("return { handler = function()\n if true then end\n}")).toContain(
      "hooks/s.lua:3 ORCS3001 unexpected symbol near '}' (an end may be missing above it)",
    );
  });

  test("a shorthand with an unknown point is ORCS1005 with a suggestion", async () => {
    expect(
      await mistakesOfScript('orcs.hook("builtin::llm:request.pre_dispach", function() end)'),
    ).toEqual([
      'hooks/s.lua:1 ORCS1005 "builtin::llm:request.pre_dispach" does not have the form FQL:point, such as "builtin::llm:tool.pre_execute" (did you mean "builtin::llm:request.pre_dispatch"?)',
    ]);
  });

  test("a second hook behind a comma would be dropped, and is an error", async () => {
    const hook = "{ point = 'tool.pre_execute', handler = function() end }";
    expect(await mistakesOfScript(`local a, b = ${hook}, ${hook}\nreturn a, b`)).toEqual([
      "hooks/s.lua:1 ORCS3002 a script returns one value: write return { a, b } for two hooks",
    ]);
  });

  test("a duplicate id, in one script or across two, is ORCS1006", async () => {
    const hook = '{ id = "same", point = "tool.pre_execute", handler = function() end }';
    expect(await mistakesOfScript(`return {\n${hook},\n${hook} }`)).toEqual([
      'hooks/s.lua:3 ORCS1006 another hook already has the id "same" (the other hook is at hooks/s.lua:2)',
    ]);
    const files = { "hooks/a.lua": `return ${hook}`, "hooks/b.lua": `return ${hook}` };
    const { found } = await mistakesOf(
      '[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n',
      files,
    );
    expect(found).toEqual([
      'hooks/b.lua:1 ORCS1006 another hook already has the id "same" (the other hook is at hooks/a.lua:1)',
    ]);
  });

  test("an error in an inline handler has its line in orcs.toml", async () => {
    const toml = `[[hooks]]\npoint = "PreToolUse"\nhandler_inline = '''\nfunction(ctx)\n  retrun ctx\nend\n'''\n`;
    const { found } = await mistakesOf(toml);
    expect(found).toEqual(["orcs.toml:5 ORCS3001 syntax error near 'ctx'"]);
  });

  test("errors of several scripts are reported together, each with its source line and a caret", async () => {
    const { error } = await mistakesOf(
      '[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n',
      {
        "hooks/a.lua": "local x = = 1\n",
        "hooks/b.lua": "error('at load')\n",
      },
    );
    expect(error.message).toBe(
      [
        "ORCS1015: the configuration has 2 errors",
        "",
        "hooks/a.lua:1:1: error ORCS3001: unexpected symbol near '='",
        " 1 | local x = = 1",
        "   | ^",
        "",
        "hooks/b.lua:1:1: error ORCS3002: at load",
        " 1 | error('at load')",
        "   | ^",
      ].join("\n"),
    );
  });
});

test("inline handlers that need too much memory together name the limit and the key", async () => {
  const hook = `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "if ctx.payload.x then return orcs.deny('no') end return nil"\n`;
  const { found } = await mistakesOf(`[lua]\nmemory_mb = 1\n${hook.repeat(900)}`);
  // The line is that of the handler that was loaded last, which depends on sizes of the VM.
  expect(found.map((text) => text.replace(/^orcs\.toml:\d+ /, ""))).toEqual([
    "ORCS3006 not enough memory: more than 1 MB (lua.memory_mb) (its 900 inline handlers share the memory: move some into scripts, or raise lua.memory_mb)",
  ]);
});

test("the section [ui] of ORCS is ignored with a note", async () => {
  const cwd = folder({ "orcs.toml": "[ui]\ncolor = true\n" });
  const orcs = await createOrcs({ cwd, config: "orcs.toml", logger: new Lines() });
  expect(orcs.warnings.map(summary)).toEqual([
    "orcs.toml:1:2 ORCS1016 ignored: ui is no setting of orcs; NO_COLOR turns colors off",
  ]);
  await orcs.close();
});
