import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CreateOrcsOptions } from "../../src/engine/orcs/options.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";
import { Servers } from "../unit/engine/handlers/webhook-rig.ts";
import { INTERPRETERS, PATH_WITH_PYTHON, script } from "./scripts/interpreters.ts";

/**
 * The decisions of seed 004 (MassGen), each in a test named after its section. The hooks are in the
 * form of orcs, with `override = ["PostToolUse"]`; massgen-file.test.ts has the example as it stands.
 */

const servers = new Servers();
beforeEach(() => void vi.stubEnv("PATH", PATH_WITH_PYTHON));
afterEach(() => {
  vi.unstubAllEnvs();
  return servers.close();
});

interface Loaded {
  readonly orcs: Orcs;
  readonly logger: Lines;
  readonly cwd: string;
}

async function load(
  toml: string,
  options: CreateOrcsOptions = {},
  cwd: string = folder(),
): Promise<Loaded> {
  writeFileSync(join(cwd, "orcs.toml"), toml);
  const logger = new Lines();
  return { orcs: await open({ cwd, config: "orcs.toml", logger, ...options }), logger, cwd };
}

/** One hook of MassGen's that runs a command. */
const command = (handler: string, event = "PreToolUse", more = ""): string => `[[hooks]]
event = "${event}"
handler = ${JSON.stringify(handler)}
type = "command"
${more}
`;

const text = (...path: string[]): string => readFileSync(join(...path), "utf8");
const write = (path: string) => ({ tool_name: "Write", args: { path, content: "x" } });

test("Decision 1: extend existing hooks reminders and mid-stream injection are hooks", async () => {
  const { orcs } = await load(
    `[[hooks]]\nscript = "orcs:reminders"\n[[hooks]]\nscript = "orcs:mid-stream"\n`,
  );
  const session = { session_id: "s", agent_id: "agent1" };
  await orcs.dispatch("Notification", {
    ...session,
    message: "answer of agent2",
    kind: "inject",
  });
  const result = { text: "done", reminder: "save your work" };
  const outcome = await orcs.dispatch("PostToolUse", { ...session, ...write("a"), result });
  expect(outcome.inject).toEqual([
    { content: "save your work", strategy: "user_message" },
    { content: "answer of agent2", strategy: "tool_result" },
  ]);
  expect(outcome.ctx.payload["result"]).toEqual({ text: "done" });
});

describe("Decision 2: global and per-agent hooks", () => {
  /** The example, with `massgen.hooks.audit_all_tools` as a command. */
  const toml = (extension: string): string => `# Global hooks - apply to ALL agents
[[hooks]]
event = "PreToolUse"
matcher = "*"
handler = "./audit_all_tools.${extension}"
type = "command"

[[hooks]]
event = "PostToolUse"
handler = "touch global-post"
type = "command"

# Per-agent hooks - extend global by default
[[agents.agent1.hooks]]
event = "PreToolUse"
matcher = "Write"
handler = "./custom_write_hook.${extension}"
type = "command"

[[agents.agent1.hooks]]
event = "PostToolUse"
handler = "./agent1_logging.${extension}"
type = "command"

[agents.agent1]
# Only use per-agent hooks, disable global
override = ["PostToolUse"]
`;
  const SCRIPTS = ["audit_all_tools", "custom_write_hook", "agent1_logging"];

  describe.each(INTERPRETERS)("with scripts $name", (interpreter) => {
    const { extension } = interpreter;
    const loadFor = (agent: string): Promise<Loaded> => {
      const cwd = folder();
      for (const name of SCRIPTS) {
        const file = join(cwd, `${name}.${extension}`);
        writeFileSync(file, script(name, interpreter));
        chmodSync(file, 0o755);
      }
      return load(toml(extension), { agent }, cwd);
    };

    test("agent1: its own hooks with the global ones, or instead of them with override", async () => {
      const { orcs, logger, cwd } = await loadFor("agent1");
      const agent = { agent_id: "agent1" };
      expect(
        (await orcs.dispatch("PreToolUse", { ...write("a.txt"), ...agent })).ctx.payload,
      ).toEqual({ tool: "Write", ...write("work/a.txt"), ...agent });
      expect(
        await orcs.dispatch("PreToolUse", { ...write("/etc/passwd"), ...agent }),
      ).toMatchObject({
        action: "abort",
        reason: "absolute path: /etc/passwd",
      });
      await orcs.dispatch("PreToolUse", { tool_name: "Read", args: {}, ...agent });
      const after = await orcs.dispatch("PostToolUse", { ...write("a"), result: "ok", ...agent });
      expect(after.inject).toEqual([{ content: "noted: Write", strategy: "tool_result" }]);
      const line = (tool: string): string => `PreToolUse agent1 ${tool}\n`;
      expect(text(cwd, "audit.log")).toBe(line("Write") + line("Write") + line("Read"));
      expect(text(cwd, "agent1.log")).toBe("Write: ok\n");
      expect(existsSync(join(cwd, "global-post"))).toBe(false);
      expect(logger.lines).toEqual([]);
    });

    test("agent2: the global hooks", async () => {
      const { orcs, cwd } = await loadFor("agent2");
      const outcome = await orcs.dispatch("PreToolUse", write("/etc/passwd"));
      expect(outcome).toMatchObject({ action: "continue", ctx: { payload: write("/etc/passwd") } });
      await orcs.dispatch("PostToolUse", { ...write("a"), result: "ok" });
      expect(text(cwd, "audit.log")).toBe("PreToolUse None Write\n");
      expect(existsSync(join(cwd, "agent1.log"))).toBe(false);
      expect(existsSync(join(cwd, "global-post"))).toBe(true);
    });
  });

  test("a file name that does not exist denies with a message", async () => {
    const { orcs } = await load(command("custom_write_hook.py"));
    const outcome = await orcs.dispatch("PreToolUse", write("a"));
    expect(outcome).toMatchObject({ action: "abort" });
    expect(outcome.action === "abort" && outcome.reason).toMatch(/code 127.*custom_write_hook\.py/);
  });
});

test.each([
  ["*", "anything", true],
  ["Write|Edit", "Write", true],
  ["Write|Edit", "Edit", true],
  ["Write|Edit", "MultiEdit", false],
  ["Write|Edit", "Write|Edit", false],
  ["mcp__*__read", "mcp__files__read", true],
  ["mcp__*__read", "mcp__files__write", false],
  ["Read?", "Read1", true],
  ["Read?", "Read", false],
  ["[RW]rite", "Write", true],
  ["[RW]rite", "write", false],
  ["[!R]rite", "Write", true],
  ["[!R]rite", "Rrite", false],
  ["Tool[0-9]", "Tool7", true],
  ["W*", "Write|Edit", true],
])("Decision 4: pattern matching via fnmatch: %s, %s: %s", async (matcher, tool_name, runs) => {
  const { orcs } = await load(
    `[[hooks]]\nevent = "PreToolUse"\nmatcher = "${matcher}"\nhandler_inline = 'orcs.deny("no")'\n`,
  );
  const { action } = await orcs.dispatch("PreToolUse", { tool_name, args: {} });
  expect(action).toBe(runs ? "abort" : "continue");
});
