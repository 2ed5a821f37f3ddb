import { expect, test } from "vitest";
import type { Component } from "../../src/core/component.ts";
import type { HookContext } from "../../src/core/context.ts";
import { createWorld } from "./runtime-rig.ts";

// Metadata belongs to one operation: what its pre hooks note, the operation, the calls it makes and its post
// hooks see, however many overlap.

const CROWD = 50;

/** Delays in milliseconds that are the same in every run. */
function delays(seed: number): () => Promise<void> {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return new Promise((resolve) => setTimeout(resolve, state % 7));
  };
}

/** Notes its operation, and what it found noted by the operation around. */
interface Mark {
  readonly own: string;
  readonly outer: unknown;
}

test("metadata of 50 concurrent component lives is kept apart", async () => {
  const pause = delays(7);
  const marks = new Map<string, number>();
  const mixed: string[] = [];
  const opened: string[] = [];
  let count = 0;
  const pre = (family: string) => ({
    id: `pre ${family}`,
    point: family.replace(".", ".pre_"),
    async handler(ctx: HookContext) {
      const own = `${family} of ${whose(ctx)} ${++count}`;
      const outer = (ctx.metadata["mark"] as Mark | undefined)?.own ?? null;
      await pause();
      ctx.metadata["mark"] = { own, outer };
      opened.push(own);
    },
  });
  const post = (family: string) => ({
    id: `post ${family}`,
    point: family.replace(".", ".post_"),
    async handler(ctx: HookContext) {
      const early = ctx.metadata["mark"] as Mark | undefined;
      await pause();
      const mark = ctx.metadata["mark"] as Mark | undefined;
      if (mark?.own !== early?.own) mixed.push(`${early?.own} became ${mark?.own}`);
      if (!mark?.own.startsWith(`${family} of ${whose(ctx)} `)) {
        mixed.push(`${family} of ${whose(ctx)} found ${mark?.own}`);
      }
      marks.set(mark?.own ?? "none", (marks.get(mark?.own ?? "none") ?? 0) + 1);
    },
  });
  const families = [
    "component.init",
    "request.dispatch",
    "child.run",
    "tool.execute",
    "component.shutdown",
  ];
  const { runtime } = await createWorld({
    hooks: families.flatMap((family) => [pre(family), post(family)]),
  });

  const outerOf = (metadata: Readonly<Record<string, unknown>>): Mark => metadata["mark"] as Mark;
  const component = (id: string): Component => ({
    id,
    async init(context) {
      await pause();
      if (!outerOf(context.metadata).own.startsWith(`component.init of ${id} `)) mixed.push(id);
      await context.spawnChild(
        { id: "kid" },
        {
          async run(input, inner) {
            await pause();
            const { own, outer } = outerOf(inner.metadata);
            if (own.split(" ")[0] !== "child.run" || !String(own).includes(id)) mixed.push(own);
            const noted = await inner.get("note", { input });
            const tool = noted["mark"] as unknown as Mark;
            if (tool.outer !== own) mixed.push(`${tool.own} in ${own} found ${String(tool.outer)}`);
            return { outer: String(outer) };
          },
        },
      );
    },
    async onRequest({ payload }, context) {
      const { own } = outerOf(context.metadata);
      await pause();
      const ran = (await context.runChild("kid", payload)) as { outer: string };
      if (ran.outer !== own) mixed.push(`the child of ${own} found ${ran.outer}`);
      // Several at a time within one call, too.
      const tools = await Promise.all([1, 2, 3].map((n) => context.get("note", { n, payload })));
      for (const tool of tools) {
        const { outer } = tool["mark"] as unknown as Mark;
        if (outer !== own) mixed.push(`a tool of ${own} found ${String(outer)}`);
      }
      const seen = new Set(tools.map((tool) => (tool["mark"] as unknown as Mark).own));
      if (seen.size !== 3) mixed.push(`the tools of ${own} share a mark`);
      return payload;
    },
    async shutdown(context) {
      await pause();
      if (!outerOf(context.metadata).own.startsWith(`component.shutdown of ${id} `)) mixed.push(id);
    },
  });

  const ids = Array.from({ length: CROWD }, (_, i) => `builtin::c${i}x`);
  await Promise.all(ids.map((id) => runtime.spawn(component(id))));
  const answers = await Promise.all(
    ids.flatMap((id) => [1, 2].map((n) => runtime.request(id, "go", [id, n]))),
  );
  expect(answers).toEqual(
    ids.flatMap((id) => [
      [id, 1],
      [id, 2],
    ]),
  );
  const ended = await runtime.shutdownParallel();
  expect(ended.flatMap(({ errors }) => errors)).toEqual([]);

  expect(mixed).toEqual([]);
  // One init, two requests with a run each, and four tools per request; one shutdown.
  expect(opened).toHaveLength(CROWD * (1 + 2 + 2 + 2 * 4 + 1));
  // Each operation met its own post hook once.
  expect([...marks.keys()].toSorted()).toEqual(opened.toSorted());
  expect(new Set(marks.values())).toEqual(new Set([1]));
});

/** The component, and of a tool call that of the caller. */
function whose({ component_id }: HookContext): string {
  return component_id;
}

test("a caller's metadata reaches the hooks, and their additions stay within the call", async () => {
  const found: Record<string, unknown>[] = [];
  const world = await createWorld({
    hooks: [
      {
        point: "request.pre_dispatch",
        handler(ctx) {
          found.push({ ...ctx.metadata });
          ctx.metadata["mark"] = "mine";
        },
      },
    ],
  });
  await world.up();
  const metadata = { from: "caller" };
  expect(await world.ask("echo", 1, metadata)).toEqual({ got: 1, mark: "mine" });
  await world.ask("echo", 2);
  expect(found).toEqual([{ from: "caller" }, {}]);
  expect(metadata).toEqual({ from: "caller" });
});

test("an event has the metadata of its broadcast", async () => {
  const found: unknown[] = [];
  const world = await createWorld({
    hooks: [
      {
        point: "bus.pre_broadcast",
        handler: (ctx) => void (ctx.metadata["mark"] = "broadcast"),
      },
      {
        point: "request.pre_dispatch",
        handler: (ctx) => void found.push(ctx.metadata["mark"] ?? null),
      },
    ],
  });
  await world.up();
  await world.runtime.broadcast({ category: "News", operation: "said", payload: 1 });
  await world.ask("echo");
  expect(found).toEqual(["broadcast", null]);
});

test("a command check has the metadata of its tool call", async () => {
  const found: unknown[] = [];
  const world = await createWorld({
    hooks: [
      {
        point: "tool.pre_execute",
        handler: (ctx) => void (ctx.metadata["mark"] = "tool"),
      },
      {
        point: "auth.pre_check",
        handler(ctx) {
          found.push(ctx.metadata["mark"]);
          ctx.metadata["mark"] = "auth";
          return { action: "abort", reason: "no" };
        },
      },
      { point: "auth.post_check", handler: (ctx) => void found.push(ctx.metadata["mark"]) },
      { point: "tool.post_execute", handler: (ctx) => void found.push(ctx.metadata["mark"]) },
    ],
  });
  const answer = await world.orcs.get("exec", "git log");
  expect(answer.ok).toBe(false);
  expect(found).toEqual(["tool", "auth", "tool"]);
});
