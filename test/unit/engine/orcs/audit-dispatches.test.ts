import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { AUDIT_LEVELS, type AuditLevel } from "../../../../src/core/dispatch-log.ts";
import type { HookFailure } from "../../../../src/core/hook.ts";
import { MOST_CHARS } from "../../../../src/engine/orcs/audit/audit-trail.ts";
import { inputDigest } from "../../../../src/engine/orcs/audit/log-entries.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { isUnbroken, linesOf, openAudited, saidIn } from "./audit-rig.ts";
import { call, folder, open } from "./engine.ts";

/** What of dispatches is written down: each action at each level, each kind of failure. */

interface Case {
  readonly handler: string;
  readonly point?: string;
  readonly more?: object;
  readonly payload?: Record<string, unknown>;
  /** Whether somebody decided, changed the payload or failed: else it is written at level `all` alone. */
  readonly says: boolean;
  readonly line: object;
}

const POST = "tool.post_execute";
const result = { ...call("exec", { command: "ls" }), result: { ok: true }, elapsed_ms: 1 };

const CASES: Readonly<Record<string, Case>> = {
  nothing: { handler: "return nil", says: false, line: { action: "continue" } },
  "metadata of its own": {
    handler: "ctx.metadata.seen = true",
    says: false,
    line: { action: "continue" },
  },
  "text for the model": {
    handler: 'return orcs.inject("be careful")',
    says: false,
    line: { action: "continue" },
  },
  "a rewrite": {
    handler: 'ctx.payload.args.command = "true"',
    says: true,
    line: {
      action: "rewrite",
      hook: "h",
      changed: [{ hook: "h", paths: ["/payload/args/command"] }],
    },
  },
  "a rewrite with a decision": {
    handler: 'ctx.payload.args.command = "true"; return orcs.allow("fine")',
    says: true,
    line: { action: "rewrite", decision: "allow", reason: "fine", hook: "h" },
  },
  skip: {
    handler: "return orcs.skip({ ok = true })",
    says: true,
    line: { action: "skip", hook: "h" },
  },
  abort: {
    handler: 'return orcs.deny("not that")',
    says: true,
    line: { action: "abort", hook: "h", reason: "not that" },
  },
  retry: { handler: "return orcs.retry(5)", says: true, line: { action: "retry", hook: "h" } },
  allow: {
    handler: 'return orcs.allow("fine")',
    says: true,
    line: { action: "continue", decision: "allow", hook: "h", reason: "fine" },
  },
  ask: {
    handler: 'return orcs.ask("sure?")',
    says: true,
    line: { action: "continue", decision: "ask", hook: "h", reason: "sure?" },
  },
  defer: {
    handler: 'return { decision = "defer" }',
    says: true,
    line: { action: "continue", decision: "defer", hook: "h" },
  },
  replace: {
    handler: "return orcs.replace({ ok = false })",
    point: POST,
    payload: result,
    says: true,
    line: { action: "replace", hook: "h", changed: [{ hook: "h", paths: ["/payload/result"] }] },
  },
  "a part of a result": {
    handler: "ctx.payload.result.ok = false",
    point: POST,
    payload: result,
    says: true,
    line: { action: "rewrite", changed: [{ hook: "h", paths: ["/payload/result/ok"] }] },
  },
  "an answer to a question": {
    handler: 'return orcs.replace("a line")',
    point: "ui.on_status_line",
    payload: { query: "q" },
    says: true,
    line: { action: "replace", hook: "h" },
  },
  "replace where it has no effect": {
    handler: "return orcs.replace({})",
    says: false,
    line: { action: "continue" },
  },
  "a failure that refuses": {
    handler: 'error("boom")',
    says: true,
    line: { action: "abort", hook: "h", failures: [{ hook: "h", kind: "error" }] },
  },
  "a failure that is passed over": {
    handler: 'error("boom")',
    more: { on_error: "open" },
    says: true,
    line: { action: "continue", failures: [{ hook: "h", kind: "error" }] },
  },
};

const TABLE = AUDIT_LEVELS.flatMap((level) =>
  Object.keys(CASES).map((name) => [level, name] as [AuditLevel, string]),
);

test.each(TABLE)("audit level %s: %s", async (level, name) => {
  const { handler, point = "tool.pre_execute", more, payload, says, line } = CASES[name] as Case;
  const hook = { id: "h", point, handler_inline: handler, ...more };
  const { orcs, dir } = await openAudited([hook], { audit: { level } });
  const given = payload ?? call("exec", { command: "ls" });
  const { action } = await orcs.dispatch(point, given);
  expect(action).not.toBe("");
  if (level === "off" || (level === "decisions" && !says)) {
    await orcs.close();
    // Not even the directory: who is not recorded needs no disk.
    expect(existsSync(dir)).toBe(false);
    return;
  }
  // Before the answer was given: nothing is closed here.
  expect(saidIn(dir)).toEqual([expect.objectContaining({ kind: "dispatch", point })]);
  expect(saidIn(dir)[0]).toMatchObject(line);
});

describe("a hook that stops the chain", () => {
  const hook = (id: string, handler_inline: string) => ({
    id,
    point: "tool.pre_execute",
    handler_inline,
  });
  const guard = hook("guard", 'return orcs.deny("no")');

  test("is recorded when hooks come after it", async () => {
    const { orcs, dir } = await openAudited([hook("s", "return { stop = true }"), guard]);
    const { action } = await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(action).toBe("continue");
    expect(saidIn(dir)).toMatchObject([{ action: "stop", hook: "s", stopped_by: "s" }]);
  });

  test("is recorded together with its decision and changes", async () => {
    const allow = 'ctx.payload.args.command = "true"; return { decision = "allow", stop = true }';
    const { orcs, dir } = await openAudited([hook("s", allow), guard]);
    await orcs.dispatch("tool.pre_execute", call("exec", { command: "ls" }));
    expect(saidIn(dir)).toMatchObject([
      { action: "rewrite", decision: "allow", hook: "s", stopped_by: "s" },
    ]);
  });

  test("is not recorded when it is the last hook", async () => {
    const { orcs, dir } = await openAudited([hook("s", "return { stop = true }")]);
    await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(saidIn(dir)).toEqual([]);
  });
});

test("the line of a permission check has the session of the call that it is for", async () => {
  const { orcs, dir } = await openAudited([
    { id: "h", point: "auth.pre_check", handler_inline: 'return orcs.deny("no")' },
  ]);
  await orcs.get("exec", { command: "ls" }, { session_id: "s-1", agent_id: "a-1" });
  expect(saidIn(dir)).toMatchObject([{ point: "auth.pre_check", hook: "h", session: "s-1" }]);
});

test("an audit entry has the actor, the point, the input digest and the hook's source", async () => {
  const { orcs, dir } = await openAudited([
    { id: "h", point: "tool.pre_execute", handler_inline: 'return orcs.deny("no")' },
  ]);
  const payload = { ...call("exec", { command: "ls" }), session_id: "s-1" };
  const scope = { component: "agent::x", child: "a/b", depth: 2 };
  const { ctx } = await orcs.dispatch("tool.pre_execute", payload, scope);
  const [line] = saidIn(dir);
  expect(line).toEqual({
    kind: "dispatch",
    point: "tool.pre_execute",
    component: "agent::x",
    child: "a/b",
    session: "s-1",
    depth: 2,
    action: "abort",
    tool: "exec",
    hook: "h",
    script: orcs.registry.get("h")?.digest,
    ...(line?.["source"] !== undefined && { source: expect.stringMatching(/:\d+$/) }),
    config: expect.stringMatching(/^[0-9a-f]{64}$/),
    // Of the payload as the hooks were given it: with `tool`, the other name of `tool_name`.
    ...inputDigest(ctx.payload),
    reason: "no",
    duration_ms: expect.any(Number),
  });
  expect(orcs.registry.get("h")?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(Number(line?.["duration_ms"]) * 1000).toBeCloseTo(
    Math.round(Number(line?.["duration_ms"]) * 1000),
    6,
  );
});

test("the source of a file hook in an audit entry is its file and line", async () => {
  const toml = `[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nscript = "guard.lua"\n`;
  const cwd = folder({
    "orcs.toml": toml,
    "hooks/guard.lua": 'return function() return orcs.deny("no") end',
  });
  const { orcs, dir } = await openAudited([], { cwd, config: "orcs.toml" });
  await orcs.dispatch("tool.pre_execute", call("exec"));
  expect(saidIn(dir)[0]).toMatchObject({
    source: expect.stringMatching(/^(hooks\/guard\.lua|orcs\.toml):\d+$/),
    script: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

/** Each kind as it comes about, by a hook at a pre point; one is killed by another, below. */
const FAILURES: Readonly<
  Record<Exclude<HookFailure["kind"], "killed" | "store">, { hook: object; lua?: object }>
> = {
  error: { hook: { handler_inline: 'error("boom")' } },
  timeout: { hook: { handler_inline: "orcs.sleep(60000)", timeout_ms: 50 } },
  memory: {
    hook: { handler_inline: 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end' },
    lua: { memory_mb: 2 },
  },
  answer: { hook: { handler_inline: "return 42" } },
  payload: { hook: { handler_inline: 'ctx.payload.tool_name = "other"' } },
};

describe("A1: every kind of failure is recorded", () => {
  test.each(Object.entries(FAILURES))("%s", async (kind, { hook, lua = {} }) => {
    const overrides = { lua: { max_run_ms: 5000, max_chain_ms: 20_000, ...lua } };
    const hooks = [{ id: "h", point: "tool.pre_execute", ...hook }];
    const { orcs, dir } = await openAudited(hooks, { overrides });
    expect((await orcs.dispatch("tool.pre_execute", call("exec"))).action).toBe("abort");
    expect(saidIn(dir)).toEqual([
      expect.objectContaining({
        action: "abort",
        hook: "h",
        failures: [
          {
            hook: "h",
            ...(orcs.registry.get("h")?.source && { source: expect.any(String) }),
            script: orcs.registry.get("h")?.digest,
            kind,
            message: expect.stringMatching(/./),
          },
        ],
      }),
    ]);
    expect(isUnbroken(dir)).toBe(true);
  });

  test("a denial returned by an async hook is recorded", async () => {
    const hook = { id: "h", point: "tool.pre_execute", async: true, observe: true };
    const hooks = [{ ...hook, handler_inline: 'return orcs.deny("no rm")' }];
    const { orcs, dir } = await openAudited(hooks);
    expect((await orcs.dispatch("tool.pre_execute", call("exec"))).action).toBe("continue");
    await orcs.registry.idle();
    const message =
      "hooks[0].handler_inline:1: returned abort (no rm), which is ignored because the hook is asynchronous";
    const failures = [expect.objectContaining({ hook: "h", kind: "answer", message }) as unknown];
    expect(saidIn(dir)).toEqual([
      expect.objectContaining({ async: true, action: "continue", failures }),
    ]);
  });

  test("a loop that exceeds max_run_ms is recorded, and so is the hook that waited in the same Lua state", async () => {
    const script = `
      orcs.hook("*::*:tool.pre_execute", function(ctx)
        if ctx.payload.args.wait then orcs.sleep(60000) end
        while true do end
      end)`;
    const cwd = folder({ "hooks/both.lua": script });
    const hooks = [{ id: "h", script: "both.lua" }];
    const { orcs, dir } = await openAudited([], {
      cwd,
      config: { hooks: [{ ...hooks[0], point: "tool.pre_execute" }] },
      overrides: { lua: { max_run_ms: 400, max_chain_ms: 20_000 } },
    });
    const waits = orcs.dispatch("tool.pre_execute", call("exec", { wait: 1 }));
    const loops = await orcs.dispatch("tool.pre_execute", call("exec"));
    expect([(await waits).action, loops.action]).toEqual(["abort", "abort"]);
    const kinds = saidIn(dir).map(({ failures }) => (failures as { kind: string }[])[0]?.kind);
    expect(new Set(kinds)).toEqual(new Set(["killed", "timeout"]));
    expect(kinds).toHaveLength(2);
  });
});

describe("A4: any reason is written as one line without control characters", () => {
  const HOSTILE = [
    '\n{"fake":1}\n',
    '\r\n{"v":1,"seq":1}\r\n',
    "\u001b[2J\u001b]0;gone\u0007",
    "\u009b31m\u0085\u007f",
    "\u2028\u2029\u0000",
    "\ud800 lone \udc00",
    '","action":"continue","x":"',
    "\u202egnp.exe",
  ];
  test.each(HOSTILE)("%j", async (reason) => {
    const dir = folder();
    const orcs = await open({
      auditDir: dir,
      hooks: [{ point: "tool.pre_execute", id: "h", handler: () => ({ action: "abort", reason }) }],
    });
    await orcs.dispatch("tool.pre_execute", { ...call(`exec${reason}`), session_id: reason });
    const text = readFileSync(join(dir, "audit.jsonl"), "utf8");
    expect(text.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(saidIn(dir)).toEqual([
      expect.objectContaining({ action: "abort", reason, session: reason, tool: `exec${reason}` }),
    ]);
    expect(isUnbroken(dir)).toBe(true);
  });

  repeatedTest("any string is one line, and a long one is truncated", async () => {
    const dir = folder();
    let reason = "";
    const orcs = await open({
      auditDir: dir,
      hooks: [{ point: "tool.pre_execute", id: "h", handler: () => ({ action: "abort", reason }) }],
    });
    let written = 0;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), async (text) => {
        reason = text;
        await orcs.dispatch("tool.pre_execute", call("exec"));
        written++;
        const lines = linesOf(dir);
        expect(lines).toHaveLength(written);
        expect(lines.at(-1)?.["reason"]).toBe(text);
      }),
      { numRuns: runCount(100) },
    );
    reason = "x".repeat(300_000);
    await orcs.dispatch("tool.pre_execute", call("exec"));
    const cut = String(linesOf(dir).at(-1)?.["reason"]);
    expect(cut.slice(0, MOST_CHARS)).toBe("x".repeat(MOST_CHARS));
    expect(cut.length).toBeLessThan(MOST_CHARS + 100);
    expect(isUnbroken(dir)).toBe(true);
  });
});

describe("a payload that is not JSON is noted in the entry and does not change the outcome", () => {
  const cycle: Record<string, unknown> = {};
  cycle["again"] = cycle;
  const throwing = {
    get x(): string {
      throw new Error("not for you");
    },
  };
  const ODD: readonly [string, unknown, RegExp][] = [
    ["a cycle", cycle, /circular/],
    ["a getter, which is not asked", throwing, /\/odd\/x is an accessor$/],
    ["a promise", Promise.resolve("not for you"), /\/odd is a promise$/],
    ["too many keys", Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i, i])), /keys/],
  ];
  test.each(ODD)("%s", async (_, odd, why) => {
    const { orcs, dir } = await openAudited([
      { id: "h", point: "tool.pre_execute", handler_inline: 'return orcs.deny("no")' },
    ]);
    const payload = { tool_name: "exec", args: { odd } } as never;
    const outcome = await orcs.dispatch("tool.pre_execute", payload);
    expect(outcome).toMatchObject({ action: "abort", reason: "no" });
    expect(saidIn(dir)[0]).toMatchObject({ reason: "no", input_error: expect.stringMatching(why) });
    expect(saidIn(dir)[0]).not.toHaveProperty("input");
  });
});

test.each<[string, unknown, unknown]>([
  ["a function", () => 1, null],
  ["a Map", new Map([["a", new Date(0)]]), [["a", "1970-01-01T00:00:00.000Z"]]],
  ["NaN", Number.NaN, null],
  ["a bigint", 5n, "5"],
])("the input digest covers %s as hooks read it", async (_, odd, read) => {
  const { orcs, dir } = await openAudited([
    { id: "h", point: "tool.pre_execute", handler_inline: 'return orcs.deny("no")' },
  ]);
  for (const value of [odd, read, "another"]) {
    const payload = { tool_name: "exec", args: { odd: value } } as never;
    await orcs.dispatch("tool.pre_execute", payload);
  }
  const [given, asRead, other] = saidIn(dir);
  expect(given?.["input"]).toMatch(/^sha256:/);
  expect(given).not.toHaveProperty("input_error");
  expect(given?.["input"]).toBe(asRead?.["input"]);
  expect(given?.["input"]).not.toBe(other?.["input"]);
});

test("without a decision or change of a hook nothing is written and dispatch stays synchronous", async () => {
  const { orcs, dir } = await openAudited([
    { id: "h", point: "tool.pre_execute", handler_inline: "return nil" },
  ]);
  // As it was before there was a log: the registry's answer is no promise.
  const outcome = orcs.registry.dispatch("tool.pre_execute", call("exec"));
  expect(outcome).toMatchObject({ action: "continue" });
  await orcs.close();
  expect(existsSync(dir)).toBe(false);
});

test("level all also records points without hooks", async () => {
  const { orcs, dir } = await openAudited([], { audit: { level: "all" } });
  await orcs.dispatch("tool.pre_execute", call("exec"));
  expect(saidIn(dir)).toMatchObject([{ point: "tool.pre_execute", action: "continue" }]);
  expect(saidIn(dir)[0]).not.toHaveProperty("hook");
});

describe("the audit directory", () => {
  const hook = { id: "h", point: "tool.pre_execute", handler_inline: 'return orcs.deny("no")' };

  test("is auditDir of the program, else [paths] audit; false disables the log", async () => {
    const named = join(folder(), "named");
    const given = join(folder(), "given");
    for (const [auditDir, wanted] of [
      [given, named],
      [undefined, named],
      [false, undefined],
    ] as const) {
      const config = { hooks: [hook], paths: { audit: named } };
      const orcs = await open({ config, auditDir });
      const before = linesOf(named).length;
      await orcs.dispatch("tool.pre_execute", call("exec"));
      expect(linesOf(named).length - before).toBe(wanted === undefined ? 0 : 1);
      expect(existsSync(given)).toBe(false);
    }
  });

  test("without any directory nothing is written", async () => {
    const cwd = folder();
    const orcs = await open({ cwd, config: { hooks: [hook] } });
    const outcome = orcs.registry.dispatch("tool.pre_execute", call("exec"));
    // Not even a promise: there is nothing to wait for.
    expect(outcome).toMatchObject({ action: "abort", reason: "no" });
  });
});

test("concurrent dispatches are written as one hash chain, each with its own outcome", async () => {
  const dir = folder();
  const orcs = await open({
    auditDir: dir,
    hooks: [
      {
        point: "tool.pre_execute",
        id: "h",
        handler: (ctx) => ({
          action: "abort",
          reason: `no ${JSON.stringify(ctx.payload["args"])}`,
        }),
      },
    ],
  });
  const all = Array.from({ length: 200 }, (_, n) =>
    Promise.resolve(orcs.dispatch("tool.pre_execute", call("exec", { n }))),
  );
  const reasons = (await Promise.all(all)).map((outcome) => "reason" in outcome && outcome.reason);
  expect(reasons).toEqual(all.map((_, n) => `no {"n":${n}}`));
  expect(linesOf(dir).map(({ reason }) => reason)).toEqual(reasons);
  expect(linesOf(dir).map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
  expect(isUnbroken(dir)).toBe(true);
});
