import { describe, expect, test } from "vitest";
import type { HookContext } from "../../../../src/core/context.ts";
import type { ApprovalRequest } from "../../../../src/engine/orcs/options.ts";
import { errorOf, open, openWith } from "./engine.ts";

const CALLER = {
  session_id: "s1",
  agent_id: "a1",
  tool_use_id: "t1",
  cwd: "/work",
  turn: 3,
} as const;

/** An engine whose hooks note what they see of the caller. */
async function watching(point = "tool.pre_execute") {
  const orcs = await open();
  const seen: unknown[] = [];
  orcs.on(point, (ctx: HookContext) => {
    const { session_id, agent_id, tool_use_id, cwd, turn } = ctx.payload as Record<string, unknown>;
    seen.push({ session_id, agent_id, tool_use_id, cwd, turn });
  });
  return { orcs, seen };
}

describe("the caller of a call is in the payload", () => {
  test("by options of wrapTool, and of each call", async () => {
    const { orcs, seen } = await watching();
    const { session_id, ...more } = CALLER;
    await orcs.wrapTool("t", () => 1, { session_id }).with(more)();
    expect(seen).toEqual([CALLER]);
  });

  test("by options of get, call and dispatch", async () => {
    const { orcs, seen } = await watching();
    orcs.addTool("t", () => 1);
    await orcs.get("t", {}, CALLER);
    await orcs.call("t", {}, CALLER);
    await orcs.call("u", {}, { ...CALLER, fn: () => 1 });
    await orcs.dispatch("tool.pre_execute", { tool_name: "t", args: {} }, CALLER);
    await orcs.invoke("tool.execute", { tool_name: "t", args: {} }, () => 1, CALLER);
    expect(seen).toEqual([CALLER, CALLER, CALLER, CALLER, CALLER]);
  });

  test("once for many calls, in a session; a call's own options come first", async () => {
    const { orcs, seen } = await watching();
    const session = orcs.session(CALLER);
    await session.wrapTool("t", () => 1)();
    await session.get("t", {}, { turn: 4, session_id: undefined });
    await session.session({ agent_id: "a2" }).dispatch("PreToolUse", { tool_name: "t", args: {} });
    await orcs.wrapTool("t", () => 1)();
    const none = { session_id: undefined, agent_id: undefined, tool_use_id: undefined };
    expect(seen).toEqual([
      CALLER,
      { ...CALLER, turn: 4 },
      { ...CALLER, agent_id: "a2" },
      { ...none, cwd: undefined, turn: undefined },
    ]);
  });

  test("but not in place of what the payload says, nor at points that do not know it", async () => {
    const { orcs, seen } = await watching("prompt.pre_submit");
    const session = orcs.session(CALLER);
    await session.dispatch("prompt.pre_submit", { prompt: "hi", session_id: "own" });
    expect(seen).toEqual([
      { session_id: "own", agent_id: "a1", tool_use_id: undefined, cwd: "/work", turn: 3 },
    ]);
    const payload = { prompt: "hi" };
    await session.dispatch("prompt.pre_submit", payload);
    expect(payload).toEqual({ prompt: "hi" });
  });

  test("also at the post point, and in the calls that hooks make", async () => {
    const orcs = await openWith('local _ = orcs.get("inner", {})', { match: { tool: "outer" } });
    const seen: unknown[] = [];
    orcs.on("tool.post_execute", ({ payload: { tool_name, session_id, tool_use_id, cwd } }) => {
      seen.push([tool_name, session_id, tool_use_id, cwd]);
    });
    const session = orcs.session(CALLER);
    orcs.addTool("inner", () => 1);
    await session.wrapTool("outer", () => 1)();
    expect(seen).toEqual([
      ["inner", "s1", undefined, "/work"],
      ["outer", "s1", "t1", "/work"],
    ]);
  });

  test("so that match.session and match.agent decide by it", async () => {
    const orcs = await openWith('orcs.deny("no")', { match: { session: "s1", agent: "a1" } });
    const tool = orcs.wrapTool("t", () => 1);
    expect(await tool.with({ session_id: "s1" })()).toBe(1);
    expect((await errorOf(tool.with(CALLER)())).code).toBe("ORCS2001");
  });
});

describe("a session", () => {
  test("has its own tools, also for its hooks' calls", async () => {
    const orcs = await openWith('ctx.payload.args.who = orcs.get("who", {}).name', {
      match: { tool: "ask" },
    });
    const [a, b] = ["a", "b"].map((name) => {
      const session = orcs.session({ session_id: name });
      session.wrapTool("who", () => ({ name }));
      return session.wrapTool("ask", (args?: { who?: string }) => args?.who);
    });
    expect([await a?.(), await b?.()]).toEqual(["a", "b"]);
    expect(await orcs.get("who", {})).toEqual({ ok: false, error: 'unknown tool "who"' });
  });

  test("shares the hooks, the state and the events of its engine", async () => {
    const orcs = await openWith('local _ = orcs.state.incr("n")');
    let dispatched = 0;
    orcs.events.on("dispatched", () => dispatched++);
    const [a, b] = [orcs.session({ session_id: "a" }), orcs.session({ session_id: "b" })];
    await a.dispatch("PreToolUse", { tool_name: "t", args: {} });
    await b.dispatch("PreToolUse", { tool_name: "t", args: {} });
    expect(dispatched).toBe(2);
    expect(a.registry).toBe(orcs.registry);
    await orcs.close();
    expect(() => a.wrapTool("t", () => 1)).toThrow(/closed/);
  });
});

describe("orcs.call", () => {
  test("returns the result and the texts for the model", async () => {
    const orcs = await openWith('return orcs.inject("be brief")');
    orcs.addTool("t", () => ({ n: 1 }));
    expect(await orcs.call("t", {})).toEqual({ ok: true, result: { n: 1 }, inject: ["be brief"] });
  });

  test("returns who denied it and why, with the texts", async () => {
    const orcs = await openWith('return orcs.deny("not today")');
    const called = await orcs.call("t", { a: 1 }, { fn: () => 1 });
    expect(called).toEqual({ ok: false, denied: { hook: "h", reason: "not today" }, inject: [] });
  });

  test("throws what the tool throws, and for an unknown tool", async () => {
    const orcs = await open();
    const fn = () => {
      throw new RangeError("kaput");
    };
    await expect(orcs.call("t", {}, { fn })).rejects.toThrow(RangeError);
    expect(await errorOf(orcs.call("nope"))).toMatchObject({ code: "ORCS4002" });
  });

  test("an intermediate result of the function is returned, and no post hook sees it", async () => {
    const orcs = await open();
    const seen: unknown[] = [];
    orcs.on("tool.post_execute", ({ payload }) => void seen.push(payload.result));
    const isInterim = (result: unknown) => result === "which one?";
    for (const result of ["which one?", "this one"])
      expect(await orcs.call("t", {}, { fn: () => result, isInterim })).toMatchObject({ result });
    expect(seen).toEqual(["this one"]);
  });

  test("a session tells its id; the engine has none", async () => {
    const orcs = await open();
    const session = orcs.session({ session_id: "s" });
    expect([orcs.sessionId, session.sessionId, session.session({ cwd: "." }).sessionId]).toEqual([
      undefined,
      "s",
      "s",
    ]);
  });

  test("gives fn its argument as the hooks left it, the context and the signal", async () => {
    const orcs = await openWith("ctx.payload.args.value = 'y'");
    const { signal } = new AbortController();
    const called = await orcs.call("t", "x", {
      signal,
      fn: (value, call) => [value, call.ctx.payload["tool_name"], call.signal?.aborted],
    });
    expect(called).toMatchObject({ ok: true, result: ["y", "t", false] });
  });

  test("a text for the result is put into a text, and stays in inject otherwise", async () => {
    const text = { content: "see the style guide", strategy: "tool_result" };
    const orcs = await open();
    orcs.on("tool.post_execute", () => ({ action: "continue", inject: [text, "plain"] }));
    expect(await orcs.call("t", {}, { fn: () => "done" })).toEqual({
      ok: true,
      result: "done\n\nsee the style guide",
      inject: ["plain"],
    });
    expect(await orcs.call("t", {}, { fn: () => 5 })).toEqual({
      ok: true,
      result: 5,
      inject: [text, "plain"],
    });
    expect(await orcs.wrapTool("t", () => "done")()).toBe("done\n\nsee the style guide");
    expect(await orcs.get("t")).toEqual({ ok: true, result: "done\n\nsee the style guide" });
  });

  test("an aborted call does not start its tool", async () => {
    const orcs = await open();
    let ran = false;
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(orcs.call("t", {}, { signal, fn: () => (ran = true) })).rejects.toThrow("gone");
    await expect(orcs.wrapTool("t", () => (ran = true), { signal })()).rejects.toThrow("gone");
    expect(ran).toBe(false);
  });
});

describe("onAsk", () => {
  const ask = 'return orcs.ask("it deletes")';

  test("of the call comes before that of the session, which comes before the engine's", async () => {
    const asked: string[] = [];
    const answering = (who: string) => (request: ApprovalRequest) => {
      asked.push(`${who} ${request.tool} ${request.reason}`);
      return true;
    };
    const orcs = await openWith(ask, {}, { onAsk: answering("engine") });
    const session = orcs.session({ onAsk: answering("session") });
    const fn = (): number => 1;
    await orcs.call("t", {}, { fn });
    await session.call("t", {}, { fn });
    await session.call("t", {}, { fn, onAsk: answering("call") });
    await session.wrapTool("t", fn)();
    expect(asked).toEqual(
      ["engine", "session", "call", "session"].map((who) => `${who} t it deletes`),
    );
  });

  test("nobody to ask is a denial that says so", async () => {
    const orcs = await openWith(ask);
    expect(await orcs.call("t", {}, { fn: () => 1 })).toMatchObject({
      ok: false,
      denied: { reason: "needs approval, but nobody is available to ask: it deletes" },
    });
  });

  test("approve is its former name", async () => {
    const orcs = await openWith(ask, {}, { approve: () => true });
    expect(await orcs.call("t", {}, { fn: () => 1 })).toMatchObject({ ok: true, result: 1 });
  });

  test('hil.mode = "deny" denies whoever could be asked', async () => {
    const orcs = await openWith(ask, {}, { overrides: { hil: { mode: "deny" } } });
    const called = await orcs.call("t", {}, { fn: () => 1, onAsk: () => true });
    expect(called).toMatchObject({ ok: false });
  });
});
