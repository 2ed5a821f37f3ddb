import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { HookContext } from "../../../../src/core/context.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { bench, frozen, hook, statuses, sync, type Bench } from "./hooks.ts";

type Payload = Record<string, any>;

/** Dispatch a frozen payload to one handler at a point with a loose payload. */
function edit(
  payload: Payload,
  handler: (ctx: HookContext & { payload: Payload }) => unknown,
  more: { metadata?: Payload } = {},
): Outcome & { bench: Bench } {
  const made = bench();
  made.registry.register(hook(handler, { id: "h" }));
  const outcome = sync(
    made.registry.dispatch("test.pre_run", frozen(payload), {
      trace: true,
      ...(more.metadata && { metadata: frozen(more.metadata) }),
    }),
  );
  return { ...outcome, bench: made };
}
const failedWith = (outcome: Outcome): string =>
  outcome.action === "abort" ? outcome.reason : "not aborted";
const changed = (outcome: Outcome): readonly string[] => outcome.trace?.[0]?.changed ?? [];

describe("edits of the context in place", () => {
  it("set, overwrite and delete keys", () => {
    const outcome = edit({ a: 1, b: { c: 2, d: 3 }, e: null }, ({ payload }) => {
      payload["a"] = 10;
      payload["b"].c = [1, { x: null }];
      delete payload["b"].d;
      payload["b"].n = { deep: { er: true } };
      payload["e"] = false;
    });
    expect(outcome.ctx.payload).toEqual({
      a: 10,
      b: { c: [1, { x: null }], n: { deep: { er: true } } },
      e: false,
    });
    expect(changed(outcome).toSorted()).toEqual([
      "/payload/a",
      "/payload/b/c",
      "/payload/b/d",
      "/payload/b/n",
      "/payload/e",
    ]);
  });

  it("are visible to the handler at once", () => {
    edit({ a: { b: [1, 2] } }, (ctx) => {
      const { payload } = ctx;
      payload["a"].c = { d: 1 };
      payload["a"].c.d = 2;
      payload["a"].b.push(3);
      expect(payload["a"].c.d).toBe(2);
      expect(payload["a"].b).toHaveLength(3);
      expect(payload["a"].b[2]).toBe(3);
      expect(Object.keys(payload["a"])).toEqual(["b", "c"]);
      expect("c" in payload["a"]).toBe(true);
      delete payload["a"].c;
      expect("c" in payload["a"]).toBe(false);
      expect(payload["a"].c).toBeUndefined();
      expect(JSON.stringify(payload)).toBe('{"a":{"b":[1,2,3]}}');
      expect({ ...payload["a"] }).toEqual({ b: [1, 2, 3] });
    });
  });

  it("keep the identity of parts that are read repeatedly", () => {
    edit({ a: { b: [{ c: 1 }] } }, ({ payload }) => {
      const { a } = payload as { a: any };
      expect(payload["a"]).toBe(a);
      expect(a.b[0]).toBe(a.b[0]);
      a.x = 1;
      expect(payload["a"]).toBe(a);
      expect(payload["a"].b[0]).toBe(a.b[0]);
      expect(a.b.indexOf(a.b[0])).toBe(0);
      expect(Array.isArray(a.b)).toBe(true);
      expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
    });
  });

  it("setting undefined removes the key", () => {
    const outcome = edit({ a: 1, b: 2 }, ({ payload }) => {
      payload["a"] = undefined;
    });
    expect(Object.keys(outcome.ctx.payload)).toEqual(["b"]);
  });

  it("of metadata are kept and never change the caller's object", () => {
    const metadata = { keep: { a: 1 }, list: [1] };
    const outcome = edit(
      {},
      (ctx) => {
        ctx.metadata["new"] = 1;
        (ctx.metadata["list"] as number[]).push(2);
      },
      { metadata },
    );
    expect(outcome.ctx.metadata).toEqual({ keep: { a: 1 }, list: [1, 2], new: 1 });
    expect(outcome.ctx.metadata["keep"]).toBe(metadata.keep);
    expect(metadata).toEqual({ keep: { a: 1 }, list: [1] });
  });

  it("replace the whole payload", () => {
    const outcome = edit({ a: 1 }, (ctx) => {
      ctx.payload = { b: { c: 1 } };
      ctx.payload["b"].c = 2;
    });
    expect(outcome.ctx.payload).toEqual({ b: { c: 2 } });
    expect(changed(outcome)).toEqual(["/payload"]);
  });

  it("writing an equal value is no change", () => {
    const payload = { a: 1, b: { c: [1] } };
    const outcome = edit(payload, (ctx) => {
      ctx.payload["a"] = 1;
      ctx.payload["b"].c[0] = 1;
      const { b } = ctx.payload;
      ctx.payload["b"] = b;
      ctx.payload["new"] = 1;
      delete ctx.payload["new"];
    });
    expect(outcome.ctx.payload).toBe(payload);
    expect(changed(outcome)).toEqual([]);
  });

  it("work with Object.assign, defineProperty and destructuring", () => {
    const outcome = edit({ a: { x: 1 }, b: [1, 2] }, ({ payload }) => {
      Object.assign(payload["a"], { y: 2, z: { w: 3 } });
      Object.defineProperty(payload, "c", { value: 3, enumerable: true });
      [payload["b"][0], payload["b"][1]] = [payload["b"][1], payload["b"][0]];
    });
    expect(outcome.ctx.payload).toEqual({ a: { x: 1, y: 2, z: { w: 3 } }, b: [2, 1], c: 3 });
  });

  it("do not follow later changes to objects that the handler inserted", () => {
    const mine = { a: [1] };
    const outcome = edit({}, ({ payload }) => {
      payload["mine"] = mine;
    });
    mine.a.push(2);
    expect(outcome.ctx.payload).toEqual({ mine: { a: [1] } });
  });

  it("after the dispatch have no effect", async () => {
    const payload = { a: { b: 1 } };
    let kept: Payload = {};
    const outcome = edit(payload, (ctx) => {
      kept = ctx.payload;
      ctx.payload["a"].b = 2;
    });
    kept["a"].b = 3;
    kept["new"] = 1;
    expect(outcome.ctx.payload).toEqual({ a: { b: 2 } });
    expect(payload).toEqual({ a: { b: 1 } });
  });

  it("after the hook has ended are not attributed to another hook", async () => {
    for (const waits of [
      async () => new Promise<void>((resolve) => setTimeout(resolve, 15)),
      () => new Promise<void>((resolve) => setTimeout(resolve, 15)),
    ]) {
      const { registry } = bench();
      registry.register(
        hook((ctx) => {
          setTimeout(() => {
            ctx.payload["late"] = true;
            ctx.metadata["late"] = true;
          }, 2);
        }),
      );
      registry.register(hook(waits));
      const outcome = await registry.dispatch("test.pre_run", frozen({ a: 1 }), { trace: true });
      expect(outcome.ctx.payload).toEqual({ a: 1 });
      expect(outcome.ctx.metadata).toEqual({});
      expect(outcome.trace?.map((entry) => entry.changed)).toEqual([undefined, undefined]);
    }
  });

  it("are kept apart when hooks share parts they read", async () => {
    const { registry } = bench();
    const seen: unknown[] = [];
    const kept: Payload[] = [];
    registry.register(hook((ctx) => void kept.push(ctx.payload)));
    registry.register(hook((ctx) => void kept.push(ctx.payload)));
    registry.register(
      hook(
        (ctx) => {
          kept.push(ctx.payload);
          ctx.payload["a"] = 2;
          throw new Error("no");
        },
        { onError: "open" },
      ),
    );
    registry.register(
      hook(
        (ctx) => {
          ctx.payload["a"] = 3;
          return { action: "dance" };
        },
        { onError: "open" },
      ),
    );
    registry.register(
      hook((ctx) => {
        seen.push(ctx.payload["a"]);
        ctx.payload["a"] = 4;
        ctx.payload["a"] = 1;
      }),
    );
    registry.register(hook(async (ctx) => void seen.push(ctx.payload["a"])));
    registry.register(hook((ctx) => void (ctx.payload["b"] = ctx.payload["a"])));
    registry.register(hook((ctx) => void seen.push(ctx.payload["b"])));
    const payload = frozen({ a: 1 });
    const outcome = await registry.dispatch("test.pre_run", payload);
    expect(seen).toEqual([1, 1, 1]);
    expect(outcome.ctx.payload).toEqual({ a: 1, b: 1 });
  });

  it("are visible to the next hook", () => {
    const { registry } = bench();
    const seen: unknown[] = [];
    for (const id of ["a", "b", "c"]) {
      registry.register(
        hook(
          (ctx) => {
            const { log } = ctx.payload as { log: string[] };
            seen.push([...log]);
            log.push(id);
          },
          { id },
        ),
      );
    }
    const outcome = sync(registry.dispatch("test.pre_run", frozen({ log: [] as string[] })));
    expect(seen).toEqual([[], ["a"], ["a", "b"]]);
    expect(outcome.ctx.payload).toEqual({ log: ["a", "b", "c"] });
  });
});

describe("list drafts", () => {
  const list = (handler: (list: any[]) => unknown, from: unknown[] = [3, 1, 2]): unknown =>
    (edit({ list: from }, (ctx) => void handler(ctx.payload["list"])).ctx.payload as Payload)[
      "list"
    ];

  it("moved but unchanged elements stay shared with the original", () => {
    const from = [{ n: 3 }, { n: 1 }, { n: 2 }];
    const sorted = list((l) => l.sort((a, b) => a.n - b.n), from) as unknown[];
    expect(sorted[0]).toBe(from[1]);
    expect(sorted[2]).toBe(from[0]);
    const filtered = edit({ list: from }, (ctx) => {
      ctx.payload["list"] = ctx.payload["list"].filter((item: { n: number }) => item.n > 1);
    });
    expect((filtered.ctx.payload as Payload)["list"]).toEqual([{ n: 3 }, { n: 2 }]);
    expect((filtered.ctx.payload as Payload)["list"][1]).toBe(from[2]);
  });

  it("read like ordinary arrays", () => {
    edit({ list: [1, [2], { a: 3 }] }, (ctx) => {
      const l = ctx.payload["list"];
      expect(l.length).toBe(3);
      expect([...l][0]).toBe(1);
      expect(l.map((_: unknown, i: number) => i)).toEqual([0, 1, 2]);
      expect(l.includes(1)).toBe(true);
      expect(l.includes(l[1])).toBe(true);
      expect(l.at(-1).a).toBe(3);
      expect(l.slice(0, 1)).toEqual([1]);
      expect(l.concat([4])).toHaveLength(4);
      expect([0].concat(l)).toHaveLength(4);
      expect(l.flat()[1]).toBe(2);
      expect(Object.keys(l)).toEqual(["0", "1", "2"]);
      expect(JSON.stringify(l)).toBe('[1,[2],{"a":3}]');
      expect(Object.getOwnPropertyDescriptor(l, "length")?.value).toBe(3);
      expect(structuredClone(JSON.parse(JSON.stringify(l)))).toEqual([1, [2], { a: 3 }]);
    });
  });

  it.each<[string, (list: any[]) => unknown, string]>([
    ["delete of an element", (l) => Reflect.deleteProperty(l, 1), "/payload/list/1"],
    ["undefined as an element", (l) => (l[1] = undefined), "/payload/list/1"],
    ["undefined pushed", (l) => l.push(undefined), "/payload/list/3"],
    ["a gap", (l) => (l[5] = 1), "/payload/list/3"],
    ["a longer length", (l) => (l.length = 5), "/payload/list/3"],
    ["a key that is no index", (l) => ((l as any)["name"] = 1), "/payload/list"],
    ["a key and an element", (l) => ((l as any)["name"] = l.push(1)), "/payload/list"],
  ])("reject %s, which JSON lists cannot have", (_, handler, path) => {
    const outcome = edit({ list: [3, 1, 2] }, (ctx) => void handler(ctx.payload["list"]));
    expect(failedWith(outcome)).toContain(path);
    expect(outcome.ctx.payload).toEqual({ list: [3, 1, 2] });
  });
});

describe("moving a sub-tree of the payload", () => {
  it("swapping two parts works", () => {
    const payload = { a: { n: 1 }, b: { n: 2 }, c: { n: 3 } };
    const outcome = edit(payload, ({ payload: p }) => {
      [p["a"], p["b"]] = [p["b"], p["a"]];
      p["a"].m = 1;
    });
    expect(outcome.ctx.payload).toEqual({ a: { n: 2, m: 1 }, b: { n: 1 }, c: { n: 3 } });
    expect((outcome.ctx.payload as Payload)["b"]).toBe(payload.a);
    expect((outcome.ctx.payload as Payload)["c"]).toBe(payload.c);
  });

  it("a part can be wrapped, and put into an object of the handler", () => {
    const payload = { a: { n: [1] } };
    const outcome = edit(payload, ({ payload: p }) => {
      p["a"] = { inner: p["a"], list: [p["a"].n] };
      p["a"].inner.m = 1;
    });
    expect(outcome.ctx.payload).toEqual({ a: { inner: { n: [1], m: 1 }, list: [[1]] } });
    expect((outcome.ctx.payload as Payload)["a"].list[0]).toBe(payload.a.n);
  });

  it.each<[string, (payload: any) => void]>([
    ["a part into itself", (p) => (p.a.self = p.a)],
    ["the payload into itself", (p) => (p.self = p)],
    ["a part into one below", (p) => (p.a.b.up = p.a)],
    ["two parts into each other", (p) => ((p.a.c = p.c), (p.c.a = p.a))],
    ["a part into a list of its own", (p) => p.l.push({ l: p.l })],
    ["through an object of its own", (p) => (p.a.own = { x: [{ a: p.a }] })],
    ["an object of its own into itself", (p) => ((p.o = {}), (p.o.o = p.o))],
  ])("rejects a cycle: %s", (_, handler) => {
    const payload = { a: { b: {} }, c: {}, l: [] };
    const outcome = edit(payload, (ctx) => {
      handler(ctx.payload);
    });
    expect(failedWith(outcome)).toContain("is a circular reference");
    expect(outcome.ctx.payload).toBe(payload);
  });
});

describe("edits are undone", () => {
  it("when it times out, and later edits have no effect", async () => {
    const { registry } = bench({ onError: "open" });
    let late: Promise<void> = Promise.resolve();
    registry.register(
      hook(
        (ctx) => {
          ctx.payload["a"] = 2;
          late = new Promise((resolve) => {
            setTimeout(() => {
              ctx.payload["a"] = 3;
              ctx.metadata["late"] = true;
              resolve();
            }, 200);
          });
          return late;
        },
        { timeoutMs: 5 },
      ),
    );
    const outcome = await registry.dispatch("test.pre_run", frozen({ a: 1 }));
    await late;
    expect(outcome.ctx.payload).toEqual({ a: 1 });
    expect(outcome.ctx.metadata).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ["NaN", NaN, "is NaN"],
    ["a function", () => 1, "is of type function"],
    ["a bigint", 1n, "is of type bigint"],
    ["a Date", new Date(0), "instance of a class"],
    ["a Map inside", { m: new Map() }, "instance of a class"],
    ["undefined in a list", [undefined], "is of type undefined"],
  ])("when it writes %s; the message names the path", (_, value, why) => {
    const payload = { a: { b: 1 } };
    const outcome = edit(payload, (ctx) => {
      ctx.payload["ok"] = 1;
      ctx.payload["a"].x = { y: value };
    });
    expect(outcome.ctx.payload).toBe(payload);
    expect(failedWith(outcome)).toContain("/payload/a/x/y");
    expect(failedWith(outcome)).toContain(why);
    expect(statuses(outcome)).toEqual(["h failed"]);
  });

  it("when it writes a value deeper than 32 levels", () => {
    const payload = { a: 1 };
    const outcome = edit(payload, (ctx) => {
      let deep: unknown = 1;
      for (let i = 0; i < 33; i++) deep = [deep];
      ctx.payload["deep"] = deep;
    });
    expect(outcome.ctx.payload).toBe(payload);
    expect(failedWith(outcome)).toContain("deeper than 32");
  });

  it.each<[string, (payload: Payload) => void]>([
    ["in place", (p) => (p["a"].b.constructor = Object)],
    ["in what it moved", (p) => ((p["moved"] = p["a"]), (p["moved"].b.constructor = Object))],
    [
      "in what it took",
      (p) => ((p["moved"] = p["a"]), delete p["a"], (p["moved"].b.constructor = Object)),
    ],
  ])("when it writes to an inherited property, %s", (_, handler) => {
    const payload = { a: { b: { c: 1 } } };
    const outcome = edit(payload, (ctx) => {
      handler(ctx.payload);
    });
    expect(outcome.ctx.payload).toBe(payload);
    expect(failedWith(outcome)).toContain("is of type function");
  });
});

describe("keys such as __proto__ in a payload", () => {
  const hostile = (): Payload =>
    JSON.parse('{"a":{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}},"b":{}}');

  it("can be read and written as data", () => {
    const outcome = edit(hostile(), ({ payload }) => {
      expect(payload["a"]["__proto__"].x).toBe(1);
      payload["a"]["__proto__"].x = 2;
      payload["a"].constructor.prototype.y = 2;
      payload["b"]["__proto__"] = { z: 3 };
      expect(payload["b"]["__proto__"].z).toBe(3);
      expect(payload["b"].z).toBeUndefined();
    });
    expect(JSON.stringify(outcome.ctx.payload)).toBe(
      '{"a":{"__proto__":{"x":2},"constructor":{"prototype":{"y":2}}},"b":{"__proto__":{"z":3}}}',
    );
    expect(Object.getPrototypeOf((outcome.ctx.payload as Payload)["b"])).toBe(Object.prototype);
    expect(({} as Payload)["z"]).toBeUndefined();
  });

  it("can be deleted", () => {
    const outcome = edit(hostile(), ({ payload }) => {
      delete payload["a"]["__proto__"];
      delete payload["a"].constructor;
    });
    expect(JSON.stringify(outcome.ctx.payload)).toBe('{"a":{},"b":{}}');
  });

  it("are undefined when absent", () => {
    const outcome = edit(hostile(), ({ payload }) => {
      expect(payload["b"]["__proto__"]).toBeUndefined();
      expect(() => {
        payload["b"]["__proto__"].polluted = true;
      }).toThrow(TypeError);
      Object.assign(payload["b"], JSON.parse('{"__proto__":{"w":1}}'));
    });
    expect(({} as Payload)["polluted"]).toBeUndefined();
    expect(JSON.stringify((outcome.ctx.payload as Payload)["b"])).toBe('{"__proto__":{"w":1}}');
  });

  it("a draft's prototype cannot be changed", () => {
    edit({ a: {} }, ({ payload }) => {
      expect(Reflect.setPrototypeOf(payload["a"], { evil: 1 })).toBe(false);
      expect(payload["a"].evil).toBeUndefined();
      expect(() => Object.freeze(payload["a"])).toThrow(TypeError);
    });
  });
});

describe("sharing with the caller's payload", () => {
  it("an unchanged payload is returned as the same object", () => {
    const payload = frozen({ a: { b: 1 }, c: [{}] });
    const { registry } = bench();
    registry.register(hook((ctx) => JSON.stringify(ctx) && undefined));
    registry.register(hook((ctx) => ctx));
    registry.register(hook((ctx) => ({ action: "continue", ctx })));
    registry.register(hook((ctx) => ({ action: "continue", ctx: { ...ctx } })));
    const outcome = sync(registry.dispatch("test.pre_run", payload));
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.payload).toBe(payload);
  });

  it("unchanged parts are shared", () => {
    const payload = { a: { b: { c: 1 }, d: { e: 1 } }, f: [{ g: 1 }, { h: 1 }], i: {} };
    const outcome = edit(payload, ({ payload: p }) => {
      p["a"].b.c = 2;
      p["f"][0].g = 2;
    });
    const after = outcome.ctx.payload as typeof payload;
    expect(after).not.toBe(payload);
    expect(after.a.b).not.toBe(payload.a.b);
    expect(after.a.d).toBe(payload.a.d);
    expect(after.f[1]).toBe(payload.f[1]);
    expect(after.i).toBe(payload.i);
    expect(payload).toEqual({ a: { b: { c: 1 }, d: { e: 1 } }, f: [{ g: 1 }, { h: 1 }], i: {} });
  });

  it("parts copied from the draft into a new payload are shared", () => {
    const payload = { a: { n: 1 }, b: [{ m: 1 }] };
    const outcome = edit(payload, (ctx) => ({
      action: "continue",
      ctx: { ...ctx, payload: { ...ctx.payload, c: 1 } },
    }));
    expect(outcome.ctx.payload).toEqual({ ...payload, c: 1 });
    expect((outcome.ctx.payload as Payload)["a"]).toBe(payload.a);
    expect((outcome.ctx.payload as Payload)["b"]).toBe(payload.b);
  });

  it("non-JSON values of the caller are passed through untouched", () => {
    const at = new Date(0);
    const { registry } = bench();
    registry.register(
      hook((ctx) => {
        expect(ctx.payload["at"]).toBe("1970-01-01T00:00:00.000Z");
        ctx.payload["n"] = 1;
      }),
    );
    const outcome = sync(registry.dispatch("test.pre_run", { at }));
    expect(outcome.ctx.payload["at"]).toBe(at);
  });
});

describe("a context returned by a handler", () => {
  const carrying = (ctx: unknown): unknown => ({ action: "continue", ctx });

  it("has the same effect as edits in place", () => {
    for (const answer of [
      (ctx: HookContext) => ({ action: "continue", ctx: { ...ctx, payload: { a: 2 } } }),
      () => ({ action: "continue", ctx: { payload: { a: 2 } } }),
      (ctx: HookContext) => {
        const copy = JSON.parse(JSON.stringify(ctx)) as HookContext;
        copy.payload["a"] = 2;
        return { action: "continue", ctx: copy };
      },
    ]) {
      const outcome = edit({ a: 1 }, answer);
      expect(outcome.action).toBe("continue");
      expect(outcome.ctx.payload).toEqual({ a: 2 });
    }
  });

  it("replaces metadata too", () => {
    const outcome = edit({}, (ctx) => carrying({ ...ctx, metadata: { only: 1 } }), {
      metadata: { x: 1 },
    });
    expect(outcome.ctx.metadata).toEqual({ only: 1 });
  });

  it("is applied after edits in place", () => {
    const outcome = edit({ a: 1, b: 1 }, (ctx) => {
      ctx.payload["a"] = 2;
      ctx.metadata["m"] = 1;
      return carrying({ ...ctx, payload: { ...ctx.payload, c: 1 } });
    });
    expect(outcome.ctx.payload).toEqual({ a: 2, b: 1, c: 1 });
    expect(outcome.ctx.metadata).toEqual({ m: 1 });
  });

  it("may come with a decision", () => {
    const outcome = edit({ a: 1 }, (ctx) => ({
      action: "continue",
      decision: "ask",
      ctx: { ...ctx, payload: { a: 2 } },
    }));
    expect(outcome).toMatchObject({ action: "continue", decision: "ask" });
    expect(outcome.ctx.payload).toEqual({ a: 2 });
  });

  it.each<[string, (ctx: HookContext) => unknown, string]>([
    [
      "a refusal spread over a context",
      (ctx) => ({ ...ctx, action: "abort", reason: "no" }),
      "abort",
    ],
    ["a decision spread over a context", (ctx) => ({ ...ctx, decision: "deny" }), "hook_point"],
    ["a context of its own making, bare", (ctx) => ({ ...ctx }), "hook_point"],
    ["a context with a key too many", (ctx) => carrying({ ...ctx, payloads: {} }), "ctx.payloads"],
    ["ctx beside skip", (ctx) => ({ action: "skip", result: 1, ctx }), 'unknown key "ctx"'],
    ["ctx beside abort", (ctx) => ({ action: "abort", ctx }), 'unknown key "ctx"'],
    ["ctx without an action", (ctx) => ({ decision: "allow", ctx }), '"ctx"'],
    ["ctx alone", (ctx) => ({ ctx }), '"ctx"'],
    ["a ctx that is null", () => ({ action: "continue", ctx: null }), "ctx is not a context"],
    ["a ctx that is text", () => ({ action: "continue", ctx: "x" }), "ctx is not a context"],
    ["a ctx that is a list", () => ({ action: "continue", ctx: [] }), "ctx is not a context"],
    [
      "the payload as ctx",
      (ctx) => ({ action: "continue", ctx: ctx.payload }),
      "ctx.a is read-only",
    ],
    ["the payload itself", (ctx) => ctx.payload, 'without "action"'],
    ["another component", (ctx) => carrying({ ...ctx, component_id: "a::b" }), "ctx.component_id"],
    [
      "another principal",
      (ctx) => ({ action: "continue", ctx: { ...ctx, principal: { type: "User", id: "1" } } }),
      "ctx.principal",
    ],
    ["another depth", (ctx) => carrying({ ...ctx, depth: 0.5 }), "ctx.depth is read-only"],
    [
      "no payload",
      (ctx) => carrying({ ...ctx, payload: undefined }),
      "ctx.payload must stay an object",
    ],
    [
      "a payload of null",
      (ctx) => carrying({ ...ctx, payload: null }),
      "ctx.payload must stay an object",
    ],
    [
      "a payload of a list",
      (ctx) => carrying({ ...ctx, payload: [] }),
      "ctx.payload must stay an object",
    ],
    ["a metadata of text", (ctx) => carrying({ ...ctx, metadata: "m" }), "ctx.metadata must stay"],
  ])("is rejected: %s", (_, handler, why) => {
    const payload = { a: 1 };
    const outcome = edit(payload, handler);
    expect(failedWith(outcome)).toContain("hook h failed: ");
    expect(failedWith(outcome)).toContain(why);
    expect(outcome.ctx.payload).toBe(payload);
  });
});

it.each<[string, (ctx: any) => void, string]>([
  ["hook_point", (ctx) => (ctx.hook_point = "x"), "ctx.hook_point is read-only"],
  ["component_id", (ctx) => (ctx.component_id = "a::b"), "ctx.component_id is read-only"],
  ["channel_id", (ctx) => delete ctx.channel_id, "ctx.channel_id is read-only"],
  ["principal", (ctx) => (ctx.principal.id = "root"), "ctx.principal is read-only"],
  ["depth", (ctx) => (ctx.depth = -100), "ctx.depth is read-only"],
  ["max_depth", (ctx) => (ctx.max_depth = 99), "ctx.max_depth is read-only"],
  ["timestamp_ms", (ctx) => (ctx.timestamp_ms = 0.5), "ctx.timestamp_ms is read-only"],
  ["a key of its own", (ctx) => (ctx.mine = 1), "ctx.mine is read-only"],
  ["the payload as a whole, gone", (ctx) => delete ctx.payload, "ctx.payload must stay"],
  ["the payload as a list", (ctx) => (ctx.payload = []), "ctx.payload must stay"],
  ["metadata as a number", (ctx) => (ctx.metadata = 1), "ctx.metadata must stay"],
])("writes to read-only context fields are rejected %s", (_, handler, why) => {
  const payload = { a: 1 };
  const outcome = edit(payload, (ctx) => {
    ctx.payload["a"] = 2;
    handler(ctx);
  });
  expect(failedWith(outcome)).toContain(why);
  expect(outcome.ctx.payload).toBe(payload);
  expect(outcome.ctx.component_id).toBe("host::main");
});

describe("inspecting the context in a console", () => {
  const shown = (does: (ctx: HookContext) => string): unknown => {
    const { registry } = bench();
    const seen: string[] = [];
    registry.register(hook((ctx) => void seen.push(does(ctx))));
    sync(registry.dispatch("test.pre_run", frozen({ a: { list: [1, { b: null }] }, c: "d" })));
    return seen[0];
  };

  it.each<[string, (ctx: HookContext) => unknown, string]>([
    ["a payload", (ctx) => ctx.payload, "{ a: { list: [ 1, { b: null } ] }, c: 'd' }"],
    ["a list", (ctx) => (ctx.payload["a"] as { list: unknown }).list, "[ 1, { b: null } ]"],
  ])("shows %s, not the draft internals", (_, part, text) => {
    const seen = shown((ctx) => inspect(part(ctx), { depth: 9 }));
    expect(String(seen).replaceAll(/\s+/g, " ")).toBe(text);
  });

  it("shows the handler's edits, also while they are not JSON", () => {
    const edited = shown((ctx) => {
      (ctx.payload["a"] as Record<string, unknown>)["list"] = "gone";
      const json = inspect(ctx.payload, { depth: 9, breakLength: Infinity });
      ctx.payload["f"] = Symbol.for("s");
      return `${json} ${inspect(ctx.payload)}`;
    });
    expect(String(edited).replaceAll(/\s+/g, " ")).toContain("{ a: { list: 'gone' }, c: 'd' }");
    expect(edited).toContain("f: Symbol(s)");
  });

  it("a part keeps the prototype of the caller's object", () => {
    const names = shown((ctx) =>
      [ctx.payload, ctx.payload["a"], (ctx.payload["a"] as { list: unknown }).list]
        .map((part) => Object.getPrototypeOf(part) as object)
        .map((proto) => (proto === Array.prototype ? "list" : proto === Object.prototype))
        .join(" "),
    );
    expect(names).toBe("true true list");
  });
});
