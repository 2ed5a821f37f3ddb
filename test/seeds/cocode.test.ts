import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CreateOrcsOptions } from "../../src/engine/orcs/options.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";
import { Servers } from "../unit/engine/handlers/webhook-rig.ts";
import { INTERPRETERS, PATH_WITH_PYTHON, script } from "./scripts/interpreters.ts";

/**
 * The examples of seed 003 (cocode), each in a test named after its section. TOML is as it is written there, in tests of
 * single keys with `protocol = "cocode"` at the handler, and with hosts on loopback; Rust is
 * ported. Examples 1 and 4 run in docs/how-to/coming-from/cocode.md. Commands are real processes, webhooks real requests.
 */

const servers = new Servers();
afterEach(() => servers.close());

/** Events of the published cocode besides those of the document. */
const PUBLISHED =
  "UserPromptSubmit Stop PermissionRequest Notification Setup UserPromptExpansion PostToolBatch StopFailure PermissionDenied PostCompact TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange InstructionsLoaded WorktreeCreate WorktreeRemove CwdChanged FileChanged".split(
    " ",
  );

/** `HookEventType`, with a payload for each. */
const EVENTS = {
  PreToolUse: { tool_name: "Edit", args: { file_path: "a.txt" } },
  PostToolUse: { tool_name: "Edit", args: { file_path: "a.txt" }, result: "edited" },
  PostToolUseFailure: { tool_name: "Edit", args: { file_path: "a.txt" }, error: "no such file" },
  PrePromptSubmit: { prompt: "Hello" },
  PostUserMessage: { prompt: "Hello" },
  SessionStart: {},
  SessionEnd: { reason: "exit" },
  SubagentStart: { child_id: "sub-1", parent_id: "main" },
  SubagentStop: { child_id: "sub-1", parent_id: "main", child_result: "done" },
  PreCompact: { trigger: "auto" },
  NotificationEvent: { message: "idle", kind: "idle" },
  StatusLine: {},
  FileSuggestion: { query: "a" },
} as const;
type EventType = keyof typeof EVENTS;
const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

interface Loaded {
  readonly orcs: Orcs;
  readonly logger: Lines;
  /** The home directory; the configuration is at `.config/cocode/hooks.toml` in it. */
  readonly home: string;
  /** The agent's working directory. */
  readonly cwd: string;
}

const CONFIG = ".config/cocode/hooks.toml";

/** An engine with a `~/.config/cocode/hooks.toml`. */
async function load(
  toml: string,
  files: Record<string, string> = {},
  options: CreateOrcsOptions = {},
): Promise<Loaded> {
  const home = folder({ [CONFIG]: toml, ".cocode/.keep": "", ...files });
  vi.stubEnv("HOME", home);
  vi.stubEnv("PATH", PATH_WITH_PYTHON);
  onTestFinished(() => void vi.unstubAllEnvs());
  const cwd = folder();
  const logger = new Lines();
  const orcs = await open({ cwd, config: join(home, CONFIG), logger, ...options });
  return { orcs, logger, home, cwd };
}

const text = (...path: string[]): string => readFileSync(join(...path), "utf8");
const bash = (command: string): { tool_name: string; args: { command: string } } => ({
  tool_name: "Bash",
  args: { command },
});

/** A `[[hooks]]` with a command that is asked for an answer, as cocode's are when they say so. */
const shellHook = (event: string, command: string, more = ""): string => `[[hooks]]
event = "${event}"
${more}
[hooks.shell]
command = ${JSON.stringify(command)}
pass_context = true
parse_result = true
protocol = "cocode"
`;

const printing = (answer: unknown): string => `echo '${JSON.stringify(answer)}'`;

test.each(EVENT_TYPES)(
  "Hook Event Types %s reaches a command under its own name",
  async (event) => {
    const { orcs, home } = await load(`[[hooks]]
event = "${event}"
[hooks.shell]
command = 'printf "%s/%s/%s" "$HOOK_EVENT" "\${HOOK_TOOL_NAME-none}" "$HOOK_SESSION_ID" > ~/env; cat > ~/context'
pass_context = true
protocol = "cocode"
`);
    const payload = { ...EVENTS[event], session_id: "s-1" };
    const { action } = await orcs.dispatch(event, payload, { trace: true });
    expect(action).toBe("continue");
    const tool = "tool_name" in payload ? payload.tool_name : "none";
    expect(text(home, "env")).toBe(`${event}/${tool}/s-1`);
    expect(JSON.parse(text(home, "context"))).toMatchObject({ event, session_id: "s-1" });
  },
);

function webhookHook(event: string, url: string, more = "", hook = ""): string {
  return `[[hooks]]
event = "${event}"
${hook}
[hooks.webhook]
url = "${url}"
protocol = "cocode"
${more}
`;
}

test("Hook Handlers Webhook: POST by default, PUT if set", async () => {
  const server = await servers.http((response) => response.end());
  const allow = `allow_hosts = ["${server.host}"]`;
  const { orcs } = await load(
    webhookHook("SessionEnd", server.url, allow) +
      webhookHook("SessionEnd", server.url, `method = "Put"\n${allow}`),
  );
  await orcs.dispatch("SessionEnd", {});
  expect(server.got.map(({ method }) => method)).toEqual(["POST", "PUT"]);
});

describe("TOML Configuration", () => {
  const toml = `# ~/.config/cocode/hooks.toml

[[hooks]]
event = "PreToolUse"
tool_matcher = "Bash*"
timeout_sec = 60

[hooks.shell]
command = "python ~/.config/cocode/hooks/validate_bash.py"
pass_context = true
parse_result = true

[[hooks]]
event = "PostToolUse"
tool_matcher = "Edit"

[hooks.webhook]
url = "https://api.example.com/hooks/file-changed"
method = "Post"
headers = { Authorization = "Bearer \${HOOK_API_KEY}" }

[[hooks]]
event = "SessionStart"
once = true

[hooks.shell]
command = "echo 'Session started' >> ~/.cocode/session.log"
`;

  test("loads as written; the variable that nobody allowed is empty, with a warning", async () => {
    vi.stubEnv("HOOK_API_KEY", "k-123456");
    const { orcs, logger } = await load(toml);
    expect(orcs.registry.list().map(({ point, timeoutMs }) => [point.name, timeoutMs])).toEqual([
      ["tool.pre_execute", 60_000],
      ["tool.post_execute", 30_000],
      ["session.on_start", 30_000],
    ]);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn: .*hooks\.toml:3: .*read as a hooks file of cocode/),
      expect.stringMatching(
        /^warn: .*hooks\.toml:20: .*HOOK_API_KEY\} is not listed in allow_env, so it is empty: the header Authorization is sent as "Bearer "/,
      ),
    ]);
    expect(logger.lines.join()).not.toContain("k-123456");
  });

  test("a webhook is sent with the empty variable, and its answer counts", async () => {
    const server = await servers.http((response) => response.end('{"Reject":{"reason":"late"}}'));
    vi.stubEnv("HOOK_API_KEY", "k-123456");
    const changed = `protocol = "cocode"\n${toml}`
      .replace("https://api.example.com", server.url)
      .replace('method = "Post"', `method = "Post"\nallow_hosts = ["${server.host}"]`);
    const { orcs } = await load(changed);
    const outcome = await orcs.dispatch("PostToolUse", EVENTS.PostToolUse);
    expect(outcome).toMatchObject({ action: "abort", reason: "late" });
    expect(server.got[0]?.headers["authorization"]).toBe("Bearer");
  });

  test.each(INTERPRETERS)("with its script $name", async (interpreter) => {
    const { program, extension } = interpreter;
    const server = await servers.http((response) => response.end('"Continue"'));
    vi.stubEnv("HOOK_API_KEY", "k-123456");
    const changed = toml
      .replace("python ~", `${program} ~`)
      .replace("validate_bash.py", `validate_bash.${extension}`)
      .replaceAll("parse_result = true", 'parse_result = true\nprotocol = "cocode"')
      .replace("https://api.example.com", server.url)
      .replace(
        'method = "Post"',
        `method = "Post"\nprotocol = "cocode"\nallow_env = ["HOOK_API_KEY"]\nallow_hosts = ["${server.host}"]`,
      );
    const { orcs, home, logger } = await load(changed, {
      [`.config/cocode/hooks/validate_bash.${extension}`]: script("validate_bash", interpreter),
    });

    await orcs.dispatch("SessionStart", {});
    await orcs.dispatch("SessionStart", {});
    expect(text(home, ".cocode/session.log")).toBe("Session started\n");

    expect(await orcs.dispatch("PreToolUse", bash("rm -rf /tmp/x"))).toMatchObject({
      action: "abort",
      reason: "validate_bash: rm -rf /tmp/x",
    });
    const { ctx } = await orcs.dispatch("PreToolUse", bash("pip install x"));
    expect(ctx.payload["args"]).toEqual({ command: "python -m pip install x" });
    const other = { tool_name: "Shell", args: { command: "rm -rf /" } };
    expect((await orcs.dispatch("PreToolUse", other)).action).toBe("continue");

    await orcs.dispatch("PostToolUse", EVENTS.PostToolUse);
    await orcs.dispatch("PostToolUse", { ...EVENTS.PostToolUse, tool_name: "Read" });
    expect(server.got).toHaveLength(1);
    const [got] = server.got;
    expect(got).toMatchObject({ method: "POST", url: "/hooks/file-changed" });
    expect(got?.headers["authorization"]).toBe("Bearer k-123456");
    expect(JSON.parse(got?.body ?? "")).toMatchObject({
      event: "PostToolUse",
      tool_name: "Edit",
      tool_output: "edited",
    });
    expect(logger.lines).toEqual([]);
  });
});

test("Loading Hooks every event is known", async () => {
  const events = [...EVENT_TYPES, ...PUBLISHED];
  const { orcs } = await load(events.map((event) => shellHook(event, "true")).join(""));
  expect(orcs.registry.list()).toHaveLength(events.length);
});

describe("Integration with Agent Loop", () => {
  const log = ["PreToolUse", "PostToolUse", "PostToolUseFailure"]
    .map((event) => shellHook(event, `sed "s/^/$HOOK_EVENT /; s/$/\\n/" >> ~/log`))
    .join("");

  /** `AgentLoop::execute_tool`. */
  async function execute(
    orcs: Orcs,
    tool: (input: unknown) => unknown,
    input: Record<string, string>,
  ): Promise<{ ok: unknown } | { error: string }> {
    const payload = { tool_name: "Write", args: input, session_id: "s-1" };
    try {
      const outcome = await orcs.invoke("tool.execute", payload, ({ args }) => tool(args));
      return outcome.action === "abort" ? { error: outcome.reason } : { ok: outcome.result };
    } catch (thrown) {
      return { error: (thrown as Error).message };
    }
  }
  const logged = (home: string) =>
    text(home, "log")
      .trim()
      .split("\n")
      .map((line) => {
        const [event, context] = [line.split(" ", 1)[0], line.slice(line.indexOf(" "))];
        return [event, JSON.parse(context)] as [string, Record<string, unknown>];
      });

  test("a successful tool: PreToolUse, the tool with the modified input, PostToolUse", async () => {
    const modify = printing({ ModifyInput: { new_input: { file_path: "/tmp/b" } } });
    const { orcs, home } = await load(shellHook("PreToolUse", modify) + log);
    const calls: unknown[] = [];
    const tool = (input: unknown): unknown => (calls.push({ ...(input as object) }), "written");
    expect(await execute(orcs, tool, { file_path: "/tmp/a" })).toEqual({ ok: "written" });
    expect(calls).toEqual([{ file_path: "/tmp/b" }]);
    const [pre, post] = logged(home);
    expect(logged(home)).toHaveLength(2);
    expect(pre).toMatchObject(["PreToolUse", { tool_input: { file_path: "/tmp/b" } }]);
    expect(post).toMatchObject([
      "PostToolUse",
      { tool_input: { file_path: "/tmp/b" }, tool_output: "written", session_id: "s-1" },
    ]);
  });

  test("a failing tool: PostToolUseFailure with the error, no PostToolUse", async () => {
    const { orcs, home } = await load(log);
    const tool = (): never => {
      throw new Error("disk full");
    };
    expect(await execute(orcs, tool, { file_path: "/tmp/a" })).toEqual({ error: "disk full" });
    expect(logged(home)).toMatchObject([
      ["PreToolUse", {}],
      ["PostToolUseFailure", { error: "disk full", tool_input: { file_path: "/tmp/a" } }],
    ]);
  });
});

describe("Example Use Cases", () => {
  test("2. Log File Changes", async () => {
    const { orcs, home, logger } = await load(`[[hooks]]
event = "PostToolUse"
tool_matcher = "Edit"
name = "log-edits"

[hooks.shell]
command = '''
echo "$(date): File edited - $HOOK_TOOL_NAME" >> ~/.cocode/edits.log
'''
`);
    await orcs.dispatch("PostToolUse", EVENTS.PostToolUse);
    await orcs.dispatch("PostToolUse", { ...EVENTS.PostToolUse, tool_name: "Write" });
    expect(text(home, ".cocode/edits.log")).toMatch(/^.*\d.*: File edited - Edit\n$/);
    expect(logger.lines).toEqual([expect.stringContaining("is read as a hooks file of cocode")]);
  });

  test("3. Notify on Session Start", async () => {
    const server = await servers.http((response) => response.end("ok"));
    // Slack answers "ok", which is no result: it goes on.
    const { orcs, logger } = await load(
      `protocol = "cocode"

[[hooks]]
event = "SessionStart"
name = "session-notify"
once = true

[hooks.webhook]
url = "https://hooks.slack.com/services/xxx"
method = "Post"
`.replace("https://hooks.slack.com", server.url) + `allow_hosts = ["${server.host}"]`,
    );
    await orcs.dispatch("SessionStart", { session_id: "s-1" });
    await orcs.dispatch("SessionStart", { session_id: "s-2" });
    expect(server.got).toMatchObject([{ method: "POST", url: "/services/xxx" }]);
    expect(JSON.parse(server.got[0]?.body ?? "")).toMatchObject({ session_id: "s-1" });
    expect(logger.lines).toEqual([]);
  });
});

test("Summary: Hook Event Flow", async () => {
  const log = EVENT_TYPES.map((event) => shellHook(event, 'echo "$HOOK_EVENT" >> ~/flow')).join("");
  const { orcs, home } = await load(log);
  const session = { session_id: "s-1" };
  await orcs.dispatch("session.on_start", session);
  await orcs.dispatch("prompt.pre_submit", { ...session, prompt: "Hello" });
  await orcs.dispatch("prompt.post_submit", { ...session, prompt: "Hello" });
  const call = { ...session, tool_name: "Write", args: {} };
  await orcs.invoke("tool.execute", call, () => "ok");
  await expect(
    orcs.invoke("tool.execute", call, () => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");
  await orcs.invoke("child.spawn", { ...session, child_config: {} }, () => ({}));
  await orcs.invoke("child.run", { ...session, child_id: "c" }, () => "done");
  await orcs.dispatch("context.pre_compact", session);
  await orcs.dispatch("session.on_end", session);
  expect(text(home, "flow").trim().split("\n")).toEqual([
    "SessionStart",
    "PrePromptSubmit",
    "PostUserMessage",
    "PreToolUse",
    "PostToolUse",
    "PreToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
  ]);
});
