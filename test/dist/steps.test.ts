import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import { CALLS } from "./hook-rig.ts";
import { folder, orcs, PATIENT } from "./orcs.ts";

const GUARD = `local banned = { "--force", "-f" }

local function has(line, word)
  return line:find(word, 1, true) ~= nil
end

return {
  id = "no-force",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    local line = ctx.payload.args.command
    local count = 0
    for _, word in ipairs(banned) do
      if has(line, word) then count = count + 1 end
    end
    ctx.metadata.count = count
    if count > 1 then return nil .. "x" end
    if count > 0 then
      return orcs.deny("no force")
    end
  end,
  tests = {
    { "denies", event = { tool = "exec", args = { command = "git push -f" } }, expect = { action = "abort" } },
  },
}
`;
const FILES = {
  "orcs.toml": `[[hooks]]\nscript = "guard.lua"\n${PATIENT}`,
  "hooks/guard.lua": GUARD,
  "agent.lua": 'orcs.exec("true") orcs.exec("git push -f")',
  "event.json": JSON.stringify(CALLS["claude-code"]("git push -f")),
};
const WITH = ["--config", "orcs.toml"] as const;
const PUSH = ["tool.pre_execute", "tool=exec", "command=git push -f"] as const;

async function recorded(): Promise<string> {
  const cwd = folder(FILES);
  await orcs(["run", "agent.lua", ...WITH, "--record", "r.jsonl"], { cwd });
  return cwd;
}

interface Line {
  readonly line: number;
  readonly ran: number;
  readonly us: number;
  readonly read: Record<string, string>;
  readonly wrote: Record<string, string>;
}

async function linesOf(cwd: string, args: readonly string[]): Promise<Line[]> {
  const { stdout } = await orcs(["eval", "--steps", ...WITH, "--json", ...args], { cwd });
  const { steps } = JSON.parse(stdout) as { steps: Record<string, { lines: Line[] }> };
  return steps["no-force"]?.lines ?? [];
}

describe("orcs eval --steps", { concurrent: true }, () => {
  test("shows for each line of a hook how often it ran, and what it read and wrote", async () => {
    const lines = await linesOf(folder(FILES), PUSH);
    const line = (at: number): Line | undefined => lines.find((each) => each.line === at);
    expect(lines.map((each) => `${each.line}:${each.ran}`).join(" ")).toBe(
      "3:0 4:2 5:0 11:0 12:1 13:1 14:3 15:2 16:1 17:1 18:1 19:1 20:1 21:0 22:0",
    );
    expect(line(4)?.read).toEqual({ line: '"git push -f"', word: '"-f"' });
    expect(line(12)).toMatchObject({
      read: { "ctx.payload.args.command": '"git push -f"' },
      wrote: { line: '"git push -f"' },
    });
    expect(line(15)?.wrote).toEqual({ count: "1" });
    expect(line(17)?.wrote).toEqual({ "ctx.metadata.count": "1" });
    expect(lines.every(({ ran, us }) => us > 0 === ran > 0)).toBe(true);
  });

  test("shows the last lines that a failed hook ran", async () => {
    const args = ["tool.pre_execute", "tool=exec", "command=git push -f --force"];
    const { stdout } = await orcs(["eval", "--steps", ...WITH, ...args], { cwd: folder(FILES) });
    expect(stdout).toMatch(/no-force: failed: hooks\/guard\.lua:18: attempt to concatenate/);
    expect(stdout).toMatch(
      /the last lines that it ran:\n[^]*guard\.lua:17: ctx\.metadata\.count = count\n.*guard\.lua:18: if count > 1 then return nil .. "x" end\n$/,
    );
  });

  test("takes an event of a record, and one of an agent", async () => {
    const cwd = await recorded();
    const ofRecord = await linesOf(cwd, ["--event", "r.jsonl:9"]);
    expect(ofRecord.find(({ line }) => line === 20)?.ran).toBe(1);
    const ofAgent = await linesOf(cwd, ["--host", "claude-code", "event.json"]);
    expect(ofAgent.find(({ line }) => line === 20)?.ran).toBe(1);
    const none = await orcs(["eval", ...WITH, "--event", "r.jsonl:99"], { cwd });
    expect(none).toMatchObject({ code: 2, stderr: /no event 99/ as unknown });
  });
});

test("orcs test --profile lists the lines of hooks by the time that they took", async () => {
  const args = ["test", "--profile", ...WITH, "--json"];
  const { stdout } = await orcs(args, { cwd: folder(FILES) });
  const { profile } = JSON.parse(stdout) as { profile: (Line & { file: string })[] };
  expect(profile.find(({ line }) => line === 4)).toMatchObject({ file: "hooks/guard.lua", ran: 2 });
  expect(profile.map(({ us }) => us)).toEqual(profile.map(({ us }) => us).sort((a, b) => b - a));
  const asText = await orcs(args.slice(0, -1), { cwd: folder(FILES) });
  expect(asText.stdout).toMatch(/^line +ran +µs +share +source\n/);
});

describe("orcs eval --interactive", { concurrent: true }, () => {
  const start = ["eval", "--interactive", ...WITH];
  async function typed(cwd: string, args: readonly string[], lines: readonly string[]) {
    return orcs([...start, ...args], { cwd, stdin: lines.map((line) => `${line}\n`).join("") });
  }

  test("runs expressions and statements with the context of an event", async () => {
    const lines = ["ctx.payload.args.command", "n = 20 +", "  1", "n * 2", 'orcs.deny("x")'];
    const { code, stdout } = await typed(folder(FILES), PUSH, lines);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '"git push -f"\n42\n{ action = "abort", reason = "x" }\n',
    });
    const ofRecord = await typed(
      await recorded(),
      ["--event", "r.jsonl:9"],
      ["ctx.payload.args.command"],
    );
    expect(ofRecord.stdout).toBe('"git push -f"\n');
  });

  test("answers commands, and goes on after an error", async () => {
    const lines = [
      ":hooks",
      ":effects rm -r build",
      "nope.x",
      "n = 1",
      ":reload",
      "n",
      ":quit",
      "9",
    ];
    const { code, stdout, stderr } = await typed(folder(FILES), [], lines);
    expect(code).toBe(1);
    expect(stdout).toMatch(/no-force[^]*removes build\/\*\*[^]*\nnil\n$/);
    expect(stderr).toBe("prompt:1: attempt to index a nil value (global 'nope')\n");
  });

  test("changes nothing: tools only read, whatever the configuration grants", async () => {
    const cwd = folder(FILES);
    const lines = [
      'orcs.write("made", "x")',
      'orcs.exec("touch made")',
      'orcs.read("agent.lua").ok',
      'orcs.hook("*::*:tool.pre_execute", function() return orcs.allow() end)',
      "while true do end",
      "1",
    ];
    const { stdout, stderr } = await typed(cwd, [], lines);
    expect(stdout).toMatch(
      /needs the capability WRITE[^]*needs the capability EXECUTE[^]*\ntrue\n1\n$/,
    );
    expect(stderr).toMatch(/a prompt cannot register hooks[^]*ran longer than/);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test.runIf(HAS_TERMINAL)("completes names and keeps its history at a terminal", async () => {
    const cwd = folder(FILES);
    const env = { XDG_STATE_HOME: join(cwd, "state") };
    const ended = await orcsAtTerminal(
      [...start, ...PUSH],
      cwd,
      [
        ["orcs> ", "ctx.payload.args.comm\t"],
        ["args.command", "\r"],
        ["orcs> ", "orcs.glob_ma\t"],
        ["glob_match", "\r"],
        ["orcs> ", ":quit\r"],
      ],
      env,
    );
    expect(ended).toMatchObject({ code: 0, stdout: '"git push -f"\n<function>\n', restored: true });
    expect(readFileSync(join(cwd, "state/orcs/eval-history"), "utf8")).toContain(
      ":quit\norcs.glob_match\nctx.payload.args.command\n",
    );
    const again = await orcsAtTerminal(
      start,
      cwd,
      [
        ["orcs> ", "\u001B[A\u001B[A\r"],
        ["orcs> ", ":quit\r"],
      ],
      env,
    );
    expect(again.stdout).toBe("<function>\n");
  });
});
