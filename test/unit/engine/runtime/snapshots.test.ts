import { describe, expect, test } from "vitest";
import type { Component } from "../../../../src/core/component.ts";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf } from "../orcs/engine.ts";
import { recorder, rig } from "./rig.ts";

/** A component that counts what it is asked, over all its lives. */
function counter(parts: Partial<Component> = {}) {
  let count = 0;
  const restored: Json[] = [];
  const component = recorder("builtin::counter", {
    onRequest: () => ++count,
    restore(snapshot) {
      restored.push(snapshot);
      count = (snapshot as { count: number }).count;
    },
    snapshot: () => ({ count }),
    ...parts,
  });
  return Object.assign(component, { restored });
}

describe("a component is restored", () => {
  test.each(["stop", "kill", "veto", "shutdown"] as const)(
    "from the snapshot of its end: %s",
    async (how) => {
      const { runtime } = await rig();
      const channel = await runtime.spawn(counter(), { snapshot: { count: 2 } });
      await runtime.request("builtin::counter", "count");
      if (how === "stop") void runtime.stop("builtin::counter");
      if (how === "kill") void runtime.kill("builtin::counter");
      if (how === "veto") void runtime.signal("builtin::counter", "veto");
      if (how === "shutdown") void runtime.shutdownParallel();
      const result = await channel?.ended;
      expect(result).toMatchObject({ snapshot: { count: 3 }, errors: [] });
      // Who waits for the end may begin again with it.
      const next = counter();
      await (await rig()).runtime.spawn(next, { snapshot: result?.snapshot });
      expect(next.restored).toEqual([{ count: 3 }]);
    },
  );

  test("not without one", async () => {
    const { runtime } = await rig();
    for (const options of [{}, { snapshot: null }]) {
      const component = counter();
      await runtime.spawn(component, options);
      expect(component.restored).toEqual([]);
      expect((await runtime.stop("builtin::counter"))?.snapshot).toEqual({ count: 0 });
    }
  });

  test("as changed by hooks at its end and its start", async () => {
    const { runtime, hook } = await rig();
    hook({
      id: "in",
      point: "component.pre_init",
      handler: ({ payload }) => void Object.assign(payload, { snapshot: { count: 10 } }),
    });
    hook({
      id: "out",
      point: "component.post_shutdown",
      handler: ({ payload }) => void Object.assign(payload, { snapshot: { count: 99 } }),
    });
    const component = counter();
    await runtime.spawn(component);
    expect(component.restored).toEqual([{ count: 10 }]);
    expect((await runtime.stop("builtin::counter"))?.snapshot).toEqual({ count: 99 });
  });

  test("not when it rejects its snapshot: it does not start", async () => {
    const { runtime } = await rig();
    const picky = counter({
      restore() {
        throw new Error("what is this?");
      },
    });
    const error = await errorOf(runtime.spawn(picky, { snapshot: { count: 1 } }));
    expect(error.message).toBe("ORCS6005: restore of builtin::counter failed: what is this?");
  });

  test("not from what is not JSON: the end reports it", async () => {
    const { runtime } = await rig();
    await runtime.spawn(counter({ snapshot: () => new Map() }));
    const result = await runtime.stop("builtin::counter");
    expect(result?.errors).toEqual([
      "ORCS6005: the snapshot of builtin::counter is not JSON: the value is an instance of a class",
    ]);
  });
});
