import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/core/outcome.ts";
import { invoke } from "../../../src/registry/invoke.ts";
import type { Gate, InvokeOutcome, Operation } from "../../../src/registry/invoke.ts";
import { bench, frozen, hook, POINTS } from "./hooks.ts";
import type { Bench, HookWords } from "./hooks.ts";

type Payload = Record<string, any>;

/** An engine of three points, with what a test hooks to them. */
class Tool {
  readonly bench: Bench = bench();
  readonly calls: Payload[] = [];

  on(
    phase: "pre" | "post" | "failure",
    does: Parameters<typeof hook>[0],
    words: HookWords = {},
  ): this {
    const points = {
      pre: "tool.pre_execute",
      post: "tool.post_execute",
      failure: "tool.on_failure",
    };
    this.bench.registry.register(hook(does, { point: points[phase], ...words }));
    return this;
  }

  run(
    operation: Operation = () => ({ ok: true }),
    more: { payload?: Payload; options?: Parameters<typeof invoke>[4]; gate?: Gate } = {},
  ): Promise<InvokeOutcome> {
    const { registry, clock } = this.bench;
    return invoke(
      { registry, points: POINTS, clock },
      "tool.execute",
      more.payload ?? frozen({ tool_name: "exec", args: { command: "ls" } }),
      (payload, ctx) => {
        this.calls.push(payload);
        return operation(payload, ctx);
      },
      more.options,
      more.gate,
    );
  }
}

const resultOf = (outcome: InvokeOutcome): unknown =>
  outcome.action === "abort" ? undefined : outcome.result;
const pointsOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.map((outcome) => outcome.ctx.hook_point);

describe("an operation", () => {
  it("runs between pre and post, with nobody hooked", async () => {
    const outcome = await new Tool().run();
    expect(outcome).toMatchObject({ action: "continue", result: { ok: true }, inject: [] });
    expect(pointsOf(outcome.outcomes)).toEqual(["tool.pre_execute", "tool.post_execute"]);
  });

  it("sees the time, also with nobody hooked", async () => {
    const tool = new Tool();
    await tool.bench.clock.sleep(50);
    const times: number[] = [];
    const outcome = await tool.run(async (_, ctx) => {
      times.push(ctx.timestamp_ms);
      await tool.bench.clock.sleep(25);
    });
    expect([...times, outcome.ctx.timestamp_ms]).toEqual([50, 75]);
  });

  it("gets the payload as the pre hooks left it; the caller's is untouched", async () => {
    const payload = frozen({ tool_name: "exec", args: { command: "rm -rf /", env: {} } });
    const tool = new Tool()
      .on("pre", (ctx) => void ((ctx.payload["args"] as Payload)["command"] = "ls"))
      .on("pre", async (ctx) => void ((ctx.payload["args"] as Payload)["cwd"] = "/tmp"));
    await tool.run(undefined, { payload });
    expect(tool.calls).toEqual([
      { tool_name: "exec", tool: "exec", args: { command: "ls", cwd: "/tmp", env: {} } },
    ]);
    expect(tool.calls[0]?.["args"].env).toBe(payload.args.env);
    expect(payload.args.command).toBe("rm -rf /");
  });

  it("may wait", async () => {
    const outcome = await new Tool().run(async () => Promise.resolve("later"));
    expect(resultOf(outcome)).toBe("later");
  });

  it("hands results through that are no JSON, undefined among them", async () => {
    const at = new Date(0);
    expect(resultOf(await new Tool().run(() => at))).toBe(at);
    expect(resultOf(await new Tool().run(() => undefined))).toBeUndefined();
    expect(resultOf(await new Tool().on("post", () => undefined).run(() => at))).toBe(at);
  });

  it("tells post what it was given, its result, and how long it took", async () => {
    const tool = new Tool();
    const seen: unknown[] = [];
    tool.on("pre", (ctx) => void ((ctx.payload["args"] as Payload)["command"] = "pwd"));
    tool.on("post", (ctx) => void seen.push(JSON.parse(JSON.stringify(ctx.payload))));
    await tool.run(async () => {
      await tool.bench.clock.sleep(7.4);
      return { ok: true, stdout: "/" };
    });
    expect(seen).toEqual([
      {
        tool_name: "exec",
        tool: "exec",
        args: { command: "pwd" },
        result: { ok: true, stdout: "/" },
        elapsed_ms: 7,
      },
    ]);
  });

  it("has one metadata bag from pre to post, which starts with the caller's", async () => {
    const metadata = frozen({ caller: 1 });
    const outcome = await new Tool()
      .on("pre", (ctx) => void (ctx.metadata["pre"] = { list: [1] }))
      .on("post", (ctx) => {
        expect(ctx.metadata).toEqual({ caller: 1, pre: { list: [1] } });
        ((ctx.metadata["pre"] as Payload)["list"] as number[]).push(2);
      })
      .run(
        (_, ctx) => {
          expect(ctx.metadata).toEqual({ caller: 1, pre: { list: [1] } });
        },
        { options: { metadata, component: "lua::x" } },
      );
    expect(outcome.ctx.metadata).toEqual({ caller: 1, pre: { list: [1, 2] } });
    expect(outcome.ctx.component_id).toBe("lua::x");
    expect(outcome.outcomes.map(({ ctx }) => ctx.component_id)).toEqual(["lua::x", "lua::x"]);
    expect(metadata).toEqual({ caller: 1 });
  });

  it("collects texts of both chains in order", async () => {
    const outcome = await new Tool()
      .on("post", () => ({ inject: "c" }))
      .on("pre", () => ({ inject: ["a", "b"] }))
      .run();
    expect(outcome.inject).toEqual(["a", "b", "c"]);
  });

  it("carries the decision of the pre chain", async () => {
    expect(await new Tool().on("pre", () => ({ decision: "ask" })).run()).toMatchObject({
      action: "continue",
      decision: "ask",
    });
    expect("decision" in (await new Tool().run())).toBe(false);
  });

  it("of an embedder's family works the same, without a point for failures", async () => {
    const { registry, clock } = bench();
    const seen: unknown[] = [];
    registry.register(hook((ctx) => void (ctx.payload["n"] = 2), { point: "test.pre_run" }));
    registry.register(
      hook((ctx) => void seen.push({ ...ctx.payload }), { point: "test.post_run" }),
    );
    const host = { registry, clock, points: POINTS };
    const outcome = await invoke(host, "test.run", { n: 1 }, ({ n }) => ({ ok: false, n }));
    expect(resultOf(outcome)).toEqual({ ok: false, n: 2 });
    await expect(
      invoke(host, "test.run", {}, () => {
        throw new Error("down");
      }),
    ).rejects.toThrow("down");
    expect(seen).toEqual([
      { n: 2, elapsed_ms: 0, result: { ok: false, n: 2 } },
      { n: 2, elapsed_ms: 0, error: "down" },
    ]);
  });

  it("must have both points", async () => {
    const { registry, clock } = bench();
    const host = { registry, clock, points: POINTS };
    for (const name of ["tool.exec", "tool", "tool.pre_execute", "tool.list", "", "."]) {
      await expect(
        invoke(host, name, {}, () => 1),
        name,
      ).rejects.toThrow("ORCS1005");
    }
  });

  it("is refused with a payload that does not fit, and does not run", async () => {
    const tool = new Tool().on("pre", () => undefined);
    await expect(tool.run(undefined, { payload: { tool_name: "exec" } })).rejects.toThrow(
      "ORCS2003",
    );
    expect(tool.calls).toEqual([]);
  });
});

describe("skip and abort", () => {
  it("skip answers for the operation; nothing runs, post included", async () => {
    const tool = new Tool()
      .on("pre", () => ({ inject: "a" }))
      .on("pre", () => ({ action: "skip", result: { cached: true } }), { id: "cache" })
      .on("post", () => {
        throw new Error("not reached");
      });
    const outcome = await tool.run();
    expect(outcome).toMatchObject({
      action: "skip",
      result: { cached: true },
      hook: "cache",
      inject: ["a"],
    });
    expect(tool.calls).toEqual([]);
    expect(pointsOf(outcome.outcomes)).toEqual(["tool.pre_execute"]);
  });

  it("abort refuses it", async () => {
    const tool = new Tool().on("pre", () => ({ action: "abort", reason: "no" }), { id: "guard" });
    expect(await tool.run()).toMatchObject({ action: "abort", reason: "no", hook: "guard" });
    expect(tool.calls).toEqual([]);
  });

  it("a pre hook that fails refuses it", async () => {
    const tool = new Tool().on("pre", async () => Promise.reject(new Error("down")), {
      id: "guard",
    });
    expect(await tool.run()).toMatchObject({
      action: "abort",
      reason: "hook guard failed: down",
      hook: "guard",
    });
    expect(tool.calls).toEqual([]);
  });

  it("at the depth limit it is refused", async () => {
    const tool = new Tool();
    expect(await tool.run(undefined, { options: { depth: 4 } })).toMatchObject({
      action: "abort",
      hook: "orcs:max_depth",
    });
    expect(tool.calls).toEqual([]);
  });
});

describe("the gate", () => {
  it("sees what the pre hooks decided, and may refuse", async () => {
    const tool = new Tool()
      .on("pre", () => ({ decision: "ask", reason: "sure?", inject: "a" }), { id: "asker" })
      .on("post", () => {
        throw new Error("not reached");
      });
    const seen: unknown[] = [];
    const gate: Gate = async (pre) => {
      seen.push(pre.action === "continue" && [pre.decision, pre.reason, pre.hook]);
      return "nobody approved it";
    };
    const outcome = await tool.run(undefined, { gate });
    expect(seen).toEqual([["ask", "sure?", "asker"]]);
    expect(outcome).toMatchObject({
      action: "abort",
      reason: "nobody approved it",
      hook: "asker",
      inject: ["a"],
    });
    expect(tool.calls).toEqual([]);
  });

  it("names itself when no hook decided", async () => {
    expect(await new Tool().run(undefined, { gate: () => "no" })).toMatchObject({
      action: "abort",
      reason: "no",
      hook: "orcs:gate",
    });
  });

  it("refuses with an empty reason, too", async () => {
    const tool = new Tool();
    expect((await tool.run(undefined, { gate: () => "" })).action).toBe("abort");
    expect(tool.calls).toEqual([]);
  });

  it("lets pass, at once or later", async () => {
    for (const gate of [() => undefined, async () => undefined]) {
      expect((await new Tool().run(undefined, { gate })).action).toBe("continue");
    }
  });

  it("is not asked about what the hooks refused or answered", async () => {
    let asked = 0;
    const gate: Gate = () => {
      asked += 1;
      return undefined;
    };
    await new Tool().on("pre", () => ({ decision: "deny" })).run(undefined, { gate });
    await new Tool().on("pre", () => ({ action: "skip" })).run(undefined, { gate });
    expect(asked).toBe(0);
  });

  it("that throws refuses by throwing: the operation does not run", async () => {
    const tool = new Tool();
    const gate: Gate = () => {
      throw new Error("gate down");
    };
    await expect(tool.run(undefined, { gate })).rejects.toThrow("gate down");
    expect(tool.calls).toEqual([]);
  });
});

describe("post", () => {
  it("replaces the result; the chain goes on with the new one", async () => {
    const seen: unknown[] = [];
    const outcome = await new Tool()
      .on("post", (ctx) => ({
        action: "replace",
        result: { ok: true, first: ctx.payload["result"] as string },
      }))
      .on("post", (ctx) => void seen.push(JSON.stringify(ctx.payload["result"])))
      .on("post", (ctx) => void ((ctx.payload["result"] as Payload)["edited"] = true))
      .run(() => "raw");
    expect(seen).toEqual(['{"ok":true,"first":"raw"}']);
    expect(resultOf(outcome)).toEqual({ ok: true, first: "raw", edited: true });
  });

  it("does not write to the operation's own result", async () => {
    const result = frozen({ ok: true, lines: [1, 2] });
    const outcome = await new Tool()
      .on("post", (ctx) => void (ctx.payload["result"] as Payload)["lines"].push(3))
      .run(() => result);
    expect(resultOf(outcome)).toEqual({ ok: true, lines: [1, 2, 3] });
    expect(result.lines).toEqual([1, 2]);
  });

  it("that fails open leaves the result as it was", async () => {
    for (const bad of [
      () => ({ action: "skip", result: "x" }),
      () => ({ decision: "ask", reason: "x" }),
      () => 5,
      (ctx: { payload: Payload }) => {
        ctx.payload["result"] = "half done";
        throw new Error("down");
      },
    ]) {
      const outcome = await new Tool().on("post", bad).run(() => "raw");
      expect(outcome).toMatchObject({ action: "continue", result: "raw" });
    }
  });

  it.each<[string, () => unknown, string]>([
    ["fails closed", () => 5, "hook redact failed: returned the number 5"],
    ["denies", () => ({ action: "abort", reason: "it holds a key" }), "it holds a key"],
    ["denies in a word", () => ({ decision: "deny", reason: "no key" }), "no key"],
  ])("that %s withholds the result", async (_, handler, reason) => {
    const outcome = await new Tool()
      .on("post", handler, { id: "redact", onError: "closed" })
      .run(() => "secret");
    expect(outcome).toMatchObject({ action: "abort", hook: "redact" });
    expect(outcome.action === "abort" ? outcome.reason : "").toContain(reason);
    // In no part of what the caller gets: neither the context nor that of each chain.
    expect(outcome.outcomes).toHaveLength(2);
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  it("that asks for one retry too many withholds the result", async () => {
    const outcome = await new Tool()
      .on("post", () => ({ action: "retry", delay_ms: 0 }), { maxRetries: 1 })
      .run(() => "secret");
    expect(outcome).toMatchObject({ action: "abort" });
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });
});

describe("failures", () => {
  it("a throw is told to on_failure with the same metadata, then thrown on", async () => {
    const seen: unknown[] = [];
    const thrown = new Error("disk full");
    const tool = new Tool();
    tool
      .on("pre", (ctx) => {
        ctx.metadata["pre"] = 1;
        (ctx.payload["args"] as Payload)["command"] = "pwd";
      })
      .on("post", () => {
        throw new Error("not reached");
      })
      .on(
        "failure",
        (ctx) => void seen.push(JSON.parse(JSON.stringify([ctx.payload, ctx.metadata]))),
      );
    await expect(
      tool.run(async () => {
        await tool.bench.clock.sleep(3);
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    expect(seen).toEqual([
      [
        {
          tool_name: "exec",
          tool: "exec",
          args: { command: "pwd" },
          error: "disk full",
          elapsed_ms: 3,
        },
        { pre: 1 },
      ],
    ]);
  });

  it("a throw stays a throw when on_failure's own hook fails, or answers what it may not", async () => {
    for (const bad of [() => 5, () => ({ action: "skip", result: 1 })]) {
      const tool = new Tool().on("failure", bad, { onError: "closed" });
      await expect(
        tool.run(() => {
          throw new Error("disk full");
        }),
      ).rejects.toThrow("disk full");
    }
  });

  it("ok = false passes post, then on_failure", async () => {
    const order: unknown[] = [];
    const outcome = await new Tool()
      .on("post", (ctx) => {
        order.push(["post", JSON.stringify(ctx.payload["result"])]);
        ctx.metadata["post"] = 1;
        return { inject: "a" };
      })
      .on("failure", (ctx) => {
        order.push(["failure", ctx.payload["error"], JSON.stringify(ctx.payload["result"])]);
        expect(ctx.metadata).toEqual({ post: 1 });
        return { inject: "b" };
      })
      .run(() => ({ ok: false, error: "no such file" }));
    expect(order).toEqual([
      ["post", '{"ok":false,"error":"no such file"}'],
      ["failure", "no such file", '{"ok":false,"error":"no such file"}'],
    ]);
    expect(outcome).toMatchObject({
      action: "continue",
      result: { ok: false, error: "no such file" },
      inject: ["a", "b"],
    });
    expect(pointsOf(outcome.outcomes)).toEqual([
      "tool.pre_execute",
      "tool.post_execute",
      "tool.on_failure",
    ]);
  });

  it("ok = false is a failure whatever else it says", async () => {
    const seen: unknown[] = [];
    const tool = new Tool().on("failure", (ctx) => void seen.push(ctx.payload["error"]));
    await tool.run(() => ({ ok: false }));
    await tool.run(() => ({ ok: false, error: { code: 2 } }));
    expect(seen).toEqual(["the tool returned ok = false", "the tool returned ok = false"]);
  });

  it("other results are none", async () => {
    const tool = new Tool().on("failure", () => {
      throw new Error("not reached");
    });
    for (const result of [{ ok: true }, { ok: 0 }, { error: "x" }, "false", null, [], undefined]) {
      const outcome = await tool.run(() => result);
      expect(pointsOf(outcome.outcomes)).toEqual(["tool.pre_execute", "tool.post_execute"]);
    }
  });

  it("on_failure does not change the result", async () => {
    const outcome = await new Tool()
      .on("failure", (ctx) => void ((ctx.payload["result"] as Payload)["ok"] = true))
      .run(() => ({ ok: false, error: "x" }));
    expect(resultOf(outcome)).toEqual({ ok: false, error: "x" });
  });
});

describe("retry", () => {
  it("waits and runs it all again", async () => {
    let rounds = 0;
    const tool = new Tool().on("post", (ctx) => {
      rounds += 1;
      const { n } = ctx.payload["result"] as { n: number };
      return n < 3 ? { action: "retry", delay_ms: n * 10 } : undefined;
    });
    let n = 0;
    const outcome = await tool.run(() => ({ n: (n += 1) }));
    expect(resultOf(outcome)).toEqual({ n: 3 });
    expect(rounds).toBe(3);
    expect(tool.bench.clock.slept).toEqual([10, 20]);
    expect(pointsOf(outcome.outcomes)).toEqual(
      Array.from({ length: 3 }, () => ["tool.pre_execute", "tool.post_execute"]).flat(),
    );
  });

  it("begins each round with the caller's payload, and texts of the last round only", async () => {
    const tool: Tool = new Tool()
      .on("pre", (ctx) => {
        const args = ctx.payload["args"] as Payload;
        args["command"] += " -l";
        return { inject: `try ${tool.calls.length}` };
      })
      .on("post", () => (tool.calls.length < 3 ? { action: "retry" } : undefined));
    const outcome = await tool.run();
    expect(tool.calls.map((payload) => payload["args"].command)).toEqual([
      "ls -l",
      "ls -l",
      "ls -l",
    ]);
    expect(outcome.inject).toEqual(["try 2"]);
    expect(tool.bench.clock.slept).toEqual([0, 0]);
  });

  it("from a pre hook waits before the operation has run", async () => {
    let asked = 0;
    const tool = new Tool().on("pre", () =>
      (asked += 1) < 3 ? { action: "retry", delay_ms: 5 } : undefined,
    );
    expect((await tool.run()).action).toBe("continue");
    expect(tool.calls).toHaveLength(1);
    expect(tool.bench.clock.slept).toEqual([5, 5]);
  });

  it.each([0, 1, 3, 5])("is had at most max_retries times: %i", async (maxRetries) => {
    for (const phase of ["pre", "post"] as const) {
      const tool = new Tool().on(phase, () => ({ action: "retry", delay_ms: 1 }), {
        id: "again",
        maxRetries,
      });
      expect(await tool.run()).toMatchObject({
        action: "abort",
        hook: "again",
        reason: `hook again requested more than ${maxRetries} retries`,
      });
      expect(tool.calls).toHaveLength(phase === "post" ? maxRetries + 1 : 0);
      expect(tool.bench.clock.slept).toHaveLength(maxRetries);
    }
  });

  it("is counted for each hook", async () => {
    let round = 0;
    const tool = new Tool()
      .on("pre", () => (round++ % 2 ? undefined : { action: "retry" }), { maxRetries: 2 })
      .on("post", () => ({ action: "retry" }), { id: "post", maxRetries: 2 });
    // Rounds: pre, post, pre, post, pre (its third).
    const outcome = await tool.run();
    expect(outcome.action).toBe("abort");
    expect(tool.calls).toHaveLength(2);
    expect(tool.bench.clock.slept).toHaveLength(4);
  });

  it("is had by a hook that goes once it has run", async () => {
    const tool = new Tool().on("post", () => ({ action: "retry", delay_ms: 1 }), { once: true });
    expect((await tool.run()).action).toBe("continue");
    expect(tool.calls).toHaveLength(2);
  });

  it("is had by a hook that was unregistered in the meantime", async () => {
    const tool = new Tool();
    tool.on(
      "post",
      async () => {
        tool.bench.registry.unregister("gone");
        return { action: "retry", delay_ms: 1 };
      },
      { id: "gone" },
    );
    expect((await tool.run()).action).toBe("continue");
    expect(tool.calls).toHaveLength(2);
  });

  it("asks the gate again", async () => {
    let asked = 0;
    const tool = new Tool().on("post", () => (asked < 2 ? { action: "retry" } : undefined));
    const gate: Gate = () => {
      asked += 1;
      return undefined;
    };
    await tool.run(undefined, { gate });
    expect(asked).toBe(2);
  });

  it("in dispatch is an outcome: what to do is the caller's", async () => {
    const { registry } = bench();
    registry.register(hook(() => ({ action: "retry", delay_ms: 7 }), { id: "h", maxRetries: 2 }));
    expect(await registry.dispatch("test.pre_run", {})).toMatchObject({
      action: "retry",
      delay_ms: 7,
      max_retries: 2,
      hook: "h",
    });
  });
});
