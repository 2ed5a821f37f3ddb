import { describe, expect, onTestFinished, test } from "vitest";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAPABILITIES } from "../../src/core/permission.ts";
import type { Component } from "../../src/core/component.ts";
import type { Json } from "../../src/core/json.ts";
import type { RuntimeVerb } from "../../src/core/runtime-verbs.ts";
import type { HookDefinition } from "../../src/index.ts";
import type { RunnerResult } from "../../src/engine/runtime/component-life.ts";
import { A, createWorld, expectNothingLeft, noting, notingChild, seen } from "./runtime-rig.ts";
import type { Seen, World } from "./runtime-rig.ts";

// What hooks at the runtime's points could break: answers that never come, work done for nobody, things that
// stay behind, addresses that are not the caller's.

/** Far longer than any test waits: whoever sits it out fails. */
const LONG_MS = 100_000;

/** A door that a hook stands at until it is opened. */
function door() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const handler = async (): Promise<void> => {
    reach();
    await opened;
  };
  return { handler, open: () => open(), reached };
}

/** What comes of something, unless it takes too long. */
async function soon<T>(coming: Promise<T>, ms = 5000): Promise<T | "too late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"too late">((resolve) => {
    timer = setTimeout(() => resolve("too late"), ms);
  });
  const came = await Promise.race([coming, late]);
  clearTimeout(timer);
  return came;
}

/** The same as an answer or an error. */
const seenSoon = (doing: Promise<unknown>): Promise<Seen | "too late"> => soon(seen(doing));

/** A component that does one thing with what it is asked. */
function component(id: string, onRequest: Component["onRequest"], more: Partial<Component> = {}) {
  return { id, onRequest, ...more } satisfies Component;
}

/** A Lua file. */
function script(code: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-runtime-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "component.lua");
  writeFileSync(file, code);
  return file;
}

const code = (came: Seen | "too late"): string =>
  came === "too late" ? came : "error" in came ? came.error.code : "answered";

/** Wants it again, after a long time. */
const laterAgain = (point: string): HookDefinition => ({
  id: "later",
  point,
  handler: () => ({ action: "retry", delay_ms: LONG_MS }),
});

describe("a runtime hook that retries with a long delay", () => {
  test.each(["request.pre_dispatch", "request.post_dispatch"])(
    "at %s is limited by the request's timeout",
    async (point) => {
      const world = await createWorld({ hooks: [laterAgain(point)] });
      const { runtime, orcs, did } = world;
      await world.up();
      expect(code(await seenSoon(runtime.request(A, "first", null, { timeout_ms: 100 })))).toBe(
        "ORCS6003",
      );
      orcs.registry.unregister("later");
      // The channel is free for the next one.
      expect(await seenSoon(world.ask("next"))).toEqual({ answer: { got: null, mark: null } });
      expect(did.filter((line) => line.startsWith("request first"))).toHaveLength(
        point === "request.pre_dispatch" ? 0 : 1,
      );
    },
  );

  test.each(["request.pre_dispatch", "request.post_dispatch"])(
    "at %s does not prevent a channel kill",
    async (point) => {
      const world = await createWorld({ hooks: [laterAgain(point)] });
      await world.up();
      const asked = seen(world.ask("first"));
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(code(await seenSoon(world.runtime.kill(A)))).toBe("answered");
      expect(code(await asked)).toBe("ORCS6006");
      expectNothingLeft(world, ["later"]);
    },
  );

  test.each(["child.pre_run", "child.post_run"])(
    "at %s does not prevent stopping the child",
    async (point) => {
      const world = await createWorld({ hooks: [laterAgain(point)] });
      const { runtime } = world;
      const ran: { came?: Promise<Seen> } = {};
      await runtime.spawn(
        component("builtin::parent", async ({ operation }, context) => {
          if (operation === "stop") return context.stopChild("kid");
          await context.spawnChild({ id: "kid" }, notingChild(world.did));
          ran.came = seen(context.runChild("kid", 1));
          return null;
        }),
      );
      await runtime.request("builtin::parent", "go");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await seenSoon(runtime.request("builtin::parent", "stop"))).toEqual({ answer: true });
      expect(["ORCS6006", "ORCS6014"]).toContain(code((await ran.came) ?? "too late"));
    },
  );

  test.each([
    "request.pre_dispatch",
    "signal.pre_dispatch",
    "child.pre_run",
    "component.pre_init",
    "channel.pre_create",
    "bus.pre_broadcast",
  ])("at %s does not prevent closing the engine", async (point) => {
    const world = await createWorld({ limits: { graceMs: 50 } });
    const { runtime, orcs } = world;
    await world.up();
    await world.ask("spawn", { id: "kid" });
    orcs.hook(laterAgain(point));
    const all = [
      seen(world.ask("run")),
      seen(world.ask("next")),
      seen(runtime.signal(A, "pause")),
      seen(runtime.broadcast({ category: "News", operation: "said", payload: null })),
      seen(runtime.spawn(noting("builtin::later", world.did))),
    ];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await seenSoon(orcs.close())).toEqual({ answer: undefined });
    expect(await soon(Promise.all(all))).toHaveLength(all.length);
    expect(runtime.channels).toEqual([]);
    expect(runtime.bus.size).toBe(0);
  });
});

describe("a hook that retries an ending operation with a long delay", () => {
  test.each([
    "component.pre_shutdown",
    "component.post_shutdown",
    "channel.pre_destroy",
    "channel.post_destroy",
  ])("at %s does not prevent the channel's end", async (point) => {
    const world = await createWorld({ hooks: [laterAgain(point)], limits: { lifecycleMs: 20 } });
    await world.up();
    const [ended] = (await soon(world.runtime.shutdownParallel())) as readonly RunnerResult[];
    expect(ended?.errors).toEqual([
      expect.stringContaining("hook later requested more than 3 retries"),
    ]);
    expectNothingLeft(world, ["later"]);
  });
});

describe("a slow runtime hook", () => {
  test("at request.pre_dispatch: a request cancelled meanwhile is not served", async () => {
    const { handler, open, reached } = door();
    const world = await createWorld({ hooks: [{ point: "request.pre_dispatch", handler }] });
    await world.up();
    const asked = seen(world.runtime.request(A, "dear", null, { timeout_ms: 50 }));
    await reached;
    expect(code(await asked)).toBe("ORCS6003");
    open();
    await world.ask("next");
    expect(world.did.filter((line) => line.startsWith("request"))).toEqual(["request next null"]);
  });

  test("at component.pre_init: a component killed meanwhile does not start", async () => {
    const { handler, open, reached } = door();
    const world = await createWorld({
      hooks: [{ id: "slow", point: "component.pre_init", handler }],
    });
    const { runtime } = world;
    const file = script(`
      orcs.hook("*::*:tool.pre_execute", function() return orcs.deny("left behind") end)
      return { id = "late", init = function() orcs.get("note", { late = true }) end, on_request = function() end }
    `);
    const spawned = seen(runtime.spawnScript(file));
    await reached;
    const killed = runtime.kill("lua::late");
    open();
    expect(code(await soon(spawned))).toBe("ORCS6006");
    expect(await soon(killed)).toMatchObject({ component: "lua::late" });
    expect(world.did).toEqual([]);
    expectNothingLeft(world, ["slow"]);
    expect((await world.orcs.get("note", {})).ok).toBe(true);
  });

  test.each(["channel.pre_create", "channel.post_create"])(
    "at %s: nothing starts in a runtime shut down meanwhile",
    async (point) => {
      const { handler, open, reached } = door();
      const world = await createWorld({ hooks: [{ id: "slow", point, handler }] });
      const spawned = seen(world.up());
      await reached;
      const down = world.runtime.shutdownParallel();
      open();
      expect(code(await soon(spawned))).toBe("ORCS2006");
      expect(await soon(down)).toEqual([]);
      expect(world.did).toEqual([]);
      expectNothingLeft(world, ["slow"]);
    },
  );

  test("at signal.pre_dispatch: a component that ended meanwhile gets no signal", async () => {
    const { handler, open, reached } = door();
    const world = await createWorld({
      hooks: [{ id: "slow", point: "signal.pre_dispatch", handler }],
    });
    await world.up();
    const signals = [
      seen(world.runtime.signal(A, "pause")),
      seen(world.runtime.signal(A, "resume")),
    ];
    await reached;
    await world.runtime.kill(A);
    open();
    expect((await Promise.all(signals)).map(code)).toEqual(["ORCS6006", "ORCS6006"]);
    expect(world.did.filter((line) => line.startsWith("signal"))).toEqual([]);
    expectNothingLeft(world, ["slow"]);
  });

  test("at child.pre_spawn: a child of a component that ended meanwhile is removed", async () => {
    const { handler, open, reached } = door();
    const world = await createWorld({ hooks: [{ id: "slow", point: "child.pre_spawn", handler }] });
    await world.up();
    const asked = seen(world.ask("spawn", { id: "kid" }));
    await reached;
    await world.runtime.kill(A);
    open();
    expect(code(await soon(asked))).toBe("ORCS6006");
    expectNothingLeft(world, ["slow"]);
  });
});

describe("a runtime hook that retries once", () => {
  const twice = (point: string): HookDefinition => {
    let count = 0;
    return { id: "again", point, handler: () => (count++ === 0 ? { action: "retry" } : undefined) };
  };

  test("after a spawn: the program's child object is not a disposed one", async () => {
    const world = await createWorld({ hooks: [twice("child.post_spawn")] });
    await world.up();
    expect(await world.ask("spawn", { id: "kid" })).toMatchObject({ child_id: "kid" });
    expect(await world.ask("run", 1)).toMatchObject({ got: 1 });
    expect(world.did).not.toContain("dispose child");
    await world.runtime.stop(A);
    expect(world.did.filter((line) => line === "dispose child")).toHaveLength(1);
  });

  test("after an init: nothing of the first attempt is left", async () => {
    const world = await createWorld({ hooks: [twice("component.post_init")] });
    const file = script(`
      orcs.hook({ id = "top", point = "tool.pre_execute", handler = function(ctx)
        ctx.payload.args.top = (ctx.payload.args.top or 0) + 1
      end })
      return {
        id = "again",
        init = function()
          orcs.hook({ id = "inner", point = "tool.pre_execute", handler = function(ctx)
            ctx.payload.args.inner = (ctx.payload.args.inner or 0) + 1
          end })
          local kid = orcs.spawn_child({ id = "kid", code = "return function(i) return i end" })
          if not kid.ok then error(kid.error) end
          return "up"
        end,
        on_request = function() return orcs.send_to_child("kid", 7).result end,
      }
    `);
    expect(await seen(world.runtime.spawnScript(file))).toHaveProperty(
      "answer.component",
      "lua::again",
    );
    expect(await world.runtime.request("lua::again", "go")).toBe(7);
    // Each of its hooks is there once.
    expect(await world.orcs.get("note", {})).toMatchObject({ noted: { top: 1, inner: 1 } });
    await world.runtime.stop("lua::again");
    expectNothingLeft(world, ["again"]);
  });

  test("after a failed request: the second result is returned", async () => {
    const world = await createWorld({
      hooks: [
        {
          point: "request.post_dispatch",
          maxRetries: 5,
          handler: ({ payload }) => ("error" in payload ? { action: "retry" } : undefined),
        },
      ],
    });
    let tries = 0;
    await world.runtime.spawn(
      component("builtin::shaky", () => {
        if (++tries < 3) throw new Error(`try ${tries}`);
        return tries;
      }),
    );
    expect(await seen(world.runtime.request("builtin::shaky", "go"))).toEqual({ answer: 3 });
  });
});

describe("a failed operation", () => {
  const watch = (point: string, found: unknown[]): HookDefinition => ({
    point,
    id: `watch ${point}`,
    handler: ({ payload }) => void found.push([point, payload["error"] ?? null]),
  });

  test("such as init, spawn or channel creation is not passed to post hooks as success", async () => {
    const found: unknown[] = [];
    const points = ["component.post_init", "child.post_spawn", "channel.post_create"];
    const world = await createWorld({
      hooks: [
        ...points.map((point) => watch(point, found)),
        {
          point: "channel.pre_create",
          id: "bad hints",
          fql: "builtin::hinted",
          handler: (ctx) => void (ctx.payload["runtime_hints"] = { mailbox: -1 }),
        },
      ],
    });
    const { runtime, did } = world;
    const init = () => {
      throw new Error("thrown on purpose");
    };
    expect(code(await seen(runtime.spawn(component("builtin::broken", () => 1, { init }))))).toBe(
      "ORCS6005",
    );
    expect(code(await seen(runtime.spawn(noting("builtin::hinted", did))))).toBe("ORCS6010");
    const before = found.splice(0);
    expect(before).toEqual([["channel.post_create", null]]);
    await world.up();
    const refused = await world.ask("spawn", { id: "kid", code: "this is no Lua" });
    expect(refused).toHaveProperty("refused");
    expect(found).toEqual([
      ["channel.post_create", null],
      ["component.post_init", null],
    ]);
  });

  test("such as a request, signal or run is passed to post hooks as an error", async () => {
    const found: unknown[] = [];
    const points = ["request.post_dispatch", "signal.post_dispatch", "child.post_run"];
    const world = await createWorld({ hooks: points.map((point) => watch(point, found)) });
    const { runtime } = world;
    const fail = (): never => {
      throw new Error("on purpose");
    };
    await runtime.spawn(
      component(
        "builtin::broken",
        async (_, context) => {
          await context.spawnChild({ id: "kid" }, { run: fail });
          return context.runChild("kid");
        },
        { onSignal: fail },
      ),
    );
    expect(code(await seen(runtime.request("builtin::broken", "go")))).toBe("ORCS6005");
    expect(code(await seen(runtime.signal("builtin::broken", "cancel")))).toBe("ORCS6005");
    const why = expect.stringContaining("on purpose") as unknown;
    expect(found).toEqual([
      ["child.post_run", why],
      ["request.post_dispatch", why],
      ["signal.post_dispatch", why],
    ]);
  });
});

describe("invalid rewrites by runtime hooks", () => {
  const rewriting = (point: string, key: string, value: unknown): HookDefinition => ({
    id: "h",
    point,
    handler: (ctx) => void (ctx.payload[key] = value),
  });

  test.each([
    ["a time that timers cannot hold", 2 ** 40],
    ["a time of nothing", 0],
    ["a time before now", -5],
    ["no time", null],
  ])("%s as timeout_ms: the request is still answered", async (_, value) => {
    const world = await createWorld({
      hooks: [rewriting("request.pre_dispatch", "timeout_ms", value)],
    });
    const { runtime } = world;
    await runtime.spawn(
      component("builtin::slow", () => new Promise((resolve) => setTimeout(resolve, 80, "done"))),
    );
    const came = await seenSoon(runtime.request("builtin::slow", "go"));
    // A time that is none is a mistake of the hook; one that is long is long.
    if (value === 2 ** 40) expect(came).toEqual({ answer: "done" });
    else expect(["ORCS6003", "ORCS6010", "ORCS2001", "answered"]).toContain(code(came));
  });

  test.each([
    ["signal.pre_dispatch", "signal", { kind: "explode" }],
    ["signal.pre_dispatch", "signal", "veto"],
    ["bus.pre_broadcast", "event", { category: "" }],
    ["bus.pre_broadcast", "event", 7],
    ["channel.pre_create", "runtime_hints", { mailbox: 1.5, request_timeout_ms: 1 }],
    ["channel.pre_create", "runtime_hints", {}],
  ])("%s, %s: %j is rejected, and nothing happens", async (point, key, value) => {
    const world = await createWorld();
    const { runtime, orcs, did } = world;
    await world.up();
    did.length = 0;
    orcs.hook(rewriting(point, key, value));
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      signal: () => runtime.signal(A, "pause"),
      event: () => runtime.broadcast({ category: "News", operation: "said", payload: 1 }),
      runtime_hints: () => runtime.spawn(noting("builtin::more", did)),
    };
    expect(code(await seen(acts[key]?.() ?? Promise.resolve()))).toBe("ORCS6010");
    orcs.registry.unregister("h");
    expect(did).toEqual([]);
    expect(runtime.channels.map(({ component: who, state }) => [who, state])).toEqual([
      [A, "running"],
    ]);
  });

  test.each([
    ["its id", (config: Record<string, unknown>) => void (config["id"] = "cuckoo")],
    ["an unknown key", (config: Record<string, unknown>) => void (config["capabilites"] = [])],
    ["two sources", (config: Record<string, unknown>) => void (config["script"] = "x.lua")],
  ])("a child's config, %s: no child is spawned", async (_, change) => {
    const world = await createWorld({
      hooks: [
        {
          point: "child.pre_spawn",
          handler: (ctx) => change(ctx.payload["child_config"] as Record<string, unknown>),
        },
      ],
    });
    await world.up();
    const asked = { id: "kid", code: "return function() end" };
    expect(await world.ask("spawn", asked)).toMatchObject({ code: "ORCS6010" });
    expect(await world.ask("run")).toMatchObject({ code: "ORCS6001" });
  });

  test.each(["capabilities", "effective_capabilities"])(
    "a child's %s cannot be increased",
    async (key) => {
      const world = await createWorld({
        hooks: [
          { id: "h", point: "child.pre_spawn", handler: (ctx) => void (ctx.payload[key] = 127) },
        ],
      });
      await world.up();
      const asked = { id: "kid", capabilities: ["READ"] };
      const refused = await world.ask("spawn", asked);
      expect(refused).toMatchObject({ code: "ORCS2001" });
      expect(refused).toHaveProperty(
        "refused",
        expect.stringContaining("may only lose capability bits"),
      );
    },
  );
});

describe("a runtime call made by a hook", () => {
  const inHook = (
    point: string,
    call: (verb: (name: RuntimeVerb, args: readonly Json[]) => Promise<Json>) => unknown,
    fql = "*::*",
  ): HookDefinition => ({
    id: "calls",
    point,
    fql,
    async handler(_, orcs) {
      const { signal } = new AbortController();
      await call((name, args) => orcs.verb?.(name, args, signal) ?? Promise.resolve(null));
    },
  });

  test("has the caller of the call that the hook serves", async () => {
    const found: unknown[] = [];
    const world = await createWorld({
      hooks: [
        inHook(
          "request.pre_dispatch",
          (verb) => verb("emit_event", ["News", "served"]),
          "builtin::first",
        ),
        {
          point: "bus.pre_broadcast",
          handler: ({ principal, channel_id, component_id, depth, metadata }) =>
            void found.push({ principal, channel_id, component_id, depth, mark: metadata["mark"] }),
        },
        {
          point: "request.pre_dispatch",
          priority: 1,
          fql: "builtin::first",
          handler: (ctx) => void (ctx.metadata["mark"] = "noted"),
        },
      ],
    });
    const channel = await world.runtime.spawn(noting("builtin::first", world.did));
    const principal = { type: "User", id: "ann" };
    await world.runtime.request("builtin::first", "echo", null, { principal });
    expect(found).toEqual([
      {
        principal,
        channel_id: channel?.id,
        component_id: "builtin::first",
        depth: 1,
        mark: "noted",
      },
    ]);
  });

  test("has at most the capabilities left to the call it serves", async () => {
    const answers: Json[] = [];
    const world = await createWorld({
      hooks: [
        {
          point: "tool.pre_execute",
          priority: 1,
          handler: (ctx) => void (ctx.payload["capabilities"] = CAPABILITIES.READ),
        },
        inHook("tool.pre_execute", async (verb) => {
          answers.push(await verb("spawn_child", [{ id: "kid", code: "return function() end" }]));
          answers.push(await verb("check_command", ["git log"]));
        }),
      ],
    });
    await world.up();
    await world.ask("tool", {});
    expect(answers).toMatchObject([
      { ok: false, code: "ORCS6007" },
      { ok: false, status: "denied" },
    ]);
    expect(await world.ask("run")).toMatchObject({ code: "ORCS6001" });
  });

  test("is rejected if it would deadlock", async () => {
    const answers: Json[] = [];
    const world = await createWorld({
      hooks: [
        inHook(
          "request.pre_dispatch",
          async (verb) => answers.push(await verb("request", ["builtin::front", "back"])),
          "builtin::behind",
        ),
      ],
    });
    const { runtime } = world;
    await runtime.spawn(component("builtin::behind", () => "behind"));
    await runtime.spawn(
      component("builtin::front", (_, context) => context.request("builtin::behind", "go")),
    );
    expect(await seenSoon(runtime.request("builtin::front", "go"))).toEqual({ answer: "behind" });
    expect(answers).toMatchObject([{ ok: false, code: "ORCS6011" }]);
  });

  test("is rejected at max_depth, counted per chain", async () => {
    const depths: number[] = [];
    const answers: Json[] = [];
    const world = await createWorld({
      hooks: [
        {
          point: "tool.pre_execute",
          async handler({ depth }, orcs) {
            depths.push(depth);
            await new Promise((resolve) => setTimeout(resolve, depths.length % 5));
            answers.push(await orcs.get("note", { depth }));
          },
        },
      ],
    });
    await world.up();
    const { runtime } = world;
    await runtime.spawn(
      component("builtin::many", (_, context) =>
        Promise.all(Array.from({ length: 20 }, (__, n) => context.get("note", { n }))),
      ),
    );
    const outer = (await runtime.request("builtin::many", "go")) as { ok: boolean }[];
    expect(outer.every(({ ok }) => ok)).toBe(true);
    expect([0, 1, 2, 3, 4].map((depth) => depths.filter((one) => one === depth).length)).toEqual([
      20, 20, 20, 20, 0,
    ]);
    const refused = answers.filter((answer) => !(answer as { ok: boolean }).ok);
    expect(refused).toHaveLength(20);
    for (const answer of refused) {
      expect(answer).toHaveProperty("error", expect.stringContaining("orcs:max_depth"));
    }
  });
});

describe("awaited and unawaited calls", () => {
  test("an event being served may request its sender", async () => {
    const answers: Seen[] = [];
    const world: World = await createWorld();
    const { runtime } = world;
    let told = (): void => undefined;
    const served = new Promise<void>((resolve) => (told = resolve));
    await runtime.spawn(
      component(
        "builtin::hearer",
        async (_, context) => {
          answers.push(await seen(context.request("builtin::outer", "again")));
          told();
        },
        { subscriptions: ["News"] },
      ),
    );
    await runtime.spawn(component("builtin::teller", (_, context) => context.emit("News", "said")));
    await runtime.spawn(
      component("builtin::outer", ({ operation }, context) =>
        operation === "again" ? "free again" : context.request("builtin::teller", "go"),
      ),
    );
    expect(await runtime.request("builtin::outer", "go")).toBe(1);
    await served;
    expect(answers).toEqual([{ answer: "free again" }]);
  });

  test("a signal being awaited may not request its sender", async () => {
    const answers: Seen[] = [];
    const { runtime } = await createWorld();
    await runtime.spawn(
      component("builtin::signalled", () => null, {
        async onSignal(_, context) {
          answers.push(await seen(context.request("builtin::signaller", "back")));
          return "handled" as const;
        },
      }),
    );
    await runtime.spawn(
      component("builtin::signaller", (_, context) =>
        context.sendSignal("builtin::signalled", "cancel"),
      ),
    );
    expect(await seenSoon(runtime.request("builtin::signaller", "go"))).toEqual({
      answer: "handled",
    });
    expect(answers.map(code)).toEqual(["ORCS6011"]);
  });
});

test("many concurrent calls cause no listener leak warning", async () => {
  const warnings: string[] = [];
  const warn = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const { runtime } = await createWorld();
  await runtime.spawn(
    component("builtin::many", (_, context) =>
      Promise.all(Array.from({ length: 40 }, (__, n) => context.get("note", { n }))),
    ),
  );
  expect(await runtime.request("builtin::many", "go")).toHaveLength(40);
  // Warnings are told a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

describe("a component that fails to start", () => {
  test.each([
    ["its init throws", `error("on purpose")`, "ORCS6005"],
    ["a hook refuses its init", "", "ORCS2001"],
  ])("because %s leaves no hook, child or channel behind", async (why, end, wanted) => {
    const hooks: HookDefinition[] = why.startsWith("a hook")
      ? [
          {
            id: "h",
            point: "component.pre_init",
            handler: () => ({ action: "abort", reason: "no" }),
          },
        ]
      : [];
    const world = await createWorld({ hooks });
    const left: string[] = [];
    world.orcs.on("bus.on_unregister", ({ payload }) => void left.push(payload.component_id ?? ""));
    const ids = world.orcs.registry.list().map(({ id }) => id);
    const file = script(`
      orcs.hook("*::*:request.pre_dispatch", function() end)
      return {
        id = "doomed",
        subscriptions = { "News" },
        init = function()
          orcs.hook("*::*:tool.pre_execute", function() end)
          orcs.spawn_child({ id = "kid", code = [[
            orcs.hook("*::*:child.pre_run", function() end)
            return function() end
          ]] })
          ${end}
        end,
        on_request = function() end,
      }
    `);
    const came = await seen(world.runtime.spawnScript(file));
    expect(code(came)).toBe(wanted);
    expectNothingLeft(world, ids);
    expect(left).toEqual(["lua::doomed"]);
    expect(world.runtime.bus.isWanted("News")).toBe(false);
  });
});
