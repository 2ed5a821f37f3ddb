import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { CAPABILITIES, capabilityNames } from "../../../../src/core/permission.ts";
import type { ChildContext } from "../../../../src/core/child.ts";
import type { Request } from "../../../../src/core/component.ts";
import type { HookContext } from "../../../../src/core/context.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { CallScope, GetOptions } from "../../../../src/core/ports.ts";
import { errorOf, folder } from "../orcs/engine.ts";
import { childOf, stage } from "./acting.ts";

/** All of a context but its payload and its time. */
function caller(ctx: HookContext): Record<string, unknown> {
  const { component_id, channel_id, principal, depth, metadata } = ctx;
  return { component_id, channel_id, principal, depth, metadata: { ...metadata } };
}

/** What somebody might say of themselves who is somebody else. */
const CLAIMS = {
  component: "builtin::root",
  component_id: "builtin::root",
  channel: "other",
  channel_id: "other",
  child: "other",
  instance: "other",
  principal: { type: "User", id: "root" },
  capabilities: 127,
  authority: { capabilities: 127, session: { id: "x", elevated: true } },
  session: { id: "x", elevated: true },
  depth: -100,
  max_depth: 1000,
  runtime: null,
  sandbox_root: "/",
  source: "builtin::root",
  via: [],
};

describe("the runtime sets the caller of", () => {
  test("a tool call of a component or its child, whatever they claim", async () => {
    const { orcs, runtime, actor } = await stage();
    const seen: unknown[] = [];
    orcs.addTool("look", (_, { ctx }) => void seen.push(caller(ctx)));
    orcs.on("tool.pre_execute", (ctx) => {
      seen.push(caller(ctx), ctx.payload["capabilities"], ctx.payload["sandbox_root"]);
    });
    const boss = await actor("lua::boss", { capabilities: ["SPAWN", "READ"] });
    const options = { metadata: CLAIMS as unknown as Record<string, Json>, ...CLAIMS };
    await boss(async (context) => {
      await context.get("look", { ...CLAIMS } as unknown as Json, options as GetOptions);
      const child = await childOf(context, { id: "a", capabilities: ["READ"] });
      await child((own) => own.get("look", {}, options as GetOptions));
    });
    const who = {
      component_id: "lua::boss",
      channel_id: runtime.channels[0]?.id,
      principal: { type: "Host", id: "main" },
      depth: 0,
      metadata: CLAIMS,
    };
    const root = orcs.settings.permissions.root;
    expect(seen).toEqual([who, 17, root, who, who, 1, root, who]);
  });

  test("requests and events, including the child", async () => {
    const { runtime, actor } = await stage();
    const told: Request[] = [];
    await runtime.spawn({
      id: "lua::ear",
      subscriptions: ["News"],
      onRequest: (request) => void told.push(request),
    });
    const boss = await actor("lua::boss", { instance: "one" });
    const say = async (context: ChildContext): Promise<void> => {
      await context.request("lua::ear", "op", null, { ...CLAIMS } as object);
      expect(await context.emit("News", "op")).toBe(1);
    };
    await boss(async (context) => {
      await say(context);
      const child = await childOf(context, { id: "a" });
      await child(say);
    });
    await vi.waitFor(() => expect(told).toHaveLength(4));
    const sources = ["lua::boss#one", "lua::boss#one", "lua::boss/a#one", "lua::boss/a#one"];
    expect(told.map(({ source }) => source)).toEqual(sources);
    expect(told.map(({ target }) => target)).toEqual(Array(4).fill("lua::ear"));
  });

  test("a signal, and no hook can change it", async () => {
    const { orcs, runtime, actor } = await stage();
    const told: unknown[] = [];
    await runtime.spawn({
      id: "lua::ear",
      onRequest: () => null,
      onSignal: (signal) => (told.push(signal.source), "handled"),
    });
    const boss = await actor("lua::boss");
    const claims = { source: "builtin::root", kind: "veto" } as object;
    await boss((context) => context.sendSignal("lua::ear", "resume", claims));
    for (const source of ["builtin::root", undefined]) {
      const remove = orcs.on("signal.pre_dispatch", (ctx) => {
        const signal = ctx.payload["signal"] as object;
        Object.assign(ctx.payload, { signal: { ...signal, source } });
        return undefined;
      });
      await boss((context) => context.sendSignal("lua::ear", "resume"));
      remove();
    }
    await runtime.signal("lua::ear", "resume");
    expect(told).toEqual(["lua::boss", "lua::boss", "lua::boss", undefined]);
  });

  test("the principal, passed on through components and children", async () => {
    const { orcs, runtime, actor } = await stage();
    const principals: unknown[] = [];
    orcs.addTool("look", (_, { ctx }) => void principals.push(ctx.principal));
    await runtime.spawn({ id: "lua::ear", onRequest: (_, context) => context.get("look") });
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      await context.request("lua::ear", "op");
      const child = await childOf(context, { id: "a" });
      await child((own) => own.request("lua::ear", "op"));
    });
    const principal = { type: "User", id: "ann" };
    await runtime.request("lua::ear", "op", null, { principal });
    const host = { type: "Host", id: "main" };
    expect(principals).toEqual([host, host, principal]);
  });

  test("metadata, passed on with a request into its calls", async () => {
    const { orcs, runtime } = await stage();
    const seen: unknown[] = [];
    orcs.addTool("look", (_, { ctx }) => void seen.push({ ...ctx.metadata }));
    orcs.on("request.pre_dispatch", (ctx) => void (ctx.metadata["hook"] = 1));
    await runtime.spawn({
      id: "lua::ear",
      onRequest: async (_, context) => {
        expect(context.metadata).toEqual({ from: "host", hook: 1 });
        await context.get("look", {}, { metadata: { own: 2 } });
        return null;
      },
    });
    await runtime.request("lua::ear", "op", null, { metadata: { from: "host" } });
    expect(seen).toEqual([{ from: "host", hook: 1, own: 2 }]);
  });
});

describe("signals need SPAWN", () => {
  test("to another component and to all", async () => {
    const { actor } = await stage();
    await actor("lua::other");
    const boss = await actor("lua::boss", { capabilities: ["READ", "EXECUTE"] });
    for (const target of ["lua::other", "*", "lua::nobody"]) {
      const error = await boss((context) => errorOf(context.sendSignal(target, "veto")));
      expect(error.code, target).toBe("ORCS6007");
    }
    expect(await boss((context) => context.sendSignal("lua::boss", "resume"))).toBe("ignored");
  });

  test("to another instance of the same component", async () => {
    const { runtime, actor } = await stage();
    await actor("lua::boss");
    await actor("lua::boss", { instance: "two" });
    const one = await actor("lua::boss", { instance: "one", capabilities: [] });
    for (const target of ["lua::boss", "lua::boss#two"]) {
      const error = await one((context) => errorOf(context.sendSignal(target, "veto")));
      expect(error.code, target).toBe("ORCS6007");
    }
    expect(await one((context) => context.sendSignal("lua::boss#one", "resume"))).toBe("ignored");
    expect(runtime.channels).toHaveLength(3);
  });

  test("from a child to its own component", async () => {
    const { runtime, actor } = await stage();
    const boss = await actor("lua::boss");
    const error = await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities: ["READ"] });
      return child((own) => errorOf(own.sendSignal("lua::boss", "veto")));
    });
    expect(error.code).toBe("ORCS6007");
    expect(runtime.channels.map(({ state }) => state)).toEqual(["running"]);
  });

  test("a child cannot make its context that of its component", async () => {
    const { actor } = await stage();
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities: ["READ"] });
      return child(async (own) => {
        expect(() => Object.assign(own, { child: undefined })).toThrow(TypeError);
      });
    });
  });

  test.each(["approve", "reject"] as const)("%s about others needs SPAWN", async (kind) => {
    const { actor } = await stage();
    const boss = await actor("lua::boss", { capabilities: [] });
    const error = await boss((context) =>
      errorOf(context.sendSignal("lua::boss", kind, { approval_id: "x" })),
    );
    expect(error.code).toBe("ORCS6007");
  });
});

describe("a hook has the capabilities of the call it serves", () => {
  /** What a hook is answered that runs a command while a tool call is on its way. */
  async function hooked(
    capabilities: (keyof typeof CAPABILITIES)[],
    before: ((ctx: HookContext) => void) | undefined,
    act: (scope: CallScope) => Promise<unknown>,
  ): Promise<unknown> {
    const { orcs, actor } = await stage({ cwd: folder() });
    orcs.wrapTool("look", () => "seen");
    if (before) orcs.on("tool.pre_execute", { tool: "look" }, (ctx) => before(ctx));
    let answer: unknown;
    orcs.on("tool.pre_execute", { tool: "look" }, async (_, scope) => {
      answer = await act(scope);
    });
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities });
      await child((own) => own.get("look"));
    });
    return answer;
  }

  const exec = (scope: CallScope) => scope.get("exec", "echo x");
  const narrow = (ctx: HookContext) => {
    ctx.payload["capabilities"] = Number(ctx.payload["capabilities"]) & ~CAPABILITIES.EXECUTE;
  };
  const refused = {
    ok: false,
    error: expect.stringContaining("exec needs the capability EXECUTE; this call has"),
  };

  test("EXECUTE: present, absent, and removed by an earlier hook", async () => {
    expect(await hooked(["EXECUTE"], undefined, exec)).toMatchObject({ ok: true, stdout: "x\n" });
    expect(await hooked(["READ"], undefined, exec)).toEqual(refused);
    expect(await hooked(["READ", "EXECUTE"], narrow, exec)).toEqual(refused);
  });

  test("SPAWN: for children, hooks and signals", async () => {
    const spawn = async (scope: CallScope) => {
      const { signal } = new AbortController();
      const spawned = await scope.verb?.(
        "spawn_child",
        [{ id: "b", code: "return print" }],
        signal,
      );
      const told = await scope.verb?.("send_signal", ["lua::boss", "veto"], signal);
      return [scope.mayHook, spawned, told];
    };
    const no = { ok: false, code: "ORCS6007", error: expect.stringContaining("SPAWN") };
    expect(await hooked(["READ"], undefined, spawn)).toEqual([false, no, no]);
    const take = (ctx: HookContext) => {
      ctx.payload["capabilities"] = Number(ctx.payload["capabilities"]) & ~CAPABILITIES.SPAWN;
    };
    expect(await hooked(["READ", "SPAWN"], take, spawn)).toEqual([false, no, no]);
  });

  test("a child that it spawns has no more than the call", async () => {
    const code =
      'return function() local a = orcs.exec("echo x") return a.ok and a.stdout or a.error end';
    const run = async (scope: CallScope) => {
      const { signal } = new AbortController();
      const spawned = await scope.verb?.("spawn_child", [{ id: "b", code }], signal);
      return [spawned, await scope.verb?.("send_to_child", ["b"], signal)];
    };
    expect(await hooked(["EXECUTE", "SPAWN"], undefined, run)).toEqual([
      { ok: true, child_id: "a/b", capabilities: ["EXECUTE", "SPAWN"] },
      { ok: true, result: "x\n" },
    ]);
    expect(await hooked(["EXECUTE", "SPAWN"], narrow, run)).toEqual([
      { ok: true, child_id: "a/b", capabilities: ["SPAWN"] },
      { ok: true, result: expect.stringContaining("needs the capability EXECUTE") },
    ]);
  });

  test("a child that the component's own call spawns has no more than the call", async () => {
    const { orcs, actor } = await stage();
    orcs.wrapTool("look", () => "seen");
    orcs.on("tool.pre_execute", narrow);
    let spawned: unknown;
    orcs.on("tool.pre_execute", async (_, scope) => {
      const { signal } = new AbortController();
      spawned = await scope.verb?.("spawn_child", [{ id: "b", code: "return print" }], signal);
    });
    const boss = await actor("lua::boss", { capabilities: ["SPAWN", "EXECUTE"] });
    await boss((context) => context.get("look"));
    expect(spawned).toEqual({ ok: true, child_id: "b", capabilities: ["SPAWN"] });
  });

  test("check_command denies without EXECUTE", async () => {
    const check = (scope: CallScope) =>
      scope.verb?.("check_command", ["echo x"], new AbortController().signal) ?? Promise.resolve();
    expect(await hooked(["EXECUTE"], undefined, check)).toMatchObject({ status: "allowed" });
    expect(await hooked(["EXECUTE"], narrow, check)).toMatchObject({ ok: false, status: "denied" });
  });

  test("at the llm points too", async () => {
    const { orcs, actor } = await stage({ cwd: folder(), llm: () => "hi" });
    const answers: unknown[] = [];
    orcs.on("tool.pre_execute", { tool: "llm" }, narrow);
    for (const point of ["llm.pre_generate", "llm.post_generate"]) {
      orcs.on(point, async (_, scope) => {
        answers.push(await exec(scope));
      });
    }
    const boss = await actor("lua::boss");
    expect(await boss((context) => context.get("llm", "hello"))).toMatchObject({ text: "hi" });
    expect(answers).toEqual([refused, refused]);
  });

  test("at the component's lifecycle points", async () => {
    const { orcs, actor } = await stage({ cwd: folder() });
    const answers: string[] = [];
    for (const point of ["child.pre_run", "child.post_run", "auth.pre_check", "auth.post_check"]) {
      orcs.on(point, async (ctx, scope) => {
        if (ctx.depth === 0) answers.push(`${point} ${(await exec(scope)).ok}`);
      });
    }
    const boss = await actor("lua::boss");
    await boss(async (context) => {
      const child = await childOf(context, { id: "a", capabilities: ["READ"] });
      await child((own) => own.checkCommand("true"));
    });
    expect(answers).toEqual([
      "child.pre_run false",
      "auth.pre_check false",
      "auth.post_check false",
      "child.post_run false",
    ]);
  });
});

describe("call depth", () => {
  test.each([1, 2, 4, 7])(
    "a hook that calls itself by orcs.get ends at depth %i",
    async (max_depth) => {
      const { orcs, actor } = await stage({ config: { engine: { max_depth } } });
      const depths: number[] = [];
      const answers: unknown[] = [];
      orcs.wrapTool("look", () => "seen");
      orcs.on("tool.pre_execute", async (ctx, scope) => {
        depths.push(ctx.depth);
        answers.unshift(await scope.get("look"));
      });
      const boss = await actor("lua::boss");
      expect(await boss((context) => context.get("look"))).toMatchObject({ ok: true });
      expect(depths).toEqual(Array.from({ length: max_depth }, (_, i) => i));
      expect(answers).toHaveLength(max_depth);
      // Unshifted, so that the innermost, which is answered first, comes last.
      expect(answers.at(-1)).toMatchObject({ ok: false, error: expect.stringContaining("depth") });
      expect(answers.slice(0, -1).every((answer) => (answer as { ok: boolean }).ok)).toBe(true);
    },
  );

  test("a hook that recurses through components ends at the limit", async () => {
    const { orcs, runtime, actor } = await stage();
    orcs.wrapTool("look", () => "seen");
    const depths: number[] = [];
    const answers: Json[] = [];
    const { signal } = new AbortController();
    // Each has its own target: a channel that waits for itself is refused for another reason.
    for (let i = 0; i <= 8; i++) {
      await runtime.spawn({
        id: `lua::n${i}`,
        onRequest: async (_, context) => (await context.get("look", { next: i + 1 })) as Json,
      });
    }
    orcs.on("tool.pre_execute", async (ctx, scope) => {
      depths.push(ctx.depth);
      const { next } = ctx.payload["args"] as { next: number };
      answers.unshift((await scope.verb?.("request", [`lua::n${next}`, "op"], signal)) ?? null);
    });
    const boss = await actor("lua::boss");
    await boss((context) => context.request("lua::n0", "op"));
    expect(depths).toEqual([0, 1, 2, 3]);
    expect(answers.at(-1)).toMatchObject({ ok: false, error: expect.stringContaining("depth") });
  });

  test.each<[string, (scope: CallScope, signal: AbortSignal) => Promise<unknown> | undefined]>([
    ["check_command", (scope, signal) => scope.verb?.("check_command", ["true"], signal)],
    ["emit_event", (scope, signal) => scope.verb?.("emit_event", ["News", "op"], signal)],
    [
      "send_signal",
      (scope, signal) =>
        // Each deeper one has its own target: signals to one component wait for each other.
        scope.verb?.("send_signal", [`lua::ear${scope.depth}`, "resume"], signal),
    ],
    [
      "spawn_child",
      (scope, signal) =>
        scope.verb?.("spawn_child", [{ id: `c${scope.depth}`, code: "return print" }], signal),
    ],
  ])("a hook at every point that calls %s ends at the limit", async (_, act) => {
    const { orcs, runtime, actor } = await stage();
    for (let i = 0; i < 5; i++) {
      const subscriptions = i === 0 ? ["News"] : [];
      await runtime.spawn({ id: `lua::ear${i}`, subscriptions, onRequest: () => null });
    }
    const boss = await actor("lua::boss");
    let most = 0;
    let count = 0;
    const { signal } = new AbortController();
    for (const { name } of orcs.points.all) {
      orcs.on(name, async (ctx, scope) => {
        count++;
        most = Math.max(most, ctx.depth);
        await act(scope, signal);
      });
    }
    await boss((context) => context.checkCommand("true"));
    await vi.waitFor(() => expect(most).toBe(3));
    // Events go on after those who sent them.
    for (let before = -1; before !== count; await sleep(30)) before = count;
    expect(count).toBeLessThan(2000);
  });

  test("50 concurrent chains are counted separately", async () => {
    const { orcs, runtime } = await stage();
    orcs.wrapTool("look", () => "seen");
    const depths = new Map<unknown, number[]>();
    orcs.on("tool.pre_execute", async (ctx, scope) => {
      const { chain } = ctx.payload["args"] as { chain: number };
      depths.set(chain, [...(depths.get(chain) ?? []), ctx.depth]);
      await sleep((chain * 7) % 5);
      // Every other chain goes two deep, the rest as deep as they may.
      if (chain % 2 === 0 && ctx.depth === 1) return;
      await scope.get("look", { chain });
    });
    const chains = Array.from({ length: 50 }, (_, i) => i);
    await Promise.all(
      chains.map(async (chain) => {
        await runtime.spawn({
          id: `lua::n${chain}`,
          onRequest: async (_, context) => {
            await context.get("look", { chain });
            return null;
          },
        });
        await runtime.request(`lua::n${chain}`, "op");
      }),
    );
    for (const chain of chains)
      expect(depths.get(chain), `chain ${chain}`).toEqual(chain % 2 ? [0, 1, 2, 3] : [0, 1]);
  });
});

describe("the context of a finished call", () => {
  test("rejects further requests", async () => {
    const { actor } = await stage({ cwd: folder() });
    await actor("lua::other");
    const boss = await actor("lua::boss");
    let kept: ChildContext | undefined;
    await boss(async (context) => {
      const child = await childOf(context, { id: "a" });
      await child((own) => void (kept = own));
    });
    if (!kept) throw new Error("it did not run");
    expect(kept.signal.aborted).toBe(true);
    expect(await kept.get("exec", "echo x")).toMatchObject({ ok: false });
    expect((await errorOf(kept.request("lua::other", "op"))).code).toBe("ORCS6014");
  });

  test("keeps its capabilities, under their documented names", async () => {
    const { actor } = await stage();
    const boss = await actor("lua::boss", { capabilities: ["HTTP", "SPAWN"] });
    expect(await boss((context) => capabilityNames(context.capabilities))).toEqual([
      "SPAWN",
      "HTTP",
    ]);
  });
});
