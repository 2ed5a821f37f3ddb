import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bench, gate, hook, statuses, sync } from "./hooks.ts";

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("an async hook", () => {
  it("is not awaited, and runs after the dispatch", async () => {
    const { registry } = bench();
    const seen: string[] = [];
    registry.register(hook(() => void seen.push("late"), { id: "a", async: true }));
    registry.register(hook(() => void seen.push("now"), { id: "b" }));
    const outcome = sync(registry.dispatch("test.pre_run", {}, { trace: true }));
    expect(seen).toEqual(["now"]);
    expect(statuses(outcome)).toEqual(["a queued", "b ran"]);
    await registry.drain(1000);
    expect(seen).toEqual(["now", "late"]);
  });

  it("gets a copy of the context, isolated from the caller in both directions", async () => {
    const { registry } = bench();
    const payload = { list: [1, { deep: true }] };
    const seen: unknown[] = [];
    const handler = (ctx: { payload: Record<string, unknown> }): void => {
      seen.push(JSON.parse(JSON.stringify(ctx.payload)));
      (ctx.payload["list"] as unknown[]).push("mine");
    };
    registry.register(hook(handler, { async: true }));
    const outcome = sync(registry.dispatch("test.pre_run", payload));
    (payload.list[1] as { deep: boolean }).deep = false;
    await registry.drain(1000);
    expect(seen).toEqual([{ list: [1, { deep: true }] }]);
    expect(payload.list).toHaveLength(2);
    expect(outcome.ctx.payload).toBe(payload);
  });

  it("sees the changes of earlier hooks, not of later ones", async () => {
    const { registry } = bench();
    const seen: unknown[] = [];
    registry.register(hook((ctx) => void (ctx.payload["n"] = 1), { priority: 1 }));
    registry.register(
      hook((ctx) => void seen.push(ctx.payload["n"]), { priority: 2, async: true }),
    );
    registry.register(hook((ctx) => void (ctx.payload["n"] = 3), { priority: 3 }));
    const outcome = sync(registry.dispatch("test.pre_run", { n: 0 }));
    await registry.drain(1000);
    expect([...seen, outcome.ctx.payload["n"]]).toEqual([1, 3]);
  });

  const LATE = ", which is ignored because the hook is asynchronous; the hook is skipped";
  it.each<[string, unknown, string | undefined]>([
    ["abort", { action: "abort", reason: "no rm" }, `returned abort (no rm)${LATE}`],
    ["deny", { decision: "deny" }, `returned abort (no reason given)${LATE}`],
    ["skip", { action: "skip", result: 1 }, `returned skip${LATE}`],
    ["retry", { action: "retry" }, `returned retry${LATE}`],
    ["ask", { decision: "ask", reason: "sure?" }, `returned ask (sure?)${LATE}`],
    ["defer", { decision: "defer" }, `returned defer${LATE}`],
    ["allow", { decision: "allow" }, undefined],
    ["inject", { inject: "text" }, undefined],
    ["stop", { action: "continue", stop: true }, undefined],
    ["nothing", undefined, undefined],
  ])("returning a decision is a failure without effect: %s", async (_, answer, why) => {
    for (const point of ["test.pre_run", "test.post_run"]) {
      if (point === "test.post_run" && why === undefined) continue;
      for (const observe of [false, true]) {
        const { registry, log } = bench();
        const told: unknown[] = [];
        registry.events.on("failed", ({ failure }) => told.push(failure.kind));
        registry.register(hook(() => answer, { id: "h", async: true, observe, point }));
        const outcome = sync(registry.dispatch(point, {}));
        await registry.drain(1000);
        expect(outcome).toMatchObject({ action: "continue", inject: [] });
        expect(outcome).not.toHaveProperty("decision");
        const errors = why === undefined ? [] : [`hook h failed at ${point}: ${why}`];
        expect(log.of("error")).toEqual(errors);
        expect(told).toEqual(errors.map(() => "answer"));
      }
    }
  });

  it("an invalid result is a logged failure without effect", async () => {
    const { registry, log } = bench();
    registry.register(hook(() => ({ action: "explode" }), { async: true }));
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("continue");
    await registry.drain(1000);
    expect(log.of("error")).toHaveLength(1);
  });

  it("a failure is logged and emitted as an event, and does not deny", async () => {
    const { registry, log } = bench({ onError: "closed" });
    const told: unknown[] = [];
    registry.events.on("failed", ({ hook: id }) => told.push(id));
    const words = { id: "bad", async: true, onError: "closed" } as const;
    const fails = (): never => {
      throw new Error("boom");
    };
    registry.register(hook(fails, words));
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("continue");
    await registry.drain(1000);
    expect(told).toEqual(["bad"]);
    expect(log.of("error")).toEqual(["hook bad failed at test.pre_run: boom; the hook is skipped"]);
  });

  it("a matcher that throws does not deny", () => {
    const { registry } = bench({ onError: "closed" });
    const matcher = {
      failing: (): never => {
        throw new Error("boom");
      },
    };
    registry.register(hook(() => undefined, { async: true, matcher }));
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("continue");
  });

  it("a logger that throws does not stop it or later hooks", async () => {
    const { registry, log } = bench();
    const seen: unknown[] = [];
    log.error = () => {
      throw new Error("disk full");
    };
    const fails = (ctx: { payload: Record<string, unknown> }): void => {
      seen.push(ctx.payload["n"]);
      throw new Error("boom");
    };
    registry.register(hook(fails, { async: true }));
    for (const n of [1, 2]) sync(registry.dispatch("test.pre_run", { n }));
    expect(await registry.drain(1000)).toBe(0);
    expect(seen).toEqual([1, 2]);
  });

  it("fails when its context cannot be copied, and the dispatch continues", async () => {
    const { registry, log } = bench();
    registry.register(hook(() => undefined, { id: "a", async: true }));
    const outcome = sync(registry.dispatch("test.pre_run", { at: Promise.resolve() }));
    expect(outcome.action).toBe("continue");
    expect(log.of("error")[0]).toContain(
      "hook a failed at test.pre_run: cannot copy its context: /payload/at",
    );
  });

  it("with once is removed after it was queued, and stays while it does not match", async () => {
    const { registry } = bench();
    let runs = 0;
    const words = { id: "a", async: true, once: true, tool: "exec", point: "tool.pre_execute" };
    registry.register(hook(() => void runs++, words));
    const call = (tool_name: string) =>
      sync(registry.dispatch("tool.pre_execute", { tool_name, args: {} }));
    call("read");
    expect(registry.size).toBe(1);
    call("exec");
    call("exec");
    await registry.drain(1000);
    expect([runs, registry.size]).toEqual([1, 0]);
  });

  it("runs its own invocations in order; other hooks do not wait for them", async () => {
    const { registry } = bench();
    const slow = gate();
    const seen: string[] = [];
    const waits = async (ctx: { payload: Record<string, unknown> }): Promise<void> => {
      const n = ctx.payload["n"];
      seen.push(`slow ${String(n)} begins`);
      if (n === 1) await slow.opened;
      seen.push(`slow ${String(n)} ends`);
    };
    registry.register(hook(waits, { id: "slow", async: true }));
    registry.register(hook(() => void seen.push("quick"), { id: "quick", async: true }));
    for (const n of [1, 2]) sync(registry.dispatch("test.pre_run", { n }));
    await later(20);
    expect(seen).toEqual(["slow 1 begins", "quick", "quick"]);
    slow.open();
    await registry.drain(1000);
    expect(seen.slice(3)).toEqual(["slow 1 ends", "slow 2 begins", "slow 2 ends"]);
  });
});

describe("the queue of async hooks", () => {
  it("is bounded: when it is full, runs are dropped, counted and logged", async () => {
    const { registry, log } = bench();
    const shut = gate();
    let runs = 0;
    const waits = async (): Promise<void> => {
      await shut.opened;
      runs++;
    };
    registry.register(hook(waits, { id: "a", async: true }));
    const told: unknown[] = [];
    registry.events.on("dropped", (event) => told.push(event));
    for (let i = 0; i < 1010; i++) sync(registry.dispatch("test.pre_run", {}));
    expect(registry.dropped).toBe(10);
    expect(told).toHaveLength(10);
    expect(told[0]).toEqual({ hook: "a", point: "test.pre_run", dispatch_id: expect.any(String) });
    expect(log.of("warn")).toHaveLength(10);
    registry.register(hook(() => undefined, { id: "once", async: true, once: true }));
    sync(registry.dispatch("test.pre_run", {}));
    expect(registry.size).toBe(2);
    shut.open();
    expect(await registry.drain(5000)).toBe(0);
    expect(runs).toBe(1000);
  });

  it("is drained within a time limit; runs that have not started are dropped", async () => {
    const { registry, log } = bench();
    const shut = gate();
    const seen: unknown[] = [];
    const waits = async (ctx: { payload: Record<string, unknown> }): Promise<void> => {
      await shut.opened;
      seen.push(ctx.payload["n"]);
    };
    registry.register(hook(waits, { id: "a", async: true }));
    const told: unknown[] = [];
    registry.events.on("dropped", (event) => told.push(event));
    for (const n of [1, 2, 3]) sync(registry.dispatch("test.pre_run", { n }));
    await later(10);
    expect(await registry.drain(30)).toBe(3);
    expect(log.of("warn").at(-1)).toBe("closed while 3 runs of asynchronous hooks were unfinished");
    expect([registry.dropped, told.length]).toEqual([2, 2]);
    shut.open();
    await later(10);
    expect(seen).toEqual([1]);
    sync(registry.dispatch("test.pre_run", { n: 4 }));
    await nextTurn();
    expect(registry.dropped).toBe(3);
  });
});
