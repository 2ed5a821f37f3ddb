import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ChildConfig } from "../../../../src/core/child.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { stage } from "../runtime/acting.ts";
import { errorOf, folder } from "./engine.ts";

const ECHO = "return function(input) return { got = input or orcs.null } end";

/** A component that spawns children by script, in an engine with these files. */
async function spawner(
  files: Readonly<Record<string, string | Uint8Array>>,
  dirs: string[] = [],
  options: CreateOrcsOptions = {},
) {
  const cwd = folder(files);
  for (const dir of dirs) mkdirSync(join(cwd, dir), { recursive: true });
  const set = await stage({ cwd, config: { scripts: { dirs } }, ...options });
  const boss = await set.actor("lua::boss");
  return {
    ...set,
    cwd,
    run: (config: ChildConfig, input: JsonObject | null = null) =>
      boss(async (context) => {
        await context.spawnChild(config);
        try {
          return await context.runChild(config.id, input);
        } finally {
          await context.stopChild(config.id);
        }
      }),
  };
}

describe("the script of a child", () => {
  test("is searched in the script directories in order, and below them", async () => {
    const { run } = await spawner(
      {
        "one/a.lua": 'return function() return "one" end',
        "two/a.lua": 'return function() return "two" end',
        "two/b.lua": 'return function() return "two b" end',
        "two/sub/c.lua": 'return { run = function() return "two c" end }',
      },
      ["one", "two"],
    );
    expect(await run({ id: "x", script: "a.lua" })).toBe("one");
    expect(await run({ id: "x", script: "b.lua" })).toBe("two b");
    expect(await run({ id: "x", script: "sub/c.lua" })).toBe("two c");
    expect(await run({ id: "x", script: "./sub/../b.lua" })).toBe("two b");
  });

  test("is searched beside the component's script", async () => {
    const cwd = folder({
      "agents/boss.lua": `return { id = "boss", on_request = function()
        local spawned = orcs.spawn_child { id = "a", script = "worker.lua" }
        return spawned.ok and orcs.send_to_child("a", { x = 1 }).result or spawned.error
      end }`,
      "agents/worker.lua": ECHO,
    });
    const set = await stage({ cwd });
    await set.lua("agents/boss.lua");
    expect(await set.runtime.request("lua::boss", "op")).toEqual({ got: { x: 1 } });
  });

  test.each([
    "../secret.lua",
    "sub/../../secret.lua",
    "./../secret.lua",
    "link.lua",
    "linked/secret.lua",
    "no.lua",
    "",
    ".",
    "..",
    "sub",
    "a.lua/",
    "a.lua\u0000",
    "a",
    "~/a.lua",
    "file:a.lua",
  ])("%j is not found", async (script) => {
    const outside = folder({ "secret.lua": ECHO });
    const { run, cwd } = await spawner(
      { "hooks/a.lua": ECHO, "hooks/sub/b.lua": ECHO, "secret.lua": ECHO },
      ["hooks"],
    );
    symlinkSync(join(outside, "secret.lua"), join(cwd, "hooks/link.lua"));
    symlinkSync(outside, join(cwd, "hooks/linked"));
    const error = await errorOf(run({ id: "x", script }));
    expect(["ORCS1009", "ORCS6010"]).toContain(error.code);
    expect(await run({ id: "x", script: "a.lua" })).toEqual({ got: null });
  });

  test("a named pipe is rejected", async () => {
    const { run, cwd } = await spawner({ "hooks/a.lua": ECHO }, ["hooks"]);
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(cwd, "hooks/pipe.lua")]);
    expect((await errorOf(run({ id: "x", script: "pipe.lua" }))).code).toBe("ORCS1009");
    const code = 'return function() return pcall(require, "pipe") end';
    expect(await run({ id: "x", code })).toBe(false);
  });

  test("an absolute path is rejected, even below a script directory", async () => {
    const { run, cwd } = await spawner({ "hooks/a.lua": ECHO }, ["hooks"]);
    for (const script of [join(cwd, "hooks/a.lua"), "/etc/passwd"])
      expect((await errorOf(run({ id: "x", script }))).code).toBe("ORCS1009");
  });

  test("a symlink within the directory is accepted", async () => {
    const { run, cwd } = await spawner({ "hooks/a.lua": ECHO }, ["hooks"]);
    symlinkSync(join(cwd, "hooks/a.lua"), join(cwd, "hooks/b.lua"));
    expect(await run({ id: "x", script: "b.lua" })).toEqual({ got: null });
  });

  test.each(["\u001bLua", "\u001bLuaT\u0000\u0019", "# comment\n\u001bLua"])(
    "bytecode is rejected: %j",
    async (code) => {
      const { run } = await spawner({ "hooks/a.lua": code }, ["hooks"]);
      expect((await errorOf(run({ id: "x", script: "a.lua" }))).code).toBe("ORCS3001");
      expect((await errorOf(run({ id: "x", code }))).code).toBe("ORCS3001");
    },
  );

  test.each([
    ["a number", "return 5"],
    ["nothing", "local x = 1"],
    ["an empty table", "return {}"],
    ["a table without run", "return { go = print }"],
    ["a component", "return { id = 'x', on_request = print }"],
    ["run that is no function", "return { run = 5, go = print }"],
  ])("that returns %s is rejected with ORCS6010", async (_, code) => {
    const { run } = await spawner({});
    expect((await errorOf(run({ id: "x", code }))).code).toBe("ORCS6010");
  });

  test.each([
    ["loops", "while true do end", "ORCS3005"],
    [
      "takes all memory",
      'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end',
      "ORCS3006",
    ],
    ["raises", "error('kaput')", "ORCS3002"],
    ["waits", "orcs.sleep(1)", "ORCS3002"],
    ["asks the runtime", "orcs.emit_event('a', 'b')", "ORCS3002"],
    ["does not parse", "retrun", "ORCS3001"],
  ])("that %s while loading is rejected and leaves nothing behind", async (_, code, expected) => {
    const overrides = { lua: { max_run_ms: 400, max_chain_ms: 20_000 } };
    const { run } = await spawner({}, [], { overrides });
    expect((await errorOf(run({ id: "x", code }))).code).toBe(expected);
    expect(await run({ id: "x", code: ECHO })).toEqual({ got: null });
  });

  test("has its own options and globals, not shared with siblings or an earlier child", async () => {
    const { run, runtime, actor } = await spawner({});
    expect(
      await run({
        id: "x",
        code: "return function() return orcs.options end",
        options: { a: [1] },
      }),
    ).toEqual({ a: [1] });
    const count = "n = (n or 0) + 1 return function() n = n + 1 return n end";
    const boss = await actor("lua::other");
    await boss(async (context) => {
      for (const id of ["a", "b"]) await context.spawnChild({ id, code: count });
      expect(await context.runChild("a")).toBe(2);
      expect(await context.runChild("a")).toBe(3);
      expect(await context.runChild("b")).toBe(2);
      await context.stopChild("a");
      await context.spawnChild({ id: "a", code: count });
      expect(await context.runChild("a")).toBe(2);
    });
    expect(runtime.channels).toHaveLength(2);
  });

  test("can require modules in the script directories only", async () => {
    const { run } = await spawner(
      { "hooks/m.lua": "return { x = 5 }", "secret.lua": "return { x = 6 }" },
      ["hooks"],
    );
    const code = (name: string) =>
      `return function() local ok, m = pcall(require, "${name}") return ok and m.x or "no" end`;
    expect(await run({ id: "x", code: code("m") })).toBe(5);
    for (const name of ["secret", "..secret", "../secret", "/etc/passwd", "hooks.m"])
      expect(await run({ id: "x", code: code(name) }), name).toBe("no");
  });
});

describe("the script of a component", () => {
  const component = (fields: string) => `return { ${fields} on_request = function() return 1 end }`;

  test.each([
    ["x", "lua::x"],
    ["lua::x", "lua::x"],
  ])("with id %j becomes %s", async (id, key) => {
    const set = await stage({ cwd: folder({ "c.lua": component(`id = "${id}",`) }) });
    await set.lua("c.lua");
    expect(set.runtime.channels.map((channel) => channel.component)).toEqual([key]);
  });

  test.each([
    'id = "builtin::x",',
    'id = "plugin::x",',
    'id = "::x",',
    'id = "lua::",',
    'id = "lua::a::b",',
    'id = "a/b",',
    'id = "a#b",',
    'id = "a b",',
    'id = "",',
    "id = 5,",
    "id = { 'x' },",
    "id = print,",
    "",
  ])("with %s is rejected and leaves nothing behind", async (fields) => {
    const set = await stage({ cwd: folder({ "c.lua": component(fields) }) });
    const error = await errorOf(set.lua("c.lua"));
    expect(["ORCS6010", "ORCS1010"]).toContain(error.code);
    expect(set.runtime.channels).toEqual([]);
  });

  const of = (fields: string) => `return { id = "x", on_request = print, ${fields} }`;
  test.each([
    ["no on_request", 'return { id = "x", init = print }', "it has no function on_request"],
    [
      "a misspelt method",
      of("on_requst = print"),
      "unknown key on_requst; did you mean on_request?",
    ],
    ["on_request that is none", 'return { id = "x", on_request = 5 }', "c.lua is not a component"],
    ["subscriptions that are none", of('subscriptions = "All"'), "subscriptions"],
    ["subscriptions of numbers", of("subscriptions = { 1 }"), "subscriptions"],
    ["subscriptions by name", of('subscriptions = { a = "A" }'), "subscriptions"],
    ["no id", component(""), "it has no id"],
    ["an empty id", component('id = "",'), "it has no id"],
    ["a number for an id", component("id = 5,"), "it has no id"],
    ["an id of the program", component('id = "builtin::x",'), 'in the namespace lua; use id = "x"'],
    ["a bare function", "return function() end", "it has no id"],
    ["a value", "return 5", "it returns no functions"],
    ["nothing", "local x = 1", "it returns no functions"],
  ])("with %s is rejected with ORCS6010", async (_, code, why) => {
    const set = await stage({ cwd: folder({ "c.lua": code }) });
    const error = await errorOf(set.lua("c.lua"));
    expect(error.code).toBe("ORCS6010");
    expect(error.message).toContain(why);
    expect(set.runtime.channels).toEqual([]);
  });

  test("can be given another name by the program, in any namespace", async () => {
    const set = await stage({ cwd: folder({ "c.lua": component("") }) });
    await set.runtime.spawnScript("c.lua", { id: "builtin::x" });
    expect(await set.runtime.request("builtin::x", "op")).toBe(1);
  });

  test("that is missing is ORCS1009", async () => {
    const set = await stage({ cwd: folder() });
    expect((await errorOf(set.lua("no.lua"))).code).toBe("ORCS1009");
  });
});
