import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import ts from "typescript";
import { describe, expect, test, vi } from "vitest";
import * as box from "../../src/agents/adapters/a3s.ts";
import type {
  EventPayloads,
  HookEvent,
  HookResult,
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
 * stands there, with `@a3s-lab/box` being `orcs/a3s`. Examples that docs/how-to/coming-from/a3s.md shows with what they
 * print run there.
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

test("Event Types: each of the six, in both spellings; a handler sees what was fired", async () => {
  const { engine } = await engineWithLog();
  const seen: unknown[] = [];
  for (const [name, event_type] of SIX) {
    for (const written of [name, event_type]) {
      engine.register({ id: written, event_type: written as HookEventType });
      engine.register_handler(written, {
        handle: (event) => (seen.push([written, event]), HookResponse.continue_()),
      });
    }
  }
  for (const event of EVENTS) expect(await engine.fire(event)).toEqual({ action: "Continue" });
  expect(seen).toEqual(
    SIX.flatMap(([name, type], i) => [
      [name, EVENTS[i]],
      [type, EVENTS[i]],
    ]),
  );
});

const LS = { command: "ls" };
const LONG = { command: "ls -l" };
test.each<[string, HookResponse, HookResult, object[]]>([
  ["Continue", HookResponse.continue_(), { action: "Continue" }, [LS]],
  [
    "Continue with modified data: the next hook and the caller see it",
    HookResponse.continue_with(LONG),
    { action: "Continue", modified: LONG },
    [LONG],
  ],
  ["Block", HookResponse.block("no"), { action: "Block", reason: "no" }, []],
  ["Retry", HookResponse.retry(250), { action: "Retry", retry_delay_ms: 250 }, []],
  [
    "Skip: no further hooks, the operation goes on",
    HookResponse.skip(),
    { action: "Continue" },
    [],
  ],
])("Hook Actions %s", async (_, first, result, next) => {
  const { engine } = await engineWithLog();
  const seen: unknown[] = [];
  engine.register(Hook.new("first", HookEventType.PreToolUse).with_config({ priority: 1 }));
  engine.register(Hook.new("second", HookEventType.PreToolUse));
  engine.register_handler("first", { handle: () => first });
  engine.register_handler("second", {
    handle: ({ payload }: HookEvent<"pre_tool_use">) => (
      seen.push(payload.args),
      HookResponse.continue_()
    ),
  });
  expect(await engine.fire(bash("ls"))).toEqual(result);
  expect(seen).toEqual(next);
});

const write = (file_path: string) => toolUse("Write", { file_path });
const writes = (...paths: string[]) => paths.map(write);
/** Matchers as they stand in the document, and events with what lets them through to a hook. */
test.each<[string, block: string, through: HookEvent[], not: HookEvent[]]>([
  [
    "Tool Matcher",
    `// Only trigger for Bash tool
const matcher = { tool: "Bash" };`,
    [toolUse("Bash", {})],
    [toolUse("bash", {}), toolUse("BashOutput", {})],
  ],
  [
    "Path Pattern Matcher of a name",
    `// Match all Rust files
const matcher = { path_pattern: "*.rs" };`,
    writes("main.rs", "/workspace/src/deep/lib.rs"),
    writes("main.rs.txt"),
  ],
  [
    "Path Pattern Matcher of a folder",
    `// Match files in src directory
const matcher = { path_pattern: "src/**/*.ts" };`,
    writes("src/a.ts", "src/a/b/c.ts", "/workspace/src/d.ts"),
    writes("lib/a.ts", "/src/a.ts"),
  ],
  [
    "Glob patterns: * stays in its directory",
    `const matcher = { path_pattern: "src/*.ts" };`,
    writes("src/a.ts"),
    writes("src/a/b.ts"),
  ],
  [
    "Glob patterns: ** does not",
    `const matcher = { path_pattern: "src/**" };`,
    writes("src/a.ts", "src/a/b.ts"),
    [],
  ],
  [
    "Command Pattern Matcher",
    String.raw`// Match dangerous rm commands
const matcher = { command_pattern: "rm\\s+-rf" };`,
    [bash("sudo rm  -rf /")],
    [bash("rm -r x")],
  ],
  [
    "Command Pattern Matcher from the beginning",
    String.raw`// Match any git command
const matcher = { command_pattern: "^git\\s+" };`,
    [bash("git push")],
    [bash("legit x")],
  ],
  [
    "Session Matcher",
    `const matcher = { session_id: "session-123" };`,
    [bash("ls", "session-123")],
    [bash("ls", "session-1234")],
  ],
  [
    "Combined Matchers",
    `const matcher = {
  tool: "Bash",
  command_pattern: "rm",
  session_id: "session-123"
};`,
    [bash("rm x")],
    [bash("ls"), bash("rm x", "session-9"), toolUse("Shell", { command: "rm x" })],
  ],
])("Matchers %s", async (_, block, through, not) => {
  const { engine } = await engineWithLog();
  run(`${block}\nfound(matcher);`, {
    found: (matcher: MatcherSpec) =>
      engine.register({ id: "m", event_type: "pre_tool_use", matcher }),
  });
  engine.register_handler("m", { handle: () => HookResponse.block("matched") });
  for (const event of through) expect(await engine.fire(event)).toMatchObject({ action: "Block" });
  for (const event of not) expect(await engine.fire(event)).toEqual({ action: "Continue" });
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

/** The examples that the page shows without an event. */
const PAGE = new URL("../../docs/how-to/coming-from/a3s.md", import.meta.url);
const [, EXAMPLES = ""] =
  /new HookEngine\(\);\n([^]*?)\n\/\/ What the agent does/.exec(readFileSync(PAGE, "utf8")) ?? [];

describe("Usage Examples", () => {
  test("Logging: Audit Trail", async () => {
    const { engine } = await engineWithLog();
    const lines: string[] = [];
    inDocument(EXAMPLES, engine, { console: { log: (line: string) => void lines.push(line) } });
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
    inDocument(EXAMPLES, engine, { console });
    const event = { event_type: HookEventType.GenerateEnd, payload: PAYLOADS.generate_end };
    expect(await engine.fire(event)).toEqual({ action: "Continue" });
    expect(warnings).toEqual([]);
    await engine.fire(event);
    expect(warnings).toEqual(["Session session-123 exceeded 100k tokens"]);
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
