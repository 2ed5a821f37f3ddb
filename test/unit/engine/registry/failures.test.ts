import { describe, expect, it } from "vitest";
import type { FailureMode, HookReport, HookRunner } from "../../../../src/core/hook.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import type { HookHandler } from "../../../../src/engine/registry/function-runner.ts";
import { bench, frozen, hook, statuses, sync, type HookWords } from "./hooks.ts";

function throwing(): never {
  throw new Error("no constructor");
}

/** A runner that reports what a test wants. */
const reporting = (report: HookReport): HookRunner => ({ run: (turn) => void turn.settle(report) });
const failing = (kind: "error" | "timeout" | "memory" | "killed"): HookRunner =>
  reporting({ failure: { kind, message: `made to fail: ${kind}` } });

const POINTS_BY_PHASE = [
  ["pre", "test.pre_run"],
  ["post", "test.post_run"],
  ["on", "test.on_fact"],
  ["question", "test.on_ask"],
] as const;

interface Case {
  point?: string;
  words?: HookWords;
  engine?: FailureMode;
}

/** Dispatch to a hook that fails and one that notes that it was reached. */
async function dispatch(
  does: HookHandler | HookRunner,
  { point = "test.pre_run", words = {}, engine }: Case = {},
): Promise<Outcome & { log: string[]; events: unknown[]; reached: boolean }> {
  const { registry, log } = bench({ onError: engine });
  const events: unknown[] = [];
  registry.events.on("failed", (event) => events.push(event));
  registry.register(hook(does, { id: "bad", point, ...words }));
  let reached = false;
  registry.register(hook(() => void (reached = true), { id: "next", point }));
  const outcome = await registry.dispatch(point, frozen({ a: 1 }), { trace: true });
  return { ...outcome, log: log.of("error"), events, reached };
}

const policyOf = (outcome: Outcome): FailureMode =>
  outcome.action === "abort" ? "closed" : "open";

describe("the failure policy", () => {
  it.each(POINTS_BY_PHASE)("of a %s hook defaults to that of its phase", async (phase, point) => {
    const outcome = await dispatch(failing("error"), { point });
    expect(policyOf(outcome)).toBe(phase === "pre" ? "closed" : "open");
    expect(outcome.reached).toBe(phase !== "pre");
  });

  it("closed aborts with the hook's id and message; later hooks do not run", async () => {
    const outcome = await dispatch(failing("error"));
    expect(outcome).toMatchObject({
      action: "abort",
      reason: "hook bad failed: made to fail: error",
      hook: "bad",
    });
    expect(statuses(outcome)).toEqual(["bad failed", "next not_reached"]);
    expect(outcome.trace?.[0]?.reason).toBe("made to fail: error");
  });

  it.each(["open", "closed"] as const)(
    "a failure with policy %s is logged and emitted",
    async (onError) => {
      const outcome = await dispatch(failing("memory"), { words: { onError } });
      expect(outcome.log).toHaveLength(1);
      expect(outcome.log[0]).toContain("hook bad failed at test.pre_run: made to fail: memory");
      expect(outcome.events).toEqual([
        {
          dispatch_id: expect.any(String),
          duration_ms: 0,
          hook: "bad",
          point: "test.pre_run",
          failure: { kind: "memory", message: "made to fail: memory" },
        },
      ]);
    },
  );

  it.each([
    [{}, "open", "open"],
    [{}, "closed", "closed"],
    [{ onError: "closed" }, "open", "closed"],
    [{ onError: "open" }, "closed", "open"],
    [{ onTimeout: "closed" }, "open", "open"],
  ] as const)("with %j and protocol mode %s is %s", async (words, mode, policy) => {
    const runner: HookRunner = {
      run: (turn) => void turn.settle({ failure: { kind: "error", message: "as it says", mode } }),
    };
    expect(policyOf(await dispatch(runner, { words }))).toBe(policy);
    const engine = mode === "open" ? "closed" : "open";
    expect(policyOf(await dispatch(runner, { words, engine }))).toBe(policy);
  });
});

describe("a hook function", () => {
  const [THEN] = ["then"] as const;
  const late = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it.each<[string, HookHandler, string]>([
    [
      "throws",
      () => {
        throw new TypeError("boom");
      },
      "boom",
    ],
    [
      "throws text",
      () => {
        // eslint-disable-next-line typescript/only-throw-error
        throw "plain text";
      },
      "plain text",
    ],
    [
      "throws nothing",
      () => {
        // eslint-disable-next-line typescript/only-throw-error
        throw undefined;
      },
      "not an Error",
    ],
    ["rejects", async () => Promise.reject(new Error("later boom")), "later boom"],
    [
      "throws after it has waited",
      async () => {
        await Promise.resolve();
        throw new Error("later boom");
      },
      "later boom",
    ],
    ["answers a number", () => 5, "returned the number 5"],
    ["answers text", () => "abort", 'returned "abort"'],
    ["answers true", () => true, "returned the boolean true"],
    ["answers false", () => false, "returned the boolean false"],
    ["answers a list", () => [{ action: "abort" }], "returned a list"],
    ["answers an empty object", () => ({}), "empty table"],
    ["answers later an empty object", async () => ({}), "empty table"],
    ["answers an unknown action", () => ({ action: "deny" }), 'unknown action "deny"'],
    ["answers a function", () => () => 1, "is of type function"],
    ["answers a bigint", () => 1n, "is of type bigint"],
    ["answers a Date", () => new Date(), "instance of a class"],
    ["answers an Error", () => new Error("no"), "instance of a class"],
    ["skips with NaN", () => ({ action: "skip", result: NaN }), "/result is NaN"],
    ["skips with a class", () => ({ action: "skip", result: { at: new Date() } }), "/result/at"],
    [
      "answers a getter that throws",
      () => ({
        get action() {
          throw new Error("got");
        },
      }),
      "got",
    ],
    [
      "answers a then that throws",
      () =>
        Object.defineProperty({}, THEN, {
          get() {
            throw new Error("thened");
          },
        }),
      "thened",
    ],
    // eslint-disable-next-line unicorn/no-thenable
    [
      "answers a thenable that rejects",
      () => ({ [THEN]: (_: unknown, no: (e: Error) => void) => no(new Error("thened")) }),
      "thened",
    ],
    [
      "replaces the payload by null",
      (ctx) => void ((ctx as { payload: unknown }).payload = null),
      "ctx.payload",
    ],
  ])("that %s fails", async (_, does, why) => {
    const closed = await dispatch(does);
    expect(policyOf(closed)).toBe("closed");
    expect(closed.action === "abort" ? closed.reason : "").toContain(why);
    const open = await dispatch(does, { words: { onError: "open" } });
    expect(statuses(open)).toEqual(["bad failed", "next ran"]);
    expect(open.ctx.payload).toEqual({ a: 1 });
  });

  it("that returns a thenable which resolves twice counts once", async () => {
    const twice = () => ({
      // eslint-disable-next-line unicorn/no-thenable
      [THEN](yes: (answer: unknown) => void, no: (thrown: Error) => void) {
        yes({ action: "abort", reason: "first" });
        yes({ action: "abort", reason: "second" });
        no(new Error("third"));
      },
    });
    const outcome = await dispatch(twice);
    expect(outcome).toMatchObject({ action: "abort", reason: "first" });
    expect(statuses(outcome)).toEqual(["bad ran", "next not_reached"]);
  });

  it.each([
    [
      "whose constructor cannot be read",
      () => Object.defineProperty(Promise.resolve(), "constructor", { get: throwing }),
      "no constructor",
    ],
    [
      "whose own then throws",
      () => Object.assign(Promise.reject(new Error("no answer")), { [THEN]: throwing }),
      "no answer",
    ],
    [
      "whose own then calls back at once",
      () =>
        Object.assign(Promise.reject(new Error("no answer")), {
          [THEN]: (yes: (answer: unknown) => void) => yes(undefined),
        }),
      "no answer",
    ],
  ])("that returns a promise %s fails, and the next hook runs", async (_, does, why) => {
    const closed = await dispatch(does);
    expect(closed.action === "abort" ? closed.reason : "").toContain(why);
    const open = await dispatch(does, { words: { onError: "open" } });
    expect(statuses(open)).toEqual(["bad failed", "next ran"]);
  });

  it("that returns null, undefined or ctx succeeds", async () => {
    for (const does of [
      () => null,
      () => undefined,
      (ctx: unknown) => ctx,
      async () => null,
      async (ctx: unknown) => ctx,
      (ctx: unknown) => ({ action: "continue", ctx }),
    ]) {
      expect(statuses(await dispatch(does))).toEqual(["bad ran", "next ran"]);
    }
  });

  it("that resolves after its timeout has timed out", async () => {
    const outcome = await dispatch(
      async () => {
        await late(60);
        return { action: "skip", result: "too late" };
      },
      { words: { timeoutMs: 10 } },
    );
    expect(outcome).toMatchObject({
      action: "abort",
      reason: "hook bad failed: timed out after 10 ms; shorten it or raise timeout_ms",
    });
    expect(statuses(outcome)).toEqual(["bad timed_out", "next not_reached"]);
  });

  it("that rejects after its timeout causes no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listener);
    await dispatch(
      async () => {
        await late(15);
        throw new Error("too late");
      },
      { words: { timeoutMs: 5 } },
    );
    await late(30);
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });

  it("has its own timeout, whatever earlier hooks used", async () => {
    const { registry } = bench();
    const waits = { point: "test.pre_run", timeoutMs: 10_000 };
    registry.register(hook(() => late(60), { ...waits, id: "first" }));
    registry.register(
      hook(() => new Promise(() => {}), { ...waits, id: "short", timeoutMs: 20, onError: "open" }),
    );
    registry.register(hook(() => late(60), { ...waits, id: "last" }));
    const outcome = await registry.dispatch("test.pre_run", {}, { trace: true });
    expect(statuses(outcome)).toEqual(["first ran", "short timed_out", "last ran"]);
  });

  it("leaves no timer behind when it resolves in time", async () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    await dispatch(async () => undefined);
    const after = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    expect(after).toBe(before);
  });
});

describe("a faulty hook runner", () => {
  it("that reports nothing synchronously fails the hook", async () => {
    expect(await dispatch({ run: () => undefined })).toMatchObject({
      action: "abort",
      reason: "hook bad failed: its runner returned no report",
    });
  });

  it("that reports nothing asynchronously fails the hook", async () => {
    const outcome = await dispatch({ run: async () => {} }, { words: { onError: "open" } });
    expect(statuses(outcome)).toEqual(["bad failed", "next ran"]);
  });

  it("that throws before settling fails the hook", async () => {
    for (const runner of [
      {
        run: () => {
          throw new Error("runner down");
        },
      },
      { run: async () => Promise.reject(new Error("runner down")) },
    ]) {
      const outcome = await dispatch(runner);
      expect(outcome).toMatchObject({ action: "abort", reason: "hook bad failed: runner down" });
    }
  });

  it("that throws after settling does not fail the next hook", async () => {
    for (const runner of [
      {
        run: (turn) => {
          turn.settle({ answer: undefined, edits: [] });
          throw new Error("afterwards");
        },
      },
      {
        run: async (turn) => {
          turn.settle({ answer: undefined, edits: [] });
          throw new Error("afterwards");
        },
      },
    ] satisfies HookRunner[]) {
      const outcome = await dispatch(runner);
      expect(outcome.action).toBe("continue");
      expect(statuses(outcome)).toEqual(["bad ran", "next ran"]);
      expect(outcome.log).toEqual([
        "the runner of hook bad threw after it had settled: afterwards",
      ]);
    }
  });

  it("that throws after ending the chain leaves the outcome, and the error is logged", async () => {
    const outcome = await dispatch({
      run: (turn) => {
        turn.settle({ answer: { action: "skip", result: 1 }, edits: [] });
        throw new Error("afterwards");
      },
    });
    expect(outcome).toMatchObject({ action: "skip", result: 1, hook: "bad" });
    expect(outcome.log).toEqual(["the runner of hook bad threw after it had settled: afterwards"]);
  });

  it("that throws after it was given another hook fails that hook", async () => {
    const { registry } = bench();
    const runner: HookRunner = {
      run: (turn) => {
        turn.settle({ answer: undefined, edits: [] });
        throw new Error("at the second");
      },
    };
    registry.register(hook(runner, { id: "first" }));
    registry.register(hook(runner, { id: "second", onError: "open" }));
    registry.register(hook(() => undefined, { id: "third" }));
    const outcome = sync(registry.dispatch("test.pre_run", {}, { trace: true }));
    expect(statuses(outcome)).toEqual(["first ran", "second failed", "third ran"]);
    expect(outcome.trace?.[1]?.reason).toBe("at the second");
  });

  it("that settles twice has only the first counted", async () => {
    const outcome = await dispatch({
      run: (turn) => {
        turn.settle({ answer: { action: "abort", reason: "first" }, edits: [] });
        turn.settle({ answer: undefined, edits: [] });
      },
    });
    expect(outcome).toMatchObject({ action: "abort", reason: "first" });
  });

  it.each<[string, HookReport, string]>([
    [
      "an answer that makes no sense",
      { answer: { action: "dance" }, edits: [] },
      'unknown action "dance"',
    ],
    [
      "an edit of what is read-only",
      { answer: undefined, edits: [{ path: ["depth"], value: 0 }] },
      "ctx.depth is read-only",
    ],
    [
      "an edit of the root",
      { answer: undefined, edits: [{ path: [], value: {} }] },
      "ctx is read-only",
    ],
    [
      "a payload gone",
      { answer: undefined, edits: [{ path: ["payload"], value: undefined }] },
      "ctx.payload must stay an object",
    ],
  ])("%s", async (_, report, why) => {
    const edits = [
      { path: ["payload", "a"], value: 2 },
      ...("edits" in report ? report.edits : []),
    ];
    const outcome = await dispatch(reporting({ ...report, edits }), {
      words: { onError: "open" },
    });
    expect(outcome.trace?.[0]?.reason).toContain(why);
    expect(outcome.ctx.payload).toEqual({ a: 1 });
  });
});

describe("a matcher that throws", () => {
  const matcher = {
    failing: (): undefined => {
      throw new Error("matcher down");
    },
  };

  it("fails its hook", async () => {
    const closed = await dispatch(() => undefined, { words: { matcher } });
    expect(closed).toMatchObject({ action: "abort", hook: "bad" });
    expect(closed.action === "abort" ? closed.reason : "").toContain("matcher down");
    expect(statuses(closed)).toEqual(["bad failed", "next not_reached"]);
    const open = await dispatch(() => undefined, { words: { matcher, onError: "open" } });
    expect(statuses(open)).toEqual(["bad failed", "next ran"]);
  });

  it("does not end the chain after another hook", async () => {
    for (const first of [() => undefined, async () => undefined]) {
      const { registry } = bench();
      registry.register(hook(first, { id: "first" }));
      registry.register(hook(() => undefined, { id: "bad", matcher, onError: "open" }));
      registry.register(hook(() => ({ decision: "deny", reason: "guarded" }), { id: "guard" }));
      const outcome = await registry.dispatch("test.pre_run", {}, { trace: true });
      expect(statuses(outcome)).toEqual(["first ran", "bad failed", "guard ran"]);
      expect(outcome).toMatchObject({ action: "abort", reason: "guarded" });
    }
  });
});

describe("a hook that makes the payload invalid for its point", () => {
  const base = { tool_name: "exec", args: { command: "ls" }, session_id: "s-1", capabilities: 3 };

  it.each<[string, (payload: any) => void, string]>([
    ["a name changed", (p) => (p.tool_name = "write"), "payload.tool_name is a name or id"],
    ["its other word changed", (p) => (p.tool = "write"), "payload.tool is a name or id"],
    ["a name gone", (p) => delete p.tool_name, "payload.tool_name is a name or id"],
    ["an id changed", (p) => (p.session_id = "s-2"), "payload.session_id is a name or id"],
    ["an id gone", (p) => delete p.session_id, "payload.session_id is a name or id"],
    ["an id that was not there", (p) => (p.agent_id = "a"), "payload.agent_id is a name or id"],
    ["args gone", (p) => delete p.args, "payload.args is missing"],
    ["args null", (p) => (p.args = null), "payload.args is missing"],
    ["args a list", (p) => (p.args = ["ls"]), "payload.args must be an object"],
    ["args text", (p) => (p.args = "ls"), "payload.args must be an object"],
    [
      "capabilities text",
      (p) => (p.capabilities = "all"),
      "payload.capabilities must be an integer",
    ],
    ["capabilities a fraction", (p) => (p.capabilities = 1.5), "payload.capabilities must be"],
    ["messages an object", (p) => (p.messages = {}), "payload.messages must be a list"],
    ["recent_tools numbers", (p) => (p.recent_tools = ["a", 1]), "must be a list of strings"],
    ["cwd a number", (p) => (p.cwd = 1), "payload.cwd must be a string"],
  ])("fails: %s", (_, handler, why) => {
    for (const whole of [false, true]) {
      const { registry } = bench();
      registry.register(
        hook(
          (ctx) => {
            ctx.payload["extra"] = 1;
            const payload = whole ? { ...ctx.payload } : ctx.payload;
            handler(payload);
            ctx.payload = payload;
          },
          { id: "h", point: "tool.pre_execute" },
        ),
      );
      const payload = frozen(structuredClone(base));
      const outcome = sync(registry.dispatch("tool.pre_execute", payload));
      expect(outcome.action === "abort" ? outcome.reason : "").toContain("hook h failed: ");
      expect(outcome.action === "abort" ? outcome.reason : "").toContain(why);
      expect(outcome.ctx.payload).toEqual({ ...base, tool: "exec" });
    }
  });

  it.each([undefined, null])("may set capabilities to %s, which restores all of them", (to) => {
    const { registry } = bench();
    const does: HookHandler = ({ payload }) => {
      if (to === undefined) delete payload["capabilities"];
      else payload["capabilities"] = to;
    };
    registry.register(hook(does, { point: "tool.pre_execute" }));
    expect(sync(registry.dispatch("tool.pre_execute", structuredClone(base)))).toMatchObject({
      action: "abort",
      reason: expect.stringContaining(
        "payload.capabilities may only lose capability bits",
      ) as unknown,
    });
  });

  it("may remove or null optional keys and add unknown ones", () => {
    const { registry } = bench();
    registry.register(
      hook(
        ({ payload }) => {
          delete payload["recent_tools"];
          payload["cwd"] = null;
          payload["unknown"] = [1];
          payload["args"] = {};
          (payload["args"] as Record<string, unknown>)["x"] = 1;
        },
        { point: "tool.pre_execute" },
      ),
    );
    const given = { ...structuredClone(base), recent_tools: ["read"] };
    const outcome = sync(registry.dispatch("tool.pre_execute", given));
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.payload).toEqual({
      tool_name: "exec",
      tool: "exec",
      capabilities: base.capabilities,
      session_id: "s-1",
      cwd: null,
      unknown: [1],
      args: { x: 1 },
    });
  });

  it("fails with an invalid replace result too", () => {
    const { registry, log } = bench();
    const point = "llm.post_generate";
    registry.register(
      hook(() => ({ action: "replace", result: { no: "text" } }), { id: "h", point }),
    );
    const outcome = sync(registry.dispatch(point, { response_text: "hello" }, { trace: true }));
    expect(outcome.action).toBe("continue");
    expect(statuses(outcome)).toEqual(["h failed"]);
    expect(outcome.ctx.payload.response_text).toBe("hello");
    expect(log.of("error")[0]).toContain("payload.response_text must be a string");
  });

  it("fails with a replace when the payload is not an object", () => {
    for (const wrong of [null, [], "text", undefined]) {
      const { registry } = bench();
      registry.register(
        hook(
          (ctx) => {
            (ctx as { payload: unknown }).payload = wrong;
            return { action: "replace", result: 1 };
          },
          { point: "test.post_run" },
        ),
      );
      const payload = frozen({ result: 0, a: 1 });
      expect(sync(registry.dispatch("test.post_run", payload)).ctx.payload).toBe(payload);
    }
  });

  it("the caller's invalid payload is rejected before any hook runs", () => {
    const { registry } = bench();
    let runs = 0;
    registry.register(hook(() => void (runs += 1), { point: "tool.pre_execute" }));
    for (const wrong of [
      {},
      { tool_name: "exec" },
      { tool_name: 1, args: {} },
      { tool_name: "exec", args: [] },
      { tool_name: "exec", args: {}, session_id: 5 },
      [],
      null,
      "text",
    ]) {
      expect(
        () => registry.dispatch("tool.pre_execute", wrong as any),
        JSON.stringify(wrong),
      ).toThrow("ORCS2003");
    }
    expect(runs).toBe(0);
  });
});
