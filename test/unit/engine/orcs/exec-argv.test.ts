import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { folder, open } from "./engine.ts";

/** What a script returns that runs in an engine of its own. */
async function run(lua: string, options: CreateOrcsOptions = {}): Promise<Json | undefined> {
  const orcs = await open({ ...options, cwd: folder({ "main.lua": lua }) });
  return orcs.runtime().run("main.lua");
}

const deny = (entry: object): CreateOrcsOptions => ({
  config: { hooks: [{ id: "no", handler_inline: 'orcs.deny("no")', ...entry }] },
});

describe("orcs.exec_argv", () => {
  test("runs a program with its arguments as they are", async () => {
    const lua = `return orcs.exec_argv("printf", { "%s|", "a b", "$HOME", "; id", "it's" })`;
    expect(await run(lua)).toEqual({
      ok: true,
      stdout: "a b|$HOME|; id|it's|",
      stderr: "",
      code: 0,
    });
  });

  test("takes cwd, env and metadata", async () => {
    const lua = `
      orcs.mkdir("d")
      return { orcs.exec_argv("pwd", {}, { cwd = "d" }).stdout:match("/d%s$") ~= nil,
        orcs.exec_argv("sh", { "-c", "echo $A" }, { env = { A = "1" }, metadata = { m = 1 } }).stdout,
        orcs.exec_argv("ls", {}, { shel = true }).error }`;
    expect(await run(lua)).toEqual([
      true,
      "1\n",
      expect.stringContaining('unknown argument "shel"'),
    ]);
  });

  test("its options cannot bring back the shell, or another command", async () => {
    const lua = `return orcs.exec_argv("echo", { "$HOME" }, { shell = true, command = "id" }).stdout`;
    expect(await run(lua)).toBe("$HOME\n");
  });
});

describe("a rule for exec holds for orcs.exec_argv", () => {
  test.each<[string, object, string]>([
    ["the tool", { match: { tool: "exec" } }, `"ls"`],
    ["runs", { match: { runs: "rm -r" } }, `"rm", { "-r", "x" }`],
    ["runs, in a shell of its own", { match: { runs: "rm -r" } }, `"sh", { "-c", "rm -r x" }`],
    ["runs, behind env", { match: { runs: "rm" } }, `"env", { "rm", "x" }`],
    ["an expression", { match: { command: "rm\\s+-rf" } }, `"rm", { "-rf", "x" }`],
  ])("by %s", async (_, entry, args) => {
    const options = deny({ point: "tool.pre_execute", ...entry });
    const answer = await run(`return orcs.exec_argv(${args})`, options);
    expect(answer).toEqual({ ok: false, error: "denied by hook no: no" });
  });

  test("at auth.pre_check, with the command line", async () => {
    const handler_inline = `if ctx.payload.command == "ls 'a b'" then return orcs.deny("no") end`;
    const options = deny({ point: "auth.pre_check", handler_inline });
    const answer = await run(`return orcs.exec_argv("ls", { "a b" })`, options);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("no") });
  });

  test("a rewritten command is the one that runs; one that needs a shell does not run", async () => {
    const to = async (command: string) =>
      run(`return orcs.exec_argv("echo", { "a" })`, {
        config: {
          hooks: [
            {
              point: "tool.pre_execute",
              handler_inline: `ctx.payload.args.command = "${command}"`,
            },
          ],
        },
      });
    expect(await to("echo 'b c'")).toMatchObject({ ok: true, stdout: "b c\n" });
    expect(await to("echo b; echo c")).toMatchObject({
      ok: false,
      error: expect.stringContaining("must be one plain command"),
    });
  });
});

describe("permissions of orcs.exec_argv are those of exec", () => {
  const grants: CreateOrcsOptions = { config: { permissions: { grants: ["echo a"] } } };

  test.each<[string, boolean]>([
    [`"echo", { "a", "; id" }`, true],
    [`"echo", { "a b" }`, false],
    [`"echo"`, false],
    [`"sh", { "-c", "echo a" }`, false],
    [`"echo a"`, false],
    [`"echo", { "a" }, { env = { PATH = "." } }`, false],
  ])("grants of echo a: %s %s", async (args, may) => {
    expect(await run(`return orcs.exec_argv(${args})`, grants)).toMatchObject(
      may
        ? { ok: true, stdout: "a ; id\n" }
        : { ok: false, error: expect.stringMatching(/approval/) },
    );
  });

  test("a child without EXECUTE cannot run a program", async () => {
    const lua = `
      orcs.spawn_child({ id = "c", capabilities = { "READ" },
        code = 'return function() return orcs.exec_argv("echo", { "a" }) end' })
      return orcs.send_to_child("c").result`;
    expect(await run(lua)).toMatchObject({
      ok: false,
      error: expect.stringContaining("needs the capability EXECUTE"),
    });
  });

  test("outside of the sandbox it does not run", async () => {
    const answer = await run(`return orcs.exec_argv("ls", {}, { cwd = ".." })`);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("outside") });
  });
});
