import { describe, expect, test } from "vitest";
import type { Component } from "../../../../src/core/component.ts";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf } from "../orcs/engine.ts";
import { codesOf, heard, held, recorder, rig, settle, stateOf } from "./rig.ts";

/** A component that wants events. */
function listener(id: string, subscriptions: readonly string[], parts: Partial<Component> = {}) {
  return recorder(id, { ...parts, subscriptions });
}

const event = (category: string, operation = "op", payload: Json = null) => ({
  category,
  operation,
  payload,
});

describe("routing on the event bus", () => {
  test("a request reaches the named component as sent", async () => {
    const { runtime } = await rig();
    let seen: unknown;
    await runtime.spawn({
      id: "builtin::a",
      onRequest(request, { component, child, channel }) {
        seen = { request, component, child, channel };
        return { got: request.payload };
      },
    });
    expect(await runtime.request("builtin::a", "ask", { n: 1 })).toEqual({ got: { n: 1 } });
    expect(seen).toEqual({
      request: {
        id: "req-1",
        category: "Request",
        operation: "ask",
        source: "host::main",
        target: "builtin::a",
        payload: { n: 1 },
        timeout_ms: 30_000,
      },
      component: "builtin::a",
      child: undefined,
      channel: runtime.channels[0]?.id,
    });
  });

  test.each([
    ["builtin::lllm", "; did you mean builtin::llm?"],
    ["builtin::llm#2", "; did you mean builtin::llm?"],
    ["nobody::at-all", ""],
    ["__proto__", ""],
    ["", ""],
    ["*", ""],
  ])("a request to the unknown %j is an error", async (target, hint) => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::llm"));
    const error = await errorOf(runtime.request(target, "ask"));
    expect(error.message).toBe(`ORCS6001: there is no component ${JSON.stringify(target)}${hint}`);
    expect(error.fields).toEqual({ target });
  });

  test("a signal to an unknown component is an error", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::llm"));
    const error = await errorOf(runtime.signal("builtin::lm", "veto"));
    expect(error.message).toContain("did you mean builtin::llm?");
    expect(error.code).toBe("ORCS6001");
  });

  test("one instance is reachable by name, several by instance", async () => {
    const { runtime } = await rig();
    const [one, two] = [recorder("builtin::a"), recorder("builtin::a")];
    await runtime.spawn(one, { instance: "1" });
    expect(await runtime.request("builtin::a", "first")).toBe("first");
    await runtime.spawn(two, { instance: "2" });
    expect((await errorOf(runtime.request("builtin::a", "x"))).message).toBe(
      'ORCS6001: there is no component "builtin::a": it has the instances builtin::a#1, builtin::a#2',
    );
    expect(await runtime.request("builtin::a#2", "second")).toBe("second");
    const bare = recorder("builtin::a");
    await runtime.spawn(bare);
    expect(await runtime.request("builtin::a", "third")).toBe("third");
    expect([one.asked, two.asked, bare.asked]).toEqual([["first"], ["second"], ["third"]]);
  });
});

describe("events on the bus", () => {
  test("reach each subscriber once, and the count is returned", async () => {
    const { runtime } = await rig();
    const [a, b, all, none] = [
      listener("builtin::a", ["A", "A", "B"]),
      listener("builtin::b", ["B"]),
      listener("builtin::all", ["*", "A"]),
      listener("builtin::none", []),
    ];
    for (const each of [a, b, all, none]) await runtime.spawn(each);
    expect(await runtime.broadcast(event("A", "one"))).toBe(2);
    expect(await runtime.broadcast(event("B", "two"))).toBe(3);
    expect(await runtime.broadcast(event("C", "three"))).toBe(1);
    expect(await runtime.broadcast(event("*", "four"))).toBe(1);
    await settle();
    expect([a, b, all, none].map(({ asked }) => asked)).toEqual([
      ["one", "two"],
      ["two"],
      ["one", "two", "three", "four"],
      [],
    ]);
  });

  test("do not reach their sender or its other instances", async () => {
    const { runtime } = await rig();
    const say: Component["onRequest"] = (request, context) =>
      request.category === "A" ? null : context.emit("A", "heard");
    const [one, two] = [
      listener("builtin::a", ["A"], { onRequest: say }),
      listener("builtin::a", ["A"], { onRequest: say }),
    ];
    await runtime.spawn(one, { instance: "1" });
    await runtime.spawn(two, { instance: "2" });
    expect(await runtime.request("builtin::a#1", "go")).toBe(1);
    await settle();
    expect([one.asked, two.asked]).toEqual([["go"], ["heard"]]);
  });

  test("later changes to a component's subscriptions list have no effect", async () => {
    const { runtime } = await rig();
    const subscriptions = ["A"];
    const a = recorder("builtin::a", { subscriptions });
    await runtime.spawn(a);
    subscriptions[0] = "B";
    expect(await runtime.broadcast(event("A"))).toBe(1);
    await runtime.stop("builtin::a");
    expect(await runtime.broadcast(event("A"))).toBe(0);
    expect(runtime.bus.isWanted("A")).toBe(false);
  });
});

test("isWanted of a category is true for a subscriber by name other than the excluded one", async () => {
  const { runtime } = await rig();
  const { bus } = runtime;
  const wanted = () => [
    bus.isWanted("A"),
    bus.isWanted("A", "builtin::a"),
    bus.isWanted("A", "builtin::b"),
  ];
  await runtime.spawn(listener("builtin::all", ["*"]));
  expect(wanted()).toEqual([false, false, false]);
  await runtime.spawn(listener("builtin::a", ["A"]), { instance: "1" });
  await runtime.spawn(listener("builtin::a", ["A"]), { instance: "2" });
  expect(wanted()).toEqual([true, false, true]);
  expect([bus.isWanted("A", "builtin::a#1"), bus.isWanted("B")]).toEqual([true, false]);
  await runtime.spawn(listener("builtin::b", ["A", "B"]));
  expect(wanted()).toEqual([true, true, true]);
  await runtime.stop("builtin::a#1");
  await runtime.stop("builtin::a#2");
  expect(wanted()).toEqual([true, true, false]);
});

describe("unregistering during a broadcast", () => {
  test("removed subscribers are not counted, the others get the event", async () => {
    const { runtime } = await rig();
    const later = [2, 3, 4].map((n) => listener(`builtin::${n}`, ["A"]));
    await runtime.spawn(
      listener("builtin::1", ["A"], {
        onRequest: () => void runtime.kill("builtin::3"),
      }),
    );
    for (const each of later) await runtime.spawn(each);
    const delivered = await runtime.broadcast(event("A"));
    await settle();
    const took = later.filter(({ asked }) => asked.length > 0).length;
    expect(later.map(({ asked }) => asked.length)).toEqual([1, 0, 1]);
    // The one that goes may have been told before it went; who has gone already is not counted.
    expect([took + 1, took + 2]).toContain(delivered);
  });

  test("a stopping component gets no event and is not counted", async () => {
    const { runtime, log } = await rig();
    const leaving = held<void>();
    const a = listener("builtin::a", ["A"], { shutdown: () => leaving.promise });
    await runtime.spawn(a);
    const served = held();
    const b = listener("builtin::b", ["A"], { onRequest: () => served.promise });
    await runtime.spawn(b);
    const busy = runtime.request("builtin::b", "busy");
    await settle();
    const ended = runtime.stop("builtin::b");
    expect(runtime.channels.map(({ state }) => state)).toEqual(["running", "ending"]);
    expect(await runtime.broadcast(event("A"))).toBe(1);
    served.resolve("done");
    leaving.resolve();
    await ended;
    expect(await busy).toBe("done");
    expect(b.asked).toEqual(["busy"]);
    expect(log.lines.filter((line) => line.includes("full"))).toEqual([]);
  });
});

describe("a full mailbox", () => {
  test("rejects a request, accepts again when there is room, and loses no accepted one", async () => {
    const { runtime } = await rig();
    const gate = held();
    const a = recorder("builtin::a", {
      onRequest: ({ payload }) => gate.promise.then(() => payload),
    });
    await runtime.spawn(a, { mailbox: 2 });
    const ask = (n: number) => heard(runtime.request("builtin::a", `r${n}`, n));
    const served = ask(0);
    await settle();
    const asked = [served, ...[1, 2, 3].map(ask)];
    // One is served, two wait.
    expect(await codesOf(asked)).toEqual(["pending", "pending", "pending", "ORCS6004"]);
    const error = await errorOf(asked[3] as Promise<unknown>);
    expect(error.message).toBe("ORCS6004: the mailbox of builtin::a is full");
    gate.resolve(null);
    expect(await Promise.all(asked.slice(0, 3))).toEqual([0, 1, 2]);
    expect(await runtime.request("builtin::a", "r4", 4)).toBe(4);
    expect(a.asked).toEqual(["r0", "r1", "r2", "r4"]);
  });

  test("drops an event with a log line, uncounted; other subscribers get it", async () => {
    const { runtime, log } = await rig();
    const gate = held();
    const slow = listener("builtin::slow", ["A"], { onRequest: () => gate.promise });
    const quick = listener("builtin::quick", ["A"]);
    await runtime.spawn(slow, { mailbox: 1 });
    await runtime.spawn(quick);
    const counts: number[] = [];
    for (const n of [1, 2, 3]) {
      counts.push(await runtime.broadcast(event("A", `e${n}`)));
      await settle();
    }
    expect(counts).toEqual([2, 2, 1]);
    expect(log.lines).toEqual(["warn: the mailbox of builtin::slow is full: an event is lost"]);
    gate.resolve(null);
    await settle();
    expect([slow.asked, quick.asked]).toEqual([
      ["e1", "e2"],
      ["e1", "e2", "e3"],
    ]);
    expect(await runtime.broadcast(event("A", "e4"))).toBe(2);
  });

  test("withdrawn requests take no room", async () => {
    const { runtime, clock } = await rig();
    const gate = held();
    const a = recorder("builtin::a", { onRequest: () => gate.promise });
    await runtime.spawn(a, { mailbox: 2 });
    const served = runtime.request("builtin::a", "served");
    await settle();
    const controller = new AbortController();
    const given = [1, 2].map(() =>
      runtime.request("builtin::a", "given up", null, { signal: controller.signal }),
    );
    expect((await errorOf(runtime.request("builtin::a", "x"))).code).toBe("ORCS6004");
    controller.abort();
    expect(await codesOf(given)).toEqual(["ORCS6014", "ORCS6014"]);
    const late = [1, 2].map(() =>
      heard(runtime.request("builtin::a", "late", null, { timeout_ms: 5 })),
    );
    expect((await errorOf(runtime.request("builtin::a", "x"))).code).toBe("ORCS6004");
    await clock.advance(5);
    expect(await codesOf(late)).toEqual(["ORCS6003", "ORCS6003"]);
    const last = runtime.request("builtin::a", "last");
    gate.resolve(null);
    await Promise.all([served, last]);
    expect(a.asked).toEqual(["served", "last"]);
  });

  test("10,000 events to a paused component: only the limit is kept", async () => {
    const { runtime, log } = await rig();
    const a = listener("builtin::a", ["A"]);
    await runtime.spawn(a, { mailbox: 100 });
    await runtime.signal("builtin::a", "pause");
    let delivered = 0;
    for (let n = 0; n < 10_000; n++) delivered += await runtime.broadcast(event("A", `e${n}`));
    expect(delivered).toBe(100);
    expect(a.asked).toEqual([]);
    // Told for the first of the 9,900, and each time that they have doubled.
    expect(log.lines).toHaveLength(14);
    expect(log.lines.at(-1)).toBe("warn: the mailbox of builtin::a is full: 8192 events are lost");
    await runtime.signal("builtin::a", "resume");
    await settle();
    expect(a.asked).toEqual(Array.from({ length: 100 }, (_, n) => `e${n}`));
  });
});

describe("a circular request", () => {
  test("to oneself is rejected at once", async () => {
    const { runtime } = await rig();
    await runtime.spawn(
      recorder("builtin::a", { onRequest: (_, context) => context.request("builtin::a", "again") }),
    );
    expect((await errorOf(runtime.request("builtin::a", "go"))).message).toBe(
      "ORCS6011: deadlock: the request would wait for itself: builtin::a → builtin::a",
    );
  });

  test("through others is rejected at once, and all are usable again", async () => {
    const { runtime } = await rig();
    const next = (id: string, to: string) =>
      recorder(id, {
        onRequest: ({ operation }, context) =>
          operation === "go" ? context.request(to, "go") : "free",
      });
    await runtime.spawn(next("builtin::a", "builtin::b"), { instance: "1" });
    await runtime.spawn(next("builtin::b", "builtin::c"));
    await runtime.spawn(next("builtin::c", "builtin::a"));
    const error = await errorOf(runtime.request("builtin::a", "go"));
    expect(error.code).toBe("ORCS6011");
    expect(error.message).toContain("builtin::a#1 → builtin::b → builtin::c → builtin::a#1");
    for (const id of ["a", "b", "c"])
      expect(await runtime.request(`builtin::${id}`, "x")).toBe("free");
  });

  test("is allowed if nobody waits: through an event, or without awaiting", async () => {
    const { runtime } = await rig();
    const b = listener("builtin::b", ["A"], {
      onRequest: (_, context) => context.request("builtin::a", "back"),
    });
    const a = recorder("builtin::a", {
      onRequest: ({ operation }, context) => (operation === "go" ? context.emit("A", "x") : "ok"),
    });
    await runtime.spawn(a);
    await runtime.spawn(b);
    expect(await runtime.request("builtin::a", "go")).toBe(1);
    await settle();
    expect(a.asked).toEqual(["go", "back"]);
  });
});

describe("a request cancelled by the caller", () => {
  test("before sending: the component is not called", async () => {
    const { runtime } = await rig();
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    const asked = runtime.request("builtin::a", "x", null, { signal: AbortSignal.abort() });
    expect((await errorOf(asked)).code).toBe("ORCS6014");
    expect(a.asked).toEqual([]);
  });

  test("while queued: the component is not called", async () => {
    const { runtime } = await rig();
    const gate = held();
    const a = recorder("builtin::a", { onRequest: () => gate.promise });
    await runtime.spawn(a);
    const served = runtime.request("builtin::a", "served");
    const controller = new AbortController();
    const waiting = runtime.request("builtin::a", "waiting", null, { signal: controller.signal });
    await settle();
    controller.abort(new Error("changed my mind"));
    expect((await errorOf(waiting)).code).toBe("ORCS6014");
    gate.resolve("done");
    expect(await served).toBe("done");
    expect(await runtime.request("builtin::a", "next")).toBe("done");
    expect(a.asked).toEqual(["served", "next"]);
  });

  test("while served: the component's signal is aborted, and its sub-requests are cancelled", async () => {
    const { runtime } = await rig();
    const signals: AbortSignal[] = [];
    const b = recorder("builtin::b", {
      onRequest(request, { signal }) {
        if (request.operation === "free") return "free";
        signals.push(signal);
        return held().promise;
      },
    });
    const a = recorder("builtin::a", {
      onRequest(request, context) {
        if (request.operation === "free") return "free";
        signals.push(context.signal);
        return context.request("builtin::b", "inner");
      },
    });
    await runtime.spawn(a);
    await runtime.spawn(b);
    const controller = new AbortController();
    const asked = runtime.request("builtin::a", "outer", null, { signal: controller.signal });
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    controller.abort();
    expect((await errorOf(asked)).code).toBe("ORCS6014");
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await runtime.request("builtin::a", "free")).toBe("free");
    expect(await runtime.request("builtin::b", "free")).toBe("free");
  });

  test("after the response: no effect, and no listener stays on the signal", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a"));
    const controller = new AbortController();
    let listening = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => (listening++, add(...args)),
      removeEventListener: (...args: Parameters<typeof remove>) => (listening--, remove(...args)),
    });
    expect(await runtime.request("builtin::a", "x", null, { signal })).toBe("x");
    controller.abort();
    await settle();
    expect(listening).toBe(0);
  });
});

test("many concurrent requests each get their own response", async () => {
  const { runtime } = await rig();
  const ids = ["builtin::a", "builtin::b", "builtin::c"];
  for (const [index, id] of ids.entries()) {
    await runtime.spawn(
      recorder(id, {
        async onRequest({ payload }, context) {
          const to = ids[index + 1];
          return to === undefined ? payload : context.request(to, "on", payload);
        },
      }),
    );
  }
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, n) => runtime.request("builtin::a", "on", n)),
  );
  expect(answers).toEqual(Array.from({ length: 500 }, (_, n) => n));
  expect(await stateOf(runtime.request("builtin::c", "on", 1))).toBe("done");
});
