import { describe, expect, test } from "vitest";
import { errorOf } from "../orcs/engine.ts";
import { rig } from "./rig.ts";

describe("a deadlock is rejected at once", () => {
  test("a component that signals itself while handling a signal", async () => {
    const { runtime } = await rig();
    await runtime.spawn({
      id: "builtin::a",
      onRequest: (_, context) => context.sendSignal("builtin::a", "resume"),
      async onSignal({ kind }, context) {
        if (kind === "pause") await context.sendSignal("builtin::a", "resume");
        return undefined;
      },
    });
    expect((await errorOf(runtime.signal("builtin::a", "pause"))).code).toBe("ORCS6011");
    await runtime.signal("builtin::a", "resume");
    // While it serves a request, it may.
    expect(await runtime.request("builtin::a", "go")).toBe("handled");
  });

  test("two components that signal each other", async () => {
    const { runtime } = await rig();
    for (const [id, other] of [
      ["builtin::a", "builtin::b"],
      ["builtin::b", "builtin::a"],
    ] as const) {
      await runtime.spawn({
        id,
        onRequest: () => null,
        async onSignal(_, context) {
          await context.sendSignal(other, "resume");
          return undefined;
        },
      });
    }
    expect((await errorOf(runtime.signal("builtin::a", "resume"))).code).toBe("ORCS6011");
  });

  test("a child that requests its component, which runs that child", async () => {
    const { runtime } = await rig();
    let came: unknown;
    await runtime.spawn({
      id: "builtin::a",
      async init(context) {
        await context.spawnChild(
          { id: "k" },
          {
            async run(input, inner) {
              if (input !== "ask") return input;
              came = await errorOf(inner.request("builtin::a", "run"));
              return null;
            },
          },
        );
      },
      onRequest({ operation }, context) {
        if (operation === "run") return context.runChild("k", "x");
        context.sendToChild("k", "ask");
        return null;
      },
    });
    await runtime.request("builtin::a", "begin");
    expect(await runtime.request("builtin::a", "run")).toBe("x");
    expect(came).toMatchObject({ code: "ORCS6011" });
  });

  test.each([2, 8])(
    "a ring of %i busy components, of which all but one are served",
    async (count) => {
      const { runtime } = await rig();
      const names = Array.from({ length: count }, (_, i) => `builtin::c${i}`);
      let busy = 0;
      let release = (): void => undefined;
      const allBusy = new Promise<void>((resolve) => (release = resolve));
      for (const [i, id] of names.entries()) {
        await runtime.spawn({
          id,
          async onRequest({ operation }, context) {
            if (operation === "ping") return "pong";
            if (++busy === count) release();
            await allBusy;
            return context.request(names[(i + 1) % count] as string, "ping");
          },
        });
      }
      const began = performance.now();
      const ended = await Promise.allSettled(names.map((id) => runtime.request(id, "go")));
      expect(performance.now() - began).toBeLessThan(5000);
      const failed = ended.flatMap((each) =>
        each.status === "rejected" ? [each.reason as Error] : [],
      );
      expect(failed).toHaveLength(1);
      const [, ring = ""] = /would wait for each other: (.*)$/.exec(failed[0]?.message ?? "") ?? [];
      expect(ring.split(" → ").slice(1).toSorted()).toEqual(names.toSorted());
      // The graph forgets what has ended.
      busy = count - 1;
      expect(await runtime.request("builtin::c0", "go")).toBe("pong");
    },
  );
});
