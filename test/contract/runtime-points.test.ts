import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { ORCS_POINTS } from "../../src/core/point-table.ts";
import { PRE_ROWS } from "./runtime-pre-points.ts";
import type { PrePoint } from "./runtime-pre-points.ts";
import { A, createWorld, expectNothingLeft } from "./runtime-rig.ts";
import type { World } from "./runtime-rig.ts";

// What each action at each pre point changes in what really happens: the same table for hooks in TypeScript
// and in Lua. The operations are those of the runtime, asked for by callers of the runtime.

const PRE = Object.keys(PRE_ROWS) as PrePoint[];
type Act = "watch" | "rewrite" | "skip" | "abort" | "fail" | "retry" | "retry for ever";
const REASON = "not on my watch";

/** A world with one hook `h` that does one thing at one point, in some language. */
const LANGUAGES: Readonly<Record<string, (point: PrePoint, act: Act) => Promise<World>>> = {
  TypeScript(point, act) {
    const { rewrite, skip } = PRE_ROWS[point];
    let retries = 0;
    const acts: Readonly<Record<Act, (payload: Record<string, unknown>) => unknown>> = {
      watch: () => undefined,
      rewrite,
      skip: () => ({ action: "skip", result: skip }),
      abort: () => ({ action: "abort", reason: REASON }),
      fail() {
        throw new Error(REASON);
      },
      retry: () => (retries++ === 0 ? { action: "retry", delay_ms: 1 } : undefined),
      "retry for ever": () => ({ action: "retry", delay_ms: 1 }),
    };
    const handler = (ctx: { payload: Record<string, unknown> }) => acts[act](ctx.payload);
    return createWorld({ hooks: [{ id: "h", point, handler }] });
  },
  Lua(point, act) {
    const { lua, skip } = PRE_ROWS[point];
    const acts: Readonly<Record<Act, string>> = {
      watch: "return nil",
      rewrite: lua,
      skip: `return orcs.skip(orcs.json_decode([==[${JSON.stringify(skip)}]==]))`,
      abort: `return orcs.deny("${REASON}")`,
      fail: `error("${REASON}")`,
      retry: `if orcs.state.incr("n", 1) == 1 then return orcs.retry(1) end`,
      "retry for ever": "return orcs.retry(1)",
    };
    const hook: JsonObject = { id: "h", point, handler_inline: `function(ctx) ${acts[act]} end` };
    return createWorld({ config: [hook] });
  },
};

/** How often the operation ran. */
function runs({ did }: World, ran: string | undefined): number {
  return ran === undefined ? 0 : did.filter((line) => line.startsWith(ran)).length;
}

test("the tested table has every pre point", () => {
  const points = Object.keys(ORCS_POINTS).filter((point) => point.includes(".pre_"));
  expect(PRE.toSorted()).toEqual(points.toSorted());
});

describe.each(Object.keys(LANGUAGES))("a pre hook in %s", (language) => {
  const worldOf = (point: PrePoint, act: Act): Promise<World> => {
    const make = LANGUAGES[language];
    if (!make) throw new Error(`no language ${language}`);
    return make(point, act);
  };

  describe.each(PRE)("at %s", (point) => {
    const row = PRE_ROWS[point];
    const once = row.ran === undefined ? 0 : 1;

    test("without a decision changes nothing", async () => {
      const world = await worldOf(point, "watch");
      const came = await row.act(world);
      await row.normal(came, world);
      expect(runs(world, row.ran)).toBe(once);
    });

    test("can rewrite the operation's input", async () => {
      const world = await worldOf(point, "rewrite");
      const came = await row.act(world);
      await row.rewritten(came, world);
      expect(runs(world, row.ran)).toBe(once);
    });

    test("can skip the operation with a result for the caller", async () => {
      const world = await worldOf(point, "skip");
      const came = await row.act(world);
      expect(runs(world, row.ran)).toBe(0);
      await row.skipped(came, world);
      await world.runtime.shutdownParallel();
      expectNothingLeft(world, ["h"]);
    });

    test.each([
      ["abort", `h: ${REASON}`],
      ["fail", "hook h failed: "],
      ["retry for ever", "hook h requested more than 3 retries"],
    ] as const)(
      "can deny with %s: the caller gets hook and reason, and nothing is left behind",
      async (act, why) => {
        const world = await worldOf(point, act);
        const came = await row.act(world);
        expect(row.refusal(came)).toContain(why);
        if (act !== "retry for ever") expect(row.refusal(came)).toContain(REASON);
        expect(runs(world, row.ran)).toBe(0);
        const { runtime, orcs, did } = world;
        const isOfStart = point === "component.pre_init" || point === "channel.pre_create";
        const isOfEnd = point === "component.pre_shutdown" || point === "channel.pre_destroy";
        if (isOfStart || isOfEnd) expectNothingLeft(world, ["h"]);
        // And it goes on: without the hook the same is as ever.
        orcs.registry.unregister("h");
        await runtime.stop(A);
        did.length = 0;
        await row.normal(await row.act(world), world);
        await runtime.shutdownParallel();
        expectNothingLeft(world, []);
      },
    );

    test("can retry: the operation runs once, and nothing is duplicated", async () => {
      const world = await worldOf(point, "retry");
      const came = await row.act(world);
      expect(runs(world, row.ran)).toBe(once);
      await row.normal(came, world);
      await world.runtime.shutdownParallel();
      expectNothingLeft(world, ["h"]);
    });
  });
});

/** Points after an operation, with what a replacement comes to. */
interface PostRow {
  /** How the operation is made to happen: as at this pre point. */
  readonly of: PrePoint;
  readonly result: Json;
  /** Of the table, what the caller gets that the hook replaced; undefined where the caller gets none of it. */
  readonly replaced: unknown;
}

type PostPoint = Extract<keyof typeof ORCS_POINTS, `${string}.post_${string}`>;
const POST_ROWS: Readonly<Record<PostPoint, PostRow>> = {
  "component.post_init": { of: "component.pre_init", result: { other: 1 }, replaced: undefined },
  "component.post_shutdown": {
    of: "component.pre_shutdown",
    result: { other: 1 },
    replaced: { snapshot: { other: 1 }, errors: [] },
  },
  "request.post_dispatch": { of: "request.pre_dispatch", result: ["other"], replaced: ["other"] },
  "signal.post_dispatch": { of: "signal.pre_dispatch", result: "ignored", replaced: "ignored" },
  "child.post_spawn": { of: "child.pre_spawn", result: 1, replaced: undefined },
  "child.post_run": { of: "child.pre_run", result: null, replaced: null },
  "channel.post_create": { of: "channel.pre_create", result: { id: "x" }, replaced: undefined },
  "channel.post_destroy": {
    of: "channel.pre_destroy",
    result: { other: 2 },
    replaced: { snapshot: { other: 2 }, exit_reason: "done" },
  },
  "tool.post_execute": {
    of: "tool.pre_execute",
    result: { other: 3 },
    replaced: { ok: true, other: 3 },
  },
  "auth.post_check": {
    of: "auth.pre_check",
    result: "allowed",
    replaced: { command: "git status", status: "allowed" },
  },
  "bus.post_broadcast": { of: "bus.pre_broadcast", result: 9, replaced: 9 },
};

type PostAct = "replace" | "retry" | "fail" | "skip";

function worldAfter(language: string, point: PostPoint, act: PostAct): Promise<World> {
  const { result } = POST_ROWS[point];
  if (language === "Lua") {
    const acts: Readonly<Record<PostAct, string>> = {
      replace: `return orcs.replace(orcs.json_decode([==[${JSON.stringify(result)}]==]))`,
      retry: `if orcs.state.incr("n", 1) == 1 then return orcs.retry(1) end`,
      fail: `ctx.metadata.mark = "a trace" error("${REASON}")`,
      skip: `return orcs.skip(1)`,
    };
    const hook: JsonObject = { id: "h", point, handler_inline: `function(ctx) ${acts[act]} end` };
    return createWorld({ config: [hook] });
  }
  let retries = 0;
  const acts: Readonly<Record<PostAct, () => unknown>> = {
    replace: () => ({ action: "replace", result }),
    retry: () => (retries++ === 0 ? { action: "retry", delay_ms: 1 } : undefined),
    fail() {
      throw new Error(REASON);
    },
    skip: () => ({ action: "skip", result: 1 }),
  };
  return createWorld({ hooks: [{ id: "h", point, handler: acts[act] }] });
}

describe.each(Object.keys(LANGUAGES))("a post hook in %s", (language) => {
  describe.each(Object.keys(POST_ROWS) as PostPoint[])("at %s", (point) => {
    const { of, replaced } = POST_ROWS[point];
    const row = PRE_ROWS[of];

    test("can replace the caller's result", async () => {
      const world = await worldAfter(language, point, "replace");
      const came = await row.act(world);
      if (replaced === undefined) await row.normal(came, world);
      else if (typeof replaced === "object" && replaced !== null && !Array.isArray(replaced)) {
        expect((came as { answer: unknown }).answer).toMatchObject(replaced);
      } else expect(came).toEqual({ answer: replaced });
      expect(world.lines.filter((line) => line.startsWith("error"))).toEqual([]);
    });

    test("can retry: the operation runs twice with one result", async () => {
      const world = await worldAfter(language, point, "retry");
      const came = await row.act(world);
      if (row.ran !== undefined && point !== "channel.post_create") {
        expect(runs(world, row.ran)).toBe(2);
      }
      const [first] = world.did;
      // What is done twice is told twice; the rest is as ever.
      world.did.splice(0, world.did.length, ...new Set(world.did));
      expect(world.did[0]).toBe(first);
      await row.normal(came, world);
      await world.runtime.shutdownParallel();
      expectNothingLeft(world, ["h"]);
    });

    test.each(["fail", "skip"] as const)(
      "with an ineffective result (%s) is skipped",
      async (act) => {
        const world = await worldAfter(language, point, act);
        await row.normal(await row.act(world), world);
        expect(world.lines.join("\n")).toContain(`hook h failed at ${point}`);
        await world.runtime.shutdownParallel();
        expectNothingLeft(world, ["h"]);
      },
    );
  });

  test.each(["bus.on_register", "bus.on_unregister", "auth.on_grant"] as const)(
    "a hook that fails at %s is skipped",
    async (point) => {
      const world =
        language === "Lua"
          ? await createWorld({
              config: [{ id: "h", point, handler_inline: `function(ctx) error("${REASON}") end` }],
            })
          : await createWorld({
              hooks: [
                {
                  id: "h",
                  point,
                  handler() {
                    throw new Error(REASON);
                  },
                },
              ],
            });
      await world.up();
      expect(await world.ask("grant", "git status")).toBeNull();
      expect(await world.ask("check", "git status -s")).toMatchObject({ status: "allowed" });
      expect(await world.runtime.stop(A)).toMatchObject({ snapshot: { n: 1 }, errors: [] });
      expect(world.lines.join("\n")).toContain(`hook h failed at ${point}`);
      expectNothingLeft(world, ["h"]);
    },
  );
});
