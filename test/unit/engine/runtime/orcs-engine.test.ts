import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import type { Component } from "../../../../src/core/component.ts";
import { errorOf } from "../orcs/engine.ts";
import { codesOf, heard, held, inTime, never, recorder, rig, settle, stateOf } from "./rig.ts";

const a = (parts?: Partial<Component>) => recorder("builtin::a", parts);

describe("a component name is unique", () => {
  test("while a component runs or is stopping", async () => {
    const { runtime } = await rig();
    const gate = held<void>();
    await runtime.spawn(a({ shutdown: () => gate.promise }));
    const second = a();
    const error = await errorOf(runtime.spawn(second));
    expect(error.message).toBe("ORCS6002: builtin::a already exists");
    const ended = runtime.stop("builtin::a");
    expect((await errorOf(runtime.spawn(second))).code).toBe("ORCS6002");
    gate.resolve();
    await ended;
    await runtime.spawn(second);
    expect(second.calls).toEqual(["init"]);
  });

  test("two concurrent spawns: one succeeds", async () => {
    const { runtime } = await rig();
    const [one, other] = [a(), a()];
    const spawned = [runtime.spawn(one), heard(runtime.spawn(other))];
    expect(await codesOf(spawned)).toEqual(["ok", "ORCS6002"]);
    expect([one.calls, other.calls]).toEqual([["init"], []]);
    expect(await runtime.request("builtin::a", "x")).toBe("x");
    expect(one.asked).toEqual(["x"]);
  });

  test("per instance, and without instance", async () => {
    const { runtime } = await rig();
    const instances = [undefined, "1", "2"];
    for (const instance of instances) await runtime.spawn(a(), { instance });
    expect(runtime.channels.map(({ component }) => component)).toEqual([
      "builtin::a",
      "builtin::a#1",
      "builtin::a#2",
    ]);
    for (const instance of instances)
      expect((await errorOf(runtime.spawn(a(), { instance }))).code).toBe("ORCS6002");
    expect(new Set(runtime.channels.map(({ id }) => id)).size).toBe(3);
  });

  test.each(["", "a b", "a#b", "*", "a/b", "a::b"])(
    "invalid instance %j is rejected",
    async (instance) => {
      const { runtime } = await rig();
      expect((await errorOf(runtime.spawn(a(), { instance }))).code).toBe("ORCS6010");
    },
  );

  test("and free after a failed spawn, but not during it", async () => {
    const { runtime } = await rig();
    const gate = held<void>();
    const failing = heard(runtime.spawn(a({ init: () => gate.promise })));
    await settle();
    expect((await errorOf(runtime.spawn(a()))).code).toBe("ORCS6002");
    gate.reject(new Error("no luck"));
    expect((await errorOf(failing)).code).toBe("ORCS6005");
    expect(await runtime.spawn(a())).toMatchObject({ component: "builtin::a" });
  });

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "ORCS6010"],
    ["a bad id", { id: "a", onRequest: () => null }, "ORCS1010"],
    ["no onRequest", { id: "builtin::a" }, "ORCS6010"],
  ])("%s is rejected", async (_, component, code) => {
    const { runtime } = await rig();
    expect((await errorOf(runtime.spawn(component as Component))).code).toBe(code);
    expect(runtime.channels).toEqual([]);
  });

  test.each([
    { mailbox: 0 },
    { mailbox: 1.5 },
    { request_timeout_ms: 0 },
    { request_timeout_ms: Number.NaN },
  ])("options %j are rejected", async (options) => {
    const { runtime } = await rig();
    const component = a();
    expect((await errorOf(runtime.spawn(component, options))).code).toBe("ORCS6010");
    expect(component.calls).toEqual([]);
  });
});

test("the number of channels is limited including those being started", async () => {
  const { runtime } = await rig({ limits: { channels: 2 } });
  const gate = held<void>();
  const first = runtime.spawn(recorder("builtin::1", { init: () => gate.promise }));
  await settle();
  const second = runtime.spawn(recorder("builtin::2", { init: () => gate.promise }));
  await settle();
  const error = await errorOf(runtime.spawn(recorder("builtin::3")));
  expect(error.message).toBe("ORCS6009: the limit of 2 channels is reached");
  gate.resolve();
  await Promise.all([first, second]);
  expect((await errorOf(runtime.spawn(recorder("builtin::3")))).code).toBe("ORCS6009");
  await runtime.stop("builtin::1");
  await runtime.spawn(recorder("builtin::3"));
});

describe("a hook can prevent a component's start", () => {
  const POINTS = ["channel.pre_create", "component.pre_init"] as const;

  test.each(POINTS)(
    "by abort at %s: the reason is reported, and nothing is left",
    async (point) => {
      const { runtime, hook } = await rig();
      hook({ id: "guard", point, handler: () => ({ action: "abort", reason: "not today" }) });
      const component = a({ snapshot: () => 1 });
      const error = await errorOf(runtime.spawn(component, { snapshot: 1 }));
      expect(error.code).toBe("ORCS2001");
      expect(error.message).toContain("was denied by hook guard: not today");
      expect(component.calls).toEqual(point === "channel.pre_create" ? [] : ["dispose"]);
      expect(runtime.channels).toEqual([]);
      expect(runtime.bus.size).toBe(0);
      expect((await errorOf(runtime.request("builtin::a", "x"))).code).toBe("ORCS6001");
    },
  );

  test("by skip at channel.pre_create: no channel, no error", async () => {
    const { runtime, hook } = await rig();
    hook({
      id: "guard",
      point: "channel.pre_create",
      handler: () => ({ action: "skip", result: { instead: true } }),
    });
    const component = a();
    expect(await runtime.spawn(component)).toBeUndefined();
    expect(component.calls).toEqual([]);
    expect(runtime.channels).toEqual([]);
  });

  test("a thousand times: nothing is left", async () => {
    const { runtime, hook } = await rig();
    let turn = 0;
    for (const point of POINTS) {
      hook({
        id: point,
        point,
        handler: () => (turn++ % 2 === 0 ? { action: "abort", reason: "no" } : undefined),
      });
    }
    let failed = 0;
    for (let n = 0; n < 1000; n++)
      await runtime.spawn(recorder(`builtin::c${n}`)).catch(() => failed++);
    expect(failed).toBeGreaterThan(0);
    expect(runtime.channels).toHaveLength(1000 - failed);
    expect(runtime.bus.size).toBe(1000 - failed);
  });
});

describe("shutdownParallel", () => {
  test("called again with no grace period cancels current requests at once", async () => {
    const { runtime, clock } = await rig();
    await runtime.spawn(a({ onRequest: never }));
    const asked = errorOf(runtime.request("builtin::a", "go"));
    await settle();
    const ended = runtime.shutdownParallel(1_000_000);
    await settle();
    expect(runtime.shutdownParallel(0)).toBe(ended);
    expect((await asked).code).toBe("ORCS6006");
    await inTime(clock, ended);
  });

  test("answers every request once: waiting ones at once, current ones in time or at the deadline", async () => {
    const { runtime, clock } = await rig();
    const gate = held();
    const answers = new Map<string, number>();
    const asked: Promise<unknown>[] = [];
    const ask = (target: string, operation: string): void => {
      const request = runtime.request(target, operation);
      const count = (): void => void answers.set(operation, (answers.get(operation) ?? 0) + 1);
      request.then(count, count);
      asked.push(heard(request));
    };
    await runtime.spawn(recorder("builtin::quick", { onRequest: () => gate.promise }));
    await runtime.spawn(recorder("builtin::hangs", { onRequest: never }));
    await runtime.spawn(recorder("builtin::paused"));
    await runtime.signal("builtin::paused", "pause");
    for (const target of ["quick", "hangs", "paused"]) {
      for (const n of [1, 2]) ask(`builtin::${target}`, `${target} ${n}`);
    }
    await settle();
    const ended = runtime.shutdownParallel(100);
    expect(await codesOf(asked)).toEqual([
      "pending",
      "ORCS6006",
      "pending",
      "ORCS6006",
      "ORCS6006",
      "ORCS6006",
    ]);
    gate.resolve("done");
    await clock.advance(99);
    expect((await codesOf(asked)).slice(0, 3)).toEqual(["ok", "ORCS6006", "pending"]);
    expect(await stateOf(ended)).toBe("pending");
    await clock.advance(1);
    expect(await codesOf(asked)).toEqual(["ok", ...Array.from({ length: 5 }, () => "ORCS6006")]);
    const results = await ended;
    expect(results.map(({ component, exit_reason }) => [component, exit_reason])).toEqual([
      ["builtin::quick", "shutdown"],
      ["builtin::hangs", "shutdown"],
      ["builtin::paused", "shutdown"],
    ]);
    expect([...answers.values()]).toEqual(Array.from({ length: 6 }, () => 1));
  });

  test("stops components in parallel and returns each snapshot", async () => {
    const { runtime, clock } = await rig();
    for (const n of [1, 2, 3]) {
      await runtime.spawn(
        recorder(`builtin::${n}`, { shutdown: () => clock.sleep(n * 100), snapshot: () => n }),
      );
    }
    const ended = runtime.shutdownParallel();
    await clock.advance(299);
    expect(await stateOf(ended)).toBe("pending");
    await clock.advance(1);
    expect((await ended).map(({ snapshot }) => snapshot)).toEqual([1, 2, 3]);
  });

  test("twice is one shutdown; later spawns are rejected", async () => {
    const { runtime } = await rig();
    await runtime.spawn(a());
    expect(runtime.shutdownParallel()).toBe(runtime.shutdownParallel());
    expect((await errorOf(runtime.spawn(recorder("builtin::b")))).code).toBe("ORCS2006");
    await runtime.shutdownParallel();
    expect((await errorOf(runtime.spawn(recorder("builtin::b")))).code).toBe("ORCS2006");
    expect((await errorOf(runtime.request("builtin::a", "x"))).code).toBe("ORCS6001");
    expect(await runtime.broadcast({ category: "A", operation: "x", payload: null })).toBe(0);
  });

  test.each(["channel.pre_create", "channel.post_create", "component.pre_init"] as const)(
    "while a component is held at %s: it does not start",
    async (point) => {
      const { runtime, hook, clock } = await rig();
      const gate = held<void>();
      hook({ id: "holds", point, handler: () => gate.promise });
      const component = a();
      const spawned = heard(runtime.spawn(component));
      await settle();
      const ended = runtime.shutdownParallel();
      await settle();
      gate.resolve();
      await inTime(clock, Promise.all([ended, settle()]));
      const [code] = await codesOf([spawned]);
      expect(code).toBe(point === "component.pre_init" ? "ORCS6006" : "ORCS2006");
      expect(component.calls).not.toContain("init");
      expect(runtime.channels).toEqual([]);
      expect(runtime.bus.size).toBe(0);
    },
  );
});

describe("any concurrent operations on a runtime", () => {
  const steps = fc.array(
    fc.record({
      does: fc.constantFrom("spawn", "stop", "kill", "ask", "tell", "cancel", "veto", "time"),
      who: fc.integer({ min: 0, max: 2 }),
      what: fc.constantFrom("now", "later", "never", "throws", "child"),
    }),
    { maxLength: 40 },
  );

  repeatedTest(
    "answer each request, call no method after dispose, and leave nothing behind",
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.boolean(), async (script, closesEarly) => {
          const { runtime, clock } = await rigged();
          const asked: Promise<unknown>[] = [];
          const made: ReturnType<typeof recorder>[] = [];
          for (const { does, who, what } of script) {
            const id = `builtin::c${who}`;
            if (does === "spawn") {
              const component = recorder(id, {
                subscriptions: ["A"],
                init: () => (what === "later" ? clock.sleep(5) : null),
                onRequest(request, context) {
                  const { operation } = request;
                  if (operation === "later") return clock.sleep(10, context.signal).then(() => 1);
                  if (operation === "never") return never();
                  if (operation === "throws") throw new Error("kaput");
                  if (operation === "child")
                    return context.request(`builtin::c${(who + 1) % 3}`, "later");
                  return null;
                },
                shutdown: () => (what === "never" ? never() : null),
              });
              made.push(component);
              asked.push(heard(runtime.spawn(component)));
            }
            if (does === "stop") void runtime.stop(id);
            if (does === "kill") void runtime.kill(id);
            if (does === "ask")
              asked.push(heard(runtime.request(id, what, null, { timeout_ms: 500 })));
            if (does === "tell")
              asked.push(runtime.broadcast({ category: "A", operation: what, payload: null }));
            if (does === "cancel" || does === "veto") asked.push(heard(runtime.signal(id, does)));
            if (does === "time") await clock.advance(7);
          }
          if (!closesEarly) await clock.advance(1000);
          await inTime(clock, runtime.close());
          await settle();
          expect(await codesOf(asked)).not.toContain("pending");
          expect(runtime.channels).toEqual([]);
          expect(runtime.bus.size).toBe(0);
          expect(clock.size).toBe(0);
          for (const { calls } of made) {
            const disposed = calls.indexOf("dispose");
            expect(calls.slice(disposed + 1)).toEqual(disposed < 0 ? calls : []);
            expect(calls.length === 0 || disposed >= 0).toBe(true);
          }
        }),
        { numRuns: runCount(60) },
      );
    },
  );
});

/** A rig whose end the property itself looks at. */
function rigged() {
  return rig({ limits: { lifecycleMs: 200, graceMs: 20, mailbox: 4 } });
}
