import { describe, expect, test } from "vitest";
import type { HostOptions } from "../../../src/formats/host-protocol.ts";
import { geminiHost } from "../../../src/formats/gemini/host.ts";
import { hasUser as hasUserOf } from "../../../src/formats/hosts.ts";

const SHELL = { args: ["bash", "-c", "/opt/orcs-hook hook --host gemini"], hasTerminal: false };
const NODE = ["/usr/bin/node", "--max-old-space-size=4096"];
const BUNDLE = "/usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js";

const hasUser = (processes: Parameters<typeof hasUserOf>[1]): boolean =>
  hasUserOf("gemini", processes);

/** Command lines of Gemini CLI: whether it asks with a terminal, and without one. */
const STARTED: readonly (readonly [args: readonly string[], terminal: boolean, none: boolean])[] = [
  [["gemini"], true, false],
  [["/usr/local/bin/gemini", "--yolo"], true, false],
  [["node", "/usr/local/bin/gemini"], true, false],
  [[...NODE, BUNDLE], true, false],
  [["node", "C:\\npm\\node_modules\\@google\\gemini-cli\\dist\\index.js"], true, false],
  [[...NODE, BUNDLE, "fix the tests"], true, false],
  [[...NODE, BUNDLE, "-p", "fix"], false, false],
  [[...NODE, BUNDLE, "--prompt", "fix"], false, false],
  [[...NODE, BUNDLE, "--prompt=fix"], false, false],
  [[...NODE, BUNDLE, "-i", "fix"], true, true],
  [[...NODE, BUNDLE, "--prompt-interactive", "fix"], true, true],
  [["node", "/usr/local/bin/gemini", "--acp"], true, true],
  [["node", "/usr/local/bin/gemini", "--experimental-acp"], true, true],
  [["node", "/srv/gemini/agent.js"], false, false],
  [["vim", "notes-on-gemini-cli"], false, false],
];

describe("a user of Gemini CLI", () => {
  test.each(STARTED)("%j", (args, terminal, none) => {
    expect(hasUser([SHELL, { args, hasTerminal: true }])).toBe(terminal);
    expect(hasUser([SHELL, { args, hasTerminal: false }])).toBe(none);
  });

  test("is not looked for behind the first Gemini CLI", () => {
    const inner = { args: [...NODE, BUNDLE, "-p", "x"], hasTerminal: true };
    expect(hasUser([SHELL, inner, { args: ["gemini"], hasTerminal: true }])).toBe(false);
  });

  test("is not there when nothing is known of the processes", () => {
    expect(hasUser([])).toBe(false);
    expect(hasUser([SHELL])).toBe(false);
  });
});

const EVENT = {
  session_id: "s",
  transcript_path: "/t",
  cwd: "/w",
  hook_event_name: "BeforeTool",
  timestamp: "2026-01-01T00:00:00Z",
  tool_name: "run_shell_command",
  tool_input: { command: "git push" },
};

/** The response to a hook that asks before a tool. */
function asked(options: Partial<HostOptions>) {
  const decoded = geminiHost.decode(EVENT);
  const outcome = {
    ctx: { payload: decoded.payload },
    inject: [],
    action: "continue",
    decision: "ask",
    reason: "sure?",
  };
  return geminiHost.encode(decoded, outcome as never, {
    ask: "deny",
    rewrite: "refuse",
    ...options,
  });
}

describe("ask before a tool", () => {
  test("asks its user, when there is one", () => {
    expect(asked({ hasUser: () => true }).output).toMatchObject({ decision: "ask" });
    expect(asked({ hasUser: () => true, ask: "pass" }).output).toMatchObject({ decision: "ask" });
  });

  test.each([{}, { hasUser: () => false }])(
    "denies and says so, when there is none: %j",
    (none) => {
      const { output, downgrades } = asked(none);
      expect(output).toMatchObject({ decision: "deny" });
      expect(JSON.stringify(output)).toContain("there is nobody who could answer: sure?");
      expect(downgrades).toHaveLength(1);
      expect(asked({ ...none, ask: "pass" }).output).toEqual({});
    },
  );
});
