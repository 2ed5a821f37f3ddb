import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { HAS_TERMINAL, orcsAtTerminal } from "./at-terminal.ts";
import type { AtTerminal } from "./at-terminal.ts";
import { orcs, PATIENT, project } from "./orcs.ts";

const ASKER = `
[[hooks]]
id = "asker"
point = "tool.pre_execute"
match = { tool = "write" }
handler_inline = 'return orcs.ask("it writes")'
${PATIENT}`;

/** An agent that writes files, and what it says of each. */
function agent(hil: string, files: readonly string[] = ["out"]): Promise<string> {
  const writes = files.map(
    (file) =>
      `local answer = orcs.write("${file}", "x") told[#told + 1] = answer.error or "written"`,
  );
  return project({
    "orcs.toml": `[hil]\n${hil}\n${ASKER}`,
    "agent.lua": `local told = {}\n${writes.join("\n")}\norcs.emit_output(table.concat(told, "; "))`,
  });
}

const NOBODY = "denied by hook asker: needs approval, but nobody is available to ask";

describe("approval without a terminal", { concurrent: true }, () => {
  const modes: [hil: string, said: string][] = [
    ["", `${NOBODY}: it writes`],
    [
      'mode = "terminal"',
      `${NOBODY} (hil.mode is "terminal", but there is no terminal): it writes`,
    ],
    [
      'mode = "callback"',
      `${NOBODY} (hil.mode is "callback", but the program has no onAsk function): it writes`,
    ],
    [
      'mode = "deny"',
      'denied by hook asker: needs approval, but hil.mode = "deny" denies it: it writes',
    ],
  ];
  test.each(modes)("%s: the call is denied, whatever stdin has", async (hil, said) => {
    const cwd = await agent(hil);
    const ended = await orcs(["run", "agent.lua", "--json"], { cwd, stdin: "y\nyes\n" });
    expect(ended).toMatchObject({ code: 0, stderr: `${said}\n` });
    expect(toolLines(ended)).toEqual([
      expect.objectContaining({
        point: "tool.pre_execute",
        tool: "write",
        action: "continue",
        decision: "ask",
        hook: "asker",
        reason: "it writes",
      }),
    ]);
    expect(existsSync(join(cwd, "out"))).toBe(false);
  });

  test("the table of orcs run shows the denial", async () => {
    const { stdout } = await orcs(["run", "agent.lua"], { cwd: await agent('mode = "deny"') });
    expect(stdout).toMatch(/^1 write out +asker +denied, needs approval, but hil\.mode = "deny"/m);
  });
});

/** The sample agent at a terminal. */
function atTerminal(cwd: string, steps: Parameters<typeof orcsAtTerminal>[2]): Promise<AtTerminal> {
  return orcsAtTerminal(["run", "agent.lua", "--json"], cwd, steps);
}

interface Line {
  readonly point: string;
}

/** What --json prints of tool calls. */
function toolLines({ stdout }: { readonly stdout: string }): Line[] {
  const lines = stdout.trimEnd().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ point }) => point.startsWith("tool."));
}

/** Of each call whether it ran: then there is a post point behind its pre point. */
function ran(ended: AtTerminal): boolean[] {
  const points = toolLines(ended).map(({ point }) => point);
  return points.flatMap((point, i) =>
    point === "tool.pre_execute" ? [points[i + 1] === "tool.post_execute"] : [],
  );
}

describe("approval at a terminal", { concurrent: true }, () => {
  beforeEach(({ skip }) => skip(!HAS_TERMINAL, "this machine has no python3 with the module pty"));

  const QUESTION = `
Hook asker asks about write: it writes
  path = "out"
  content = "x"
Run write? [y/N] `;

  // Other answers are given in unit/cli/ask-terminal.
  const answers: [name: string, hil: string, typed: string, runs: boolean][] = [
    ["YES", 'mode = "terminal"', "YES\r", true],
    ["return", "", "\n", false],
  ];
  test.each(answers)("%s", async (_name, hil, typed, runs) => {
    const cwd = await agent(hil);
    const ended = await atTerminal(cwd, [["[y/N] ", typed]]);
    const said = runs ? "written" : "denied by hook asker: not approved: it writes";
    // The terminal echoes what is typed.
    const echo = typed.replace("\r", "\n");
    expect(ended).toMatchObject({
      code: 0,
      terminal: `${QUESTION}${echo}${said}\n`,
      restored: true,
    });
    expect(ran(ended)).toEqual([runs]);
    expect(existsSync(join(cwd, "out"))).toBe(runs);
  });

  test.each([
    ["y", true],
    ["n", false],
  ])("a command without a grant is asked about by orcs itself, %s", async (typed, runs) => {
    const cwd = await project({
      "orcs.toml": `[permissions]\ngrants = ["echo"]\n${PATIENT}`,
      "agent.lua": `
        orcs.emit_output(orcs.exec("echo granted").stdout)
        orcs.emit_output(orcs.exec("touch out").error or "touched")
      `,
    });
    const ended = await atTerminal(cwd, [["[y/N] ", `${typed}\n`]]);
    const why = 'no grant covers "touch out"; a grant of "touch out" would';
    const said = runs ? "touched" : `exec: not approved: ${why}`;
    expect(ended).toMatchObject({
      code: 0,
      terminal: `granted\\n\n\norcs asks about exec: ${why}\n  command = "touch out"\nRun exec? [y/N] ${typed}\n${said}\n`,
    });
    expect(existsSync(join(cwd, "out"))).toBe(runs);
  });

  test("at the timeout the question is withdrawn, and the run ends", async () => {
    const cwd = await agent("timeout_ms = 500");
    const ended = await atTerminal(cwd, [["[y/N] ", "ye"]]);
    const late = "no answer within 500 ms";
    expect(ended).toMatchObject({ code: 0, restored: true });
    expect(ended.terminal).toBe(
      `${QUESTION}ye\nWithdrawn: ${late}.\ndenied by hook asker: not approved, ${late}: it writes\n`,
    );
    expect(ran(ended)).toEqual([false]);
  });

  test("Ctrl-C ends the run", async () => {
    const cwd = await agent("");
    const ended = await atTerminal(cwd, [["[y/N] ", "\u0003"]]);
    expect(ended).toMatchObject({ code: 130, restored: true });
    expect(ended.terminal).toContain("Withdrawn: the engine is closed.\n");
    expect(existsSync(join(cwd, "out"))).toBe(false);
  });
});
