import { describe, expect } from "vitest";
import { isSlowRun, quickTest as test, repeatedTest } from "../../../slow-test.ts";
import type { Component } from "../../../../src/core/component.ts";
import type { OrcsError } from "../../../../src/core/errors.ts";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf } from "../orcs/engine.ts";
import { codesOf, heard, held, inTime, never, recorder, rig, settle, stateOf } from "./rig.ts";

type Fault = () => unknown;

/** The ways in which a method fails. */
const THROWN: Readonly<Record<string, unknown>> = {
  "an Error": new Error("kaput"),
  "a string": "kaput",
  nothing: undefined,
  null: null,
  "an object without a prototype": Object.create(null),
  "an error whose message throws": Object.defineProperty(new Error("x"), "message", {
    get() {
      throw new Error("never seen");
    },
  }),
  "an error whose message is no text": Object.assign(new Error("x"), { message: { a: 1 } }),
};
const FAULTS: [string, Fault][] = Object.entries(THROWN).flatMap(([name, thrown]) => [
  [
    `throws ${name}`,
    () => {
      throw thrown;
    },
  ],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- this is what it is about
  [`rejects with ${name}`, () => Promise.reject(thrown)],
]);

/** Answers that JSON has no word for. */
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const NOT_JSON: [string, unknown][] = [
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
  ["a class", new Map()],
  ["a date", new Date(0)],
  ["a cycle", cycle],
  ["a bigint", 1n],
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["a function inside", { a: [() => 1] }],
  ["NaN inside", { a: Number.NaN }],
  // oxlint-disable-next-line no-sparse-arrays -- this is what it is about
  ["a hole", [1, , 2]],
  [
    "a property that throws",
    {
      get a(): never {
        throw new Error("kaput");
      },
    },
  ],
  ["depth without end", JSON.parse("[".repeat(100) + "]".repeat(100))],
  [
    "a proxy that is revoked",
    (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
  ],
];

describe("the component lifecycle", () => {
  test("calls restore, init, requests, shutdown, snapshot and dispose in order, once each", async () => {
    const { runtime } = await rig();
    const seen: unknown[] = [];
    const a = recorder("builtin::a", {
      restore: (snapshot) => void seen.push(snapshot),
      init: (context) => void seen.push(context.component),
      snapshot: () => ({ n: 2 }),
    });
    const channel = await runtime.spawn(a, { snapshot: { n: 1 } });
    await runtime.request("builtin::a", "x");
    const result = await runtime.stop("builtin::a", "enough");
    expect(a.calls).toEqual([
      "restore",
      "init",
      "onRequest",
      "shutdown running",
      "snapshot",
      "dispose",
    ]);
    expect(seen).toEqual([{ n: 1 }, "builtin::a"]);
    expect(result).toEqual({
      component: "builtin::a",
      channel: channel?.id,
      exit_reason: "enough",
      snapshot: { n: 2 },
      errors: [],
    });
    expect(await channel?.ended).toBe(result);
  });

  test("works for a component with onRequest only", async () => {
    const { runtime } = await rig();
    await runtime.spawn({ id: "builtin::a", onRequest: () => undefined }, { snapshot: 1 });
    expect(await runtime.request("builtin::a", "x")).toBeNull();
    expect(await runtime.signal("builtin::a", "resume")).toBe("ignored");
    expect(await runtime.stop("builtin::a")).toMatchObject({ snapshot: undefined, errors: [] });
  });

  test("requests during init wait for its end", async () => {
    const { runtime } = await rig();
    const begun = held<void>();
    const a = recorder("builtin::a", { init: () => begun.promise });
    const spawned = runtime.spawn(a);
    await settle();
    const asked = [1, 2].map((n) => runtime.request("builtin::a", `r${n}`));
    expect(await codesOf(asked)).toEqual(["pending", "pending"]);
    expect(a.calls).toEqual(["init"]);
    begun.resolve();
    await spawned;
    expect(await Promise.all(asked)).toEqual(["r1", "r2"]);
  });

  test("requests during a failing init are rejected", async () => {
    const { runtime } = await rig();
    const begun = held<void>();
    const spawned = heard(runtime.spawn(recorder("builtin::a", { init: () => begun.promise })));
    await settle();
    const asked = heard(runtime.request("builtin::a", "x"));
    await settle();
    begun.reject(new Error("no luck"));
    expect((await errorOf(spawned)).message).toBe("ORCS6005: init of builtin::a failed: no luck");
    expect((await errorOf(asked)).code).toBe("ORCS6006");
  });
});

describe("requests to a component are served one at a time, in order", () => {
  test("also when they are async", async () => {
    const { runtime } = await rig();
    let under = 0;
    let most = 0;
    const a = recorder("builtin::a", {
      async onRequest({ payload }) {
        most = Math.max(most, ++under);
        if ((payload as number) % 3 > 0) await settle();
        under--;
        return payload;
      },
    });
    await runtime.spawn(a);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => runtime.request("builtin::a", `${n}`, n)),
    );
    expect(most).toBe(1);
    expect(a.asked).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
  });

  test.each<[string, (say: () => Promise<unknown>) => unknown]>([
    ["a synchronous one", (say) => (void say(), null)],
    ["an asynchronous one", async (say) => void say()],
  ])("also when %s causes another during a request", async (_, onRequest) => {
    const { runtime } = await rig();
    const calls: string[] = [];
    await runtime.spawn({
      id: "builtin::a",
      subscriptions: ["A"],
      onRequest({ operation }) {
        calls.push(`${operation} begins`);
        if (operation === "first")
          onRequest(() => runtime.broadcast({ category: "A", operation: "second", payload: null }));
        calls.push(`${operation} ends`);
        return null;
      },
    });
    await runtime.request("builtin::a", "first");
    await settle();
    expect(calls).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });

  repeatedTest("a long chain of synchronous components does not overflow the stack", async () => {
    const { runtime } = await rig();
    const length = isSlowRun ? 3000 : 1000;
    for (let n = 0; n < length; n++) {
      await runtime.spawn({
        id: `builtin::c${n}`,
        subscriptions: [`C${n}`],
        onRequest: (_, context) => void context.emit(`C${n + 1}`, "on"),
      });
    }
    const last = recorder("builtin::last", { subscriptions: [`C${length}`] });
    await runtime.spawn(last);
    await runtime.broadcast({ category: "C0", operation: "on", payload: null });
    await settle();
    expect(last.asked).toEqual(["on"]);
  });

  test("signals run in between, and other tasks of the program get a turn", async () => {
    const { runtime } = await rig({ realTime: true });
    const busy = recorder("builtin::busy", {
      subscriptions: ["A"],
      onRequest() {
        const until = performance.now() + 1;
        while (performance.now() < until);
      },
    });
    await runtime.spawn(busy);
    for (let n = 0; n < 300; n++)
      await runtime.broadcast({ category: "A", operation: "x", payload: null });
    await new Promise((resolve) => setImmediate(resolve));
    expect(busy.asked.length).toBeGreaterThan(0);
    expect(busy.asked.length).toBeLessThan(300);
    await runtime.kill("builtin::busy");
    expect(busy.asked.length).toBeLessThan(300);
  });
});

describe("a failing request", () => {
  test.each(FAULTS)(
    "when the component %s: the caller gets the error, and the next request is served",
    async (_, fault) => {
      const { runtime } = await rig();
      await runtime.spawn(
        recorder("builtin::a", {
          onRequest: ({ operation }) => (operation === "bad" ? fault() : "ok"),
        }),
      );
      const [bad, good] = [
        heard(runtime.request("builtin::a", "bad")),
        runtime.request("builtin::a", "x"),
      ];
      const error = await errorOf(bad);
      expect(error.code).toBe("ORCS6005");
      expect(error.message).toMatch(/^ORCS6005: bad of builtin::a failed: ./);
      expect(await good).toBe("ok");
    },
  );

  test.each(NOT_JSON)("when the component returns %s", async (_, answer) => {
    const { runtime } = await rig();
    for (const [id, onRequest] of [
      ["builtin::now", () => answer],
      ["builtin::later", async () => answer],
    ] as const) {
      await runtime.spawn({
        id,
        onRequest: ({ operation }) => (operation === "bad" ? onRequest() : "ok"),
      });
      const { code } = await errorOf(runtime.request(id, "bad"));
      expect(code).toBe("ORCS6005");
      expect(await runtime.request(id, "good")).toBe("ok");
    }
  });

  test("the error names the invalid result and the component", async () => {
    const { runtime } = await rig();
    await runtime.spawn({ id: "builtin::a", onRequest: () => ({ a: [1, () => 1] }) });
    expect((await errorOf(runtime.request("builtin::a", "ask"))).message).toBe(
      "ORCS6005: the response of builtin::a to ask is not JSON: /a/1 is of type function",
    );
  });

  test("a runtime error is passed on unchanged", async () => {
    const { runtime } = await rig();
    await runtime.spawn(
      recorder("builtin::a", { onRequest: (_, context) => context.request("builtin::b", "x") }),
    );
    expect((await errorOf(runtime.request("builtin::a", "x"))).code).toBe("ORCS6001");
  });

  test("a result is a copy: later changes by the component are not visible", async () => {
    const { runtime } = await rig();
    const state = { n: 1 };
    await runtime.spawn({ id: "builtin::a", onRequest: () => state });
    const answer = await runtime.request("builtin::a", "x");
    state.n = 2;
    expect(answer).toEqual({ n: 1 });
  });

  test.each(FAULTS)(
    "an event to a component that %s is logged, and the next is served",
    async (_, fault) => {
      const { runtime, log } = await rig();
      const a = recorder("builtin::a", {
        subscriptions: ["A"],
        onRequest: ({ operation }) => (operation === "bad" ? fault() : null),
      });
      await runtime.spawn(a);
      for (const operation of ["bad", "good"])
        expect(await runtime.broadcast({ category: "A", operation, payload: null })).toBe(1);
      await settle();
      expect(a.asked).toEqual(["bad", "good"]);
      expect(log.lines).toHaveLength(1);
      expect(log.lines[0]).toContain(
        "warn: builtin::a failed on an event: ORCS6005: bad of builtin::a",
      );
    },
  );
});

describe("a request timeout", () => {
  test("in the mailbox", async () => {
    const { runtime, clock } = await rig();
    const gate = held();
    const a = recorder("builtin::a", { onRequest: () => gate.promise });
    await runtime.spawn(a);
    const served = runtime.request("builtin::a", "served");
    const waiting = heard(runtime.request("builtin::a", "waiting", null, { timeout_ms: 50 }));
    await clock.advance(49);
    expect(await codesOf([served, waiting])).toEqual(["pending", "pending"]);
    await clock.advance(1);
    const error = await errorOf(waiting);
    expect(error.message).toBe("ORCS6003: builtin::a did not respond to waiting within 50 ms");
    gate.resolve("ok");
    expect(await served).toBe("ok");
    await settle();
    expect(a.asked).toEqual(["served"]);
  });

  test("while served: the signal is aborted, the next request is served, a late result is ignored", async () => {
    const { runtime, clock } = await rig();
    const gate = held();
    let signal: AbortSignal | undefined;
    const a = recorder("builtin::a", {
      onRequest: ({ operation }, context) => {
        if (operation !== "slow") return operation;
        signal = context.signal;
        return gate.promise;
      },
    });
    await runtime.spawn(a);
    const slow = heard(runtime.request("builtin::a", "slow", null, { timeout_ms: 50 }));
    const next = runtime.request("builtin::a", "next");
    await clock.advance(50);
    expect(await codesOf([slow, next])).toEqual(["ORCS6003", "ok"]);
    expect(signal?.reason).toMatchObject({ code: "ORCS6003" });
    gate.resolve("too late");
    expect(await codesOf([slow])).toEqual(["ORCS6003"]);
  });

  test("a late rejection is not unhandled", async () => {
    const { runtime, clock } = await rig();
    const gate = held();
    await runtime.spawn(recorder("builtin::a", { onRequest: () => gate.promise }));
    const slow = heard(runtime.request("builtin::a", "slow", null, { timeout_ms: 50 }));
    await clock.advance(50);
    gate.reject(new Error("much later"));
    expect((await errorOf(slow)).code).toBe("ORCS6003");
  });

  test("defaults to the channel's setting", async () => {
    const { runtime, clock } = await rig();
    await runtime.spawn(recorder("builtin::a", { onRequest: never }), { request_timeout_ms: 20 });
    const asked = heard(runtime.request("builtin::a", "x"));
    await clock.advance(20);
    expect((await errorOf(asked)).fields).toMatchObject({ timeout_ms: 20 });
  });

  test("of an event is logged, and the next is served", async () => {
    const { runtime, clock, log } = await rig();
    const a = recorder("builtin::a", {
      subscriptions: ["A"],
      onRequest: ({ operation }) => (operation === "slow" ? never() : null),
    });
    await runtime.spawn(a, { request_timeout_ms: 20 });
    for (const operation of ["slow", "next"])
      await runtime.broadcast({ category: "A", operation, payload: null });
    await clock.advance(19);
    expect(a.asked).toEqual(["slow"]);
    await clock.advance(1);
    expect(a.asked).toEqual(["slow", "next"]);
    expect(log.lines).toEqual([
      "warn: builtin::a failed on an event: ORCS6003: builtin::a did not respond to slow within 20 ms",
    ]);
  });

  test.each([
    ["less", 20, 20],
    ["more", 500, 500],
    ["more than a timer holds", 2 ** 40, undefined],
  ])("that a hook sets to %s", async (_, timeout_ms, after) => {
    const { runtime, clock, hook } = await rig();
    hook({
      id: "time",
      point: "request.pre_dispatch",
      handler: (ctx) => void Object.assign(ctx.payload, { timeout_ms }),
    });
    let seen: number | undefined;
    await runtime.spawn(
      recorder("builtin::a", {
        onRequest(request) {
          seen = request.timeout_ms;
          return never();
        },
      }),
    );
    const asked = heard(runtime.request("builtin::a", "x", null, { timeout_ms: 100 }));
    await clock.advance((after ?? 10_000) - 1);
    expect(await stateOf(asked)).toBe("pending");
    expect(seen).toBe(timeout_ms);
    if (after === undefined) return;
    await clock.advance(1);
    expect((await errorOf(asked)).fields).toMatchObject({ timeout_ms });
  });

  test("before its turn or during its hooks: the component is not called", async () => {
    const { runtime, clock, hook } = await rig();
    const gate = held<void>();
    hook({ id: "slow", point: "request.pre_dispatch", handler: () => gate.promise });
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    const asked = heard(runtime.request("builtin::a", "x", null, { timeout_ms: 50 }));
    await clock.advance(50);
    expect((await errorOf(asked)).code).toBe("ORCS6003");
    gate.resolve();
    await settle();
    expect(a.asked).toEqual([]);
  });

  test.each([Infinity, 2 ** 40])("of %d ms does not expire at once", async (timeout_ms) => {
    const { runtime, clock } = await rig();
    const gate = held();
    await runtime.spawn(recorder("builtin::a", { onRequest: () => gate.promise }));
    const asked = heard(runtime.request("builtin::a", "x", null, { timeout_ms }));
    await clock.advance(100_000);
    gate.resolve("in time");
    expect(await asked).toBe("in time");
  });
});

describe("a component that fails to start", () => {
  const METHODS = ["init", "restore"] as const;
  const faults = METHODS.flatMap((method) =>
    FAULTS.map(([name, fault]): [string, string, Fault] => [method, name, fault]),
  );

  test.each(faults)(
    "when %s %s: it does not run, and its name is free",
    async (method, _, fault) => {
      const { runtime } = await rig();
      const bad = recorder("builtin::a", { [method]: fault });
      const error = await errorOf(runtime.spawn(bad, { snapshot: 1 }));
      expect(error.code).toBe("ORCS6005");
      expect(error.message).toMatch(new RegExp(`^ORCS6005: ${method} of builtin::a failed: .`));
      expect(bad.calls.at(-1)).toBe("dispose");
      expect(bad.calls).not.toContain("shutdown failed");
      expect(runtime.channels).toEqual([]);
      expect(runtime.bus.size).toBe(0);
      await runtime.spawn(recorder("builtin::a"));
      expect(await runtime.request("builtin::a", "x")).toBe("x");
    },
  );

  test.each(METHODS)(
    "when %s never returns: at the timeout it does not run, and its name is free",
    async (method) => {
      const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
      const bad = recorder("builtin::a", { [method]: never });
      const spawned = heard(runtime.spawn(bad, { snapshot: 1 }));
      await clock.advance(99);
      expect(await stateOf(spawned)).toBe("pending");
      await clock.advance(1);
      const error = await errorOf(spawned);
      expect(error.message).toBe(`ORCS6003: ${method} of builtin::a took longer than 100 ms`);
      expect(bad.calls.at(-1)).toBe("dispose");
      expect(runtime.channels).toEqual([]);
    },
  );

  test.each(NOT_JSON)("when init returns %s", async (_, answer) => {
    const { runtime } = await rig();
    const { code } = await errorOf(runtime.spawn(recorder("builtin::a", { init: () => answer })));
    expect(code).toBe("ORCS6005");
    expect(runtime.channels).toEqual([]);
  });

  test("init has its own timeout if given, and none if infinite", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 10 } });
    const short = heard(
      runtime.spawn(recorder("builtin::short", { init: never }), { init_timeout_ms: 5 }),
    );
    const gate = held<void>();
    const long = runtime.spawn(recorder("builtin::long", { init: () => gate.promise }), {
      init_timeout_ms: Infinity,
    });
    await clock.advance(5);
    expect((await errorOf(short)).fields).toMatchObject({ timeout_ms: 5 });
    await clock.advance(1_000_000);
    gate.resolve();
    expect(await long).toMatchObject({ component: "builtin::long" });
  });
});

describe("a component that fails to stop", () => {
  const METHODS = ["shutdown", "snapshot", "dispose"] as const;
  const faults = METHODS.flatMap((method) =>
    FAULTS.map(([name, fault]): [string, string, Fault] => [method, name, fault]),
  );

  test.each(faults)("when %s %s: it ends, and the error is reported", async (method, _, fault) => {
    const { runtime, log } = await rig();
    const bad = recorder("builtin::a", { snapshot: () => ({ n: 1 }), [method]: fault });
    await runtime.spawn(bad);
    const result = await runtime.stop("builtin::a");
    expect(bad.calls).toEqual(["init", "shutdown running", "snapshot", "dispose"]);
    expect(result?.errors).toHaveLength(1);
    expect(result?.errors[0]).toBeTypeOf("string");
    expect(result?.snapshot).toEqual(method === "snapshot" ? undefined : { n: 1 });
    expect(log.lines).toEqual([`warn: builtin::a ended with: ${result?.errors[0]}`]);
    expect(runtime.channels).toEqual([]);
  });

  test.each(METHODS)("when %s never returns: it ends", async (method) => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    const bad = recorder("builtin::a", { [method]: never });
    await runtime.spawn(bad);
    const ended = runtime.stop("builtin::a");
    await clock.advance(100);
    expect(await stateOf(ended)).toBe("done");
    expect((await ended)?.errors).toEqual([
      expect.stringContaining(`${method} of builtin::a took longer than 100 ms`),
    ]);
  });

  test.each(NOT_JSON)("when its snapshot is %s: no snapshot is kept", async (_, snapshot) => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a", { snapshot: () => snapshot }));
    const result = await runtime.stop("builtin::a");
    expect(result).toMatchObject({ snapshot: undefined, errors: [expect.stringContaining("")] });
  });

  test("in all methods at once: it ends", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    await runtime.spawn(
      recorder("builtin::a", { shutdown: never, snapshot: () => Symbol("x"), dispose: never }),
    );
    const result = await inTime(clock, runtime.stop("builtin::a"));
    expect(result?.errors).toHaveLength(3);
  });

  test("a child that fails to stop does not keep its parent from ending", async () => {
    const { runtime, clock } = await rig();
    const ended: string[] = [];
    await runtime.spawn(
      recorder("builtin::a", {
        async init(context) {
          for (const [id, dispose] of [
            [
              "throws",
              () => {
                throw new Error("kaput");
              },
            ],
            ["rejects", () => Promise.reject(new Error("kaput"))],
            ["hangs", never],
            ["good", () => void ended.push("good")],
          ] as const) {
            await context.spawnChild({ id }, { run: () => null, dispose });
          }
        },
      }),
    );
    const result = await inTime(clock, runtime.stop("builtin::a"));
    expect(result).toMatchObject({ component: "builtin::a", exit_reason: "stopped" });
    expect(ended).toEqual(["good"]);
  });
});

describe("stopping a component", () => {
  test("rejects waiting requests, and lets the current one finish in time", async () => {
    const { runtime, clock } = await rig({ limits: { graceMs: 100 } });
    const gate = held();
    const a = recorder("builtin::a", { onRequest: () => gate.promise });
    await runtime.spawn(a);
    const served = heard(runtime.request("builtin::a", "served"));
    const waiting = [1, 2, 3].map(() => heard(runtime.request("builtin::a", "waiting")));
    await settle();
    const ended = runtime.stop("builtin::a");
    expect(await codesOf(waiting)).toEqual(["ORCS6006", "ORCS6006", "ORCS6006"]);
    await clock.advance(99);
    expect(await codesOf([served, ended])).toEqual(["pending", "pending"]);
    gate.resolve("in time");
    expect(await served).toBe("in time");
    await ended;
    expect(a.calls).toEqual(["init", "onRequest", "shutdown running", "snapshot", "dispose"]);
    expect(a.asked).toEqual(["served"]);
  });

  test("cancels the current request after the grace period, with its sub-requests", async () => {
    const { runtime, clock } = await rig({ limits: { graceMs: 100 } });
    let signal: AbortSignal | undefined;
    const a = recorder("builtin::a", {
      onRequest(_, context) {
        signal = context.signal;
        return never();
      },
    });
    await runtime.spawn(a);
    const served = heard(runtime.request("builtin::a", "served"));
    await settle();
    const ended = runtime.stop("builtin::a", "maintenance");
    await clock.advance(100);
    expect((await errorOf(served)).message).toBe("ORCS6006: builtin::a has ended (maintenance)");
    expect(signal?.aborted).toBe(true);
    expect((await ended)?.exit_reason).toBe("maintenance");
  });

  test("kill cancels the current request at once", async () => {
    const { runtime, clock } = await rig();
    const a = recorder("builtin::a", { onRequest: never, snapshot: () => 1 });
    await runtime.spawn(a);
    const served = heard(runtime.request("builtin::a", "served"));
    await settle();
    const ended = runtime.kill("builtin::a");
    await clock.advance(0);
    expect(await codesOf([served, ended])).toEqual(["ORCS6006", "ok"]);
    expect(await ended).toMatchObject({ exit_reason: "killed", snapshot: 1 });
  });

  test("twice is one stop with the first reason", async () => {
    const { runtime } = await rig();
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    const [one, other] = await Promise.all([
      runtime.stop("builtin::a", "one"),
      runtime.stop("builtin::a", "other"),
    ]);
    expect(one).toBe(other);
    expect(one?.exit_reason).toBe("one");
    expect(a.calls).toEqual(["init", "shutdown running", "snapshot", "dispose"]);
    expect(await runtime.stop("builtin::a")).toBeUndefined();
    expect(await runtime.kill("builtin::a")).toBeUndefined();
  });

  test("kill ends a stop that waits for the current request", async () => {
    const { runtime } = await rig({ limits: { graceMs: 100_000 } });
    await runtime.spawn(recorder("builtin::a", { onRequest: never }));
    const served = heard(runtime.request("builtin::a", "served"));
    await settle();
    const stopped = runtime.stop("builtin::a", "stopped");
    expect(await codesOf([served, stopped])).toEqual(["pending", "pending"]);
    expect((await runtime.kill("builtin::a"))?.exit_reason).toBe("stopped");
    expect(await codesOf([served])).toEqual(["ORCS6006"]);
  });

  test("from its own request does not deadlock", async () => {
    const { runtime, clock } = await rig({ limits: { graceMs: 100 } });
    await runtime.spawn(
      recorder("builtin::a", { onRequest: async () => void (await runtime.stop("builtin::a")) }),
    );
    const served = heard(runtime.request("builtin::a", "x"));
    await clock.advance(100);
    expect((await errorOf(served)).code).toBe("ORCS6006");
    expect(runtime.channels).toEqual([]);
  });

  test("from its own request without awaiting lets the request finish", async () => {
    const { runtime } = await rig();
    await runtime.spawn(
      recorder("builtin::a", { onRequest: () => (void runtime.stop("builtin::a"), "bye") }),
    );
    expect(await runtime.request("builtin::a", "x")).toBe("bye");
    await settle();
    expect(runtime.channels).toEqual([]);
  });

  test("from its own shutdown works", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    await runtime.spawn(recorder("builtin::a", { shutdown: () => runtime.kill("builtin::a") }));
    const result = await inTime(clock, runtime.stop("builtin::a"));
    expect(result?.errors).toHaveLength(1);
  });

  test("accepts no requests during shutdown, and calls no method after dispose", async () => {
    const { runtime } = await rig();
    const leaving = held<void>();
    const a = recorder("builtin::a", { shutdown: () => leaving.promise });
    await runtime.spawn(a);
    const ended = runtime.stop("builtin::a");
    await settle();
    const asked = runtime.request("builtin::a", "x");
    const told = runtime.signal("builtin::a", "pause");
    // The bus has forgotten it.
    expect(await codesOf([asked, told])).toEqual(["ORCS6001", "ORCS6001"]);
    expect((await errorOf(runtime.spawn(recorder("builtin::a")))).code).toBe("ORCS6002");
    leaving.resolve();
    await ended;
    expect(a.calls).toEqual(["init", "shutdown running", "snapshot", "dispose"]);
  });
});

describe("a component stopped during its start", () => {
  /** A component that is held where it begins, and how it is let go on. */
  const PLACES: [string, "bus.on_register" | "component.pre_init" | "init" | "restore"][] = [
    ["as it registers", "bus.on_register"],
    ["before its init", "component.pre_init"],
    ["in its init", "init"],
    ["in its restore", "restore"],
  ];

  test.each(PLACES)(
    "%s: does not start, and no method is called after dispose",
    async (_, place) => {
      const { runtime, hook, clock } = await rig();
      const gate = held<void>();
      const isHook = place === "bus.on_register" || place === "component.pre_init";
      if (isHook) hook({ id: "holds", point: place, handler: () => gate.promise });
      const a = recorder("builtin::a", isHook ? {} : { [place]: () => gate.promise });
      const spawned = heard(runtime.spawn(a, { snapshot: 1 }));
      await settle();
      expect(runtime.channels.map(({ state }) => state)).toEqual(["starting"]);
      const ended = heard(runtime.kill("builtin::a"));
      await clock.advance(0);
      gate.resolve();
      const [error] = await Promise.all([errorOf(spawned), ended]);
      expect(error.code).toBe("ORCS6006");
      await settle();
      expect(a.calls.filter((call) => call === "dispose")).toEqual(["dispose"]);
      expect(a.calls.at(-1)).toBe("dispose");
      expect(runtime.channels).toEqual([]);
      await runtime.spawn(recorder("builtin::a"));
    },
  );

  test("in an init that never ends: is not awaited", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100_000 } });
    let signal: AbortSignal | undefined;
    const spawned = heard(
      runtime.spawn(
        recorder("builtin::a", {
          init(context) {
            signal = context.signal;
            return never();
          },
        }),
      ),
    );
    await settle();
    const ended = runtime.kill("builtin::a");
    await clock.advance(10);
    expect(await codesOf([ended, spawned])).toEqual(["ok", "ORCS6006"]);
    expect(signal?.aborted).toBe(true);
  });
});

describe("a component that lost its state", () => {
  /** A component that is lost when it is told to be. */
  function frail(parts: Partial<Component> = {}) {
    let isLost = false;
    const a = recorder("builtin::a", {
      onRequest({ operation }) {
        if (operation !== "lose") return operation;
        isLost = true;
        throw new Error("killed");
      },
      ...parts,
      isLost: () => isLost,
      async reload() {
        a.calls.push("reload");
        await parts.reload?.();
        isLost = false;
      },
    });
    return a;
  }

  test("is reloaded and initialized with its snapshot before the next request", async () => {
    const { runtime, log } = await rig();
    const a = frail();
    await runtime.spawn(a, { snapshot: { n: 1 } });
    const [lost, next] = [
      heard(runtime.request("builtin::a", "lose")),
      runtime.request("builtin::a", "next"),
    ];
    expect((await errorOf(lost)).code).toBe("ORCS6005");
    expect(await next).toBe("next");
    expect(a.calls).toEqual([
      "restore",
      "init",
      "onRequest",
      "reload",
      "restore",
      "init",
      "onRequest",
    ]);
    expect(log.lines).toEqual(["warn: builtin::a was killed and is restarted"]);
  });

  test.each<[string, () => Promise<never>]>([
    ["fails", () => Promise.reject(new Error("no luck"))],
    ["never ends", never],
  ])("ends when reload %s, and each request gets a result", async (_, reload) => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    const a = frail({ reload });
    const channel = await runtime.spawn(a);
    const asked = ["lose", "next", "last"].map((operation) =>
      heard(runtime.request("builtin::a", operation)),
    );
    await inTime(clock, channel!.ended);
    const codes = await codesOf(asked);
    expect(codes).not.toContain("pending");
    expect(codes).not.toContain("ok");
    expect(runtime.channels).toEqual([]);
    const error = (await asked[1]?.catch((thrown: unknown) => thrown)) as OrcsError;
    expect(error.code).toMatch(/^ORCS6/);
  });

  test("ends without delay when killed during reload", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100_000 } });
    const a = frail({ reload: never });
    await runtime.spawn(a);
    const asked = ["lose", "next"].map((operation) =>
      heard(runtime.request("builtin::a", operation)),
    );
    await settle();
    const ended = runtime.kill("builtin::a");
    await clock.advance(10);
    expect(await codesOf([...asked, ended])).toEqual(["ORCS6005", "ORCS6006", "ok"]);
  });
});

test("a component that hangs, throws and floods does not affect others", async () => {
  const { runtime } = await rig();
  await runtime.spawn(recorder("builtin::hangs", { subscriptions: ["*"], onRequest: never }), {
    mailbox: 3,
  });
  await runtime.spawn(
    recorder("builtin::throws", {
      subscriptions: ["*"],
      onRequest() {
        throw new Error("kaput");
      },
    }),
  );
  const good = recorder("builtin::good", { subscriptions: ["*"] });
  await runtime.spawn(good);
  const answers: Json[] = [];
  for (let n = 0; n < 50; n++) {
    await runtime.broadcast({ category: "A", operation: `e${n}`, payload: null });
    answers.push(await runtime.request("builtin::good", `r${n}`));
  }
  await settle();
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => `r${n}`));
  expect(good.asked).toHaveLength(100);
});
