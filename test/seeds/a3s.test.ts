import { runInThisContext } from "node:vm";
import ts from "typescript";
import { describe, expect, test, vi } from "vitest";
import * as box from "../../src/agents/adapters/a3s.ts";
import type {
  EventPayloads,
  HookEvent,
  HookSpec,
  MatcherSpec,
} from "../../src/agents/adapters/a3s.ts";
import {
  Hook,
  HookEngine,
  HookEventType,
  HookMatcher,
  HookResponse,
} from "../../src/agents/adapters/a3s.ts";
import { Lines, open } from "../unit/engine/orcs/engine.ts";

/**
 * The sections and examples of the A3S Box "Hooks System". Code is untouched: it is compiled and run as it
 * stands there, with `@a3s-lab/box` being `orcs/a3s`.
 */

/** Run a block of the document, with what it takes for granted. */
function run(block: string, names: Readonly<Record<string, unknown>>): void {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(block, { compilerOptions });
  const given = Object.entries(names);
  const body = `(function (${given.map(([name]) => name).join(", ")}) {\n${outputText}\n})`;
  const call = runInThisContext(body) as (...values: unknown[]) => void;
  call(...given.map(([, value]) => value));
}

async function engineWithLog() {
  const logger = new Lines();
  return { engine: new HookEngine(await open({ logger })), logger };
}

function inDocument(block: string, engine: HookEngine, more: object = {}): void {
  run(block, { ...box, engine, ...more });
}

const MODEL = { model_provider: "acme", model_name: "large" };
const USAGE = { prompt_tokens: 30_000, completion_tokens: 21_000, total_tokens: 51_000 };

/** The six event types of the document. */
const DOCUMENTED = [
  "pre_tool_use",
  "post_tool_use",
  "generate_start",
  "generate_end",
  "session_start",
  "session_end",
] as const;

/** An event of each type, as the document describes them. */
const PAYLOADS: Pick<EventPayloads, (typeof DOCUMENTED)[number]> = {
  pre_tool_use: {
    session_id: "session-123",
    tool: "Bash",
    args: { command: "ls" },
    working_directory: "/workspace",
    recent_tools: ["Read", "Write"],
  },
  post_tool_use: {
    session_id: "session-123",
    tool: "Bash",
    args: { command: "ls" },
    result: { success: true, output: "a.ts", exit_code: 0, duration_ms: 12 },
  },
  generate_start: {
    session_id: "session-123",
    prompt: "hello",
    system_prompt: "be brief",
    ...MODEL,
    available_tools: ["Bash", "Write"],
  },
  generate_end: {
    session_id: "session-123",
    prompt: "hello",
    response_text: "hi",
    tool_calls: [{ name: "Bash", args: { command: "ls" } }],
    usage: USAGE,
    duration_ms: 900,
  },
  session_start: { session_id: "session-123", system_prompt: "be brief", ...MODEL },
  session_end: {
    session_id: "session-123",
    total_tokens: 51_000,
    total_tool_calls: 3,
    duration_ms: 60_000,
  },
};

function toolUse(tool: string, args: Record<string, string>, session_id = "session-123") {
  const payload = { ...PAYLOADS.pre_tool_use, tool, args, session_id };
  return { event_type: HookEventType.PreToolUse, payload };
}

const bash = (command: string, session_id?: string) => toolUse("Bash", { command }, session_id);

const EVENTS = Object.entries(PAYLOADS).map(([event_type, payload]) => ({
  event_type,
  payload: payload as unknown,
})) as HookEvent[];

const SIX = Object.entries(HookEventType).filter(([, type]) => Object.hasOwn(PAYLOADS, type));

test("Event Types: each of the six, in both spellings", async () => {
  const { engine } = await engineWithLog();
  const seen: string[] = [];
  for (const [name, event_type] of SIX) {
    for (const written of [name, event_type]) {
      engine.register({ id: written, event_type: written as HookEventType });
      engine.register_handler(written, {
        handle: ({ event_type }) => {
          seen.push(`${written} got ${event_type}`);
          return HookResponse.continue_();
        },
      });
    }
  }
  for (const event of EVENTS) expect(await engine.fire(event)).toEqual({ action: "Continue" });
  expect(seen).toEqual(
    SIX.flatMap(([name, type]) => [`${name} got ${type}`, `${type} got ${type}`]),
  );
});

test.each(EVENTS)("Event Payloads $event_type: a handler sees what was fired", async (event) => {
  const { engine } = await engineWithLog();
  const seen: unknown[] = [];
  engine.register(Hook.new("h", event.event_type));
  engine.register_handler("h", {
    handle: (event) => {
      seen.push(event);
      return HookResponse.continue_();
    },
  });
  await engine.fire(event);
  expect(seen).toEqual([event]);
});

describe("Hook Actions", () => {
  const twoHooks = async (first: HookResponse) => {
    const { engine } = await engineWithLog();
    const seen: unknown[] = [];
    engine.register(Hook.new("first", HookEventType.PreToolUse).with_config({ priority: 1 }));
    engine.register(Hook.new("second", HookEventType.PreToolUse));
    engine.register_handler("first", { handle: () => first });
    engine.register_handler("second", {
      handle: (event: HookEvent<"pre_tool_use">) => {
        seen.push(event.payload.args);
        return HookResponse.continue_();
      },
    });
    return { result: await engine.fire(bash("ls")), seen };
  };

  test("Continue", async () => {
    const { result, seen } = await twoHooks(HookResponse.continue_());
    expect(result).toEqual({ action: "Continue" });
    expect(seen).toEqual([{ command: "ls" }]);
  });

  test("Continue with modified data: the next hook and the caller see it", async () => {
    const { result, seen } = await twoHooks(HookResponse.continue_with({ command: "ls -l" }));
    expect(result).toEqual({ action: "Continue", modified: { command: "ls -l" } });
    expect(seen).toEqual([{ command: "ls -l" }]);
  });

  test("Block", async () => {
    const { result, seen } = await twoHooks(HookResponse.block("no"));
    expect(result).toEqual({ action: "Block", reason: "no" });
    expect(seen).toEqual([]);
  });

  test("Retry", async () => {
    const { result, seen } = await twoHooks(HookResponse.retry(250));
    expect(result).toEqual({ action: "Retry", retry_delay_ms: 250 });
    expect(seen).toEqual([]);
  });

  test("Skip: no further hooks, the operation goes on", async () => {
    const { result, seen } = await twoHooks(HookResponse.skip());
    expect(result).toEqual({ action: "Continue" });
    expect(seen).toEqual([]);
  });
});

describe("Matchers", () => {
  /** Which of some events a matcher lets through to its hook. */
  const matched = async (block: string, events: HookEvent[]): Promise<boolean[]> => {
    const { engine } = await engineWithLog();
    run(`${block}\nfound(matcher);`, {
      found: (matcher: MatcherSpec) =>
        engine.register({ id: "m", event_type: "pre_tool_use", matcher }),
    });
    engine.register_handler("m", { handle: () => HookResponse.block("matched") });
    const results = await Promise.all(events.map((event) => engine.fire(event)));
    return results.map(({ action }) => action === "Block");
  };
  const write = (file_path: string) => toolUse("Write", { file_path });

  test("Tool Matcher", async () => {
    const block = `// Only trigger for Bash tool
const matcher = { tool: "Bash" };`;
    const events = ["Bash", "bash", "BashOutput"].map((tool) => toolUse(tool, {}));
    expect(await matched(block, events)).toEqual([true, false, false]);
  });

  test("Path Pattern Matcher", async () => {
    const rust = `// Match all Rust files
const matcher = { path_pattern: "*.rs" };`;
    const rustFiles = ["main.rs", "/workspace/src/deep/lib.rs", "main.rs.txt"].map(write);
    expect(await matched(rust, rustFiles)).toEqual([true, true, false]);
    const src = `// Match files in src directory
const matcher = { path_pattern: "src/**/*.ts" };`;
    const paths = ["src/a.ts", "src/a/b/c.ts", "/workspace/src/d.ts", "lib/a.ts", "/src/a.ts"];
    expect(await matched(src, paths.map(write))).toEqual([true, true, true, false, false]);
  });

  test("Glob patterns: * stays in its directory, ** does not", async () => {
    const paths = ["src/a.ts", "src/a/b.ts"].map(write);
    expect(await matched(`const matcher = { path_pattern: "src/*.ts" };`, paths)).toEqual([
      true,
      false,
    ]);
    expect(await matched(`const matcher = { path_pattern: "src/**" };`, paths)).toEqual([
      true,
      true,
    ]);
  });

  test("Command Pattern Matcher", async () => {
    const rm = String.raw`// Match dangerous rm commands
const matcher = { command_pattern: "rm\\s+-rf" };`;
    expect(
      await matched(
        rm,
        ["sudo rm  -rf /", "rm -r x"].map((c) => bash(c)),
      ),
    ).toEqual([true, false]);
    const git = String.raw`// Match any git command
const matcher = { command_pattern: "^git\\s+" };`;
    expect(
      await matched(
        git,
        ["git push", "legit x"].map((c) => bash(c)),
      ),
    ).toEqual([true, false]);
  });

  test("Session Matcher", async () => {
    const block = `const matcher = { session_id: "session-123" };`;
    const events = [bash("ls", "session-123"), bash("ls", "session-1234")];
    expect(await matched(block, events)).toEqual([true, false]);
  });

  test("Combined Matchers", async () => {
    const block = `const matcher = {
  tool: "Bash",
  command_pattern: "rm",
  session_id: "session-123"
};`;
    const events = [
      bash("rm x"),
      bash("ls"),
      bash("rm x", "session-9"),
      toolUse("Shell", { command: "rm x" }),
    ];
    expect(await matched(block, events)).toEqual([true, false, false, false]);
  });
});

test("Hook Configuration: the defaults", () => {
  expect(Hook.new("h", HookEventType.PreToolUse).config).toEqual({
    priority: 100,
    timeout_ms: 30_000,
    async_execution: false,
    max_retries: 0,
  });
});

const ASYNC_EXECUTION = `engine.register({
  id: "metrics-reporter",
  event_type: "post_tool_use",
  config: { async_execution: true }
});`;

test("Async Execution: returns Continue at once, whatever the handler returns", async () => {
  const orcs = await open();
  const engine = new HookEngine(orcs);
  inDocument(ASYNC_EXECUTION, engine);
  const seen: unknown[] = [];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  engine.register_handler("metrics-reporter", {
    handle: async ({ payload }: HookEvent<"post_tool_use">) => {
      await finished;
      seen.push(payload.result);
      return HookResponse.continue_with({ success: false, output: "", duration_ms: 0 });
    },
  });
  const event = { event_type: HookEventType.PostToolUse, payload: PAYLOADS.post_tool_use };
  expect(await engine.fire(event)).toEqual({ action: "Continue" });
  expect(seen).toEqual([]);
  finish();
  await vi.waitFor(() => expect(seen).toEqual([event.payload.result]), { timeout: 10_000 });
});

const BLOCK_DANGEROUS = String.raw`import { HookEngine, Hook, HookMatcher, HookEventType } from "@a3s-lab/box";

const engine = new HookEngine();

// Block rm -rf commands
engine.register(
  Hook.new("block-rm-rf", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.command("rm\\s+-rf"))
    .with_config({ priority: 1 })
);

engine.register_handler("block-rm-rf", {
  handle: (event) => ({
    action: "Block",
    reason: "Recursive force deletion is not allowed"
  })
});`;

const RESTRICT_WRITES = `// Only allow writing to specific directories
engine.register(
  Hook.new("restrict-writes", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.tool("Write"))
);

engine.register_handler("restrict-writes", {
  handle: (event) => {
    const path = event.payload.args.file_path;
    if (!path.startsWith("/workspace/")) {
      return {
        action: "Block",
        reason: \`Write access denied: \${path} is outside workspace\`
      };
    }
    return { action: "Continue" };
  }
});`;

const ADD_TIMEOUT = `// Add timeout to all Bash commands
engine.register(
  Hook.new("add-timeout", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.tool("Bash"))
);

engine.register_handler("add-timeout", {
  handle: (event) => {
    const args = event.payload.args;
    return {
      action: "Continue",
      modified: {
        ...args,
        timeout: args.timeout || 30000 // Default 30s timeout
      }
    };
  }
});`;

const AUDIT_TRAIL = `// Log all tool executions
engine.register(
  Hook.new("audit-log", HookEventType.PostToolUse)
    .with_config({ async_execution: true, priority: 1000 })
);

engine.register_handler("audit-log", {
  handle: (event) => {
    const { tool, args, result } = event.payload;
    console.log(JSON.stringify({
      timestamp: new Date().toISOString(),
      session: event.payload.session_id,
      tool,
      args,
      success: result.success,
      duration_ms: result.duration_ms
    }));
    return { action: "Continue" };
  }
});`;

const TOKEN_BUDGET = `// Track and limit token usage
let sessionTokens = new Map<string, number>();

engine.register(
  Hook.new("token-budget", HookEventType.GenerateEnd)
);

engine.register_handler("token-budget", {
  handle: (event) => {
    const { session_id, usage } = event.payload;
    const current = sessionTokens.get(session_id) || 0;
    const updated = current + usage.total_tokens;
    sessionTokens.set(session_id, updated);

    if (updated > 100000) {
      console.warn(\`Session \${session_id} exceeded 100k tokens\`);
    }
    return { action: "Continue" };
  }
});`;

const RATE_LIMIT = `engine.register(
  Hook.new("rate-limit-retry", HookEventType.GenerateStart)
);

engine.register_handler("rate-limit-retry", {
  handle: (event) => {
    // Check if rate limited (example logic)
    if (isRateLimited(event.payload.session_id)) {
      return {
        action: "Retry",
        retry_delay_ms: 5000 // Wait 5 seconds
      };
    }
    return { action: "Continue" };
  }
});`;

/** The first example, which makes the engine of those that follow. */
function firstExample(): HookEngine {
  const exports: { engine?: HookEngine } = {};
  const modules: Record<string, unknown> = { "@a3s-lab/box": box };
  const require = (name: string) => modules[name];
  run(`${BLOCK_DANGEROUS}\nexports.engine = engine;`, { require, exports });
  return exports.engine as HookEngine;
}

describe("Usage Examples", () => {
  test("Security: Block Dangerous Commands", async () => {
    const engine = firstExample();
    expect(await engine.fire(bash("rm -rf /"))).toEqual({
      action: "Block",
      reason: "Recursive force deletion is not allowed",
    });
    expect(await engine.fire(bash("ls"))).toEqual({ action: "Continue" });
    await engine.close();
  });

  test("Validation: Restrict File Access", async () => {
    const { engine } = await engineWithLog();
    inDocument(RESTRICT_WRITES, engine);
    const write = (file_path: string) => engine.fire(toolUse("Write", { file_path }));
    expect(await write("/etc/passwd")).toEqual({
      action: "Block",
      reason: "Write access denied: /etc/passwd is outside workspace",
    });
    expect(await write("/workspace/a.ts")).toEqual({ action: "Continue" });
    // No path at all: the handler throws, and a guard that fails refuses.
    expect(await engine.fire(toolUse("Write", {}))).toMatchObject({
      action: "Block",
      reason: expect.stringContaining("hook restrict-writes failed") as string,
    });
  });

  test("Transformation: Modify Tool Arguments", async () => {
    const { engine } = await engineWithLog();
    inDocument(ADD_TIMEOUT, engine);
    const event = bash("make");
    expect(await engine.fire(event)).toEqual({
      action: "Continue",
      modified: { command: "make", timeout: 30000 },
    });
    expect(event.payload.args).toEqual({ command: "make" });
    const other = toolUse("Read", { file_path: "a" });
    expect(await engine.fire(other)).toEqual({ action: "Continue" });
  });

  test("Logging: Audit Trail", async () => {
    const { engine } = await engineWithLog();
    const lines: string[] = [];
    inDocument(AUDIT_TRAIL, engine, { console: { log: (line: string) => void lines.push(line) } });
    const payload = PAYLOADS.post_tool_use;
    expect(await engine.fire({ event_type: "post_tool_use", payload })).toEqual({
      action: "Continue",
    });
    await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000 });
    expect(JSON.parse(lines[0] as string)).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-/) as string,
      session: "session-123",
      tool: "Bash",
      args: { command: "ls" },
      success: true,
      duration_ms: 12,
    });
  });

  test("Cost Control: Token Budget", async () => {
    const { engine } = await engineWithLog();
    const warnings: string[] = [];
    const console = { warn: (line: string) => void warnings.push(line) };
    inDocument(TOKEN_BUDGET, engine, { console });
    const event = { event_type: HookEventType.GenerateEnd, payload: PAYLOADS.generate_end };
    expect(await engine.fire(event)).toEqual({ action: "Continue" });
    expect(warnings).toEqual([]);
    await engine.fire(event);
    expect(warnings).toEqual(["Session session-123 exceeded 100k tokens"]);
  });

  test("Retry Logic: Rate Limit Handling", async () => {
    const { engine } = await engineWithLog();
    inDocument(RATE_LIMIT, engine, { isRateLimited: (session: string) => session === "busy" });
    const fire = (session_id: string) =>
      engine.fire({
        event_type: "generate_start",
        payload: { ...PAYLOADS.generate_start, session_id },
      });
    expect(await fire("busy")).toEqual({ action: "Retry", retry_delay_ms: 5000 });
    expect(await fire("idle")).toEqual({ action: "Continue" });
  });
});

test("Execution Flow: matching hooks run in priority order, each with the modified event", async () => {
  const { engine } = await engineWithLog();
  const seen: string[] = [];
  const step = (id: string, priority: number, matcher: HookMatcher) => {
    engine.register(
      Hook.new(id, HookEventType.PreToolUse).with_matcher(matcher).with_config({ priority }),
    );
    engine.register_handler(id, {
      handle: async ({ payload }: HookEvent<"pre_tool_use">) => {
        await Promise.resolve();
        const command = payload.args["command"] as string;
        seen.push(`${id}: ${command}`);
        return HookResponse.continue_with({ command: `${command} ${id}` });
      },
    });
  };
  step("c", 30, HookMatcher.new());
  step("b", 20, HookMatcher.command("x a"));
  step("a", 10, HookMatcher.tool("Bash"));
  step("never", 15, HookMatcher.tool("Write"));
  expect(await engine.fire(bash("x"))).toEqual({
    action: "Continue",
    modified: { command: "x a b c" },
  });
  expect(seen).toEqual(["a: x", "b: x a", "c: x a b"]);
});

test("Best Practices 4. Handle Errors Gracefully", async () => {
  const { engine } = await engineWithLog();
  const errors: unknown[] = [];
  const block = `engine.register_handler("my-hook", {
  handle: (event) => {
    try {
      // Your logic
      throw new Error("mine");
      return { action: "Continue" };
    } catch (error) {
      console.error("Hook error:", error);
      return { action: "Continue" }; // Don't block on errors
    }
  }
});`;
  const console = { error: (...words: unknown[]) => void errors.push(words) };
  inDocument(block, engine, { console });
  engine.register(Hook.new("my-hook", HookEventType.PreToolUse));
  expect(await engine.fire(bash("ls"))).toEqual({ action: "Continue" });
  expect(errors).toEqual([["Hook error:", new Error("mine")]]);
});

describe("API Reference", () => {
  test("HookEngine", async () => {
    const { engine } = await engineWithLog();
    expect([engine.hook_count(), engine.all_hooks(), engine.get_hook("h")]).toEqual([0, [], null]);
    const hook = Hook.new("h", HookEventType.PreToolUse);
    engine.register(hook);
    engine.register_handler("h", { handle: () => HookResponse.block("no") });
    expect(engine.all_hooks()).toEqual([hook]);
    expect(engine.get_hook("h")).toBe(hook);
    expect(engine.hook_count()).toBe(1);
    expect(await engine.fire(bash("ls"))).toEqual({ action: "Block", reason: "no" });
    engine.unregister_handler("h");
    expect(await engine.fire(bash("ls"))).toEqual({ action: "Continue" });
    engine.register_handler("h", { handle: () => HookResponse.block("again") });
    expect(await engine.fire(bash("ls"))).toEqual({ action: "Block", reason: "again" });
    expect(engine.unregister("h")).toBe(hook);
    expect(engine.unregister("h")).toBeNull();
    expect(await engine.fire(bash("ls"))).toEqual({ action: "Continue" });
    expect(engine.hook_count()).toBe(0);
  });

  test("Hook", () => {
    const hook = Hook.new("h", HookEventType.SessionEnd)
      .with_matcher(HookMatcher.session("s"))
      .with_config({ priority: 1 })
      .with_config({ timeout_ms: 5 });
    expect(hook).toMatchObject({
      id: "h",
      event_type: "session_end",
      matcher: { session_id: "s" },
      config: { priority: 1, timeout_ms: 5, async_execution: false, max_retries: 0 },
    } satisfies HookSpec);
  });

  test("HookMatcher", () => {
    expect(HookMatcher.new()).toEqual({});
    expect(HookMatcher.tool("a")).toEqual({ tool: "a" });
    expect(HookMatcher.path("a")).toEqual({ path_pattern: "a" });
    expect(HookMatcher.command("a")).toEqual({ command_pattern: "a" });
    expect(HookMatcher.session("a")).toEqual({ session_id: "a" });
    const base = HookMatcher.new().with_tool("t").with_path("p");
    expect(base.with_command("c").with_session("s").with_path("q")).toEqual({
      tool: "t",
      path_pattern: "q",
      command_pattern: "c",
      session_id: "s",
    });
    expect(base).toEqual({ tool: "t", path_pattern: "p" });
  });

  test("HookResponse", () => {
    expect(HookResponse.continue_()).toEqual({ action: "Continue" });
    expect(HookResponse.continue_with({ a: 1 })).toEqual({
      action: "Continue",
      modified: { a: 1 },
    });
    expect(HookResponse.block("no")).toEqual({ action: "Block", reason: "no" });
    expect(HookResponse.retry(5)).toEqual({ action: "Retry", retry_delay_ms: 5 });
    expect(HookResponse.skip()).toEqual({ action: "Skip" });
  });
});

test("durations as given, recent tools filled in, and the events of a run", async () => {
  const engine = new HookEngine();
  const seen: unknown[] = [];
  for (const event_type of [
    "generate_end",
    "pre_tool_use",
    "pre_run_control",
    "post_run_control",
  ] as const) {
    engine.register(Hook.new(event_type, event_type));
    engine.register_handler(event_type, {
      handle: ({ payload }) => {
        seen.push(payload);
        return {
          action: event_type === "pre_run_control" ? "Block" : "Continue",
          reason: "no",
        } as never;
      },
    });
  }
  const fire = (event_type: string, payload: object) =>
    engine.fire({ event_type, payload } as never);
  await fire("generate_end", { session_id: "s", duration_ms: 1.5 });
  for (const tool of ["Read", "Bash", "Write"])
    await fire("pre_tool_use", { session_id: "s", tool, args: {} });
  await fire("pre_tool_use", { session_id: "t", tool: "Read", args: {}, recent_tools: ["own"] });
  expect(seen.splice(0)).toEqual([
    { session_id: "s", duration_ms: 1.5 },
    ...[[], ["Read"], ["Read", "Bash"]].map(
      (recent_tools) => expect.objectContaining({ recent_tools }) as unknown,
    ),
    expect.objectContaining({ recent_tools: ["own"] }),
  ]);
  expect(await fire("pre_run_control", { command: "pause" })).toMatchObject({ action: "Block" });
  await fire("post_run_control", { command: "pause" });
  expect(seen).toEqual([{ command: "pause" }, { command: "pause" }]);
  await engine.close();
});
