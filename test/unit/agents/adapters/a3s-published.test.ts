import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  Hook,
  HookEngine,
  HookEventType,
  HookResponse,
} from "../../../../src/agents/adapters/a3s.ts";
import type { HookEvent, HookResult, PointPayloads } from "../../../../src/agents/adapters/a3s.ts";
import { POINT_TABLE } from "../../../../src/core/point-table.ts";
import { errorOf, Lines, open } from "../../engine/orcs/engine.ts";

/** What the published A3S has in addition to the A3S Box documentation. */

const SESSION = { session_id: "s-1" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const CALL = { ...SESSION, tool: "Bash", args: { command: "ls" } };

/** The events with a point of their own that the document does not have. */
const NEW: Pick<
  PointPayloads,
  "permission_request" | "pre_compact" | "post_compact" | "pre_prompt" | "post_response"
> = {
  permission_request: { ...CALL, tool_id: "t-1" },
  pre_compact: { ...SESSION, message_count: 9, used_tokens: 100, max_tokens: 120 },
  post_compact: {
    ...SESSION,
    message_count_before: 9,
    message_count_after: 2,
    summary_generated: true,
  },
  pre_prompt: { ...SESSION, prompt: "fix it", system_prompt: "be brief", message_count: 2 },
  post_response: {
    ...SESSION,
    response_text: "done",
    tool_calls_count: 1,
    usage: USAGE,
    duration_ms: 3.7,
  },
};
const PRE_TOOL = { ...CALL, working_directory: "/w", recent_tools: [] };
const RESULT = { success: true, output: "a", duration_ms: 3.7 };

async function onOrcs() {
  const logger = new Lines();
  const orcs = await open({ logger });
  return { orcs, engine: new HookEngine(orcs), logger };
}

/** The result of an event with hooks that respond this. */
async function fired(event: HookEvent, ...responses: unknown[]) {
  const { engine, logger } = await onOrcs();
  const seen: unknown[] = [];
  for (const [i, response] of responses.entries()) {
    engine.register(Hook.new(`h${i}`, event.event_type));
    engine.register_handler(`h${i}`, {
      handle: (event) => {
        seen.push(event);
        return response as HookResponse;
      },
    });
  }
  return { result: await engine.fire<HookEventType>(event), seen, log: logger.lines };
}

/** Any event, with a payload that is not that of its type. */
function other(event_type: HookEventType, payload: object): HookEvent {
  return { event_type, payload } as unknown as HookEvent;
}

describe("a3s events with a point of their own", () => {
  const POINTS = {
    permission_request: "auth.pre_check",
    pre_compact: "context.pre_compact",
    post_compact: "context.post_compact",
    pre_prompt: "prompt.pre_submit",
    post_response: "agent.pre_stop",
  } as const satisfies Record<keyof typeof NEW, keyof typeof POINT_TABLE>;
  const rows = Object.entries(POINTS) as [keyof typeof NEW, keyof typeof POINT_TABLE][];

  test.each(rows)("%s runs the hooks of %s, and the handler sees its payload", async (type, at) => {
    const { orcs, engine } = await onOrcs();
    let runs = 0;
    orcs.hook({ id: "of-orcs", point: at, handler: () => void runs++ });
    engine.register(Hook.new("h", type));
    const seen: unknown[] = [];
    engine.register_handler("h", { handle: (event) => (seen.push(event), { action: "Continue" }) });
    const event = other(type, NEW[type]);
    expect(await engine.fire(event)).toEqual({ action: "Continue" });
    expect([runs, seen]).toEqual([1, [event]]);
  });

  test.each<[keyof typeof NEW, object | string, object]>([
    ["permission_request", { command: "ls -l" }, { command: "ls -l" }],
    ["pre_prompt", "fix it well", { prompt: "fix it well" }],
    ["pre_prompt", { prompt: "x" }, { prompt: "x" }],
    ["post_response", "finished", { response_text: "finished" }],
    ["pre_compact", { max_tokens: 90 }, { max_tokens: 90 }],
  ])("%s can be modified with %j", async (type, modified, expected) => {
    const { result, log } = await fired(other(type, NEW[type]), { action: "Continue", modified });
    expect(result).toEqual({ action: "Continue", modified: expected });
    expect(log).toEqual([]);
  });
});

describe("a3s events without a point of their own", () => {
  const known = new Set<string>([
    "pre_tool_use",
    "post_tool_use",
    "generate_start",
    "generate_end",
    "session_start",
    "session_end",
    ...Object.keys(NEW),
  ]);
  const others = Object.values(HookEventType).filter((type) => !known.has(type));

  test("are the seventeen others of the published A3S", () => {
    expect(others).toHaveLength(17);
  });

  test.each(others)("%s is dispatched at host.pre_event, with its name", async (type) => {
    const { orcs, engine } = await onOrcs();
    const at: unknown[] = [];
    orcs.on("host.pre_event", ({ payload }) => void at.push({ ...payload }));
    const seen: unknown[] = [];
    // Hooks of all events: only those of this one run.
    for (const each of others) {
      engine.register(Hook.new(each, each));
      engine.register_handler(each, {
        handle: (event) => (seen.push(event), HookResponse.continue_with({ domain: "code" })),
      });
    }
    const event = other(type, { ...SESSION, query: "where", domain: "any" });
    const modified = { domain: "code" };
    expect(await engine.fire(event)).toEqual({ action: "Continue", modified });
    expect(seen).toEqual([event]);
    expect(at).toEqual([{ ...SESSION, query: "where", domain: "any", event: type }]);
  });

  test("can be blocked, and their name cannot be changed", async () => {
    const event = other("pre_planning", { ...SESSION, task_description: "all of it" });
    expect((await fired(event, HookResponse.block("too much"))).result).toEqual({
      action: "Block",
      reason: "too much",
    });
    const renamed = { action: "Continue", modified: { event: "on_error" } };
    expect((await fired(event, renamed)).result).toMatchObject({
      action: "Block",
      reason: expect.stringContaining("event") as string,
    });
  });

  test("can have any key, __proto__ too", async () => {
    const payload = JSON.parse('{"__proto__":{"polluted":1}}') as object;
    const { seen } = await fired(other("on_error", payload), HookResponse.continue_());
    expect(JSON.stringify(seen)).toBe(
      '[{"event_type":"on_error","payload":{"__proto__":{"polluted":1}}}]',
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each<[HookEventType, boolean]>([
    ["on_error", false],
    ["skill_load", false],
    ["post_reasoning", false],
    ["pre_planning", true],
    ["intent_detection", true],
  ])("%s waits for async hooks: %s", async (type, waits) => {
    const { orcs, engine } = await onOrcs();
    engine.register(Hook.new("h", type).with_config({ async_execution: true }));
    engine.register_handler("h", { handle: () => Promise.resolve(HookResponse.block("no")) });
    expect((await engine.fire(other(type, SESSION))).action).toBe(waits ? "Block" : "Continue");
    await orcs.registry.idle();
  });
});

describe("duration_ms may be a fraction", () => {
  const generate = { ...SESSION, prompt: "p", response_text: "r" };
  const session = { ...SESSION, total_tokens: 1, total_tool_calls: 1 };
  test.each<[HookEventType, object, object]>([
    ["generate_end", { ...generate, duration_ms: 3.7 }, { ...generate, duration_ms: 3.7 }],
    ["session_end", { ...session, duration_ms: 0.2 }, { ...session, duration_ms: 0.2 }],
    ["post_tool_use", { ...CALL, result: RESULT }, { ...CALL, result: RESULT }],
    ["post_response", NEW.post_response, NEW.post_response],
  ])("at %s: %j", async (type, payload, seen) => {
    expect(await fired(other(type, payload), HookResponse.continue_())).toEqual({
      result: { action: "Continue" },
      seen: [other(type, seen)],
      log: [],
    });
  });

  test("but not another type, or none that JSON has", async () => {
    for (const duration_ms of ["3.7", Infinity]) {
      const event = other("generate_end", { ...generate, duration_ms });
      expect((await errorOf(fired(event, HookResponse.continue_()))).code).toBe("ORCS2003");
    }
  });
});

describe("a3s Escalate", () => {
  const event = other("pre_tool_use", PRE_TOOL);

  test.each<[string, unknown[], HookResult]>([
    [
      "is returned with reason and target",
      [HookResponse.escalate("moves money", "finance")],
      { action: "Escalate", reason: "moves money", target: "finance" },
    ],
    [
      "needs no target, and no reason",
      [{ action: "Escalate" }],
      { action: "Escalate", reason: "no reason given" },
    ],
    [
      "is kept when later hooks continue; the first one counts",
      [
        HookResponse.escalate("first"),
        HookResponse.escalate("second", "finance"),
        HookResponse.continue_with({ command: "ls" }),
      ],
      { action: "Escalate", reason: "first" },
    ],
    [
      "is weaker than a later Block",
      [HookResponse.escalate("moves money"), HookResponse.block("never")],
      { action: "Block", reason: "never" },
    ],
    [
      "must have a text as target",
      [{ action: "Escalate", target: 5 }],
      {
        action: "Block",
        reason: "hook h0 failed: returned Escalate with a target that is not a string",
      },
    ],
  ])("before an operation %s", async (_name, responses, result) => {
    expect((await fired(event, ...responses)).result).toEqual(result);
  });

  test("after an operation withholds its result", async () => {
    const done = other("post_tool_use", { ...CALL, result: RESULT });
    expect((await fired(done, HookResponse.escalate("holds a key", "me"))).result).toEqual({
      action: "Block",
      reason: "needs approval: holds a key",
    });
  });

  test.each<[boolean, string]>([
    [true, "ran"],
    [false, "denied"],
  ])("of a wrapped tool asks, and the answer %s counts", async (answer, end) => {
    const asked: unknown[] = [];
    const orcs = await open({
      onAsk: ({ reason, ctx }) => (asked.push([reason, ctx.metadata]), answer),
    });
    const engine = new HookEngine(orcs);
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register_handler("h", { handle: () => HookResponse.escalate("moves money", "finance") });
    const pay = orcs.wrapTool("pay", () => "ran");
    if (answer) expect(await pay()).toBe(end);
    else expect((await errorOf(pay())).code).toBe("ORCS2001");
    expect(asked).toEqual([["moves money", { escalation_targets: { h: "finance" } }]]);
  });
});

describe("a3s Retry with a reason", () => {
  const event = other("generate_start", { ...SESSION, prompt: "p" });

  test("returns it", async () => {
    const { result } = await fired(event, HookResponse.retry_with_reason("rate limit", 5));
    expect(result).toEqual({ action: "Retry", retry_delay_ms: 5, reason: "rate limit" });
  });

  test("names it when there are too many", async () => {
    const { orcs, engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register_handler("h", { handle: () => HookResponse.retry_with_reason("busy", 0) });
    const denied = await errorOf(orcs.wrapTool("t", () => 1)());
    expect(denied.message).toContain("hook h requested more than 0 retries: busy");
  });
});

describe("an a3s handler that edits its copy of the event", () => {
  async function edit(handle: (event: HookEvent<"pre_tool_use">) => unknown, times = 1) {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const { engine } = await onOrcs();
    engine.register(Hook.new("h", "pre_tool_use"));
    engine.register_handler("h", { handle: handle as () => HookResponse });
    let result: unknown;
    for (let i = 0; i < times; i++) {
      result = await engine.fire({ event_type: "pre_tool_use", payload: PRE_TOOL });
    }
    return { result, warnings: warn.mock.calls.map(([text]) => text) };
  }

  test.each<[string, (event: HookEvent<"pre_tool_use">) => unknown]>([
    ["at once", ({ payload }) => void (payload.args["command"] = "ls -l")],
    ["later", ({ payload }) => Promise.resolve().then(() => void (payload.args["command"] = "x"))],
    ["by adding", ({ payload }) => void (payload.args["timeout"] = 1)],
  ])("%s is told that this has no effect, once", async (_when, handle) => {
    expect(await edit(handle, 3)).toEqual({
      result: { action: "Continue" },
      warnings: [expect.stringContaining("hook h changed its copy of the event")],
    });
  });

  test("is not told so without an edit, and not for what it returns", async () => {
    const respond = ({ payload }: HookEvent<"pre_tool_use">) =>
      HookResponse.continue_with({ ...payload.args, timeout: 1 });
    expect(await edit(respond)).toEqual({
      result: { action: "Continue", modified: { command: "ls", timeout: 1 } },
      warnings: [],
    });
  });
});
