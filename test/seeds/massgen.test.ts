import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
const answering = (result: unknown, event?: string): string =>
  command(`echo '${JSON.stringify(result)}'`, event);

const text = (...path: string[]): string => readFileSync(join(...path), "utf8");
const write = (path: string) => ({ tool_name: "Write", args: { path, content: "x" } });

describe("Decision 1: extend existing hooks", () => {
  test("a permission hook as a function still works, together with commands", async () => {
    const { orcs } = await load(answering({ allowed: true }));
    // FunctionHook
    orcs.hook({
      point: "PreToolUse",
      handler: ({ payload }) =>
        payload["tool_name"] === "Delete" ? { decision: "deny", reason: "not allowed" } : undefined,
    });
    const outcome = await orcs.dispatch("PreToolUse", { tool_name: "Delete", args: {} });
    expect(outcome).toMatchObject({ action: "abort", reason: "not allowed" });
    expect((await orcs.dispatch("PreToolUse", write("a"))).action).toBe("continue");
  });

  test("reminders and mid-stream injection are hooks", async () => {
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

describe("Decision 3: HookEvent and HookResult", () => {
  const FIELDS = [
    "agent_id",
    "hook_type",
    "orchestrator_id",
    "session_id",
    "timestamp",
    "tool_input",
    "tool_name",
    "tool_output",
  ];

  test.each([
    ["PreToolUse", {}, { tool_output: null }],
    ["PostToolUse", { result: "12 bytes" }, { tool_output: "12 bytes" }],
    // tool_output is an Optional[str].
    ["PostToolUse", { result: { size: 12 } }, { tool_output: '{"size":12}' }],
  ] as const)("HookEvent of %s %j", async (event, more, due) => {
    const { orcs, cwd } = await load(command("cat > event", event));
    const payload = { ...write("a"), session_id: "s-1", agent_id: "agent1", ...more };
    const options = { component: "massgen::orchestrator-1" };
    await orcs.dispatch(event, payload, options);
    const told = JSON.parse(text(cwd, "event")) as Record<string, unknown>;
    expect(Object.keys(told).toSorted()).toEqual(FIELDS);
    const { timestamp, ...rest } = told;
    expect(rest).toEqual({
      hook_type: event,
      session_id: "s-1",
      orchestrator_id: "massgen::orchestrator-1",
      agent_id: "agent1",
      tool_name: "Write",
      tool_input: { path: "a", content: "x" },
      ...due,
    });
    const age = Date.now() - Date.parse(String(timestamp));
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60_000);
  });

  const input = { path: "b" };
  const inject = { content: "be careful", strategy: "user_message" };
  test.each<[string, object, object]>([
    ["nothing said", {}, { action: "continue", inject: [] }],
    ["allowed = false", { allowed: false, reason: "no" }, { action: "abort", reason: "no" }],
    ["deny", { decision: "deny", reason: "no" }, { action: "abort", reason: "no" }],
    // Two keys say the same thing: a refusal in either stands.
    ["allowed, and deny", { allowed: true, decision: "deny" }, { action: "abort" }],
    ["not allowed, and allow", { allowed: false, decision: "allow" }, { action: "abort" }],
    ["ask", { decision: "ask", reason: "sure?" }, { decision: "ask", reason: "sure?" }],
    ["updated_input", { updated_input: input }, { ctx: { payload: { args: input } } }],
    ["inject", { inject }, { action: "continue", inject: [inject] }],
    [
      "refused, with updated_input",
      { allowed: false, reason: "no", updated_input: input },
      { action: "abort", reason: "no", ctx: { payload: { args: write("a").args } } },
    ],
    [
      "every key, as a dataclass writes them",
      { allowed: true, decision: "ask", reason: null, updated_input: null, inject: null },
      { action: "continue", decision: "ask", inject: [] },
    ],
  ])("HookResult: %s", async (_, result, due) => {
    const { orcs } = await load(answering(result));
    expect(await orcs.dispatch("PreToolUse", write("a"))).toMatchObject(due);
  });

  test("HookResult: the dataclass defaults deny nothing and grant nothing", async () => {
    const { orcs } = await load(answering({ allowed: true, decision: "allow", reason: null }));
    // `allow` is what a hook says that has no opinion: taken as a permission, it would skip the check.
    expect(await orcs.dispatch("PreToolUse", write("a"))).not.toHaveProperty("decision");
  });

  test.each([
    { allowed: "yes" },
    { decision: "block" },
    { updated_input: [1] },
    { inject: { text: "no content" } },
    { unknown: 1 },
  ])("a result of the wrong shape is a hook failure, not a pass: %j", async (result) => {
    const { orcs, logger } = await load(answering(result));
    expect((await orcs.dispatch("PreToolUse", write("a"))).action).toBe("abort");
    expect(logger.lines).toHaveLength(1);
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
    command("echo '{\"allowed\": false}'", "PreToolUse", `matcher = "${matcher}"`),
  );
  const { action } = await orcs.dispatch("PreToolUse", { tool_name, args: {} });
  expect(action).toBe(runs ? "abort" : "continue");
});

describe("Decision 5: external command protocol", () => {
  test("the event is in the environment too", async () => {
    const { orcs, cwd } = await load(command("env > env", "PostToolUse"));
    const payload = { ...write("a"), result: 1, session_id: "s-1", agent_id: "agent1" };
    await orcs.dispatch("PostToolUse", payload);
    const told = text(cwd, "env")
      .split("\n")
      .filter((line) => line.startsWith("MASSGEN_"));
    expect(told.toSorted()).toEqual([
      "MASSGEN_AGENT_ID=agent1",
      "MASSGEN_HOOK_TYPE=PostToolUse",
      "MASSGEN_ORCHESTRATOR_ID=host::main",
      "MASSGEN_SESSION_ID=s-1",
      "MASSGEN_TOOL_NAME=Write",
    ]);
  });

  test("a hook can be a POSIX shell script beside the configuration", async () => {
    const cwd = folder();
    const file = join(cwd, "no secrets.sh");
    copyFileSync(fileURLToPath(new URL("scripts/no-secrets.sh", import.meta.url)), file);
    chmodSync(file, 0o755);
    const { orcs } = await load(command("'./no secrets.sh' .env"), {}, cwd);
    const elsewhere = { cwd: folder() };
    expect(await orcs.dispatch("PreToolUse", { ...write("app/.env"), ...elsewhere })).toMatchObject(
      {
        action: "abort",
        reason: "Write: .env is out of bounds",
      },
    );
    const fine = await orcs.dispatch("PreToolUse", { ...write("app/main.ts"), ...elsewhere });
    expect(fine.action).toBe("continue");
  });

  test("the same protocol works over HTTP", async () => {
    const server = await servers.http((response) =>
      response.end(JSON.stringify({ allowed: false, reason: "not here" })),
    );
    const { orcs } = await load(`[[hooks]]
event = "PreToolUse"
webhook = { url = "${server.url}", protocol = "massgen", allow_hosts = ["${server.host}"] }
`);
    expect(await orcs.dispatch("PreToolUse", write("a"))).toMatchObject({ reason: "not here" });
    expect(JSON.parse(server.got[0]?.body ?? "")).toMatchObject({ hook_type: "PreToolUse" });
  });
});

describe("Decision 6: fail open or closed by kind of error", () => {
  const HANGS = "sleep 60";
  test.each([
    // A timeout does not block the agent, unless the hook says so.
    ["a timeout", HANGS, "timeout_sec = 0.2", "continue"],
    ["a timeout that is to refuse", HANGS, 'timeout_sec = 0.2\non_timeout = "closed"', "abort"],
    ["on_error says it of timeouts, too", HANGS, 'timeout_sec = 0.2\non_error = "closed"', "abort"],
    // What cannot be started is a mistake of configuration.
    ["a command that is not there", "/no/such/hook", "", "abort"],
    ["one that may not be run", "./orcs.toml", "", "abort"],
    ["one that is not there and may be", "/no/such/hook", 'on_error = "open"', "continue"],
    // An error at run time does not crash the agent.
    ["an error at run time", "echo Traceback >&2; exit 1", "", "continue"],
    ["one that is to refuse", "exit 1", 'on_error = "closed"', "abort"],
  ])("%s", async (_, handler, more, action) => {
    const { orcs, logger } = await load(command(handler, "PreToolUse", `name = "h"\n${more}`));
    expect((await orcs.dispatch("PreToolUse", write("a"))).action).toBe(action);
    expect(logger.lines).toEqual([expect.stringMatching(/^error: hook h failed at tool/)]);
  });

  test.each([HANGS, "/no/such/hook", "exit 1"])(
    "%s after a tool ran does not deny",
    async (handler) => {
      const { orcs, logger } = await load(command(handler, "PostToolUse", "timeout_sec = 0.2"));
      const tool = orcs.wrapTool("Write", () => "written");
      expect(await tool()).toBe("written");
      expect(logger.lines).toHaveLength(1);
    },
  );
});
