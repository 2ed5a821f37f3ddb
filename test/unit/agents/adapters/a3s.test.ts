import * as fc from "fast-check";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import {
  Hook,
  HookEngine,
  HookMatcher,
  HookResponse,
} from "../../../../src/agents/adapters/a3s.ts";
import type { HookEvent, HookEventType, HookResult } from "../../../../src/agents/adapters/a3s.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { errorOf, Lines, open } from "../../engine/orcs/engine.ts";

const SESSION = { session_id: "s-1" };
const MODEL = { model_provider: "acme", model_name: "large" };
const RESULT = { success: true, output: "a", duration_ms: 1 };

/** The six types of the document. */
type Documented =
  | "pre_tool_use"
  | "post_tool_use"
  | "generate_start"
  | "generate_end"
  | "session_start"
  | "session_end";

/** One event of each type. */
const EVENTS: { [E in Documented]: HookEvent<E> } = {
  pre_tool_use: {
    event_type: "pre_tool_use",
    payload: {
      ...SESSION,
      tool: "Bash",
      args: { command: "ls" },
      working_directory: "/workspace",
      recent_tools: [],
    },
  },
  post_tool_use: {
    event_type: "post_tool_use",
    payload: { ...SESSION, tool: "Bash", args: { command: "ls" }, result: RESULT },
  },
  generate_start: {
    event_type: "generate_start",
    payload: { ...SESSION, prompt: "hello", ...MODEL, available_tools: ["Bash"] },
  },
  generate_end: {
    event_type: "generate_end",
    payload: {
      ...SESSION,
      prompt: "hello",
      response_text: "hi",
      tool_calls: [],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      duration_ms: 3,
    },
  },
  session_start: { event_type: "session_start", payload: { ...SESSION, ...MODEL } },
  session_end: {
    event_type: "session_end",
    payload: { ...SESSION, total_tokens: 2, total_tool_calls: 0, duration_ms: 9 },
  },
};

async function onOrcs() {
  const logger = new Lines();
  const orcs = await open({ logger });
  return { orcs, engine: new HookEngine(orcs), logger };
}

/** What an event comes to with one hook that answers this. */
async function answered(type: Documented, answer: unknown) {
  const { engine, logger } = await onOrcs();
  engine.register(Hook.new("h", type));
  engine.register_handler("h", { handle: () => answer as HookResponse });
  return { result: await engine.fire<HookEventType>(EVENTS[type]), log: logger.lines };
}

describe("an a3s HookEngine with its own orcs engine", () => {
  function own(): HookEngine {
    const engine = new HookEngine();
    onTestFinished(() => engine.close());
    return engine;
  }

  test("creates it once for concurrent first events", async () => {
    const engine = own();
    const seen: number[] = [];
    engine.register({ id: "h", event_type: "pre_tool_use" });
    engine.register_handler("h", {
      handle: () => {
        seen.push(seen.length);
        return HookResponse.continue_();
      },
    });
    await Promise.all([1, 2, 3].map(() => engine.fire(EVENTS.pre_tool_use)));
    expect(seen).toEqual([0, 1, 2]);
  });

  test("accepts and removes hooks before, during and after its creation", async () => {
    const engine = own();
    const block = (id: string) => {
      engine.register({ id, event_type: "pre_tool_use" });
      engine.register_handler(id, { handle: () => HookResponse.block(id) });
    };
    const fired = async () => {
      const result = await engine.fire(EVENTS.pre_tool_use);
      return result.action === "Block" ? result.reason : result.action;
    };
    block("gone");
    block("before");
    const first = fired();
    engine.unregister("gone");
    block("while");
    expect(await first).toBe("before");
    engine.unregister("before");
    expect(await fired()).toBe("while");
    block("after");
    engine.unregister("while");
    expect(await fired()).toBe("after");
    engine.unregister("after");
    expect(await fired()).toBe("Continue");
  });

  test("denies every event while it has an invalid hook, with the reason", async () => {
    const engine = own();
    engine.register(Hook.new("good", "pre_tool_use"));
    engine.register(Hook.new("bad", "pre_tool_use").with_matcher(HookMatcher.command("rm(")));
    engine.register_handler("good", { handle: () => HookResponse.block("good") });
    for (const event of [EVENTS.pre_tool_use, EVENTS.session_end]) {
      const error = await errorOf(engine.fire<HookEventType>(event));
      expect(error).toMatchObject({ code: "ORCS1012", fields: { pattern: "rm(" } });
    }
    engine.unregister("bad");
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({ action: "Block", reason: "good" });
  });

  test("can be closed before and after its creation", async () => {
    const unused = own();
    await unused.close();
    expect((await errorOf(unused.fire(EVENTS.pre_tool_use))).code).toBe("ORCS2006");
    const used = own();
    await used.fire(EVENTS.pre_tool_use);
    await used.close();
    await used.close();
    expect((await errorOf(used.fire(EVENTS.pre_tool_use))).code).toBe("ORCS2006");
  });
});

describe("an a3s HookEngine on a given orcs engine", () => {
  test("does not close it", async () => {
    const { orcs, engine } = await onOrcs();
    await engine.close();
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({ action: "Continue" });
    await orcs.close();
    expect((await errorOf(engine.fire(EVENTS.pre_tool_use))).code).toBe("ORCS2006");
  });

  test("reports an invalid hook at once and keeps the one it would replace", async () => {
    const { engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register_handler("h", { handle: () => HookResponse.block("still there") });
    const wrong: [string, () => unknown][] = [
      ["ORCS1012", () => Hook.new("h", "pre_tool_use").with_matcher(HookMatcher.path("a[b"))],
      ["ORCS1004", () => Hook.new("h", "pre_tool_use").with_config({ timeout_ms: 0 })],
      ["ORCS1003", () => ({ id: "h", event_type: "pre_tool_use", matcher: { tol: "Bash" } })],
      ["ORCS1003", () => ({ id: "h", event_type: "pre_tool_use", config: { timeout: 5 } })],
      ["ORCS1005", () => ({ id: "h", event_type: "pre_tool" })],
    ];
    for (const [code, hook] of wrong) {
      expect((await errorOf(() => engine.register(hook() as Hook))).code).toBe(code);
    }
    expect(engine.hook_count()).toBe(1);
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({
      action: "Block",
      reason: "still there",
    });
  });

  test("keeps its ids separate from other hooks", async () => {
    const { orcs, engine } = await onOrcs();
    orcs.hook({ id: "h", point: "tool.pre_execute", handler: () => undefined });
    const error = await errorOf(() => engine.register(Hook.new("h", "pre_tool_use")));
    expect(error.code).toBe("ORCS2007");
    expect([engine.hook_count(), engine.unregister("h")]).toEqual([0, null]);
    expect(orcs.registry.get("h")).toBeDefined();
  });

  test("replaces a hook with the same id, at another event too; the handler stays", async () => {
    const { orcs, engine } = await onOrcs();
    engine.register_handler("h", { handle: () => HookResponse.retry(1) });
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register(Hook.new("h", "generate_start"));
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({ action: "Continue" });
    expect(await engine.fire(EVENTS.generate_start)).toMatchObject({ action: "Retry" });
    expect(orcs.registry.size).toBe(1);
  });

  test("runs for the engine's tools, with A3S names, and can change the arguments", async () => {
    const { orcs, engine } = await onOrcs();
    const seen: unknown[] = [];
    for (const type of ["pre_tool_use", "post_tool_use"] as const) {
      engine.register(Hook.new(type, type));
      engine.register_handler(type, {
        handle: ({ payload }: HookEvent) => {
          seen.push(payload);
          return type === "pre_tool_use"
            ? HookResponse.continue_with({ n: 2 })
            : HookResponse.continue_with({ doubled: 5 });
        },
      });
    }
    const double = orcs.wrapTool("double", ({ n }: { n: number }) => ({ doubled: n * 2 }));
    expect(await double({ n: 1 })).toEqual({ doubled: 5 });
    expect(seen).toEqual([
      { tool: "double", args: { n: 1 } },
      { tool: "double", args: { n: 2 }, result: { doubled: 4 } },
    ]);
  });

  test("the engine's own hooks see orcs names", async () => {
    const { orcs, engine } = await onOrcs();
    const seen: unknown[] = [];
    orcs.on("tool.pre_execute", ({ payload }) => void seen.push({ ...payload }));
    orcs.on("session.on_end", ({ payload }) => void seen.push({ ...payload }));
    await engine.fire(EVENTS.pre_tool_use);
    await engine.fire(EVENTS.session_end);
    expect(seen).toEqual([
      {
        session_id: "s-1",
        tool_name: "Bash",
        tool: "Bash",
        args: { command: "ls" },
        cwd: "/workspace",
        recent_tools: [],
      },
      { session_id: "s-1", total_tokens: 2, total_tool_calls: 0, elapsed_ms: 9 },
    ]);
  });

  test.each<[string, unknown, HookResult]>([
    [
      "skip",
      { action: "skip", result: { cached: 1 } },
      {
        action: "Block",
        reason: 'hook other skipped the call and returned {"cached":1} in its place',
      },
    ],
    [
      "ask",
      { action: "continue", decision: "ask", reason: "spends money" },
      { action: "Block", reason: "needs approval: spends money" },
    ],
    ["defer", { decision: "defer" }, { action: "Block", reason: "deferred" }],
    ["allow", { decision: "allow" }, { action: "Continue" }],
    ["abort", { action: "abort", reason: "no" }, { action: "Block", reason: "no" }],
    ["retry", { action: "retry", delay_ms: 7 }, { action: "Retry", retry_delay_ms: 7 }],
    ["inject", { inject: "a word" }, { action: "Continue" }],
  ])("other hooks' results without an A3S equivalent deny: %s", async (...row) => {
    const [, answer, result] = row;
    const { orcs, engine } = await onOrcs();
    orcs.hook({ id: "other", point: "PreToolUse", handler: () => answer });
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual(result);
  });

  test("in-place changes by other hooks are returned as modified", async () => {
    const { orcs, engine } = await onOrcs();
    orcs.on("tool.pre_execute", ({ payload }) => {
      payload.args["command"] = "ls -l";
    });
    orcs.on("llm.pre_generate", ({ payload }) => {
      delete payload.model_provider;
      payload.prompt = "bye";
    });
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({
      action: "Continue",
      modified: { command: "ls -l" },
    });
    const { modified } = (await engine.fire(EVENTS.generate_start)) as { modified: object };
    expect(modified).toStrictEqual({ prompt: "bye", model_provider: undefined });
    expect(EVENTS.pre_tool_use.payload.args).toEqual({ command: "ls" });
  });
});

describe("a3s `modified` in a response", () => {
  test.each<[Documented, object | string, object]>([
    ["pre_tool_use", { command: "x" }, { command: "x" }],
    ["post_tool_use", { ...RESULT, output: "b" }, { ...RESULT, output: "b" }],
    ["generate_start", { prompt: "x" }, { prompt: "x" }],
    ["generate_start", { system_prompt: "y" }, { system_prompt: "y" }],
    ["generate_start", "x", { prompt: "x" }],
    [
      "generate_end",
      { response_text: "x", duration_ms: 4 },
      { response_text: "x", duration_ms: 4 },
    ],
    ["generate_end", "x", { response_text: "x" }],
    ["session_start", { system_prompt: "y" }, { system_prompt: "y" }],
    ["session_end", { duration_ms: 10 }, { duration_ms: 10 }],
  ])("of %s may be %j", async (type, modified, expected) => {
    const { result, log } = await answered(type, HookResponse.continue_with(modified));
    expect(result).toEqual({ action: "Continue", modified: expected });
    expect(log).toEqual([]);
  });

  test.each<[Documented, unknown]>([
    ["pre_tool_use", "text"],
    ["pre_tool_use", ["a"]],
    ["pre_tool_use", null],
    ["pre_tool_use", { when: new Date() }],
    ["generate_start", ["a"]],
    ["generate_start", 5],
    ["generate_start", null],
    ["generate_start", { prompt: 5 }],
    ["generate_start", { session_id: "another" }],
  ])("of %s may not be %j: the hook fails", async (type, modified) => {
    const { result } = await answered(type, { action: "Continue", modified });
    expect(result).toMatchObject({
      action: "Block",
      reason: expect.stringContaining("hook h failed: ") as string,
    });
  });

  test("may have a key __proto__", async () => {
    const args = JSON.parse('{"__proto__": {"polluted": 1}}') as JsonObject;
    for (const type of ["pre_tool_use", "generate_start"] as const) {
      await answered(type, HookResponse.continue_with(args));
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const { result } = await answered("pre_tool_use", HookResponse.continue_with(args));
    expect(JSON.stringify(result)).toContain('"modified":{"__proto__":{"polluted":1}}');
  });
});

describe("an a3s handler's response", () => {
  test.each<[string, unknown, string]>([
    ["an unknown action", { action: "block" }, 'the unknown action "block"'],
    ["no action", {}, "the unknown action undefined"],
    ["a misspelt key", { action: "Continue", modifed: {} }, 'the unknown key "modifed"'],
    ["a list", ["Continue"], 'the unknown key "0"'],
    ["text", "Continue", '"Continue"'],
    ["a negative delay", { action: "Retry", retry_delay_ms: -1 }, "delay_ms"],
  ])("with %s before an operation denies it", async (_name, answer, why) => {
    for (const given of [answer, Promise.resolve(answer)]) {
      const { result } = await answered("pre_tool_use", given);
      expect(result).toEqual({
        action: "Block",
        reason: expect.stringMatching(/^hook h failed: /) as string,
      });
      expect((result as { reason: string }).reason).toContain(why);
    }
  });

  test("undefined means Continue, and keys that an action does not use are ignored", async () => {
    expect((await answered("pre_tool_use", undefined)).result).toEqual({ action: "Continue" });
    expect((await answered("pre_tool_use", { action: "Retry" })).result).toEqual({
      action: "Retry",
      retry_delay_ms: 0,
    });
    const block = { action: "Block", reason: "no", modified: { command: "x" } };
    const { result } = await answered("pre_tool_use", block);
    expect(result).toEqual({ action: "Block", reason: "no" });
  });

  test.each<Documented>(["post_tool_use", "generate_end"])(
    "at %s, Block withholds the result with the reason",
    async (type) => {
      const { result, log } = await answered(type, HookResponse.block("it holds a key"));
      expect(result).toEqual({ action: "Block", reason: "it holds a key" });
      expect(log).toEqual([]);
    },
  );

  test.each<[Documented, boolean]>([
    ["pre_tool_use", true],
    ["generate_start", true],
    ["post_tool_use", false],
    ["generate_end", false],
    ["session_start", false],
    ["session_end", false],
  ])("at %s, an async hook is awaited: %s", async (type, waits) => {
    const { orcs, engine, logger } = await onOrcs();
    engine.register(Hook.new("h", type).with_config({ async_execution: true }));
    engine.register_handler("h", {
      handle: () => Promise.resolve(HookResponse.block("no rm -rf")),
    });
    expect(await engine.fire<HookEventType>(EVENTS[type])).toEqual(
      waits ? { action: "Block", reason: "no rm -rf" } : { action: "Continue" },
    );
    const late = /^error: hook h failed at .*no rm -rf.*ignored because the hook is asynchronous/;
    const told = waits ? [] : [expect.stringMatching(late)];
    await orcs.registry.idle();
    expect(logger.lines).toEqual(told);
  });

  test.each<[Documented, HookResponse]>([
    ["session_start", HookResponse.block("too late")],
    ["session_end", HookResponse.retry(1)],
  ])("at %s, an action that is no longer possible is logged and ignored", async (type, answer) => {
    const { result, log } = await answered(type, answer);
    expect(result).toEqual({ action: "Continue" });
    expect(log).toEqual([expect.stringMatching(/^error: hook h failed at /)]);
  });

  test("an error or a timeout denies", async () => {
    const { engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use").with_config({ timeout_ms: 20 }));
    engine.register_handler("h", { handle: () => Promise.reject(new Error("broken")) });
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({
      action: "Block",
      reason: "hook h failed: broken",
    });
    engine.register_handler("h", { handle: () => new Promise(() => undefined) });
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({
      action: "Block",
      reason: "hook h failed: timed out after 20 ms; shorten it or raise timeout_ms",
    });
  });

  test("the event is a copy: writing to it changes nothing", async () => {
    const { engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register_handler("h", {
      handle: ({ payload }: HookEvent<"pre_tool_use">) => {
        payload.args["command"] = "***";
        payload.recent_tools.push("none");
        payload.tool = "other";
        return HookResponse.continue_();
      },
    });
    const before = structuredClone(EVENTS.pre_tool_use);
    expect(await engine.fire(EVENTS.pre_tool_use)).toEqual({ action: "Continue" });
    expect(EVENTS.pre_tool_use).toEqual(before);
  });

  test("max_retries is how often orcs itself retries", async () => {
    const { orcs, engine } = await onOrcs();
    let calls = 0;
    engine.register(Hook.new("h", "post_tool_use").with_config({ max_retries: 2 }));
    engine.register_handler("h", { handle: () => HookResponse.retry(0) });
    const tool = orcs.wrapTool("flaky", () => ++calls);
    expect((await errorOf(tool())).message).toContain("more than 2 retries");
    expect(calls).toBe(3);
  });
});

describe("a3s fire rejects", () => {
  test.each<[string, unknown, string]>([
    ["an unknown event", { event_type: "Stop", payload: {} }, "ORCS1005"],
    ["a payload that is none", { event_type: "pre_tool_use" }, "ORCS2003"],
    ["a payload that is a list", { event_type: "pre_tool_use", payload: [] }, "ORCS2003"],
    [
      "args that are text",
      { event_type: "PreToolUse", payload: { tool: "x", args: "ls" } },
      "ORCS2003",
    ],
    ["a tool without a name", { event_type: "PreToolUse", payload: { args: {} } }, "ORCS2003"],
  ])("%s", async (_name, event, code) => {
    const { engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use"));
    expect((await errorOf(engine.fire(event as HookEvent))).code).toBe(code);
  });
});

describe("a3s HookMatcher.tool", () => {
  test.each(["tool_name", "tool"])(
    "matches the tool name of the event, whatever %s has",
    async (stray) => {
      const { engine } = await onOrcs();
      engine.register(Hook.new("h", "pre_tool_use").with_matcher(HookMatcher.tool("Bash")));
      engine.register_handler("h", { handle: () => HookResponse.block("matched") });
      const payload = {
        [stray]: "x",
        ...EVENTS.pre_tool_use.payload,
        tool: "Bash",
        tool_name: "x",
      };
      expect((await engine.fire({ event_type: "pre_tool_use", payload })).action).toBe("Block");
    },
  );

  test("is an exact match for any name", async () => {
    const { engine } = await onOrcs();
    engine.register_handler("h", { handle: () => HookResponse.block("matched") });
    const name = fc.string({
      unit: fc.constantFrom(...Array.from("aB|*?[]!{}().^$+\\- \n_:é")),
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(name, name, async (tool, other) => {
        engine.register(Hook.new("h", "pre_tool_use").with_matcher(HookMatcher.tool(tool)));
        for (const fired of [tool, other]) {
          const payload = { ...EVENTS.pre_tool_use.payload, tool: fired };
          const { action } = await engine.fire({ event_type: "pre_tool_use", payload });
          expect(action === "Block").toBe(fired === tool);
        }
      }),
    );
  });
});

test("a3s types: results by event, and a union of events", async () => {
  const { engine } = await onOrcs();
  const pre = await engine.fire(EVENTS.pre_tool_use);
  expectTypeOf(pre).toEqualTypeOf<HookResult<"pre_tool_use">>();
  if (pre.action === "Continue") expectTypeOf(pre.modified).toEqualTypeOf<JsonObject | undefined>();
  engine.register_handler("h", {
    handle: (event) => {
      if (event.event_type === "generate_end") {
        expectTypeOf(event.payload.response_text).toEqualTypeOf<string>();
      }
      return { action: "Continue" };
    },
  });
  // @ts-expect-error there is no such event
  expect(() => engine.register({ id: "h", event_type: "nothing" })).toThrow("ORCS1005");
  expect(Hook.new("h", "session_end").event_type satisfies "session_end").toBe("session_end");
});
