import { describe, expect, it } from "vitest";
import type { HookContext } from "../../../../src/core/context.ts";
import type { Hook, HookReport, HookRunner, Turn } from "../../../../src/core/hook.ts";
import { POINT_TABLE } from "../../../../src/core/point-table.ts";
import { bench, frozen, gate, hook, scope, statuses, sync } from "./hooks.ts";

describe("the hook context", () => {
  it("has point, addressee, time and depth", () => {
    const { registry, clock } = bench({ maxDepth: 7 });
    clock.time = 12.9;
    const seen: HookContext[] = [];
    registry.register(
      hook((ctx) => void seen.push(JSON.parse(JSON.stringify(ctx)) as HookContext), {
        point: "tool.pre_execute",
      }),
    );
    sync(
      registry.dispatch(
        "PreToolUse",
        { tool_name: "exec", args: {} },
        {
          component: "lua::x",
          channel: "c-1",
          principal: { type: "User", id: "u" },
          metadata: { m: 1 },
          depth: 2,
        },
      ),
    );
    sync(registry.dispatch("tool.pre_execute", { tool_name: "exec", args: {} }));
    expect(seen).toEqual([
      {
        hook_point: "tool.pre_execute",
        component_id: "lua::x",
        channel_id: "c-1",
        principal: { type: "User", id: "u" },
        timestamp_ms: 12,
        payload: { tool_name: "exec", tool: "exec", args: {} },
        metadata: { m: 1 },
        depth: 2,
        max_depth: 7,
      },
      {
        hook_point: "tool.pre_execute",
        component_id: "host::main",
        channel_id: "main",
        principal: { type: "Host", id: "main" },
        timestamp_ms: 12,
        payload: { tool_name: "exec", tool: "exec", args: {} },
        metadata: {},
        depth: 0,
        max_depth: 7,
      },
    ]);
  });

  it("has a max_depth of 4 by default", () => {
    const { registry } = bench();
    expect(sync(registry.dispatch("test.pre_run", {})).ctx.max_depth).toBe(4);
  });

  it("has the canonical name of a point dispatched by an alias", () => {
    const { registry } = bench();
    for (const [alias, name] of [
      ["Stop", "agent.pre_stop"],
      ["subagent_stop", "child.post_run"],
    ] as const) {
      expect(sync(registry.dispatch(alias, {})).ctx.hook_point).toBe(name);
    }
    expect(() => registry.dispatch("PreTolUse", {})).toThrow(
      'ORCS1005: unknown hook point "PreTolUse"; did you mean PreToolUse?',
    );
    expect(() => registry.dispatch("qqqqqqqqqqqqqq", {})).toThrow(/qqqq"$/);
  });

  it("gives each handler a scope bound to the call", () => {
    const depths: number[] = [];
    const { registry } = bench({ scopeFor: (ctx) => scope(ctx.depth + 1) });
    registry.register(hook((_, orcs) => void depths.push(orcs.depth)));
    sync(registry.dispatch("test.pre_run", {}, { depth: 2 }));
    expect(depths).toEqual([3]);
  });

  it("gives the scope the metadata as it is at that hook", () => {
    const seen: unknown[] = [];
    const { registry } = bench({
      scopeFor: (ctx) => {
        seen.push({ ...ctx.metadata });
        return scope(1);
      },
    });
    registry.register(hook((ctx) => void (ctx.metadata["a"] = 1)));
    registry.register(hook(() => undefined));
    sync(registry.dispatch("test.pre_run", {}));
    expect(seen).toEqual([{}, { a: 1 }]);
  });

  it("an error in making the scope is a failure of the hook", () => {
    const { registry } = bench({
      scopeFor: () => {
        throw new Error("no scope");
      },
    });
    registry.register(hook(() => undefined, { id: "h" }));
    expect(sync(registry.dispatch("test.pre_run", {}))).toMatchObject({
      action: "abort",
      reason: "hook h failed: no scope",
    });
  });
});

describe("decisions, injected texts and stop", () => {
  const answering = (...answers: unknown[]): ReturnType<typeof bench>["registry"] => {
    const { registry } = bench();
    answers.forEach((answer, i) => registry.register(hook(() => answer, { id: `h${i}` })));
    return registry;
  };

  it("decision, reason and hook are absent when no hook decides", () => {
    const outcome = sync(answering({ reason: "just so" }).dispatch("test.pre_run", {}));
    expect(outcome.action).toBe("continue");
    for (const key of ["decision", "reason", "hook"]) expect(key in outcome).toBe(false);
  });

  it("accept 200,000 injected texts", () => {
    const many = Array.from({ length: 200_000 }, () => "t");
    const outcome = sync(answering({ inject: many }).dispatch("test.pre_run", {}));
    expect(outcome.inject).toHaveLength(200_000);
  });
});

describe("the action replace", () => {
  it("sets the result, which later hooks see", () => {
    const { registry } = bench();
    const seen: unknown[] = [];
    const watching = hook((ctx) => void seen.push(ctx.payload["result"]), {
      point: "tool.post_execute",
    });
    registry.register(
      hook(() => ({ action: "replace", result: "one" }), { point: "tool.post_execute" }),
    );
    registry.register(watching);
    registry.register(
      hook((ctx) => ({ action: "replace", result: { was: ctx.payload["result"] } }), {
        point: "tool.post_execute",
      }),
    );
    const payload = frozen({ tool_name: "exec", tool: "exec", args: { a: 1 }, result: { big: 1 } });
    const outcome = sync(registry.dispatch("tool.post_execute", payload, { trace: true }));
    expect(seen).toEqual(["one"]);
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.payload["result"]).toEqual({ was: "one" });
    expect(outcome.ctx.payload.args).toBe(payload.args);
    expect(payload.result).toEqual({ big: 1 });
    expect(outcome.trace?.[0]?.changed).toEqual(["/payload/result"]);
  });

  it("writes the result key of each post point", () => {
    for (const [name, row] of Object.entries(POINT_TABLE)) {
      if (row.phase !== "post") continue;
      const key = "result" in row ? row.result : "result";
      const { registry } = bench();
      const kinds: Record<string, { kind: string } | undefined> = row.keys;
      const results: Record<string, unknown> = {
        string: "new",
        integer: 7,
        object: { new: 1 },
        list: ["new"],
      };
      const result = results[kinds[key]?.kind ?? ""] ?? { anything: [1] };
      registry.register(hook(() => ({ action: "replace", result }), { point: name }));
      const payload = { tool_name: "t", args: {}, id: "r", operation: "o", prompt: "p" };
      const outcome = sync(registry.dispatch(name, payload));
      expect(outcome.ctx.payload[key], name).toEqual(result);
    }
  });
});

describe("the dispatch trace", () => {
  it("is present if the engine or the call enables it", () => {
    for (const [engine, call, there] of [
      [undefined, undefined, false],
      [true, undefined, true],
      [true, false, false],
      [false, true, true],
    ] as const) {
      const { registry } = bench({ trace: engine });
      const empty = sync(registry.dispatch("test.pre_run", {}, { trace: call }));
      expect("trace" in empty).toBe(there);
      registry.register(hook(() => undefined));
      expect("trace" in sync(registry.dispatch("test.pre_run", {}, { trace: call }))).toBe(there);
    }
  });

  it("lists every hook's status in order", () => {
    const { registry, clock } = bench({ trace: true });
    const source = { file: "guard.lua", line: 3 };
    registry.register(
      hook(
        (ctx) => {
          clock.time += 5;
          ctx.payload["a/b"] = { c: 1 };
          ctx.metadata["m"] = 1;
          return { decision: "ask", reason: "why not" };
        },
        { id: "edits", source },
      ),
    );
    registry.register(hook(() => undefined, { id: "off", enabled: false }));
    registry.register(hook(() => undefined, { id: "far", fql: "other::*" }));
    registry.register(hook(() => undefined, { id: "tool", tool: "exec" }));
    registry.register(hook(() => ({ action: "replace", result: 1 }), { id: "warned" }));
    registry.register(hook(() => 5, { id: "bad", onError: "open" }));
    registry.register(hook(() => ({ action: "abort", reason: "no" }), { id: "abort" }));
    registry.register(hook(() => undefined, { id: "last" }));
    registry.register(hook(() => undefined, { id: "last-off", enabled: false }));
    const { trace } = sync(registry.dispatch("test.pre_run", {}));
    expect(trace).toEqual([
      {
        id: "edits",
        source,
        status: "ran",
        action: "continue",
        decision: "ask",
        reason: "why not",
        duration_ms: 5,
        changed: ["/payload/a~1b", "/metadata/m"],
      },
      { id: "off", status: "disabled" },
      { id: "far", status: "not_matched", failing: "fql" },
      { id: "tool", status: "not_matched", failing: "tool" },
      { id: "warned", status: "ran", action: "replace", duration_ms: 0 },
      {
        id: "bad",
        status: "failed",
        reason: expect.stringContaining("5") as string,
        duration_ms: 0,
      },
      { id: "abort", status: "ran", action: "abort", reason: "no", duration_ms: 0 },
      { id: "last", status: "not_reached" },
      { id: "last-off", status: "not_reached" },
    ]);
  });
});

describe("async handlers in a chain", () => {
  it("dispatch is synchronous while no handler returns a promise", () => {
    const { registry } = bench();
    registry.register(hook((ctx) => void (ctx.payload["a"] = 1)));
    registry.register(hook(() => undefined));
    expect(registry.dispatch("test.pre_run", {})).not.toBeInstanceOf(Promise);
    registry.register(hook(async () => undefined));
    expect(registry.dispatch("test.pre_run", {})).toBeInstanceOf(Promise);
  });

  it("concurrent dispatches are isolated", async () => {
    const { registry } = bench();
    registry.register(
      hook(async (ctx) => {
        const wait = ctx.payload["n"] as number;
        await new Promise((resolve) => setTimeout(resolve, wait % 7));
        ctx.payload["twice"] = wait * 2;
        ctx.metadata["n"] = wait;
        return { inject: String(wait) };
      }),
    );
    registry.register(hook((ctx) => ({ action: "skip", result: ctx.payload["twice"] })));
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => registry.dispatch("test.pre_run", { n })),
    );
    outcomes.forEach((outcome, n) => {
      expect(outcome).toMatchObject({ action: "skip", result: n * 2, inject: [String(n)] });
      expect(outcome.ctx.metadata).toEqual({ n });
    });
  });

  it("a chain of 2000 async handlers works", async () => {
    const { registry } = bench();
    for (let i = 0; i < 2000; i++) {
      registry.register(
        hook(async (ctx) => void (ctx.payload["n"] = (ctx.payload["n"] as number) + 1)),
      );
    }
    const outcome = await registry.dispatch("test.pre_run", { n: 0 });
    expect(outcome.ctx.payload["n"]).toBe(2000);
  });
});

describe("the depth limit", () => {
  it("denies at pre points, and skips hooks with a warning at other points", () => {
    for (const point of ["test.pre_run", "test.post_run", "test.on_fact", "test.on_ask"]) {
      for (const depth of [3, 4, 5, 100]) {
        const { registry, log } = bench();
        let runs = 0;
        registry.register(hook(() => void (runs += 1), { id: "h", point }));
        const outcome = sync(registry.dispatch(point, {}, { depth, trace: true }));
        if (depth < 4) {
          expect(runs).toBe(1);
          expect(log.of("warn")).toEqual([]);
          continue;
        }
        expect(runs).toBe(0);
        expect(statuses(outcome)).toEqual(["h not_reached"]);
        expect(log.of("warn")).toEqual([
          `${point}: hooks are nested ${depth} levels deep; the limit is 4`,
        ]);
        if (point === "test.pre_run") {
          expect(outcome).toMatchObject({
            action: "abort",
            reason: `hooks are nested ${depth} levels deep; the limit is 4`,
            hook: "orcs:max_depth",
          });
        } else {
          expect(outcome.action).toBe("continue");
        }
      }
    }
  });

  it("logs nothing at other points without hooks", () => {
    const { registry, log } = bench();
    expect(sync(registry.dispatch("test.post_run", {}, { depth: 4 })).action).toBe("continue");
    expect(log.lines).toEqual([]);
  });

  it("is configurable; with 0 every pre dispatch is denied", () => {
    const { registry } = bench({ maxDepth: 0 });
    registry.register(hook(() => undefined));
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("abort");
  });

  it("ends a recursion through hooks", () => {
    let deepest = 0;
    const { registry } = bench();
    registry.register(
      hook((ctx, orcs) => {
        deepest = Math.max(deepest, ctx.depth);
        const inner = sync(registry.dispatch("test.pre_run", {}, { depth: orcs.depth }));
        return inner.action === "abort" ? { decision: "deny", reason: inner.reason } : undefined;
      }),
    );
    expect(sync(registry.dispatch("test.pre_run", {}))).toMatchObject({
      action: "abort",
      reason: "hooks are nested 4 levels deep; the limit is 4",
    });
    expect(deepest).toBe(3);
  });
});

describe("hook runners", () => {
  /** A runner that notes which hooks it was given in each turn, and runs what `does` says. */
  class Batch implements HookRunner {
    readonly turns: string[][] = [];
    readonly #does: (turn: Turn) => HookReport | Promise<HookReport>;

    constructor(does: (turn: Turn) => HookReport | Promise<HookReport> = () => NOTHING) {
      this.#does = does;
    }

    run(turn: Turn): void | Promise<void> {
      const ids: string[] = [];
      this.turns.push(ids);
      return this.#next(turn, turn.hook, ids);
    }

    #next(turn: Turn, first: Hook | undefined, ids: string[]): void | Promise<void> {
      for (let at = first; at !== undefined;) {
        expect(turn.hook).toBe(at);
        ids.push(at.id);
        const report = this.#does(turn);
        if (report instanceof Promise)
          return report.then(async (late) => this.#next(turn, turn.settle(late), ids));
        at = turn.settle(report);
      }
      return undefined;
    }
  }
  const NOTHING: HookReport = { answer: undefined, edits: [] };

  it.each([
    ["at once", (report: HookReport) => report],
    ["later", async (report: HookReport) => report],
  ])("get consecutive hooks in one batch, settling %s", async (_, when) => {
    const { registry } = bench();
    const one = new Batch(() => when(NOTHING));
    const two = new Batch(() => when(NOTHING));
    for (const [id, runner] of [
      ["a", one],
      ["b", one],
      ["c", two],
      ["d", one],
      ["e", two],
      ["f", two],
    ] as const) {
      registry.register(hook(runner, { id }));
    }
    const outcome = await registry.dispatch("test.pre_run", {}, { trace: true });
    expect(one.turns).toEqual([["a", "b"], ["d"]]);
    expect(two.turns).toEqual([["c"], ["e", "f"]]);
    expect(statuses(outcome)).toEqual(["a", "b", "c", "d", "e", "f"].map((id) => `${id} ran`));
  });

  it("get one batch across hooks that do not apply", () => {
    const { registry } = bench();
    const runner = new Batch();
    registry.register(hook(runner, { id: "a" }));
    registry.register(hook(() => undefined, { id: "off", enabled: false }));
    registry.register(hook(() => undefined, { id: "far", fql: "other::*" }));
    registry.register(hook(runner, { id: "unmatched", tool: "exec" }));
    registry.register(hook(runner, { id: "b" }));
    sync(registry.dispatch("test.pre_run", {}));
    expect(runner.turns).toEqual([["a", "b"]]);
  });

  it("that settle one hook per call are called again", () => {
    const { registry } = bench();
    const ids: string[] = [];
    const runner: HookRunner = {
      run: (turn) => {
        ids.push(turn.hook.id);
        turn.settle(NOTHING);
      },
    };
    for (const id of ["a", "b", "c"]) registry.register(hook(runner, { id }));
    sync(registry.dispatch("test.pre_run", {}));
    expect(ids).toEqual(["a", "b", "c"]);
  });

  it("get the same scope object until the context changes", () => {
    const scopes: unknown[] = [];
    const { registry } = bench();
    const edits = [{ path: ["metadata", "seen"], value: true }];
    const runner = new Batch((turn) => {
      expect(turn.scope).toBe(turn.scope);
      scopes.push(turn.scope);
      return turn.hook.id === "b" ? { answer: undefined, edits } : NOTHING;
    });
    for (const id of ["a", "b", "c"]) registry.register(hook(runner, { id }));
    sync(registry.dispatch("test.pre_run", {}));
    const [a, b, c] = scopes;
    expect(b).toBe(a);
    expect(c).not.toBe(b);
  });
});

describe("registry events", () => {
  it("report each settled dispatch, with and without hooks", async () => {
    const { registry, clock } = bench();
    const told: unknown[] = [];
    const off = registry.events.on("dispatched", (event) => told.push(event));
    sync(registry.dispatch("test.pre_run", {}, { child: "a/b" }));
    expect(told.splice(0)).toEqual([
      expect.objectContaining({ point: "test.pre_run", component: "host::main", child: "a/b" }),
    ]);
    const { open, opened } = gate();
    registry.register(
      hook(async () => {
        await opened;
        clock.time += 3;
      }),
    );
    const waiting = registry.dispatch("test.pre_run", {}, { component: "lua::x" });
    expect(told).toEqual([]);
    open();
    const outcome = await waiting;
    const event = { point: "test.pre_run", component: "lua::x", outcome, duration_ms: 3 };
    expect(told).toEqual([{ ...event, dispatch_id: expect.any(String) }]);
    off();
    off();
    await registry.dispatch("test.pre_run", {});
    expect(told).toHaveLength(1);
  });

  it("report a dispatch denied for its depth", () => {
    const { registry } = bench();
    const told: string[] = [];
    registry.events.on("dispatched", ({ outcome }) => told.push(outcome.action));
    registry.register(hook(() => undefined));
    sync(registry.dispatch("test.pre_run", {}, { depth: 4 }));
    expect(told).toEqual(["abort"]);
  });

  it("reach only listeners of their kind", () => {
    const { registry } = bench();
    const told: string[] = [];
    registry.events.on("dispatched", () => told.push("dispatched"));
    registry.events.on("failed", () => told.push("failed one"));
    registry.events.on("failed", () => told.push("failed two"));
    registry.register(hook(() => 5));
    sync(registry.dispatch("test.pre_run", {}));
    expect(told).toEqual(["failed one", "failed two", "dispatched"]);
  });

  it("a listener that throws does not affect the dispatch", async () => {
    const { registry, log } = bench();
    const told: string[] = [];
    registry.events.on("failed", () => {
      throw new Error("listener down");
    });
    registry.events.on("dispatched", () => {
      throw new Error("listener down");
    });
    registry.events.on("dispatched", () => told.push("second"));
    registry.register(hook(() => 5, { onError: "open" }));
    registry.register(hook(() => ({ action: "skip", result: 1 })));
    expect(sync(registry.dispatch("test.pre_run", {}))).toMatchObject({ action: "skip" });
    registry.register(hook(async () => undefined, { priority: 1 }));
    expect(await registry.dispatch("test.pre_run", {})).toMatchObject({ action: "skip" });
    expect(told).toEqual(["second", "second"]);
    expect(log.of("error")).toContain("a listener of dispatched threw: listener down");
    expect(log.of("error")).toContain("a listener of failed threw: listener down");
  });

  it("a listener that rejects does not affect the dispatch", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listener);
    const { registry, log } = bench();
    const rejecting: () => unknown = async () => Promise.reject(new Error("listener down"));
    registry.events.on("dispatched", rejecting);
    registry.register(hook(() => undefined));
    sync(registry.dispatch("test.pre_run", {}));
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
    expect(log.of("error")).toEqual(["a listener of dispatched threw: listener down"]);
  });

  it("a listener may change hooks and dispatch", () => {
    const { registry } = bench();
    registry.events.on("failed", ({ hook: id }) => {
      registry.unregister(id);
      sync(registry.dispatch("test.pre_run", {}));
    });
    registry.register(hook(() => 5, { id: "bad" }));
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("abort");
    expect(sync(registry.dispatch("test.pre_run", {})).action).toBe("continue");
  });
});
