import { describe, expect, test } from "vitest";
import type { RigOptions } from "../unit/engine/lua/rig.ts";
import { inBothModes } from "./modes.ts";

const FAILURES: Record<string, readonly [body: string, why: RegExp, status?: string]> = {
  "P1 an error": [`error("broken")`, /script1\.lua:1: broken/],
  "P1 an error that is a table": [`error({ code = 1 })`, /error value \{ code = 1 \}/],
  "P1 an error that is nil": [`error()`, /error value nil/],
  "P1 a runtime error": [`local x = nil + 1`, /arithmetic on a nil value/],
  "P1 a runtime error in a coroutine": [`coroutine.wrap(function() error("inner") end)()`, /inner/],
  "P1 out of memory": [`string.rep("x", 1e9)`, /not enough memory/],
  "P1 a yield": [`coroutine.yield(1)`, /from outside a coroutine/],
  "P2 a loop": [`while true do end`, /ran longer than 100 ms/, "timed_out"],
  "P2 a wait": [`orcs.sleep(60000)`, /timed out after 300 ms/, "timed_out"],
  "P2 a call": [`orcs.get("hang")`, /timed out after 300 ms/, "timed_out"],
  "P3 an unknown action": [`return { action = "allow" }`, /unknown action "allow"/],
  "P3 an action of another type": [`return { action = 1 }`, /unknown action/],
  "P3 a misspelt key": [
    `return { acton = "abort" }`,
    /without "action" that has the unknown key "acton"/,
  ],
  "P3 an empty table": [`return {}`, /empty table/],
  "P3 only ctx": [`return { ctx = ctx }`, /empty table/],
  "P3 a list": [`return { "abort" }`, /a key that is not a string/],
  "P3 a number": [`return 1`, /returned the number 1/],
  "P3 a string": [`return "abort"`, /returned "abort"/],
  "P3 true": [`return true`, /returned the boolean true/],
  "P3 false": [`return false`, /returned the boolean false/],
  "P3 null": [`return orcs.null`, /returned null/],
  "P3 an unknown decision": [`return { decision = "maybe" }`, /unknown decision/],
  "P3 an unknown key": [`return { action = "abort", reasn = "x" }`, /unknown key "reasn"/],
  "P3 a part of the context": [`return ctx.payload`, /a part of the context/],
  "P3 another table as ctx": [
    `return { action = "continue", ctx = ctx.payload }`,
    /not the context/,
  ],
  "P3 a ctx of its own that does not fit": [
    `return { action = "continue", ctx = { payload = { args = 1 } } }`,
    /payload\.(tool_name|args)/,
  ],
  "P3 a wrong reason": [`return orcs.deny({})`, /reason/],
  "P3 a wrong inject": [`return orcs.inject({ 1 })`, /inject/],
  "P3 a wrong delay": [`return orcs.retry(-1)`, /delay_ms/],
  "a payload that fits no more": [`ctx.payload.args = 1`, /payload\.args must be an object/],
  "a changed name": [`ctx.payload.tool_name = "other"`, /must not be changed/],
  "a part that is read only": [`ctx.principal.id = "root"`, /read-only/],
  "a context with a key more": [`ctx.mine = 1`, /read-only/],
};

/** What means a denial, and is misspelt: it fails closed wherever it could have denied. */
const MISSPELT = ["P3 an unknown key", "P3 a wrong reason"];
const OTHERS = Object.keys(FAILURES).filter((name) => !MISSPELT.includes(name));

inBothModes(({ createRig }) => {
  /** What a handler's body makes of a dispatch, and of a second hook of another script after it. */
  async function run(
    body: string,
    options: RigOptions & { point?: string; payload?: object } = {},
  ) {
    const rig = await createRig({ limits: { maxRunMs: 100 }, ...options });
    const point = options.point ?? "tool.pre_execute";
    await rig.load(
      `orcs.hook{ id = "bad", point = "${point}", handler = function(ctx) ${body} end }`,
    );
    await rig.load(
      `orcs.hook{ id = "next", point = "${point}", priority = 200, handler = function(ctx) ctx.metadata.next = true end }`,
    );
    const payload = { tool_name: "exec", args: { a: 1 }, ...options.payload };
    const outcome = await rig.dispatch(point, payload, { trace: true });
    return { outcome, rig, reason: "reason" in outcome ? outcome.reason : undefined };
  }

  describe("a failing hook", () => {
    const hang: RigOptions = { timeoutMs: 300, tool: () => new Promise(() => {}) };

    test.each(Object.keys(FAILURES))("%s: with on_error closed it denies", async (name) => {
      const [body, why, status] = FAILURES[name] as (typeof FAILURES)[string];
      const { outcome, rig, reason } = await run(`ctx.payload.args.trace = 1 ${body}`, hang);
      expect(outcome.action).toBe("abort");
      expect(reason).toMatch(/^hook bad failed: /);
      expect(reason).toMatch(why);
      expect(outcome.ctx.payload).toEqual({ tool_name: "exec", tool: "exec", args: { a: 1 } });
      expect(outcome.trace?.[0]).toMatchObject({ id: "bad", status: status ?? "failed" });
      expect(outcome.trace?.[1]).toMatchObject({ id: "next", status: "not_reached" });
      expect(rig.logs.join()).toContain("hook bad failed at tool.pre_execute");
    });

    test.each(OTHERS)("%s: with on_error open it is skipped", async (name) => {
      const [body] = FAILURES[name] as (typeof FAILURES)[string];
      const { outcome } = await run(
        `ctx.payload.args.trace = 1 ctx.payload.args.a = nil ctx.metadata.m = 1 ${body}`,
        { ...hang, onError: "open" },
      );
      expect(outcome.action).toBe("continue");
      expect(outcome.ctx.payload).toEqual({ tool_name: "exec", tool: "exec", args: { a: 1 } });
      expect(outcome.ctx.metadata).toEqual({ next: true });
    });

    test.each(OTHERS)("P5 %s at a post point: the result is kept", async (name) => {
      const [body] = FAILURES[name] as (typeof FAILURES)[string];
      const { outcome } = await run(`ctx.payload.result = "changed" ${body}`, {
        ...hang,
        point: "tool.post_execute",
        payload: { result: "original" },
      });
      expect(outcome.action).toBe("continue");
      expect(outcome.ctx.payload).toMatchObject({ result: "original" });
      expect(outcome.ctx.metadata).toEqual({ next: true });
    });

    test.each(MISSPELT)("%s denies despite on_error open, and at a post point", async (name) => {
      const [body, why] = FAILURES[name] as (typeof FAILURES)[string];
      for (const options of [
        { onError: "open" as const },
        { point: "tool.post_execute", payload: { result: "original" } },
      ]) {
        const { outcome, reason } = await run(body, { ...hang, ...options });
        expect(outcome.action).toBe("abort");
        expect(reason).toMatch(/^hook bad failed: /);
        expect(reason).toMatch(why);
        expect(outcome.ctx.metadata).toEqual({});
      }
    });
  });

  describe("P3: nil and the context mean continue", () => {
    test.each([
      "",
      "return",
      "return nil",
      "return ctx",
      "return { action = 'continue' }",
      "return { action = 'continue', ctx = ctx }",
    ])("%s", async (body) => {
      const { outcome } = await run(`ctx.payload.args.seen = 1 ${body}`);
      expect(outcome.action).toBe("continue");
      expect(outcome.ctx.payload).toMatchObject({ args: { a: 1, seen: 1 } });
    });

    test("a ctx table of the script counts as edits of payload and metadata", async () => {
      const { outcome } = await run(
        `return { action = "continue", ctx = { payload = { tool_name = "exec", tool = "exec", args = { b = 2 } }, metadata = { m = 1 } } }`,
      );
      expect(outcome.ctx.payload).toEqual({ tool_name: "exec", tool: "exec", args: { b: 2 } });
      expect(outcome.ctx.metadata).toEqual({ m: 1, next: true });
    });
  });

  describe("P6: illegal actions are never silent", () => {
    test("replace at a pre point logs a warning and continues", async () => {
      const { outcome, rig } = await run(`ctx.payload.args.b = 2 return orcs.replace("x")`);
      expect(outcome.action).toBe("continue");
      expect(outcome.ctx.payload).toEqual({
        tool_name: "exec",
        tool: "exec",
        args: { a: 1, b: 2 },
      });
      expect(rig.logs).toEqual([expect.stringContaining("warn: hook bad: replace has no effect")]);
    });

    test.each([
      ["tool.post_execute", `orcs.skip("x")`],
      ["tool.on_failure", `orcs.skip("x")`],
      ["tool.on_failure", `orcs.deny("x")`],
      ["tool.on_failure", `orcs.retry(1)`],
      ["tool.post_execute", `orcs.allow("x")`],
    ])("%s: %s fails", async (point, answer) => {
      const { outcome, rig } = await run(`return ${answer}`, {
        point,
        payload: { result: 1, error: "e" },
      });
      expect(outcome.action).toBe("continue");
      expect(outcome.trace?.[0]).toMatchObject({ id: "bad", status: "failed" });
      expect(rig.logs.join()).toContain("hook bad failed");
    });
  });

  test("P6: a denial at a post point withholds the result", async () => {
    const { outcome } = await run(`return orcs.deny("x")`, {
      point: "tool.post_execute",
      payload: { result: "SECRET" },
    });
    expect(outcome).toMatchObject({ action: "abort", reason: "x", hook: "bad" });
    expect(outcome.trace?.[1]).toMatchObject({ id: "next", status: "not_reached" });
  });

  describe("P8: the depth limit", () => {
    test("denies at a pre point, and skips the chain with a warning elsewhere", async () => {
      const rig = await createRig();
      for (const point of ["tool.pre_execute", "tool.post_execute"]) {
        await rig.load(
          `return { point = "${point}", handler = function(ctx) ctx.metadata.ran = true end }`,
        );
      }
      const payload = { tool_name: "exec", args: {} };
      expect(await rig.dispatch("tool.pre_execute", payload, { depth: 4 })).toMatchObject({
        action: "abort",
      });
      expect(await rig.dispatch("tool.pre_execute", payload, { depth: 3 })).toMatchObject({
        action: "continue",
      });
      const post = await rig.dispatch("tool.post_execute", payload, { depth: 4 });
      expect(post).toMatchObject({ action: "continue", ctx: { metadata: {} } });
      expect(rig.logs.join()).toMatch(/warn: .*hooks are nested/);
    });

    test("ends a recursion of hooks and tool calls", async () => {
      const depths: number[] = [];
      const rig = await createRig({
        tool: async (_, __, depth) => {
          depths.push(depth);
          const inner = await rig.dispatch(
            "tool.pre_execute",
            { tool_name: "exec", args: {} },
            { depth },
          );
          return inner.action === "abort"
            ? { ok: false, error: String(inner.reason) }
            : { ok: true };
        },
      });
      await rig.load(`return function(ctx)
      local r = orcs.exec("ls")
      if not r.ok then ctx.metadata.why = r.error end
      ctx.metadata.depth = ctx.depth
    end`);
      const outcome = await rig.call({});
      expect(outcome).toMatchObject({ action: "continue", ctx: { metadata: { depth: 0 } } });
      expect(depths).toEqual([1, 2, 3, 4]);
    });
  });
});
