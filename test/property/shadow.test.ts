import * as fc from "fast-check";
import { afterAll, describe, expect } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import type { HookContext } from "../../src/core/context.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { HookRegistry } from "../../src/engine/registry/registry.ts";
import { bench, hook, Lines } from "../unit/engine/registry/hooks.ts";
import { isSlowRun, repeatedTest, runCount } from "../slow-test.ts";

/** Dispatches of one plan: what a hook keeps from one must not reach the next. */
const CALLS = 5;
const POINTS = ["test.pre_run", "test.post_run", "test.on_ask", "tool.pre_execute"];

type Does = (ctx: HookContext) => unknown;
const args = (ctx: HookContext) => ctx.payload["args"] as Record<string, unknown>;

/** What a hook may do, in the chain or in shadow. */
const DEEDS: Readonly<Record<string, Does>> = {
  nothing: () => undefined,
  edits: (ctx) => void (args(ctx)["command"] = `${String(args(ctx)["command"])}!`),
  "edits and waits": async (ctx) => {
    await Promise.resolve();
    args(ctx)["list"] = [1, { deep: true }];
  },
  removes: (ctx) => void delete ctx.payload["extra"],
  "notes metadata": (ctx) => void (ctx.metadata["n"] = Number(ctx.metadata["n"] ?? 0) + 1),
  denies: () => ({ action: "abort", reason: "no" }),
  "edits and denies": (ctx) => {
    args(ctx)["command"] = "true";
    return { action: "abort", reason: "no" };
  },
  asks: () => ({ decision: "ask", reason: "sure?" }),
  allows: () => ({ decision: "allow" }),
  injects: () => ({ inject: ["look", "here"] }),
  stops: () => ({ action: "continue", stop: true }),
  skips: () => ({ action: "skip", result: { ok: true } }),
  replaces: () => ({ action: "replace", result: { mine: 1 } }),
  retries: () => ({ action: "retry", delay_ms: 1 }),
  throws: () => {
    throw new Error("oh");
  },
  "rejects late": () => Promise.reject(new Error("late")),
  nonsense: () => 42,
  renames: (ctx) => void (ctx.payload["tool_name"] = "other"),
  "spoils the payload": (ctx) => void (ctx.payload = 7 as never),
};
/** Only in shadow: nothing waits for it. */
const HANGS: Does = () => new Promise(() => undefined);

const MODES = { enforce: undefined, warn: "warn", audit: "audit" } as const;

const placed = {
  priority: fc.integer({ min: 1, max: 4 }),
  rank: fc.constantFrom(0 as const, 1 as const),
  tool: fc.option(fc.constantFrom("exec", "read"), { nil: undefined }),
  once: fc.boolean(),
};
const enforced = fc.record({
  ...placed,
  deed: fc.constantFrom(...Object.keys(DEEDS)),
  mode: fc.constantFrom("enforce" as const, "enforce" as const, "warn" as const),
});
const shadowed = fc.record({
  ...placed,
  deed: fc.constantFrom(...Object.keys(DEEDS), "hangs"),
  mode: fc.constant("audit" as const),
});
type Planned = typeof enforced | typeof shadowed extends fc.Arbitrary<infer P> ? P : never;

const plan = fc.record({
  point: fc.constantFrom(...POINTS),
  hooks: fc.array(enforced, { maxLength: 4 }),
  shadows: fc.array(fc.tuple(fc.nat(4), shadowed), { minLength: 1, maxLength: 3 }),
  onError: fc.constantFrom("open" as const, "closed" as const, undefined),
  traced: fc.boolean(),
});

function registryOf(
  point: string,
  hooks: readonly Planned[],
  onError: "open" | "closed" | undefined,
) {
  const { registry, log } = bench({ onError });
  let enforcedSoFar = 0;
  for (const { deed, mode, tool, ...words } of hooks) {
    const isShadow = mode === "audit";
    const id = isShadow ? `shadow-${registry.size}` : `hook-${enforcedSoFar++}`;
    const does = DEEDS[deed] ?? HANGS;
    const set = MODES[mode];
    const more = { ...(tool !== undefined && { tool }), ...(set && { mode: set }) };
    registry.register(hook(does, { ...words, ...more, id, point, timeoutMs: 2 }));
  }
  return { registry, log };
}

async function answers(registry: HookRegistry, point: string, trace: boolean): Promise<string[]> {
  const texts: string[] = [];
  for (let i = 0; i < CALLS; i++) {
    const payload = {
      tool_name: i % 2 === 0 ? "exec" : "read",
      args: { command: `ls ${i}` },
      extra: { n: i },
      session_id: `s${i % 2}`,
    };
    const given = JSON.stringify(payload);
    let text: string;
    try {
      text = textOf(await registry.dispatch(point, payload, { trace }));
    } catch (thrown) {
      text = String(thrown);
    }
    texts.push(text);
    expect(JSON.stringify(payload)).toBe(given);
    // Sometimes the hooks in shadow run between two dispatches, sometimes after all of them.
    if (i === 1) await registry.shadow.queue.idle();
  }
  await registry.idle();
  return texts;
}

/** An outcome without its times. */
function textOf(outcome: Outcome): string {
  return JSON.stringify(outcome, (key, value: unknown) =>
    key === "duration_ms" || key === "timestamp_ms" ? undefined : value,
  );
}

describe("a set with hooks in shadow", () => {
  let ran = 0;
  afterAll(() => expect(ran).toBeGreaterThan(100));

  repeatedTest(
    "answers byte for byte as the set without them",
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async ({ point, hooks, shadows, onError, traced }) => {
          const all: Planned[] = [...hooks];
          for (const [at, shadow] of shadows) all.splice(Math.min(at, all.length), 0, shadow);
          const without = registryOf(point, hooks, onError);
          const beside = registryOf(point, all, onError);
          beside.registry.events.on(
            "shadow",
            ({ status }) => void (ran += status === "ran" ? 1 : 0),
          );
          const [expected, is] = [
            await answers(without.registry, point, traced),
            await answers(beside.registry, point, traced),
          ];
          expect(is).toEqual(expected);
          expect(beside.log.of("error")).toEqual(without.log.of("error"));
        }),
        // 100,000 dispatches in a slow run: each plan has several, and the hooks that hang take their time.
        { numRuns: Math.ceil(runCount(20_000) / (isSlowRun ? 1 : 20)) },
      );
    },
    600_000,
  );

  repeatedTest(
    "answers so with scripts, in real states that are killed and run out of memory",
    async () => {
      const point = "tool.pre_execute";
      const chain = [
        'ctx.payload.args.command = ctx.payload.args.command .. " --x"; n = (n or 0) + 1; ctx.metadata.n = n',
        'if ctx.payload.args.command:find("^rm") then return orcs.deny("rm") end',
        'orcs.state.incr("seen", 1); ctx.metadata.seen = orcs.state.get("seen")',
      ];
      const shadow = [
        'n = (n or 0) + 7; ctx.metadata.n = n; ctx.payload.args = {}; return orcs.deny("x")',
        'orcs.state.set("seen", 1000); orcs.state.delete("seen"); return orcs.ask("y")',
        "while true do end",
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end",
        'error({ not_a = "text" })',
        'return orcs.get("nothing", {})',
        "string.rep = nil; _G.orcs = nil; return { inject = 'z', stop = true }",
      ];
      const inline = (code: string, i: number, mode: string) => ({
        id: `${mode}-${i}`,
        point,
        mode,
        priority: i,
        handler_inline: code,
      });
      const limits = { lua: { max_run_ms: 20, memory_mb: 2 } };
      const set = chain.map((code, i) => inline(code, i, "enforce"));
      const open = (more: readonly object[]) =>
        createOrcs({ config: { ...limits, hooks: [...more, ...set] }, logger: new Lines() });
      const without = await open([]);
      const beside = await open(shadow.map((code, i) => inline(code, i, "audit")));
      const kinds = new Set<string>();
      beside.events.on("shadow", ({ status }) => void kinds.add(status));
      for (let i = 0; i < runCount(1000); i++) {
        const payload = { tool_name: "exec", args: { command: i % 3 === 0 ? "rm x" : `ls ${i}` } };
        const expected = textOf(await without.dispatch(point, structuredClone(payload)));
        expect(textOf(await beside.dispatch(point, payload))).toBe(expected);
        if (i % 10 === 0) await beside.registry.shadow.queue.idle();
      }
      await without.close();
      await beside.close();
      expect([...kinds].toSorted()).toEqual(["failed", "ran", "timed_out"]);
    },
    600_000,
  );
});
