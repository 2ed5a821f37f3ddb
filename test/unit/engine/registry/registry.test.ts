import { describe, expect, it } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { bench, gate, hook, statuses, sync } from "./hooks.ts";

/** A hook that notes its id in metadata. */
const noting = (words: Parameters<typeof hook>[1] = {}): ReturnType<typeof hook> => {
  const made = hook((ctx) => {
    ctx.metadata["ran"] = [...((ctx.metadata["ran"] as string[] | undefined) ?? []), made.id];
  }, words);
  return made;
};
const ran = (outcome: Outcome): unknown => outcome.ctx.metadata["ran"] ?? [];
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown.code;
    throw thrown;
  }
  return "nothing was thrown";
};

describe("registration", () => {
  it("returns the id, counts hooks, and get finds them", () => {
    const { registry } = bench();
    expect(registry.size).toBe(0);
    const a = noting({ id: "a" });
    expect(registry.register(a)).toBe("a");
    expect(registry.register(noting({ id: "b", point: "tool.pre_execute" }), "lua::x")).toBe("b");
    expect(registry.size).toBe(2);
    expect(registry.get("a")).toBe(a);
    expect(registry.get("c")).toBeUndefined();
  });

  it("rejects a duplicate id without changes", () => {
    const { registry } = bench();
    const first = noting({ id: "a" });
    registry.register(first);
    const again = noting({ id: "a", point: "tool.pre_execute" });
    expect(codeOf(() => registry.register(again))).toBe("ORCS2007");
    expect(codeOf(() => registry.register(again, "lua::x"))).toBe("ORCS2007");
    expect(registry.size).toBe(1);
    expect(registry.get("a")).toBe(first);
    expect(registry.unregisterByOwner("lua::x")).toBe(0);
  });

  it("accepts an id again after it was unregistered", () => {
    const { registry } = bench();
    registry.register(noting({ id: "a" }));
    expect(registry.unregister("a")).toBe(true);
    expect(registry.unregister("a")).toBe(false);
    expect(registry.size).toBe(0);
    registry.register(noting({ id: "a" }));
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual(["a"]);
  });

  it("unregisterByOwner removes the hooks of that owner only", () => {
    const { registry } = bench();
    registry.register(noting({ id: "free" }));
    registry.register(noting({ id: "x1" }), "lua::x");
    registry.register(noting({ id: "x2", point: "tool.pre_execute" }), "lua::x");
    registry.register(noting({ id: "y1" }), "lua::y");
    registry.setEnabled("x1", false);
    expect(registry.unregisterByOwner("lua::x")).toBe(2);
    expect(registry.unregisterByOwner("lua::x")).toBe(0);
    expect(registry.unregisterByOwner("lua::never")).toBe(0);
    expect(registry.list().map(({ id }) => id)).toEqual(["free", "y1"]);
  });

  it("keeps the owner when a hook is disabled and enabled", () => {
    const { registry } = bench();
    registry.register(noting({ id: "x" }), "lua::x");
    registry.setEnabled("x", false);
    registry.setEnabled("x", true);
    expect(registry.unregisterByOwner("lua::x")).toBe(1);
  });

  it("setEnabled keeps a hook's position", () => {
    const { registry } = bench();
    for (const id of ["a", "b", "c"]) registry.register(noting({ id }));
    expect(registry.setEnabled("b", false)).toBe(true);
    expect(registry.isEnabled("b")).toBe(false);
    expect(registry.isEnabled("a")).toBe(true);
    expect(registry.isEnabled("never")).toBe(false);
    const without = sync(registry.dispatch("test.pre_run", {}, { trace: true }));
    expect(ran(without)).toEqual(["a", "c"]);
    expect(statuses(without)).toEqual(["a ran", "b disabled", "c ran"]);
    expect(registry.setEnabled("b", true)).toBe(true);
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual(["a", "b", "c"]);
    expect(registry.setEnabled("never", true)).toBe(false);
  });

  it("accepts a hook that is defined as disabled", () => {
    const { registry } = bench();
    registry.register(noting({ id: "a", enabled: false }));
    expect(registry.isEnabled("a")).toBe(false);
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual([]);
    registry.setEnabled("a", true);
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual(["a"]);
  });

  it("list returns hooks in run order, by point name or alias", () => {
    const { registry } = bench();
    registry.register(noting({ id: "late", point: "tool.pre_execute", priority: 200 }));
    registry.register(noting({ id: "early", point: "tool.pre_execute", priority: -5 }));
    registry.register(noting({ id: "other" }));
    registry.setEnabled("early", false);
    const ids = (point?: string): string[] => registry.list(point).map(({ id }) => id);
    expect(ids("tool.pre_execute")).toEqual(["early", "late"]);
    expect(ids("PreToolUse")).toEqual(["early", "late"]);
    expect(ids("bus.on_register")).toEqual([]);
    expect(ids().toSorted()).toEqual(["early", "late", "other"]);
    expect(codeOf(() => registry.list("tool.pre_exec"))).toBe("ORCS1005");
  });
});

describe("order of hooks", () => {
  it("is stable for many hooks with the same priority", () => {
    const { registry } = bench();
    const ids = Array.from({ length: 300 }, (_, i) => `h${i}`);
    for (const id of ids) registry.register(noting({ id }));
    expect(registry.list("test.pre_run").map(({ id }) => id)).toEqual(ids);
  });
});

describe("registry.replace", () => {
  it("removes and adds hooks in one step", () => {
    const { registry } = bench();
    for (const id of ["a", "b", "c"]) registry.register(noting({ id }));
    registry.replace(["a", "b", "never"], [noting({ id: "b" }), noting({ id: "d", priority: 1 })]);
    expect(registry.size).toBe(3);
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual(["d", "c", "b"]);
  });

  it("can leave a point without hooks", () => {
    const { registry } = bench();
    registry.register(noting({ id: "a" }));
    registry.replace(["a"], []);
    expect(registry.size).toBe(0);
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual([]);
  });

  it("changes nothing when an id is taken", () => {
    const { registry } = bench();
    for (const id of ["a", "b"]) registry.register(noting({ id }));
    const next = [noting({ id: "c" }), noting({ id: "b" })];
    expect(codeOf(() => registry.replace(["a"], next))).toBe("ORCS2007");
    const twice = [noting({ id: "c" }), noting({ id: "c" })];
    expect(codeOf(() => registry.replace(["a"], twice))).toBe("ORCS2007");
    expect(ran(sync(registry.dispatch("test.pre_run", {})))).toEqual(["a", "b"]);
    expect(registry.size).toBe(2);
  });

  it("keeps owner and enabled state of the other hooks", () => {
    const { registry } = bench();
    registry.register(noting({ id: "owned" }), "lua::x");
    registry.register(noting({ id: "off" }));
    registry.setEnabled("off", false);
    registry.replace([], [noting({ id: "new" })]);
    expect(registry.isEnabled("off")).toBe(false);
    expect(registry.unregisterByOwner("lua::x")).toBe(1);
  });
});

describe("a dispatch runs the hooks that were registered when it started, despite", () => {
  /** Four hooks; the second does something to the registry. */
  const during = async (
    change: (registry: ReturnType<typeof bench>["registry"]) => void,
    waits: boolean,
  ): Promise<{ first: Outcome; second: Outcome }> => {
    const { registry } = bench();
    registry.register(noting({ id: "a" }));
    let changed = false;
    registry.register(
      hook(
        async () => {
          if (waits) await Promise.resolve();
          if (!changed) change(registry);
          changed = true;
        },
        { id: "changer" },
      ),
    );
    registry.register(noting({ id: "b" }));
    registry.register(noting({ id: "c" }), "lua::x");
    const first = await registry.dispatch("test.pre_run", {});
    return { first, second: await registry.dispatch("test.pre_run", {}) };
  };

  describe.each([
    ["before it waits", false],
    ["while it waits", true],
  ])("%s", (_, waits) => {
    it("unregister", async () => {
      const { first, second } = await during((registry) => void registry.unregister("b"), waits);
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["a", "c"]);
    });

    it("unregister of the running hook", async () => {
      const { first, second } = await during(
        (registry) => void registry.unregister("changer"),
        waits,
      );
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["a", "b", "c"]);
    });

    it("unregisterByOwner", async () => {
      const { first, second } = await during(
        (registry) => void registry.unregisterByOwner("lua::x"),
        waits,
      );
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["a", "b"]);
    });

    it("register of hooks before and after", async () => {
      const { first, second } = await during((registry) => {
        registry.register(noting({ id: "front", priority: 1 }));
        registry.register(noting({ id: "back", priority: 900 }));
      }, waits);
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["front", "a", "b", "c", "back"]);
    });

    it("setEnabled", async () => {
      const { first, second } = await during(
        (registry) => void registry.setEnabled("b", false),
        waits,
      );
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["a", "c"]);
    });

    it("replace", async () => {
      const { first, second } = await during(
        (registry) => registry.replace(["a", "b", "c"], [noting({ id: "new" })]),
        waits,
      );
      expect(ran(first)).toEqual(["a", "b", "c"]);
      expect(ran(second)).toEqual(["new"]);
    });
  });
});

describe("a hook with once", () => {
  it("runs once in concurrent dispatches", async () => {
    const { registry } = bench();
    let runs = 0;
    const { open, opened } = gate();
    registry.register(
      hook(
        async () => {
          runs += 1;
          await opened;
        },
        { id: "a", once: true },
      ),
    );
    const first = registry.dispatch("test.pre_run", {});
    const second = registry.dispatch("test.pre_run", {});
    open();
    await Promise.all([first, second]);
    expect(runs).toBe(1);
    expect(registry.size).toBe(0);
  });

  it("runs once even if a dispatch started before it was used up", async () => {
    const { registry } = bench();
    const { open, opened } = gate();
    registry.register(
      hook(async (ctx) => (ctx.payload["wait"] ? opened : undefined), { id: "waits", priority: 1 }),
    );
    registry.register(noting({ id: "a", once: true }));
    const slow = registry.dispatch("test.pre_run", { wait: true }, { trace: true });
    expect(ran(await registry.dispatch("test.pre_run", {}))).toEqual(["a"]);
    open();
    expect(ran(await slow)).toEqual([]);
    expect(statuses(await slow)).toEqual(["waits ran", "a disabled"]);
  });

  it("runs once even if it was disabled and enabled in between", async () => {
    const { registry } = bench();
    const { open, opened } = gate();
    registry.register(
      hook(async (ctx) => (ctx.payload["wait"] ? opened : undefined), { priority: 1 }),
    );
    registry.register(noting({ id: "a", once: true }));
    const slow = registry.dispatch("test.pre_run", { wait: true });
    registry.setEnabled("a", false);
    registry.setEnabled("a", true);
    expect(ran(await registry.dispatch("test.pre_run", {}))).toEqual(["a"]);
    open();
    expect(ran(await slow)).toEqual([]);
  });

  it("does not remove a new hook with the same id", async () => {
    const { registry } = bench();
    const { open, opened } = gate();
    const fresh = noting({ id: "a", once: true });
    registry.register(hook(async () => opened, { id: "waits", priority: 1 }));
    registry.register(noting({ id: "a", once: true }));
    const slow = registry.dispatch("test.pre_run", {});
    registry.replace(["a"], [fresh]);
    open();
    expect(ran(await slow)).toEqual(["a"]);
    expect(registry.get("a")).toBe(fresh);
    expect(ran(await registry.dispatch("test.pre_run", {}))).toEqual(["a"]);
    expect(registry.get("a")).toBeUndefined();
  });

  it("is used up for a nested dispatch", () => {
    const { registry } = bench();
    let runs = 0;
    registry.register(
      hook(
        () => {
          runs += 1;
          sync(registry.dispatch("test.pre_run", {}));
        },
        { once: true },
      ),
    );
    sync(registry.dispatch("test.pre_run", {}));
    expect(runs).toBe(1);
  });
});

describe("timestamp_ms of a dispatch", () => {
  it("is the time of its start if a hook can see it", async () => {
    const { registry, clock } = bench();
    const seen: number[] = [];
    registry.register(hook((ctx) => void seen.push(ctx.timestamp_ms)));
    for (const ms of [7.9, 5]) {
      await clock.sleep(ms);
      sync(registry.dispatch("test.pre_run", {}));
    }
    expect(seen).toEqual([7, 12]);
  });

  it("is the last clock reading if no hook runs", async () => {
    const { registry, clock } = bench();
    await clock.sleep(50);
    expect(sync(registry.dispatch("test.post_run", {})).ctx.timestamp_ms).toBe(0);
    registry.tick();
    await clock.sleep(50);
    expect(sync(registry.dispatch("test.post_run", {})).ctx.timestamp_ms).toBe(50);
  });
});

it.each(["builtin:llm", "llm", "", "::llm", "builtin::", "a::b::c", "a::b/c"])(
  "an invalid component id in a dispatch %j is rejected with ORCS1010",
  (component) => {
    const { registry } = bench();
    expect(() =>
      registry.dispatch("tool.pre_execute", { tool_name: "exec", args: {} }, { component }),
    ).toThrow("ORCS1010");
  },
);
