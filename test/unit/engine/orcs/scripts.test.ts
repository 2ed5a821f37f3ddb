import { describe, expect, test } from "vitest";
import { call, folder, open } from "./engine.ts";

async function load(toml: string, files: Record<string, string>, overrides?: object) {
  const cwd = folder({ "orcs.toml": toml, ...files });
  return open({
    cwd,
    config: "orcs.toml",
    ...(overrides && { overrides: overrides as Record<string, unknown> }),
  });
}

/** Limits for scripts that are to reach them. */
const SHORT = { lua: { max_run_ms: 250 } };

const SCRIPT = '[[hooks]]\nscript = "s.lua"\n';

describe("a hook script can return", () => {
  test("a function", async () => {
    const orcs = await load(`${SCRIPT}point = "PreToolUse"\n`, {
      "hooks/s.lua": "return function(ctx) return orcs.deny(ctx.payload.tool_name) end",
    });
    expect(await orcs.dispatch("tool.pre_execute", call("x"))).toMatchObject({ reason: "x" });
  });

  test("a table or a list of tables, or call orcs.hook", async () => {
    const table = (id: string): string =>
      `{ id = "${id}", point = "PreToolUse", handler = function() end }`;
    const ids = async (code: string): Promise<string[]> =>
      (await load(SCRIPT, { "hooks/s.lua": code })).registry.list().map(({ id }) => id);
    expect(await ids(`return ${table("a")}`)).toEqual(["a"]);
    expect(await ids(`return { ${table("a")}, ${table("b")} }`)).toEqual(["a", "b"]);
    expect(
      await ids(`orcs.hook(${table("a")}) orcs.hook(${table("b")}) return ${table("c")}`),
    ).toEqual(["a", "b", "c"]);
  });
});

describe("hook fields in orcs.toml and in the script", () => {
  const code = `return {
    id = "script-id", fql = "builtin::*", point = "tool.post_execute", priority = 7,
    match = { tool = "read" }, on_error = "closed", timeout_ms = 5, max_retries = 1,
    handler = function() end,
  }`;

  test("fields of the script apply where orcs.toml sets none", async () => {
    const orcs = await load(SCRIPT, { "hooks/s.lua": code });
    expect(orcs.registry.get("script-id")).toMatchObject({
      fql: "builtin::*",
      point: { name: "tool.post_execute" },
      priority: 7,
      match: { tool: "read" },
      onError: "closed",
      timeoutMs: 5,
      maxRetries: 1,
      source: { file: "hooks/s.lua", line: 4 },
    });
  });

  test("orcs.toml overrides the script", async () => {
    const orcs = await load(
      `${SCRIPT}id = "mine"\nfql = "*::*"\npoint = "PreToolUse"\npriority = 1\nmatch = { tool = "exec" }\non_error = "open"\ntimeout_ms = 9\nmax_retries = 0\nenabled = false\n`,
      { "hooks/s.lua": code },
    );
    expect(orcs.registry.list()).toHaveLength(1);
    expect(orcs.registry.get("mine")).toMatchObject({
      fql: "*::*",
      point: { name: "tool.pre_execute" },
      priority: 1,
      match: { tool: "exec" },
      onError: "open",
      timeoutMs: 9,
      maxRetries: 0,
      enabled: false,
    });
  });

  test("without either, defaults apply, and the id is made of file, point and number", async () => {
    const orcs = await load('[[hooks]]\npoint = "PreToolUse"\nhandler_inline = "ctx"\n', {});
    expect(orcs.registry.list()).toMatchObject([
      {
        id: "orcs.toml:tool.pre_execute:1",
        fql: "*::*",
        priority: 100,
        enabled: true,
        timeoutMs: 30_000,
        maxRetries: 3,
        once: false,
        onError: undefined,
        source: { file: "orcs.toml", line: 3 },
      },
    ]);
  });

  test("unnamed hooks of one script get the entry's id with a number", async () => {
    const orcs = await load(`${SCRIPT}id = "guard"\npoint = "PreToolUse"\n`, {
      "hooks/s.lua":
        "return { { handler = function() end }, { id = 'own', handler = function() end } }",
    });
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["guard:1", "own"]);
  });
});

describe("one Lua state per script and options", () => {
  const counter =
    "n = (n or 0) + 1 return { point = 'PreToolUse', handler = function() n = n + 1 return orcs.deny(tostring(n)) end }";

  test("globals are per script; the same script with other options has its own", async () => {
    const deny = "return orcs.deny(tostring(n) .. tostring(orcs.options.word))";
    const code = `n = 0\nreturn { handler = function() n = n + 1 ${deny} end }`;
    const entry = (component: string, options: string): string =>
      `[[hooks]]\nscript = "s.lua"\npoint = "PreToolUse"\nfql = "${component}"\n${options}\n`;
    const orcs = await load(
      entry("a::a", 'options = { word = "A" }') +
        entry("b::b", 'options = { word = "B" }') +
        entry("c::c", 'options = { word = "A" }'),
      { "hooks/s.lua": code },
    );
    const answers: unknown[] = [];
    for (const component of ["a::a", "b::b", "c::c"]) {
      const outcome = await orcs.dispatch("tool.pre_execute", call("x"), { component });
      answers.push(outcome.action === "abort" && outcome.reason);
    }
    expect(answers).toEqual(["1A", "1B", "2A"]);
  });

  test("a killed state is loaded again; other states are kept", async () => {
    const orcs = await load(
      '[[hooks]]\nscript = "count.lua"\nmatch = { tool = "count" }\n[[hooks]]\nscript = "loop.lua"\nmatch = { tool = "loop|kept" }\n',
      {
        "hooks/count.lua": counter,
        "hooks/loop.lua": `k = 0 return { id = "loop", point = "PreToolUse", handler = function(ctx)
          if ctx.payload.tool_name == "loop" then while true do end end
          k = k + 1 return orcs.deny(tostring(k))
        end }`,
      },
      SHORT,
    );
    const reason = async (tool: string): Promise<string> => {
      const outcome = await orcs.dispatch("tool.pre_execute", call(tool));
      return outcome.action === "abort" ? outcome.reason : outcome.action;
    };
    expect([await reason("count"), await reason("kept"), await reason("kept")]).toEqual([
      "2",
      "1",
      "2",
    ]);
    expect(await reason("loop")).toMatch(
      /^hook loop failed: it ran longer than 250 ms without waiting; it was at hooks\/.*:\d+ \(\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms\)$/,
    );
    expect([await reason("count"), await reason("kept")]).toEqual(["3", "1"]);
  });

  test("orcs.state is shared by all scripts and survives a killed state", async () => {
    const orcs = await load(
      '[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n',
      {
        "hooks/a.lua":
          'return { point = "PreToolUse", match = { tool = "a" }, handler = function() orcs.state.incr("n", 2) while true do end end }',
        "hooks/b.lua":
          'return { point = "PreToolUse", match = { tool = "b" }, handler = function() return orcs.deny(tostring(orcs.state.incr("n"))) end }',
      },
      SHORT,
    );
    await orcs.dispatch("tool.pre_execute", call("a"));
    expect(await orcs.dispatch("tool.pre_execute", call("b"))).toMatchObject({ reason: "3" });
  });
});

describe("require in hook scripts", () => {
  test("finds modules in the script directories and beside the script, and loads each once", async () => {
    const orcs = await load(`[scripts]\ndirs = ["hooks", "lib"]\n${SCRIPT}`, {
      "hooks/s.lua": `local a, b = require("words"), require("words")
        return { point = "PreToolUse", handler = function() return orcs.deny(a.text .. tostring(a == b)) end }`,
      "lib/words.lua": 'return { text = "from lib " }',
    });
    expect(await orcs.dispatch("tool.pre_execute", call("x"))).toMatchObject({
      reason: "from lib true",
    });
  });

  const refused: [string, string][] = [
    ["a path", "../outside"],
    ["a file elsewhere", "/etc/passwd"],
    ["a library of Lua's", "io"],
    ["nothing", "nope"],
  ];
  test.each(refused)("rejects %s", async (_name, name) => {
    const orcs = await load(SCRIPT, {
      "outside.lua": "return 1",
      "hooks/s.lua": `local ok, why = pcall(require, "${name}")
        return { point = "PreToolUse", handler = function() return orcs.deny(why) end }`,
    });
    const outcome = await orcs.dispatch("tool.pre_execute", call("x"));
    const reason = outcome.action === "abort" ? outcome.reason : "";
    expect(reason).toContain(`module '${name}' not found in the script directories`);
  });

  const retired: [string, RegExp][] = [
    [
      "file_guard.patch",
      /^module 'file_guard\.patch' is not part of orcs any more: orcs\.effects\(ctx\)/,
    ],
    ["self_guard.lines", /orcs\.shell\(line\)\[i\]\.runs/],
    ["shell_guard.awk", /orcs\.shell\(line\)\[i\]\.effects/],
  ];
  test.each(retired)("says what replaces %s, a module of a guard", async (name, message) => {
    const hook = `require "${name}"\nreturn { point = "PreToolUse", handler = function() end }`;
    await expect(load(SCRIPT, { "hooks/s.lua": hook })).rejects.toMatchObject({
      code: "ORCS1015",
      diagnostics: [
        {
          code: "ORCS3008",
          message: expect.stringMatching(message) as unknown,
          place: { file: expect.stringMatching(/hooks\/s\.lua$/) as unknown, line: 1 },
        },
      ],
    });
  });
});

test("orcs.unhook finds a hook by the id that orcs.hook returned while the script was loaded", async () => {
  const cwd = folder({
    "orcs.toml": '[[hooks]]\nscript = "v.lua"\n',
    "v.lua": `local id = orcs.hook("*::*:tool.pre_execute", function() return orcs.deny("first") end)
local gone = orcs.hook("*::*:tool.pre_execute", function() return orcs.deny("never") end)
orcs.unhook(gone)
orcs.hook { id = "own", point = "prompt.pre_submit", handler = function()
  return { inject = tostring(orcs.unhook(id)) .. tostring(orcs.unhook(id)) .. tostring(orcs.unhook("own")) }
end }`,
  });
  const orcs = await open({ cwd, config: "orcs.toml" });
  expect((await orcs.dispatch("tool.pre_execute", call("x"))).action).toBe("abort");
  expect(await orcs.dispatch("prompt.pre_submit", { prompt: "x" })).toMatchObject({
    inject: ["truefalsetrue"],
  });
  expect((await orcs.dispatch("tool.pre_execute", call("x"))).action).toBe("continue");
});
