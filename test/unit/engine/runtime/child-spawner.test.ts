import { describe, expect, test, vi } from "vitest";
import {
  ALL_CAPABILITIES,
  CAPABILITIES,
  capabilityNames,
} from "../../../../src/core/permission.ts";
import type { CapabilityName } from "../../../../src/core/permission.ts";
import type { Child, ChildContext } from "../../../../src/core/child.ts";
import type { HookContext } from "../../../../src/core/context.ts";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf } from "../orcs/engine.ts";
import { childOf, stage } from "./acting.ts";

const NAMES = Object.keys(CAPABILITIES) as CapabilityName[];

/** A component on an engine of its own. */
async function aBoss() {
  const { actor } = await stage();
  return actor("lua::boss");
}

/** Answers what it is given. */
const ECHO: Child = { run: (input) => input };

/** A child that goes on until it is given up, or for ever. */
function endless(): Child & { readonly contexts: ChildContext[] } {
  const contexts: ChildContext[] = [];
  return {
    contexts,
    run(_, context) {
      contexts.push(context);
      return new Promise(() => undefined);
    },
  };
}

type Narrow = (payload: Record<string, unknown>) => void;

/** What a child comes to that its parent wants, and a hook has its say on. */
async function spawned(
  parent: readonly CapabilityName[],
  asked: readonly CapabilityName[] | undefined,
  ...hooks: Narrow[]
): Promise<CapabilityName[]> {
  const { orcs, actor } = await stage();
  for (const hook of hooks)
    orcs.on("child.pre_spawn", (ctx) => {
      hook(ctx.payload);
    });
  const boss = await actor("lua::boss", { capabilities: parent });
  return boss(async (context) => {
    const child = await childOf(context, {
      id: "c",
      ...(asked && { capabilities: asked }),
    });
    return child((own) => capabilityNames(own.capabilities));
  });
}

describe("a child's capabilities are the requested ones that its parent has", () => {
  test.each<[string, CapabilityName[], CapabilityName[] | undefined, CapabilityName[]]>([
    ["all of its parent's, unasked", ["SPAWN", "READ"], undefined, ["READ", "SPAWN"]],
    ["less", ["SPAWN", "READ", "WRITE"], ["READ"], ["READ"]],
    ["none", ["SPAWN", "READ"], [], []],
    ["more than there is", ["SPAWN", "READ"], ["READ", "EXECUTE"], ["READ"]],
    ["nothing of what there is", ["SPAWN", "READ"], ["EXECUTE"], []],
    ["twice the same", ["SPAWN", "READ"], ["READ", "READ"], ["READ"]],
  ])("%s", async (_, parent, asked, gets) => {
    expect(await spawned(parent, asked)).toEqual(gets);
  });

  test("missing ones are logged", async () => {
    const { actor, lines } = await stage();
    const boss = await actor("lua::boss", { capabilities: ["SPAWN"] });
    await boss((context) =>
      context.spawnChild({ id: "c", capabilities: ["EXECUTE", "HTTP"] }, ECHO),
    );
    expect(lines).toContainEqual(
      "warn: the child c requests EXECUTE, HTTP, which lua::boss does not have; the child is started without",
    );
  });

  test("spawnChild returns the child's actual capabilities", async () => {
    const boss = await aBoss();
    const answer = await boss((context) =>
      context.spawnChild({ id: "c", capabilities: ["READ", "LLM"] }, ECHO),
    );
    expect(answer).toEqual({ child_id: "c", capabilities: CAPABILITIES.READ | CAPABILITIES.LLM });
  });
});

describe("a hook at child.pre_spawn narrows the child's capabilities", () => {
  const parent: CapabilityName[] = ["SPAWN", "READ", "WRITE"];

  test.each<[string, Narrow, CapabilityName[]]>([
    ["capabilities", (payload) => (payload["capabilities"] = 1), ["READ"]],
    ["effective_capabilities", (payload) => (payload["effective_capabilities"] = 2), ["WRITE"]],
    [
      "both: what both have",
      (payload) => Object.assign(payload, { capabilities: 1, effective_capabilities: 2 }),
      [],
    ],
    ["to nothing", (payload) => (payload["capabilities"] = 0), []],
    [
      "child_config.capabilities",
      (payload) => Object.assign(payload["child_config"] as object, { capabilities: ["READ"] }),
      ["READ"],
    ],
    [
      "by taking its wish from it: what was asked counts",
      (payload) => Object.assign(payload["child_config"] as object, { capabilities: undefined }),
      ["READ", "WRITE"],
    ],
    [
      "not when the config asks for more",
      (payload) => Object.assign(payload["child_config"] as object, { capabilities: NAMES }),
      ["READ", "WRITE"],
    ],
  ])("%s", async (_, hook, gets) => {
    expect(await spawned(parent, ["READ", "WRITE"], hook)).toEqual(gets);
  });

  test("several hooks narrow one after another", async () => {
    const seen: unknown[] = [];
    const gets = await spawned(
      parent,
      undefined,
      (payload) => (payload["capabilities"] = 3),
      (payload) => seen.push(payload["capabilities"], payload["effective_capabilities"]),
      (payload) => (payload["effective_capabilities"] = 17),
    );
    expect(seen).toEqual([3, 19]);
    expect(gets).toEqual(["READ"]);
  });

  test.each<[string, Narrow]>([
    ["capabilities", (payload) => (payload["capabilities"] = ALL_CAPABILITIES)],
    ["one more", (payload) => (payload["capabilities"] = Number(payload["capabilities"]) | 8)],
    ["all bits", (payload) => (payload["effective_capabilities"] = -1)],
    ["no bits said", (payload) => delete payload["capabilities"]],
    ["null", (payload) => (payload["effective_capabilities"] = null)],
    ["a string", (payload) => (payload["capabilities"] = "255")],
    ["a fraction", (payload) => (payload["capabilities"] = 1.5)],
    ["names", (payload) => (payload["capabilities"] = ["EXECUTE"])],
    ["somebody else's parent", (payload) => (payload["parent_id"] = "builtin::root")],
    [
      "a whole payload",
      (payload) => {
        for (const key of Object.keys(payload)) delete payload[key];
        Object.assign(payload, {
          child_config: { id: "c" },
          capabilities: 255,
          effective_capabilities: 255,
        });
      },
    ],
  ])("%s: widening is a failed hook, and no child is spawned", async (_, hook) => {
    const error = await errorOf(spawned(parent, ["READ"], hook));
    expect(error.code).toBe("ORCS2001");
    expect(error.message).toMatch(/hook code:child\.pre_spawn:1 failed: payload/);
  });

  test.each<[string, (config: Record<string, unknown>) => void, RegExp]>([
    ["another id", (config) => (config["id"] = "d"), /renamed the child c/],
    ["no id", (config) => delete config["id"], /has no id/],
    ["an unknown key", (config) => (config["sandbox"] = "/"), /unknown key "sandbox"/],
    ["a capability of no name", (config) => (config["capabilities"] = ["ROOT"]), /must be a list/],
    ["nested names", (config) => (config["capabilities"] = [["READ"]]), /must be a list/],
    ["bits", (config) => (config["capabilities"] = 255), /must be a list/],
    ["a script besides", (config) => (config["code"] = "return print"), /exactly one of/],
  ])("%s in the child config prevents the spawn", async (_, change, message) => {
    const error = await errorOf(
      spawned(parent, ["READ"], (payload) =>
        change(payload["child_config"] as Record<string, unknown>),
      ),
    );
    expect(error).toMatchObject({ code: "ORCS6010", message: expect.stringMatching(message) });
  });

  test.each([
    [true, undefined, true],
    [true, true, true],
    [true, false, false],
    [false, undefined, false],
  ])("elevated: parent %s, child requests %s: %s", async (of, asked, is) => {
    const { actor } = await stage();
    const boss = await actor("lua::boss", { elevated: of });
    const status = await boss(async (context) => {
      const child = await childOf(context, { id: "c", elevated: asked });
      return child(async (own) => (await own.checkCommand("true")).status);
    });
    expect(status).toBe(is ? "allowed" : "requires_approval");
  });

  test.each<[string, readonly (boolean | undefined)[]]>([
    ["a child", [true]],
    ["a child of an elevated child that gave it up", [false, true]],
    ["a child of a child", [undefined, true]],
  ])(
    "%s cannot be elevated below a parent that is not: ORCS6015, and nothing remains",
    async (_, line) => {
      const { actor } = await stage();
      const boss = await actor("lua::boss", { elevated: line[0] === false });
      const error = await errorOf(
        boss(async (context) => {
          const spawnIn = async (
            own: ChildContext,
            [asked, ...rest]: readonly (boolean | undefined)[],
          ) => {
            const child = await childOf(own, { id: "c", elevated: asked });
            if (rest.length > 0) await child((below) => spawnIn(below, rest));
          };
          await spawnIn(context, line);
        }),
      );
      expect(error).toMatchObject({ code: "ORCS6015" });
      // The id is free, so nothing was started.
      if (line.length === 1) await boss((context) => childOf(context, { id: "c" }));
    },
  );

  test("a hook cannot elevate a child of a parent that is not: the spawn fails", async () => {
    const { orcs, actor } = await stage();
    orcs.on("child.pre_spawn", (ctx) => {
      (ctx.payload["child_config"] as Record<string, unknown>)["elevated"] = true;
    });
    const boss = await actor("lua::boss", { elevated: false });
    const error = await errorOf(boss((context) => childOf(context, { id: "c" })));
    expect(error).toMatchObject({ code: "ORCS6015" });
  });

  test("a component that is loaded again is not elevated, and cannot spawn what is", async () => {
    let lost = false;
    const { actor } = await stage();
    const boss = await actor(
      "lua::boss",
      { elevated: false },
      { isLost: () => lost, reload: () => void (lost = false) },
    );
    lost = true;
    const elevated = await boss((context) => context.elevated);
    expect([lost, elevated]).toEqual([false, false]);
    const error = await errorOf(boss((context) => childOf(context, { id: "c", elevated: true })));
    expect(error).toMatchObject({ code: "ORCS6015" });
  });

  test("an engine with grants cannot spawn an elevated component, one without can", async () => {
    const bound = await stage({ config: { permissions: { grants: ["git"] } } });
    expect(await errorOf(bound.actor("lua::boss", { elevated: true }))).toMatchObject({
      code: "ORCS6015",
      message: expect.stringContaining("lua::boss"),
    });
    expect(bound.runtime.channels).toEqual([]);
    const free = await stage();
    const boss = await free.actor("lua::boss", { elevated: true });
    expect(await boss((context) => context.elevated)).toBe(true);
  });

  test.each<[string, (config: Record<string, unknown>) => void]>([
    ["by saying so", (config) => (config["elevated"] = true)],
    ["by saying nothing", (config) => delete config["elevated"]],
  ])("a child that gave up elevation is not elevated by a hook %s", async (_, change) => {
    const { orcs, actor } = await stage();
    orcs.on("child.pre_spawn", (ctx) => {
      change(ctx.payload["child_config"] as Record<string, unknown>);
    });
    const boss = await actor("lua::boss");
    const status = await boss(async (context) => {
      const child = await childOf(context, { id: "c", elevated: false });
      return child(async (own) => (await own.checkCommand("true")).status);
    });
    expect(status).toBe("requires_approval");
  });

  test("skip returns its result and abort denies; neither spawns", async () => {
    const { orcs, actor } = await stage();
    const boss = await actor("lua::boss");
    const remove = orcs.on("child.pre_spawn", () => ({ action: "skip", result: { taken: "no" } }));
    const skipped = await boss((context) => context.spawnChild({ id: "c" }, ECHO));
    expect(skipped).toEqual({ skipped: { taken: "no" } });
    remove();
    const allow = orcs.on("child.pre_spawn", () => ({ action: "abort", reason: "not today" }));
    const error = await errorOf(boss((context) => context.spawnChild({ id: "c" }, ECHO)));
    expect(error).toMatchObject({ code: "ORCS2001", fields: { reason: "not today" } });
    allow();
    expect(await boss((context) => context.spawnChild({ id: "c" }, ECHO))).toMatchObject({
      child_id: "c",
    });
  });

  test("a child that is skipped at a retry is removed", async () => {
    const { orcs, actor } = await stage();
    const boss = await actor("lua::boss");
    let rounds = 0;
    orcs.on("child.pre_spawn", () => (++rounds > 1 ? { action: "skip", result: null } : undefined));
    orcs.on("child.post_spawn", () => ({ action: "retry", delay_ms: 0 }));
    const dispose = vi.fn();
    await boss((context) => context.spawnChild({ id: "c" }, { ...ECHO, dispose }));
    expect(rounds).toBe(2);
    expect(dispose).toHaveBeenCalledTimes(1);
  });
});

describe("nested children", () => {
  test("have at most the capabilities of each ancestor", async () => {
    const { actor } = await stage();
    const boss = await actor("lua::boss", { capabilities: ["SPAWN", "READ", "WRITE", "LLM"] });
    const seen = await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities: ["SPAWN", "READ", "LLM"] });
      return child(async (inner) => {
        const grandchild = await childOf(inner, { id: "b", capabilities: ["READ", "WRITE"] });
        return grandchild((own) => ({
          path: own.child,
          component: own.component,
          capabilities: capabilityNames(own.capabilities),
        }));
      });
    });
    expect(seen).toEqual({ path: "a/b", component: "lua::boss", capabilities: ["READ"] });
  });

  test("a child without SPAWN cannot spawn", async () => {
    const boss = await aBoss();
    const error = await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities: ["READ", "EXECUTE"] });
      return child((own) => errorOf(own.spawnChild({ id: "b" }, ECHO)));
    });
    expect(error).toMatchObject({
      code: "ORCS6007",
      message: "ORCS6007: lua::boss/a needs the capability SPAWN to spawn a child",
    });
  });

  test("a component without SPAWN cannot spawn", async () => {
    const { actor } = await stage();
    const boss = await actor("lua::boss", { capabilities: ["READ"] });
    const error = await boss((context) => errorOf(context.spawnChild({ id: "b" }, ECHO)));
    expect(error.code).toBe("ORCS6007");
  });

  test("are reachable by their parent only, by id or full path", async () => {
    const boss = await aBoss();
    await boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      await child(async (inner) => {
        await inner.spawnChild({ id: "b" }, ECHO);
        expect(await inner.runChild("b", 1)).toBe(1);
        expect(await inner.runChild("a/b", 2)).toBe(2);
        expect((await errorOf(inner.runChild("a", 3))).code).toBe("ORCS6001");
      });
      for (const id of ["b", "a/b", "a/", "/a", "", "c", "lua::boss/a"]) {
        expect((await errorOf(context.runChild(id, 1))).code, id).toBe("ORCS6001");
        expect(await context.stopChild(id), id).toBe(false);
      }
    });
  });
});

describe("limits of children", () => {
  test("a parent has a maximum number of children, freed when one ends", async () => {
    const { actor } = await stage({}, { children: 3 });
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      for (const id of ["a", "b", "c"]) await context.spawnChild({ id }, ECHO);
      const error = await errorOf(context.spawnChild({ id: "d" }, ECHO));
      expect(error).toMatchObject({ code: "ORCS6009", fields: { limit: 3 } });
      expect(await context.stopChild("b")).toBe(true);
      await context.spawnChild({ id: "d" }, ECHO);
    });
  });

  test("children being spawned count", async () => {
    const { actor } = await stage({}, { children: 3 });
    const boss = await actor("lua::boss");
    const outcomes = await boss((context) =>
      Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => context.spawnChild({ id: `c${i}` }, ECHO)),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  test("a failed spawn frees its place", async () => {
    const { orcs, actor } = await stage({}, { children: 1 });
    const boss = await actor("lua::boss");
    const allow = orcs.on("child.pre_spawn", () => ({ action: "abort", reason: "no" }));
    await boss(async (context) => {
      for (let i = 0; i < 5; i++)
        expect((await errorOf(context.spawnChild({ id: "c" }, ECHO))).code).toBe("ORCS2001");
      allow();
      await context.spawnChild({ id: "c" }, ECHO);
    });
  });

  test("nesting has a maximum depth", async () => {
    const { actor } = await stage({}, { childDepth: 3 });
    const boss = await actor("lua::boss");
    const nest = async (context: ChildContext): Promise<number> => {
      const child = await childOf(context, { id: "c" }).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: "ORCS6009", fields: { limit: 3 } });
      });
      return child ? 1 + (await child(nest)) : 0;
    };
    expect(await boss(nest)).toBe(3);
  });

  test("a tree has a maximum number of descendants", async () => {
    const { actor } = await stage({}, { children: 10, descendants: 25 });
    const boss = await actor("lua::boss");
    let made = 0;
    const refused = new Set<string>();
    await boss(async (context) => {
      for (let i = 0; i < 10; i++) {
        const child = await childOf(context, { id: `c${i}` }).catch((thrown: { code: string }) => {
          refused.add(thrown.code);
        });
        if (!child) continue;
        made++;
        await child(async (inner) => {
          for (let j = 0; j < 10; j++) {
            try {
              await inner.spawnChild({ id: `g${j}` }, ECHO);
              made++;
            } catch (thrown) {
              refused.add((thrown as { code: string }).code);
            }
          }
        });
      }
    });
    expect(made).toBe(25);
    expect([...refused]).toEqual(["ORCS6009"]);
  });
});

describe("child ids", () => {
  test.each([
    "",
    "a/b",
    "/",
    "../a",
    "a#b",
    "a::b",
    "*",
    "a*",
    "a b",
    "a\n",
    "\t",
    "a\u00a0b",
    "a\u0000",
    "\u001b[31ma",
  ])("%j is rejected", async (id) => {
    const boss = await aBoss();
    const error = await boss((context) => errorOf(context.spawnChild({ id }, ECHO)));
    expect(error.code).toBe("ORCS6010");
  });

  test.each(["a", "agent-1", "__proto__", "constructor", "é", ".", "..", "a:b", "a.b"])(
    "%j is accepted",
    async (id) => {
      const boss = await aBoss();
      await boss(async (context) => {
        expect(await context.spawnChild({ id }, ECHO)).toMatchObject({ child_id: id });
        expect(await context.runChild(id, "x")).toBe("x");
        expect(await context.stopChild(id)).toBe(true);
      });
    },
  );

  test("are unique among siblings only", async () => {
    const { actor } = await stage();
    const boss = await actor("lua::boss");
    const other = await actor("lua::other");
    await boss(async (context) => {
      const a = await childOf(context, { id: "a" });
      expect((await errorOf(context.spawnChild({ id: "a" }, ECHO))).code).toBe("ORCS6002");
      await a((inner) => inner.spawnChild({ id: "a" }, ECHO));
    });
    await other((context) => context.spawnChild({ id: "a" }, ECHO));
  });

  test("two concurrent spawns with one id: one succeeds", async () => {
    const { orcs, actor } = await stage();
    orcs.on("child.pre_spawn", () => new Promise((resolve) => setTimeout(resolve, 5)));
    const boss = await actor("lua::boss");
    const outcomes = await boss((context) =>
      Promise.allSettled([
        context.spawnChild({ id: "a" }, ECHO),
        context.spawnChild({ id: "a" }, ECHO),
      ]),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("can be reused when the child has ended", async () => {
    const boss = await aBoss();
    await boss(async (context) => {
      for (let i = 0; i < 3; i++) {
        await context.spawnChild({ id: "a" }, ECHO);
        expect(await context.stopChild("a")).toBe(true);
        expect(await context.stopChild("a")).toBe(false);
      }
    });
  });
});

describe("running a child", () => {
  test("returns the child's result; undefined becomes null", async () => {
    const boss = await aBoss();
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, ECHO);
      for (const value of [null, 1, "x", [1, { a: null }], {}, false])
        expect(await context.runChild("a", value)).toEqual(value);
      expect(await context.runChild("a")).toBeNull();
      await context.spawnChild({ id: "b" }, { run: () => undefined });
      expect(await context.runChild("b")).toBeNull();
    });
  });

  test.each<[string, Child["run"]]>([
    [
      "throws",
      () => {
        throw new Error("kaput");
      },
    ],
    ["rejects", () => Promise.reject(new Error("kaput"))],
    [
      "throws no Error",
      () => {
        throw "kaput";
      },
    ],
    ["answers a function", () => () => 1],
    ["answers NaN", () => Number.NaN],
    ["answers a cycle", () => cyclic()],
    ["answers a bigint", () => 1n],
    ["answers a Date", () => ({ at: new Date() })],
  ])("a run that %s fails alone", async (_, run) => {
    const boss = await aBoss();
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { run });
      await context.spawnChild({ id: "b" }, ECHO);
      expect(await errorOf(context.runChild("a"))).toMatchObject({
        code: "ORCS6005",
        message: expect.stringContaining("lua::boss/a"),
      });
      expect(await context.runChild("b", 1)).toBe(1);
      expect((await errorOf(context.runChild("a"))).code).toBe("ORCS6005");
    });
  });

  test("is limited by the child's timeout, and the next run works", async () => {
    const boss = await aBoss();
    let context: ChildContext | undefined;
    await boss(async (own) => {
      const child: Child = {
        run(input, given) {
          if (input !== "hang") return input;
          context = given;
          return new Promise(() => undefined);
        },
      };
      await own.spawnChild({ id: "a", timeout_ms: 30 }, child);
      const error = await errorOf(own.runChild("a", "hang"));
      expect(error).toMatchObject({ code: "ORCS6003", fields: { timeout_ms: 30 } });
      expect(context?.signal.aborted).toBe(true);
      expect(await own.runChild("a", 1)).toBe(1);
    });
  });

  test("calls begun in a run end with it", async () => {
    const boss = await aBoss();
    let left: Promise<unknown> | undefined;
    await boss(async (own) => {
      const run: Child["run"] = (_, context) => {
        left = context.get("exec", "sleep 60");
        return "done";
      };
      await own.spawnChild({ id: "a" }, { run });
      expect(await own.runChild("a")).toBe("done");
    });
    expect(await left).toMatchObject({ ok: false });
  });

  test("one run at a time, in request order", async () => {
    const boss = await aBoss();
    let running = 0;
    let most = 0;
    const done: unknown[] = [];
    const run: Child["run"] = async (input) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      done.push(input);
      return input;
    };
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { run });
      const inputs = Array.from({ length: 10 }, (_, i) => i);
      const runs = inputs.map((i) => context.runChild("a", i));
      expect(await Promise.all(runs)).toEqual(inputs);
      expect(done).toEqual(inputs);
    });
    expect(most).toBe(1);
  });

  test("has a maximum number of waiting runs", async () => {
    const { actor } = await stage({}, { mailbox: 4 });
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, endless());
      const runs = Array.from({ length: 7 }, () => context.runChild("a"));
      const settled = Promise.allSettled(runs);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await context.stopChild("a");
      const codes = (await settled).map((run) => run.status === "rejected" && run.reason.code);
      expect(codes.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
        "ORCS6004",
        "ORCS6004",
        "ORCS6004",
        "ORCS6006",
        "ORCS6006",
        "ORCS6006",
        "ORCS6006",
      ]);
    });
  });

  test("is cancelled by the given signal", async () => {
    const boss = await aBoss();
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, endless());
      const given = new AbortController();
      const running = errorOf(context.runChild("a", null, { signal: given.signal }));
      setTimeout(() => given.abort(), 5);
      expect((await running).code).toBe("ORCS6014");
      const early = errorOf(context.runChild("a", null, { signal: AbortSignal.abort() }));
      expect((await early).code).toBe("ORCS6014");
    });
  });

  test("child.pre_run can rewrite, skip and abort; child.post_run can replace the result", async () => {
    const { orcs, actor } = await stage();
    orcs.on("child.pre_run", (ctx) => {
      const { input } = ctx.payload;
      if (input === "skip") return { action: "skip", result: "skipped" };
      if (input === "abort") return { action: "abort", reason: "no" };
      ctx.payload["input"] = `<${input as string}>`;
      return undefined;
    });
    orcs.on("child.post_run", (ctx) => ({
      action: "replace",
      result: `${ctx.payload["child_result"] as string}!`,
    }));
    const run = vi.fn((input: Json) => input);
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { run });
      expect(await context.runChild("a", "x")).toBe("<x>!");
      expect(await context.runChild("a", "skip")).toBe("skipped");
      expect((await errorOf(context.runChild("a", "abort"))).code).toBe("ORCS2001");
    });
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe("sendToChild", () => {
  test("runs the child in order with awaited runs", async () => {
    const boss = await aBoss();
    const inputs: unknown[] = [];
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { run: (input) => void inputs.push(input) });
      context.sendToChild("a", 1);
      context.sendToChild("a", 2);
      await context.runChild("a", 3);
    });
    expect(inputs).toEqual([1, 2, 3]);
  });

  test("continues after the call that sent it", async () => {
    const boss = await aBoss();
    let end = (): void => undefined;
    const ended = new Promise<string>((resolve) => (end = () => resolve("it ended")));
    await boss(async (context) => {
      const run: Child["run"] = async (_, { signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!signal.aborted) end();
      };
      await context.spawnChild({ id: "a" }, { run });
      context.sendToChild("a");
    });
    expect(await ended).toBe("it ended");
  });

  test("logs a failure; an unknown child is an error at once", async () => {
    const { actor, lines } = await stage();
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { run: () => Promise.reject(new Error("kaput")) });
      context.sendToChild("a");
      expect((await errorOf(() => context.sendToChild("b"))).code).toBe("ORCS6001");
    });
    await vi.waitFor(() =>
      expect(lines).toContainEqual(
        expect.stringMatching(/^warn: the child a of lua::boss: .*kaput/),
      ),
    );
  });
});

describe("the end of a child", () => {
  test("stop rejects current and waiting runs and disposes once", async () => {
    const boss = await aBoss();
    const dispose = vi.fn();
    const child = { ...endless(), dispose };
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, child);
      const runs = [errorOf(context.runChild("a")), errorOf(context.runChild("a"))];
      await vi.waitFor(() => expect(child.contexts).toHaveLength(1));
      const stopped = await Promise.all([context.stopChild("a"), context.stopChild("a")]);
      expect(stopped).toEqual([true, false]);
      for (const error of await Promise.all(runs)) expect(error.code).toBe("ORCS6006");
    });
    expect(child.contexts).toHaveLength(1);
    expect(child.contexts[0]?.signal.aborted).toBe(true);
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test("a parent's end ends all descendants", async () => {
    const { runtime, actor } = await stage({}, { graceMs: 20 });
    const boss = await actor("lua::boss");
    const dispose = vi.fn();
    const one = { ...endless(), dispose };
    const two = { ...endless(), dispose };
    const errors: unknown[] = [];
    const note = (running: Promise<unknown>): void =>
      void running.catch((thrown: { code: string }) => errors.push(thrown.code));
    await boss(async (context) => {
      const inner = await childOf(context, { id: "a" });
      await inner(async (own) => {
        await own.spawnChild({ id: "b" }, one);
        own.sendToChild("b");
      });
      await context.spawnChild({ id: "c" }, two);
      context.sendToChild("c");
    });
    await vi.waitFor(() => expect(one.contexts.length + two.contexts.length).toBe(2));
    note(boss((context) => context.runChild("c")));
    const result = await runtime.stop("lua::boss");
    expect(result?.errors).toEqual([]);
    expect(dispose).toHaveBeenCalledTimes(2);
    expect(errors).toEqual(["ORCS6006"]);
    for (const { contexts } of [one, two]) expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test("nothing can be spawned by an ended parent", async () => {
    const { runtime, actor } = await stage();
    let kept: ChildContext | undefined;
    let keptBelow: ChildContext | undefined;
    const late: string[] = [];
    const boss = await actor(
      "lua::boss",
      {},
      {
        async shutdown(context) {
          late.push((await errorOf(context.spawnChild({ id: "late" }, ECHO))).code);
        },
      },
    );
    await boss(async (context) => {
      kept = context;
      const child = await childOf(context, { id: "a" });
      await child((own) => void (keptBelow = own));
      await context.stopChild("a");
    });
    expect((await errorOf(keptBelow!.spawnChild({ id: "b" }, ECHO))).code).toBe("ORCS6006");
    await runtime.stop("lua::boss");
    expect((await errorOf(kept!.spawnChild({ id: "b" }, ECHO))).code).toBe("ORCS6006");
    expect(late).toEqual(["ORCS6006"]);
  });

  test("a child being created while its parent ends is disposed", async () => {
    const { orcs, runtime, actor } = await stage({}, { graceMs: 1 });
    let made = (): void => undefined;
    const making = new Promise<void>((resolve) => (made = resolve));
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => (release = resolve));
    orcs.on("child.post_spawn", async () => {
      made();
      await ended;
    });
    const dispose = vi.fn();
    const boss = await actor("lua::boss");
    let spawning: Promise<{ code: string }> | undefined;
    const asked = boss((context) => {
      spawning = errorOf(context.spawnChild({ id: "a" }, { ...ECHO, dispose }));
      return spawning;
    }).catch(() => undefined);
    await making;
    await runtime.stop("lua::boss");
    release();
    await asked;
    expect((await spawning)?.code).toBe("ORCS6006");
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test("a child that lost its state has failed: its id is free, waiting runs are rejected", async () => {
    const { actor, lines } = await stage();
    const boss = await actor("lua::boss");
    let lost = false;
    const child: Child = {
      run() {
        lost = true;
        throw new Error("killed");
      },
      isLost: () => lost,
    };
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, child);
      const runs = await Promise.allSettled([context.runChild("a"), context.runChild("a")]);
      expect(runs.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect((await errorOf(context.runChild("a"))).code).toBe("ORCS6001");
      await context.spawnChild({ id: "a" }, ECHO);
      expect(await context.runChild("a", 1)).toBe(1);
    });
    expect(lines.filter((line) => line.includes("was killed"))).toEqual([
      "warn: the child lua::boss/a was killed",
    ]);
  });

  test("its id is reserved until dispose has finished", async () => {
    const boss = await aBoss();
    let gone = (): void => undefined;
    const dispose = () => new Promise<void>((resolve) => (gone = resolve));
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { ...ECHO, dispose });
      const stopping = context.stopChild("a");
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await errorOf(context.spawnChild({ id: "a" }, ECHO))).code).toBe("ORCS6002");
      expect(await context.stopChild("a")).toBe(false);
      gone();
      await stopping;
      await context.spawnChild({ id: "a" }, ECHO);
    });
  });

  test("a child lost between runs frees its id", async () => {
    const boss = await aBoss();
    let lost = false;
    const dispose = vi.fn();
    await boss(async (context) => {
      await context.spawnChild({ id: "a" }, { ...ECHO, isLost: () => lost, dispose });
      lost = true;
      await context.spawnChild({ id: "a" }, ECHO);
      expect(await context.runChild("a", 1)).toBe(1);
    });
    expect(dispose).toHaveBeenCalledTimes(1);
  });
});

describe("the address of a child", () => {
  test("hooks match its path, for its own points and its tool calls", async () => {
    const { orcs, actor } = await stage();
    orcs.wrapTool("look", () => "seen");
    const told: string[] = [];
    const fqls = [
      "builtin::llm",
      "builtin::llm/agent-1",
      "builtin::llm/agent-1/sub-worker",
      "builtin::llm/agent-1/*",
      "builtin::llm/*",
      "builtin::llm/*/sub-worker",
      "builtin::*/agent-1",
      "*::llm/agent-2",
      "builtin::llm#one",
      "builtin::llm/agent-1#one",
      "builtin::llm/agent-1#two",
      "plugin::llm/agent-1",
    ];
    const points = ["child.pre_spawn", "child.post_spawn", "child.pre_run", "tool.pre_execute"];
    for (const fql of fqls) {
      for (const point of points) {
        const handler = (ctx: HookContext) => void told.push(`${fql} ${ctx.hook_point}`);
        orcs.hook({ point, fql, handler });
      }
    }
    const boss = await actor("builtin::llm", { instance: "one" });
    await boss(async (context) => {
      const child = await childOf(context, { id: "agent-1" });
      const expected = [
        "builtin::llm",
        "builtin::llm/agent-1",
        "builtin::llm/*",
        "builtin::*/agent-1",
        "builtin::llm#one",
        "builtin::llm/agent-1#one",
      ];
      const spawning = ["child.pre_spawn", "child.post_spawn"];
      expect(told.splice(0)).toEqual(spawning.flatMap((p) => expected.map((f) => `${f} ${p}`)));
      await child(async (inner) => {
        expect(told.splice(0)).toEqual(expected.map((f) => `${f} child.pre_run`));
        await inner.get("look");
        expect(told.splice(0)).toEqual(expected.map((f) => `${f} tool.pre_execute`));
        const grandchild = await childOf(inner, { id: "sub-worker" });
        told.length = 0;
        await grandchild((own) => own.get("look"));
      });
    });
    const below = [
      "builtin::llm",
      "builtin::llm/agent-1/sub-worker",
      "builtin::llm/agent-1/*",
      "builtin::llm/*",
      "builtin::llm/*/sub-worker",
      "builtin::llm#one",
    ];
    const ran = ["child.pre_run", "tool.pre_execute"];
    expect(told).toEqual(ran.flatMap((point) => below.map((fql) => `${fql} ${point}`)));
  });

  test("payloads name the child and its parent in full", async () => {
    const { orcs, actor } = await stage();
    const seen: unknown[] = [];
    for (const point of [
      "child.pre_spawn",
      "child.post_spawn",
      "child.pre_run",
      "child.post_run",
    ]) {
      orcs.on(point, (ctx) => {
        const { child_id, parent_id } = ctx.payload as Record<string, unknown>;
        seen.push([point, ctx.component_id, child_id, parent_id]);
      });
    }
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      await child(async (own) => {
        await own.spawnChild({ id: "b" }, ECHO);
        await own.runChild("b");
      });
    });
    expect(seen).toEqual([
      ["child.pre_spawn", "lua::boss", undefined, "lua::boss"],
      ["child.post_spawn", "lua::boss", "a", "lua::boss"],
      ["child.pre_run", "lua::boss", "a", "lua::boss"],
      ["child.pre_spawn", "lua::boss", undefined, "lua::boss/a"],
      ["child.post_spawn", "lua::boss", "a/b", "lua::boss/a"],
      ["child.pre_run", "lua::boss", "a/b", "lua::boss/a"],
      ["child.post_run", "lua::boss", "a/b", "lua::boss/a"],
      ["child.post_run", "lua::boss", "a", "lua::boss"],
    ]);
  });
});

function cyclic(): object {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  return cycle;
}
