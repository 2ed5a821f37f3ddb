import { describe, expect, test } from "vitest";
import { SIGNALS, type Signal, type SignalKind } from "../../../../src/core/component.ts";
import { errorOf } from "../orcs/engine.ts";
import { codesOf, heard, held, inTime, never, recorder, rig, settle, stateOf } from "./rig.ts";

const KINDS = Object.keys(SIGNALS) as SignalKind[];
const event = (operation: string) => ({ category: "A", operation, payload: null });

describe("a signal", () => {
  test.each(KINDS)(
    "%s reaches its component as sent, and its response is returned",
    async (kind) => {
      const { runtime } = await rig();
      let seen: Signal | undefined;
      await runtime.spawn(
        recorder("builtin::a", {
          onSignal(signal) {
            seen = signal;
            return "ignored";
          },
        }),
      );
      const sent = { kind, reason: "because", approval_id: "7" };
      expect(await runtime.signal("builtin::a", sent)).toBe("ignored");
      expect(seen).toEqual(sent);
    },
  );

  test("is handled without a response, ignored without onSignal, and takes effect in both cases", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a"));
    await runtime.spawn({ id: "builtin::b", onRequest: () => null });
    expect(await runtime.signal("builtin::a", "pause")).toBe("handled");
    expect(await runtime.signal("builtin::b", "pause")).toBe("ignored");
    expect(runtime.channels.map(({ state }) => state)).toEqual(["paused", "paused"]);
  });

  test.each<[string, unknown]>([
    ["is none", { kind: "stop" }],
    ["has no kind", {}],
    ["says more than it may", { kind: "veto", target: "builtin::b" }],
  ])("that %s is rejected and not delivered", async (_, signal) => {
    const { runtime } = await rig();
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    for (const target of ["builtin::a", "*"])
      expect((await errorOf(runtime.signal(target, signal as Signal))).code).toBe("ORCS6010");
    expect(a.signalled).toEqual([]);
  });
});

describe("signals are delivered before", () => {
  test("1,000 waiting events", async () => {
    const { runtime } = await rig();
    const order: string[] = [];
    const gate = held();
    await runtime.spawn({
      id: "builtin::a",
      subscriptions: ["A"],
      onRequest({ operation }) {
        order.push(operation);
        return operation === "e0" ? gate.promise : null;
      },
      onSignal({ kind }) {
        order.push(kind);
        return "handled";
      },
    });
    for (let n = 0; n < 1000; n++) await runtime.broadcast(event(`e${n}`));
    expect(await runtime.signal("builtin::a", "resume")).toBe("handled");
    expect(order).toEqual(["e0", "resume"]);
    gate.resolve(null);
    while (order.length < 1001) await settle();
    expect(order.slice(2)).toEqual(Array.from({ length: 999 }, (_, n) => `e${n + 1}`));
  });

  test("but not before other signals: one after the other", async () => {
    const { runtime } = await rig();
    const gate = held<void>();
    const order: string[] = [];
    await runtime.spawn(
      recorder("builtin::a", {
        async onSignal({ kind }) {
          order.push(`${kind} begins`);
          if (kind === "pause") await gate.promise;
          order.push(`${kind} ends`);
          return "handled" as const;
        },
      }),
    );
    const told = (["pause", "resume", "cancel"] as const).map((kind) =>
      runtime.signal("builtin::a", kind),
    );
    await settle();
    expect(order).toEqual(["pause begins"]);
    gate.resolve();
    await Promise.all(told);
    expect(order).toEqual(
      ["pause", "resume", "cancel"].flatMap((kind) => [`${kind} begins`, `${kind} ends`]),
    );
  });

  test("up to a maximum number of waiting signals", async () => {
    const { runtime } = await rig();
    const gate = held<void>();
    await runtime.spawn(
      recorder("builtin::a", { onSignal: () => gate.promise.then(() => "handled" as const) }),
      { mailbox: 2 },
    );
    const told = [1, 2, 3].map(() => heard(runtime.signal("builtin::a", "resume")));
    expect(await codesOf(told)).toEqual(["pending", "pending", "ORCS6004"]);
    gate.resolve();
    expect(await codesOf(told)).toEqual(["ok", "ok", "ORCS6004"]);
    expect(await runtime.signal("builtin::a", "resume")).toBe("handled");
  });
});

describe("the signal cancel", () => {
  test("cancels the current request and leaves waiting ones", async () => {
    const { runtime } = await rig();
    let signal: AbortSignal | undefined;
    const a = recorder("builtin::a", {
      onRequest({ operation }, context) {
        if (operation !== "slow") return operation;
        signal = context.signal;
        return never();
      },
    });
    await runtime.spawn(a);
    const slow = heard(runtime.request("builtin::a", "slow"));
    const next = runtime.request("builtin::a", "next");
    await settle();
    await runtime.signal("builtin::a", "cancel");
    expect((await errorOf(slow)).message).toBe("ORCS6014: builtin::a received a cancel signal");
    expect(signal?.aborted).toBe(true);
    expect(await next).toBe("next");
  });

  test("cancels a current event too", async () => {
    const { runtime } = await rig();
    const a = recorder("builtin::a", {
      subscriptions: ["A"],
      onRequest: ({ operation }) => (operation === "slow" ? never() : null),
    });
    await runtime.spawn(a);
    await runtime.broadcast(event("slow"));
    await runtime.broadcast(event("next"));
    await settle();
    expect(a.asked).toEqual(["slow"]);
    await runtime.signal("builtin::a", "cancel");
    await settle();
    expect(a.asked).toEqual(["slow", "next"]);
  });

  test("does nothing without a current request", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a"));
    expect(await runtime.signal("builtin::a", "cancel")).toBe("handled");
    expect(await runtime.request("builtin::a", "x")).toBe("x");
  });
});

describe("the signals pause and resume", () => {
  test("let the current request finish; waiting ones run after resume, in order", async () => {
    const { runtime } = await rig();
    const gate = held();
    const a = recorder("builtin::a", {
      onRequest: ({ operation }) => (operation === "r0" ? gate.promise : operation),
    });
    await runtime.spawn(a);
    const asked = [0, 1, 2].map((n) => runtime.request("builtin::a", `r${n}`));
    await settle();
    await runtime.signal("builtin::a", "pause");
    gate.resolve("r0");
    expect(await asked[0]).toBe("r0");
    expect(await codesOf(asked)).toEqual(["ok", "pending", "pending"]);
    expect(runtime.channels).toMatchObject([{ state: "paused" }]);
    await runtime.signal("builtin::a", "resume");
    expect(await Promise.all(asked)).toEqual(["r0", "r1", "r2"]);
    expect(a.asked).toEqual(["r0", "r1", "r2"]);
    expect(runtime.channels).toMatchObject([{ state: "running" }]);
  });

  test("are idempotent", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a"));
    for (const kind of ["pause", "pause", "resume", "resume"] as const)
      await runtime.signal("builtin::a", kind);
    expect(await runtime.request("builtin::a", "x")).toBe("x");
  });

  test("do not stop request timeouts", async () => {
    const { runtime, clock } = await rig();
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    await runtime.signal("builtin::a", "pause");
    const asked = heard(runtime.request("builtin::a", "x", null, { timeout_ms: 50 }));
    await clock.advance(50);
    expect((await errorOf(asked)).code).toBe("ORCS6003");
    await runtime.signal("builtin::a", "resume");
    await settle();
    expect(a.asked).toEqual([]);
  });

  test("a paused component can be stopped, and its state is reported", async () => {
    const { runtime } = await rig();
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    await runtime.signal("builtin::a", "pause");
    const asked = heard(runtime.request("builtin::a", "x"));
    await runtime.stop("builtin::a");
    expect((await errorOf(asked)).code).toBe("ORCS6006");
    expect(a.calls).toContain("shutdown paused");
  });

  test("during the start: it starts paused", async () => {
    const { runtime } = await rig();
    const gate = held<void>();
    const a = recorder("builtin::a", { init: () => gate.promise });
    const spawned = runtime.spawn(a);
    await settle();
    await runtime.signal("builtin::a", "pause");
    gate.resolve();
    await spawned;
    const asked = runtime.request("builtin::a", "x");
    expect(await stateOf(asked)).toBe("pending");
    await runtime.signal("builtin::a", "resume");
    expect(await asked).toBe("x");
  });
});

describe("the signal veto", () => {
  test("ends the channel and rejects current and waiting requests", async () => {
    const { runtime, clock } = await rig();
    const a = recorder("builtin::a", { onRequest: never });
    const channel = await runtime.spawn(a);
    const asked = [1, 2].map(() => heard(runtime.request("builtin::a", "x")));
    await settle();
    expect(await runtime.signal("builtin::a", "veto")).toBe("handled");
    await clock.advance(0);
    expect(await codesOf(asked)).toEqual(["ORCS6006", "ORCS6006"]);
    expect(await channel?.ended).toMatchObject({ exit_reason: "veto" });
    expect(a.calls.slice(-3)).toEqual(["shutdown running", "snapshot", "dispose"]);
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("never");
      },
    ],
    ["rejects", () => Promise.reject(new Error("never"))],
    ["answers what is no answer", () => "no"],
    ["never answers", never],
    ["ignores it", () => "ignored"],
  ])("ends a component that %s", async (name, onSignal) => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    const channel = await runtime.spawn(
      recorder("builtin::a", { onSignal: onSignal as () => "handled" }),
    );
    const told = heard(runtime.signal("builtin::a", "veto"));
    await inTime(clock, channel!.ended);
    expect(await channel?.ended).toMatchObject({ exit_reason: "veto" });
    const [code] = await codesOf([told]);
    const codes = {
      "never answers": "ORCS6003",
      "ignores it": "ok",
      "answers what is no answer": "ORCS6010",
    };
    expect(code).toBe(Object.hasOwn(codes, name) ? codes[name as keyof typeof codes] : "ORCS6005");
  });

  test("to all ends each, and rejects with the first error", async () => {
    const { runtime } = await rig();
    const parts = {
      good: {},
      bad: {
        onSignal() {
          throw new Error("never");
        },
      },
      slow: { onSignal: () => settle().then(() => "handled" as const) },
      deaf: { onSignal: () => "ignored" as const },
    };
    const channels = [];
    for (const [name, each] of Object.entries(parts)) {
      const channel = await runtime.spawn(recorder(`builtin::${name}`, each));
      channels.push(channel!.ended);
    }
    const error = await errorOf(runtime.signal("*", "veto"));
    expect(error.message).toContain("onSignal of builtin::bad failed: never");
    const ended = await Promise.all(channels);
    expect(ended.map(({ exit_reason }) => exit_reason)).toEqual(["veto", "veto", "veto", "veto"]);
    expect(runtime.channels).toEqual([]);
  });

  test("to all works while one is already stopping", async () => {
    const { runtime } = await rig();
    await runtime.spawn(recorder("builtin::a"));
    await runtime.spawn(recorder("builtin::b"));
    const ended = runtime.stop("builtin::a");
    expect(await runtime.signal("*", "veto")).toBe("handled");
    await ended;
    await settle();
    expect(runtime.channels).toEqual([]);
  });

  test("to all without components is ignored", async () => {
    const { runtime } = await rig();
    expect(await runtime.signal("*", "veto")).toBe("ignored");
  });

  test("can be sent by a component to itself during a request", async () => {
    const { runtime, clock } = await rig();
    const channel = await runtime.spawn(
      recorder("builtin::a", {
        onRequest: async (_, context) => context.sendSignal("builtin::a", "veto"),
      }),
    );
    const asked = heard(runtime.request("builtin::a", "x"));
    await inTime(clock, channel!.ended);
    expect((await errorOf(asked)).code).toBe("ORCS6006");
  });
});

describe("a component's response to a signal", () => {
  test.each(KINDS)("abort for %s ends the channel", async (kind) => {
    const { runtime } = await rig();
    const channel = await runtime.spawn(recorder("builtin::a", { onSignal: () => "abort" }));
    expect(await runtime.signal("builtin::a", kind)).toBe("abort");
    expect(await channel?.ended).toMatchObject({
      exit_reason: kind === "veto" ? "veto" : "aborted by the component",
    });
  });

  test("an error is returned, and the signal still takes effect", async () => {
    const { runtime } = await rig();
    let fails = true;
    await runtime.spawn(
      recorder("builtin::a", {
        onSignal() {
          if (fails) throw new Error("not now");
          return "handled";
        },
      }),
    );
    const error = await errorOf(runtime.signal("builtin::a", "pause"));
    expect(error.message).toBe("ORCS6005: onSignal of builtin::a failed: not now");
    expect(runtime.channels).toMatchObject([{ state: "paused" }]);
    fails = false;
    expect(await runtime.signal("builtin::a", "resume")).toBe("handled");
    expect(await runtime.request("builtin::a", "x")).toBe("x");
  });

  test("a timeout: the signal takes effect, and the next one is delivered", async () => {
    const { runtime, clock } = await rig({ limits: { lifecycleMs: 100 } });
    const a = recorder("builtin::a", {
      onSignal: ({ kind }) => (kind === "pause" ? never() : "handled"),
    });
    await runtime.spawn(a);
    const [paused, resumed] = (["pause", "resume"] as const).map((kind) =>
      heard(runtime.signal("builtin::a", kind)),
    );
    await clock.advance(100);
    expect(await codesOf([paused!, resumed!])).toEqual(["ORCS6003", "ok"]);
    expect(await runtime.request("builtin::a", "x")).toBe("x");
  });
});

describe("signals waiting while their channel ends", () => {
  test("are answered, and no method is called after dispose", async () => {
    const { runtime, clock } = await rig();
    const gate = held<void>();
    const a = recorder("builtin::a", {
      onSignal: ({ kind }) =>
        kind === "pause" ? gate.promise.then(() => "handled" as const) : "handled",
    });
    await runtime.spawn(a);
    const told = (["pause", "resume", "cancel"] as const).map((kind) =>
      heard(runtime.signal("builtin::a", kind)),
    );
    await settle();
    await inTime(clock, runtime.kill("builtin::a"));
    gate.resolve();
    const [, ...codes] = await codesOf(told);
    expect(codes).toEqual(["ORCS6006", "ORCS6006"]);
    expect(a.signalled).toEqual(["pause"]);
    expect(a.calls.at(-1)).toBe("dispose");
  });

  test("are answered also if a hook holds the first", async () => {
    const { runtime, clock, hook } = await rig();
    const gate = held<void>();
    hook({ id: "holds", point: "signal.pre_dispatch", handler: () => gate.promise });
    const a = recorder("builtin::a");
    await runtime.spawn(a);
    const told = heard(runtime.signal("builtin::a", "pause"));
    await settle();
    await inTime(clock, runtime.kill("builtin::a"));
    gate.resolve();
    expect(await codesOf([told])).toEqual(["ORCS6006"]);
    expect(a.signalled).toEqual([]);
  });
});

test("a component during its start gets no signals, but they take effect on its channel", async () => {
  const { runtime } = await rig();
  const gates = { restore: held<undefined>(), init: held<undefined>() };
  const told: string[] = [];
  const spawned = runtime.spawn(
    {
      id: "builtin::a",
      restore: () => gates.restore.promise,
      init: () => gates.init.promise,
      onRequest: () => null,
      onSignal: ({ kind }) => void told.push(kind),
    },
    { snapshot: 1 },
  );
  for (const gate of Object.values(gates)) {
    await settle();
    expect(await runtime.signal("builtin::a", "pause")).toBe("ignored");
    gate.resolve(undefined);
  }
  await spawned;
  expect(told).toEqual([]);
  expect(runtime.channels.map(({ state }) => state)).toEqual(["paused"]);
  await runtime.signal("builtin::a", "resume");
  expect(told).toEqual(["resume"]);
});
