import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT } from "./orcs.ts";

/** Whatever of it is loaded leaves a trace. */
const FILES = {
  "orcs.toml": `[[hooks]]
script = "guard.lua"
[[hooks]]
id = "told"
point = "tool.pre_execute"
shell = { command = "touch $PWD/ran" }
[[hooks.tests]]
name = "runs"
event = { tool = "exec", args = { command = "ls" } }
expect = { action = "continue" }
[[hooks]]
id = "loaded"
point = "tool.pre_execute"
module = "./m.mjs#run"
${PATIENT}`,
  "hooks/guard.lua": `orcs.log("warn", "its main chunk ran")
return { id = "guard", point = "tool.pre_execute", handler = function() return orcs.deny("guarded") end }
`,
  "m.mjs":
    'import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\nexport function run() {}\n',
  "agent.lua": 'orcs.emit_output(orcs.exec("echo worked").stdout or "refused")\n',
};
const EVENT = ["tool.pre_execute", "tool=exec", "command=ls"];

/** Those that untrusted.test.ts does not have. */
const VERBS: [args: string[], code: number][] = [
  [["eval", "--explain", ...EVENT, "--json"], 0],
  [["run", "agent.lua", "--json"], 0],
  [["test", "--bench", "--json"], 2],
  [["check"], 0],
  [["check", "--json"], 0],
  [["check", "--print"], 0],
  [["check", "--print", "--json"], 0],
  [["test", "--fuzz", "--never", "git push"], 2],
];

describe("an untrusted discovered project", { concurrent: true }, () => {
  test.each(VERBS)(
    "%j runs none of its code, prints one notice, and exits with %i",
    async (args, code) => {
      const cwd = folder(FILES);
      const ended = await orcs(args, { cwd });
      expect(ended.code, ended.stderr).toBe(code);
      const told = ended.stderr
        .split("\n")
        .filter((line) => /are not trusted|not in the trust store/.test(line));
      expect(told, ended.stderr).toHaveLength(1);
      expect(told[0]).toContain(`orcs trust ${cwd}`);
      expect(ended.stderr).not.toContain("main chunk");
      expect(existsSync(join(cwd, "ran"))).toBe(false);
      expect(ended.stdout).not.toContain("guarded");
      if (args.includes("--json") && code === 0) {
        for (const line of ended.stdout.trimEnd().split("\n")) JSON.parse(line);
      }
    },
  );

  test("orcs trust and check report a decision that is dropped, with its line", async () => {
    const cwd = folder({
      "orcs.toml": '[[hooks]]\nscript = "guard.lua"\n',
      "hooks/guard.lua": `return { point = "tool.pre_execute", handler = function()
  orcs.deny("no")
end }`,
    });
    for (const args of [["trust", "--yes"], ["check"]]) {
      const { code, stdout, stderr } = await orcs(args, { cwd });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain("hooks/guard.lua:2:3: error ORCS1114");
    }
  });

  test("orcs run of an explicit script runs without the project's hooks", async () => {
    const { stderr } = await orcs(["run", "agent.lua"], { cwd: folder(FILES) });
    expect(stderr).toContain("worked");
  });

  test("orcs test fails with ORCS8001 and names both options", async () => {
    const cwd = folder(FILES);
    const { stdout, stderr } = await orcs(["test"], { cwd });
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^orcs: ORCS8001: .*orcs trust .*--config/);
    const named = await orcs(["test", "--config", "orcs.toml"], { cwd });
    expect(named.code, named.stderr).toBe(0);
    expect(named.stdout).toMatch(/^1 passed/);
  });

  test("orcs check exits by its findings; --config loads it", async () => {
    const broken = { ...FILES, "orcs.toml": '[[hooks]]\nscript = "guard.lua"\npriorty = 1\n' };
    const slip = {
      "orcs.toml": '[[hooks]]\nscript = "guard.lua"\n',
      "hooks/guard.lua": 'error("loaded")\nprint(cout)\n',
    };
    const [mistakes, warnings, named, json] = await Promise.all([
      orcs(["check"], { cwd: folder(broken) }),
      orcs(["check"], { cwd: folder(slip) }),
      orcs(["check", "--config", "orcs.toml"], { cwd: folder(slip) }),
      orcs(["check", "--json"], { cwd: folder(slip) }),
    ]);
    expect(mistakes).toMatchObject({ code: 2, stdout: "0 hooks active, 1 error\n" });
    expect(mistakes.stderr).toContain("ORCS1003");
    expect(warnings).toMatchObject({
      code: 1,
      stdout: "0 hooks active, no errors, 1 warning\n",
    });
    expect(named.code).toBe(2);
    expect(named.stderr).toContain("loaded");
    expect(named.stderr).not.toContain("trust");
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      hooks: 0,
      untrusted: expect.stringContaining("because they are not trusted") as string,
      diagnostics: [{ code: "ORCS1101" }],
    });
  });

  test("is active when trusted; after a change the trusted copy is active", async () => {
    const cwd = folder(FILES);
    const trusted = await orcs(["trust", "--yes"], { cwd });
    expect(trusted.code, trusted.stderr).toBe(0);
    const before = await orcs(["eval", ...EVENT], { cwd });
    expect(before.stdout).toContain("abort by guard");
    expect(readdirSync(cwd)).toContain("ran");
    rmSync(join(cwd, "ran"));
    expect((await orcs(["test"], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, "hooks/guard.lua"), "return {}\n");
    const after = await orcs(["eval", ...EVENT], { cwd });
    expect(after.stdout).toContain("abort by guard");
    expect(after.stderr).toContain("changed since then: hooks/guard.lua");
    expect((await orcs(["trust", "--revoke", "--yes"], { cwd })).code).toBe(0);
    const revoked = await orcs(["eval", ...EVENT], { cwd });
    expect(revoked.stdout).toContain("continue");
    expect(revoked.stderr).toContain("because they are not trusted");
    expect((await orcs(["test"], { cwd })).code).toBe(2);
  });
});

test("a dev-trusted project prints so at each start, and saves are active at once", async () => {
  const cwd = folder(FILES);
  await orcs(["trust", "--dev", "--yes"], { cwd });
  const first = await orcs(["eval", ...EVENT], { cwd });
  expect(first.stdout).toContain("abort by guard");
  expect(first.stderr).toContain(`${cwd} is dev-trusted: every saved change is active`);
  const other = FILES["hooks/guard.lua"].replace("guarded", "another reason");
  writeFileSync(join(cwd, "hooks/guard.lua"), other);
  expect((await orcs(["eval", ...EVENT], { cwd })).stdout).toContain("another reason");
});
