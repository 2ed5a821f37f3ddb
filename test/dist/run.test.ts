import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT, project, ROOT, start } from "./orcs.ts";

const FILES = {
  "agent.lua": `
    print("printed")
    orcs.emit_output("given out")
    local listing = orcs.exec("echo one")
    local secret = orcs.read("secret.txt")
    return { listing.stdout, secret.error }
  `,
  "orcs.toml": `
[[hooks]]
id = "no-secrets"
point = "tool.pre_execute"
match = { path = "secret*" }
handler_inline = 'return orcs.deny("secrets stay here")'

[[hooks]]
id = "rewrite"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = 'ctx.payload.args.command = "echo two"'
${PATIENT}`,
};

/** The lines of --json. */
function linesOf(stdout: string): ({ point: string } & Record<string, unknown>)[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { point: string });
}

describe("orcs run", { concurrent: true }, () => {
  test("prints a table of hook results on stdout, all else on stderr", async () => {
    const { code, stdout, stderr } = await orcs(["run", "agent.lua"], {
      cwd: await project(FILES),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "orcs info: printed\ngiven out\n" });
    const lines = stdout.replaceAll(/\d+\.\d/g, "#.#").split("\n");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      [""],
      ["call", "hook", "what it did", "ms"],
      expect.any(Array),
      ["1 exec echo one", "rewrite", "continue, changed /payload/args/command", "#.#"],
      ["2 read secret.txt", "no-secrets", "abort: secrets stay here", "#.#"],
      [""],
    ]);
  });

  test("--json prints a line per dispatch", async () => {
    const { code, stdout } = await orcs(["run", "agent.lua", "--json"], {
      cwd: await project(FILES),
    });
    const lines = linesOf(stdout);
    expect(lines.map(({ point, action }) => [point, action])).toEqual([
      ["channel.pre_create", "continue"],
      ["channel.post_create", "continue"],
      ["bus.on_register", "continue"],
      ["component.pre_init", "continue"],
      ["tool.pre_execute", "continue"],
      ["auth.pre_check", "continue"],
      ["auth.post_check", "continue"],
      ["tool.post_execute", "continue"],
      ["tool.pre_execute", "abort"],
      ["component.post_init", "continue"],
      ["bus.on_unregister", "continue"],
      ["channel.pre_destroy", "continue"],
      ["component.pre_shutdown", "continue"],
      ["component.post_shutdown", "continue"],
      ["channel.post_destroy", "continue"],
    ]);
    const whom = {
      component: "lua::main",
      channel: lines[0]?.["channel"],
      duration_ms: expect.any(Number),
    };
    expect(whom.channel).toMatch(/^[\da-f-]{36}$/);
    for (const line of lines) expect(line).toMatchObject(whom);
    expect(lines.filter(({ point }) => point === "tool.pre_execute")).toEqual([
      {
        ...whom,
        point: "tool.pre_execute",
        tool: "exec",
        args: { command: "echo two" },
        action: "continue",
        payload_keys: ["tool_name", "args", "capabilities", "sandbox_root", "tool"],
        hooks: [
          {
            id: "rewrite",
            status: "ran",
            action: "continue",
            changed: ["/payload/args/command"],
            duration_ms: expect.any(Number),
            source: expect.objectContaining({ file: "orcs.toml" }),
          },
        ],
      },
      {
        ...whom,
        point: "tool.pre_execute",
        tool: "read",
        args: { path: "secret.txt" },
        action: "abort",
        hook: "no-secrets",
        reason: "secrets stay here",
        payload_keys: ["tool_name", "args", "capabilities", "sandbox_root", "tool"],
        hooks: [expect.objectContaining({ id: "no-secrets", status: "ran", action: "abort" })],
      },
    ]);
    expect(code).toBe(0);
  });

  test("--json of a component has the addressee and the deciding hook per line", async () => {
    const cwd = await project({
      "orcs.toml": `
[[hooks]]
id = "decides"
point = "auth.pre_check"
handler_inline = 'orcs.allow("it is harmless")'

[[hooks]]
id = "broken"
point = "child.post_run"
handler_inline = 'error("no")'
${PATIENT}`,
      "component.lua": `
        return {
          id = "parent",
          on_request = function()
            orcs.spawn_child({ id = "kid", code = 'return function() return orcs.exec("true").ok end' })
            return orcs.send_to_child("kid").result
          end,
        }
      `,
    });
    const { code, stdout } = await orcs(["run", "component.lua", "--json"], { cwd });
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    const at = (point: string): unknown => lines.find((line) => line.point === point);
    expect(at("request.pre_dispatch")).not.toHaveProperty("child");
    expect(at("auth.pre_check")).toMatchObject({
      component: "lua::parent",
      child: "kid",
      action: "continue",
      decision: "allow",
      hook: "decides",
      reason: "it is harmless",
    });
    expect(at("child.post_run")).toMatchObject({
      action: "continue",
      hooks: [{ id: "broken", status: "failed", reason: expect.stringContaining("no") }],
    });
    expect(lines.at(-1)).toMatchObject({ point: "channel.post_destroy" });
  });

  test("of a component: exit code 0 for a result, 2 for a failure", async () => {
    const component = (body: string): string => `
      return {
        id = "c",
        on_request = function(request) ${body} end,
        shutdown = function(status) orcs.emit_output("it was " .. status) end,
      }
    `;
    const cwd = await project({
      "orcs.toml": PATIENT,
      "good.lua": component("orcs.emit_output(request.operation)"),
      "bad.lua": component('error("no way on")'),
    });
    const [good, bad] = await Promise.all([
      orcs(["run", "good.lua"], { cwd }),
      orcs(["run", "bad.lua"], { cwd }),
    ]);
    expect(good).toEqual({ code: 0, stdout: "", stderr: "run\nit was running\n" });
    expect(bad).toEqual({
      code: 2,
      stdout: "",
      stderr: "it was running\norcs: ORCS6005: run of lua::c failed: bad.lua:4: no way on\n",
    });
  });

  test("a hook that prevents a component's start: exit code 2 with its reason", async () => {
    const hook = (point: string): string => `
[[hooks]]
id = "gate"
point = "${point}"
handler_inline = 'orcs.deny("not today")'
${PATIENT}`;
    const files = { "c.lua": 'return { id = "c", on_request = function() return 1 end }' };
    const ends = ["channel.pre_create", "component.pre_init", "request.pre_dispatch"].map(
      async (point) =>
        orcs(["run", "c.lua"], { cwd: await project({ ...files, "orcs.toml": hook(point) }) }),
    );
    const refused = (operation: string) => ({
      code: 2,
      stdout: "",
      stderr: `orcs: ORCS2001: ${operation} was denied by hook gate: not today\n`,
    });
    expect(await Promise.all(ends)).toEqual([
      refused("channel.create"),
      refused("component.init"),
      refused("request.dispatch"),
    ]);
  });

  test("a failing script: exit code 2 with its position and the earlier calls", async () => {
    const cwd = await project({
      "orcs.toml": PATIENT,
      "bad.lua": 'orcs.exec("true")\nerror("no way on")\n',
    });
    const { code, stdout, stderr } = await orcs(["run", "bad.lua"], { cwd });
    expect(stderr).toBe("orcs: ORCS3002: bad.lua:2: no way on\n");
    expect(stdout).toContain("1 exec true");
    expect(code).toBe(2);
  });

  test("debug = true prints debug messages too", async () => {
    const cwd = await project({
      "orcs.toml": `debug = true\n${PATIENT}`,
      "agent.lua": 'orcs.log("debug", "fine detail")',
    });
    expect((await orcs(["run", "agent.lua"], { cwd })).stderr).toBe("orcs debug: fine detail\n");
  });

  test("a missing or unreadable script is an error", async () => {
    const cwd = folder();
    const [none, missing] = await Promise.all([
      orcs(["run"], { cwd }),
      orcs(["run", "none.lua"], { cwd }),
    ]);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^orcs: ORCS1009: the script cannot be read: /);
  });

  test("escapes control characters in an agent's calls", async () => {
    const cwd = await project({
      "orcs.toml": PATIENT,
      "agent.lua": 'orcs.exec("echo \\27[31m\\10x")',
    });
    const { stdout } = await orcs(["run", "agent.lua"], { cwd });
    expect(stdout).toContain("1 exec echo \\x1b[31m\\nx");
  });
});

describe("npm start", () => {
  // The limits of the sample configuration are the usual ones, see eval.test.ts.
  test("runs the sample agent and shows the hooks' effects", { retry: 3 }, async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: { start: string };
    };
    const [node, ...args] = scripts.start.split(" ");
    expect(node).toBe("node");
    const notes = join(ROOT, "dist/notes/RELEASE_NOTES.md");
    rmSync(notes, { force: true });
    const { code, stdout, stderr } = await start(process.execPath, args, { cwd: ROOT });
    expect(code, stderr).toBe(0);
    const row = (pattern: RegExp): void => expect(stdout).toMatch(pattern);
    row(/^1 exec git log .* audit-tools +continue/m);
    row(/^ +short-log +continue, changed \/payload\/args\/command/m);
    row(/^ +no-force-push +abort: force pushes lose work of others/m);
    row(/^ +mask-tokens +replace, changed \/payload\/result/m);
    row(/^ +grep-limit +abort: rate limit exceeded: lua::main:grep/m);
    row(/^ +tool-metrics +continue/m);
    expect(stderr).toContain("[AUDIT] ");
    expect(stderr).toContain("[metric] exec: ");

    const text = readFileSync(notes, "utf8");
    const version = execFileSync("node", ["-p", "require('./package.json').version"], {
      cwd: ROOT,
    });
    expect(text).toContain(`# orcs ${String(version).trim()}\n`);
    expect(text).toMatch(/\d+ × `export function`/);
    expect(text).toContain("`export type`: not counted (denied by hook grep-limit: rate limit");
    expect(text).toContain("The token in the settings reads: ***");
    expect(text).not.toContain("not-a-real-token");
  });
});
