import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT, ROOT, start } from "./orcs.ts";

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

describe("run", { concurrent: true }, () => {
  test("a table of what the hooks did on stdout, all else on stderr", async () => {
    const { code, stdout, stderr } = await orcs(["run", "agent.lua"], { cwd: folder(FILES) });
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

  test("--json: a line for each call", async () => {
    const { code, stdout } = await orcs(["run", "agent.lua", "--json"], { cwd: folder(FILES) });
    const calls = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(calls).toEqual([
      {
        tool: "exec",
        args: { command: "echo one" },
        action: "continue",
        hooks: [expect.objectContaining({ id: "rewrite", status: "ran", action: "continue" })],
        duration_ms: expect.any(Number),
      },
      {
        tool: "read",
        args: { path: "secret.txt" },
        action: "abort",
        hook: "no-secrets",
        reason: "secrets stay here",
        hooks: [expect.objectContaining({ id: "no-secrets", status: "ran", action: "abort" })],
        duration_ms: expect.any(Number),
      },
    ]);
    expect(code).toBe(0);
  });

  test("a script that fails: exit 2 with its place, and what was called before", async () => {
    const cwd = folder({
      "orcs.toml": PATIENT,
      "bad.lua": 'orcs.exec("true")\nerror("no way on")\n',
    });
    const { code, stdout, stderr } = await orcs(["run", "bad.lua"], { cwd });
    expect(stderr).toBe("orcs: ORCS3002: bad.lua:2: no way on\n");
    expect(stdout).toContain("1 exec true");
    expect(code).toBe(2);
  });

  test("debug = true shows lines of that level, too", async () => {
    const cwd = folder({
      "orcs.toml": `debug = true\n${PATIENT}`,
      "agent.lua": 'orcs.log("debug", "fine detail")',
    });
    expect((await orcs(["run", "agent.lua"], { cwd })).stderr).toBe("orcs debug: fine detail\n");
  });

  test("no script, or none that can be read", async () => {
    const cwd = folder();
    const [none, missing] = await Promise.all([
      orcs(["run"], { cwd }),
      orcs(["run", "none.lua"], { cwd }),
    ]);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^orcs: ORCS1009: the script cannot be read: /);
  });

  test("what an agent calls cannot steer the terminal", async () => {
    const cwd = folder({
      "orcs.toml": PATIENT,
      "agent.lua": 'orcs.exec("echo \\27[31m\\10x")',
    });
    const { stdout } = await orcs(["run", "agent.lua"], { cwd });
    expect(stdout).toContain("1 exec echo \\x1b[31m\\nx");
  });
});

describe("npm start", () => {
  // The limits of the sample configuration are the usual ones, see eval.test.ts.
  test(
    "its command runs the sample agent, and the hooks can be seen at work",
    { retry: 3 },
    async () => {
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
      expect(text).toContain("`export type`: not counted (blocked by hook grep-limit: rate limit");
      expect(text).toContain("The token in the settings reads: ***");
      expect(text).not.toContain("not-a-real-token");
    },
  );
});
