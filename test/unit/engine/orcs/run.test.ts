import { describe, expect, test } from "vitest";
import { call, errorOf, folder, Lines, open } from "./engine.ts";

/** An engine in a folder with a program `agent.lua`. */
function withProgram(code: string | Uint8Array, files: Record<string, string> = {}) {
  return open({ cwd: folder({ "agent.lua": code, ...files }) });
}

describe("orcs.run", () => {
  test("tool calls of the program pass the hooks with the given component", async () => {
    const orcs = await open({
      cwd: folder({ "agent.lua": 'return { orcs.exec("echo hi"), orcs.read("x").error }' }),
      config: {
        hooks: [
          {
            id: "h",
            fql: "lua::agent",
            point: "PreToolUse",
            match: { tool: "read" },
            handler_inline: 'orcs.deny("no")',
          },
        ],
      },
    });
    expect(await orcs.run("agent.lua", { component: "lua::agent" })).toEqual([
      { ok: true, stdout: "hi\n", stderr: "", code: 0 },
      "denied by hook h: no",
    ]);
  });

  test("returns the program's result as JSON, and undefined for none", async () => {
    const orcs = await withProgram("return { a = { 1, 2 }, b = orcs.null, c = orcs.array() }");
    expect(await orcs.run("agent.lua")).toEqual({ a: [1, 2], b: null, c: [] });
    expect(await (await withProgram("local x = 1")).run("agent.lua")).toBeUndefined();
  });

  test("the program can register hooks, which stay, and remove its own", async () => {
    const orcs = await withProgram(`
      orcs.hook({ id = "mine", point = "tool.pre_execute", handler = function() return orcs.deny("x") end })
      orcs.hook("*::*:tool.pre_execute", function() end)
      local gone = orcs.hook({ id = "gone", point = "PreToolUse", handler = function() end })
      return { orcs.unhook(gone), orcs.unhook("nobody's"), orcs.exec("ls").error }
    `);
    expect(await orcs.run("agent.lua")).toEqual([true, false, "denied by hook mine: x"]);
    expect(orcs.registry.list().map(({ id }) => id)).toEqual([
      "mine",
      "agent.lua:tool.pre_execute:2",
    ]);
    expect((await orcs.dispatch("tool.pre_execute", call("x"))).action).toBe("abort");
  });

  test("an invalid hook raises an error in the script and registers nothing", async () => {
    const orcs = await withProgram(`
      local ok, why = pcall(orcs.hook, { point = "tool.pre_execut", handler = function() end })
      return why
    `);
    expect(await orcs.run("agent.lua")).toMatch(/unknown hook point.*did you mean/);
    expect(orcs.registry.size).toBe(0);
  });

  test("the program can wait repeatedly", async () => {
    const orcs = await withProgram("for i = 1, 5 do orcs.sleep(1) end return orcs.now_ms() >= 5");
    expect(await orcs.run("agent.lua")).toBe(true);
  });

  test("finds modules beside the program and in the script directories", async () => {
    const orcs = await open({
      cwd: folder({
        "agents/agent.lua": 'return require("near").word .. require("deep.far")',
        "agents/near.lua": 'return { word = "near " }',
        "hooks/deep/far/init.lua": 'return "far"',
        "orcs.toml": "",
      }),
      config: "orcs.toml",
    });
    expect(await orcs.run("agents/agent.lua")).toBe("near far");
  });

  test("print and orcs.log go to the log, emit_output to the output", async () => {
    const logger = new Lines();
    const written: string[] = [];
    const orcs = await open({
      cwd: folder({ "agent.lua": 'print("a", 1, nil, true) orcs.log("b") orcs.emit_output("c")' }),
      logger,
      output: (text) => written.push(text),
    });
    await orcs.run("agent.lua");
    expect(logger.lines).toEqual(["info: a\t1\tnil\ttrue", "info: b"]);
    expect(written).toEqual(["c"]);
  });

  test("ignores a byte order mark and a #! line", async () => {
    const orcs = await withProgram(
      "\uFEFF#!/usr/bin/env orcs\nreturn select(2, pcall(error, 'x', 1))",
      {
        "hash.lua": "#!/bin/orcs",
        "line.lua": "#!/bin/orcs\n\nerror('here')",
      },
    );
    expect(await orcs.run("agent.lua")).toBe("x");
    expect(await orcs.run("hash.lua")).toBeUndefined();
    expect((await errorOf(orcs.run("line.lua"))).message).toContain("line.lua:3: here");
  });
});

describe("orcs.run of a program that fails", () => {
  const broken: [string, string | Uint8Array, string, string][] = [
    ["a syntax error", "local x = = 1", "ORCS3001", "agent.lua:1: unexpected symbol near '='"],
    ["an error", '\nerror("boom")', "ORCS3002", "agent.lua:2: boom"],
    ["a loop without end", "while true do end", "ORCS3005", "without waiting"],
    ["bytecode", Buffer.from("\x1bLuaT\0"), "ORCS3001", "binary chunk"],
    ["a result that cannot cross", "return { { print } }", "ORCS3002", "is a function"],
    ["functions", "return print", "ORCS6010", "agent.lua returns functions, so it is a component"],
  ];
  test.each(broken)("%s", async (_name, code, error, message) => {
    const overrides = { lua: { max_run_ms: 250 } };
    const orcs = await open({ cwd: folder({ "agent.lua": code }), overrides });
    const found = await errorOf(orcs.run("agent.lua"));
    expect(found.code).toBe(error);
    expect(found.message).toContain(message);
    expect(found.fields["script"]).toBe("agent.lua");
  });

  test("too much memory is ORCS3006", async () => {
    const orcs = await open({
      cwd: folder({
        "agent.lua": 'local t = {} while true do t[#t + 1] = ("x"):rep(100000) .. #t end',
      }),
      config: { lua: { memory_mb: 2 } },
    });
    expect((await errorOf(orcs.run("agent.lua"))).code).toBe("ORCS3006");
  });

  test("a missing file or a directory is ORCS1009", async () => {
    const orcs = await open({ cwd: folder() });
    expect(await errorOf(orcs.run("none.lua"))).toMatchObject({ code: "ORCS1009" });
    expect((await errorOf(orcs.run("."))).code).toBe("ORCS1009");
  });

  test("the engine keeps working", async () => {
    const files = { "agent.lua": "while true do end", "good.lua": "return 1" };
    const orcs = await open({ cwd: folder(files), overrides: { lua: { max_run_ms: 250 } } });
    await errorOf(orcs.run("agent.lua"));
    expect(await orcs.run("good.lua")).toBe(1);
  });
});
