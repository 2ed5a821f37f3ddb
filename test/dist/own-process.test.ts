import { beforeAll, describe, expect, test } from "vitest";
import { orcs, orcsAlone, PATIENT, project } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

// Most tests of commands run them one after the other in a process that is there already. That this comes to the
// same, and that each command by itself ends its process, is shown here for every verb, well and by mistake.

const FILES = {
  "orcs.toml": `${PATIENT}[[hooks]]
id = "guard"
point = "tool.pre_execute"
script = "guard.lua"
`,
  "hooks/guard.lua":
    'return function(ctx) if ctx.payload.args.no then return orcs.deny("no") end end\n',
  "hooks/guard_test.lua":
    'it("is tried", function() assert.equal("continue", orcs.test.load("guard.lua"):dispatch({ tool = "x" }).action) end)\n',
  "program.lua": 'orcs.emit_output("out") return 1\n',
  "r.jsonl": '{"orcs":"record","version":1,"time":"2026-01-01T00:00:00.000Z","whole":true}\n',
};

let cwd: string;
beforeAll(async () => {
  cwd = await project(FILES);
});

/** Times and sizes differ from run to run, and with them how wide a table is. */
const alike = ({ code, stdout, stderr }: Ended) => ({
  code,
  // Hashes and ids, too.
  stdout: stdout
    .replaceAll(/[0-9a-f-]{12,}/g, "#")
    .replaceAll(/\d+(?:\.\d+)?/g, "#")
    .replaceAll(/([ ─])\1+/g, "$1"),
  stderr: stderr.replaceAll(/\d+(?:\.\d+)?/g, "#"),
});

const EVENT = ["tool.pre_execute", "tool=x", "no=1"];
describe(
  "an orcs command in its own process gives the same result as in a shared one",
  { concurrent: true },
  () => {
    test.each<[code: number, args: string[]]>([
      [0, ["--version"]],
      [0, ["--help"]],
      [2, ["nothing"]],
      [1, ["eval", ...EVENT, "--fail"]],
      [2, ["eval", "tool.pre"]],
      [0, ["eval", "--explain", ...EVENT]],
      [0, ["list", "--json"]],
      [0, ["check"]],
      [2, ["check", "no.lua"]],
      [0, ["run", "program.lua"]],
      [2, ["run", "no.lua"]],
      [0, ["test"]],
      [0, ["test", "--bench", "-n", "10"]],
      [1, ["init", "--types", "--check"]],
      [2, ["init", "--yes", "--what"]],
      [1, ["install", "--host", "codex"]],
      [2, ["uninstall", "--host", "nobody"]],
      [2, ["import", "--from", "nobody"]],
      [0, ["replay", "r.jsonl"]],
      [2, ["audit", "show"]],
      [0, ["trust", "--show"]],
      [0, ["trust", "--list"]],
      [1, ["doctor", "--json"]],
    ])("exit code %i: %j", async (code, args) => {
      const around = { cwd, env: { HOME: cwd, CLAUDE_CONFIG_DIR: cwd, CODEX_HOME: cwd } };
      const alone = alike(await orcsAlone(args, around));
      expect(alone).toMatchObject({ code });
      expect(alike(await orcs(args, around))).toEqual(alone);
    });
  },
);
