import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { invoke } from "../../../../src/engine/registry/invoke.ts";
import type { Gate, InvokeOutcome, Operation } from "../../../../src/engine/registry/invoke.ts";
import { bench, frozen, hook, POINTS, type Bench, type HookWords } from "./hooks.ts";

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

describe("invoke of an operation", () => {
  it("runs it between pre and post, without hooks too", async () => {
    const outcome = await new Tool().run();
    expect(outcome).toMatchObject({ action: "continue", result: { ok: true }, inject: [] });
    expect(pointsOf(outcome.outcomes)).toEqual(["tool.pre_execute", "tool.post_execute"]);
  });

  it("updates the clock, without hooks too", async () => {
    const tool = new Tool();
    await tool.bench.clock.sleep(50);
    const times: number[] = [];
    const outcome = await tool.run(async (_, ctx) => {
      times.push(ctx.timestamp_ms);
      await tool.bench.clock.sleep(25);
    });
    expect([...times, outcome.ctx.timestamp_ms]).toEqual([50, 75]);
  });

  it("passes the payload as changed by pre hooks; the caller's is unchanged", async () => {
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

  it("awaits it", async () => {
    const outcome = await new Tool().run(async () => Promise.resolve("later"));
    expect(resultOf(outcome)).toBe("later");
  });

  it("returns non-JSON results unchanged, including undefined", async () => {
    const at = new Date(0);
    expect(resultOf(await new Tool().run(() => at))).toBe(at);
    expect(resultOf(await new Tool().run(() => undefined))).toBeUndefined();
    expect(resultOf(await new Tool().on("post", () => undefined).run(() => at))).toBe(at);
  });

  it("gives post hooks the input, the result and the elapsed time", async () => {
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

  it("shares one metadata object from pre to post, starting with the caller's", async () => {
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

  it("collects the injected texts of both chains in order", async () => {
    const outcome = await new Tool()
      .on("post", () => ({ inject: "c" }))
      .on("pre", () => ({ inject: ["a", "b"] }))
      .run();
    expect(outcome.inject).toEqual(["a", "b", "c"]);
  });

  it("returns the decision of the pre chain", async () => {
    expect(await new Tool().on("pre", () => ({ decision: "ask" })).run()).toMatchObject({
      action: "continue",
      decision: "ask",
    });
    expect("decision" in (await new Tool().run())).toBe(false);
  });

  it("of custom points works the same, without a failure point", async () => {
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

  it("requires both points to exist", async () => {
    const { registry, clock } = bench();
    const host = { registry, clock, points: POINTS };
    for (const name of ["tool.exec", "tool", "tool.pre_execute", "tool.list", "", "."]) {
      await expect(
        invoke(host, name, {}, () => 1),
        name,
      ).rejects.toThrow("ORCS1005");
    }
  });

  it("rejects an invalid payload without running it", async () => {
    const tool = new Tool().on("pre", () => undefined);
    await expect(tool.run(undefined, { payload: { tool_name: "exec" } })).rejects.toThrow(
      "ORCS2003",
    );
    expect(tool.calls).toEqual([]);
  });
});

describe("skip and abort", () => {
  it("skip returns a result for the operation; neither it nor post hooks run", async () => {
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

  it("abort denies it", async () => {
    const tool = new Tool().on("pre", () => ({ action: "abort", reason: "no" }), { id: "guard" });
    expect(await tool.run()).toMatchObject({ action: "abort", reason: "no", hook: "guard" });
    expect(tool.calls).toEqual([]);
  });

  it("a failing pre hook denies it", async () => {
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

  it("the depth limit denies it", async () => {
    const tool = new Tool();
    expect(await tool.run(undefined, { options: { depth: 4 } })).toMatchObject({
      action: "abort",
      hook: "orcs:max_depth",
    });
    expect(tool.calls).toEqual([]);
  });
});

describe("the gate of invoke", () => {
  it("sees the decision of the pre hooks, and can deny", async () => {
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

  it("is named orcs:gate when no hook decided", async () => {
    expect(await new Tool().run(undefined, { gate: () => "no" })).toMatchObject({
      action: "abort",
      reason: "no",
      hook: "orcs:gate",
    });
  });

  it("denies with an empty reason too", async () => {
    const tool = new Tool();
    expect((await tool.run(undefined, { gate: () => "" })).action).toBe("abort");
    expect(tool.calls).toEqual([]);
  });

  it("permits with undefined, sync or async", async () => {
    for (const gate of [() => undefined, async () => undefined])
      expect((await new Tool().run(undefined, { gate })).action).toBe("continue");
  });

  it("is not called for operations that hooks denied or skipped", async () => {
    let asked = 0;
    const gate: Gate = () => {
      asked += 1;
      return undefined;
    };
    await new Tool().on("pre", () => ({ decision: "deny" })).run(undefined, { gate });
    await new Tool().on("pre", () => ({ action: "skip" })).run(undefined, { gate });
    expect(asked).toBe(0);
  });

  it("that throws makes invoke throw; the operation does not run", async () => {
    const tool = new Tool();
    const gate: Gate = () => {
      throw new Error("gate down");
    };
    await expect(tool.run(undefined, { gate })).rejects.toThrow("gate down");
    expect(tool.calls).toEqual([]);
  });
});

describe("post hooks of invoke", () => {
  it("a replaced result is seen by later hooks", async () => {
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

  it("edits do not write to the operation's own result object", async () => {
    const result = frozen({ ok: true, lines: [1, 2] });
    const outcome = await new Tool()
      .on("post", (ctx) => void (ctx.payload["result"] as Payload)["lines"].push(3))
      .run(() => result);
    expect(resultOf(outcome)).toEqual({ ok: true, lines: [1, 2, 3] });
    expect(result.lines).toEqual([1, 2]);
  });

  it("a post hook that fails open leaves the result unchanged", async () => {
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
  ])("a post hook that %s withholds the result", async (_, handler, reason) => {
    const outcome = await new Tool()
      .on("post", handler, { id: "redact", onError: "closed" })
      .run(() => "secret");
    expect(outcome).toMatchObject({ action: "abort", hook: "redact" });
    expect(outcome.action === "abort" ? outcome.reason : "").toContain(reason);
    // In no part of what the caller gets: neither the context nor that of each chain.
    expect(outcome.outcomes).toHaveLength(2);
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  it("a post hook that retries once too often withholds the result", async () => {
    const outcome = await new Tool()
      .on("post", () => ({ action: "retry", delay_ms: 0 }), { maxRetries: 1 })
      .run(() => "secret");
    expect(outcome).toMatchObject({ action: "abort" });
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });
});

describe("failures of an operation", () => {
  it("an error is passed to on_failure with the same metadata, then rethrown", async () => {
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

  it("an error is rethrown even if an on_failure hook fails or returns an illegal action", async () => {
    for (const bad of [() => 5, () => ({ action: "skip", result: 1 })]) {
      const tool = new Tool().on("failure", bad, { onError: "closed" });
      await expect(
        tool.run(() => {
          throw new Error("disk full");
        }),
      ).rejects.toThrow("disk full");
    }
  });

  it("a result with ok = false passes post hooks, then on_failure", async () => {
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

  it("ok = false is a failure whatever the other keys", async () => {
    const seen: unknown[] = [];
    const tool = new Tool().on("failure", (ctx) => void seen.push(ctx.payload["error"]));
    await tool.run(() => ({ ok: false }));
    await tool.run(() => ({ ok: false, error: { code: 2 } }));
    expect(seen).toEqual(["the tool returned ok = false", "the tool returned ok = false"]);
  });

  it("other results do not call on_failure", async () => {
    const tool = new Tool().on("failure", () => {
      throw new Error("not reached");
    });
    for (const result of [{ ok: true }, { ok: 0 }, { error: "x" }, "false", null, [], undefined]) {
      const outcome = await tool.run(() => result);
      expect(pointsOf(outcome.outcomes)).toEqual(["tool.pre_execute", "tool.post_execute"]);
    }
  });

  it("on_failure hooks cannot change the result", async () => {
    const outcome = await new Tool()
      .on("failure", (ctx) => void ((ctx.payload["result"] as Payload)["ok"] = true))
      .run(() => ({ ok: false, error: "x" }));
    expect(resultOf(outcome)).toEqual({ ok: false, error: "x" });
  });
});

describe("the action retry", () => {
  it("waits and runs the operation again", async () => {
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

  it("starts each round with the caller's payload and keeps only the last round's texts", async () => {
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

  it("from a pre hook waits before the operation runs", async () => {
    let asked = 0;
    const tool = new Tool().on("pre", () =>
      (asked += 1) < 3 ? { action: "retry", delay_ms: 5 } : undefined,
    );
    expect((await tool.run()).action).toBe("continue");
    expect(tool.calls).toHaveLength(1);
    expect(tool.bench.clock.slept).toEqual([5, 5]);
  });

  it.each([0, 1, 3, 5])("is limited by max_retries: %i", async (maxRetries) => {
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

  it("is counted per hook", async () => {
    let round = 0;
    const tool = new Tool()
      .on("pre", () => (round++ % 2 ? undefined : { action: "retry" }), { maxRetries: 2 })
      .on("post", () => ({ action: "retry" }), { id: "post", maxRetries: 2 });
    // Rounds: pre, post, pre, post, pre (its third).
    expect((await tool.run()).action).toBe("abort");
    expect(tool.calls).toHaveLength(2);
    expect(tool.bench.clock.slept).toHaveLength(4);
  });

  it("works for a hook with once", async () => {
    const tool = new Tool().on("post", () => ({ action: "retry", delay_ms: 1 }), { once: true });
    expect((await tool.run()).action).toBe("continue");
    expect(tool.calls).toHaveLength(2);
  });

  it("works for a hook that was unregistered meanwhile", async () => {
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

  it("calls the gate again", async () => {
    let asked = 0;
    const tool = new Tool().on("post", () => (asked < 2 ? { action: "retry" } : undefined));
    const gate: Gate = () => {
      asked += 1;
      return undefined;
    };
    await tool.run(undefined, { gate });
    expect(asked).toBe(2);
  });

  it("in dispatch is returned to the caller", async () => {
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
