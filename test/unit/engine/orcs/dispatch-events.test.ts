import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  option,
  record,
  string,
} from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as it, repeatedTest, runCount } from "../../../slow-test.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { EngineEvents, EventName, HookStep } from "../../../../src/engine/registry/events.ts";
import { open } from "./engine.ts";

type Seen = { [E in EventName]: { name: E } & EngineEvents[E] }[EventName];
type Joined = Extract<Seen, { dispatch_id: string }>;

const NAMES = ["dispatch_started", "hook", "executed", "failed", "dispatched", "called"] as const;

/** Everything that an engine tells, in order. */
function listen(orcs: Orcs, names: readonly EventName[] = NAMES): Joined[] {
  const seen: Joined[] = [];
  for (const name of names)
    orcs.events.on(name, (event) => void seen.push({ name, ...event } as Joined));
  return seen;
}

function hookEngine(
  hooks: NonNullable<CreateOrcsOptions["hooks"]>,
  more: CreateOrcsOptions = {},
): Promise<Orcs> {
  return open({ hooks, ...more });
}

const stepsOf = (seen: readonly Joined[]): HookStep[] =>
  seen.filter((event) => event.name === "hook");

it("the ids of a permission check lead to the call that it is for, in its session", async () => {
  const orcs = await hookEngine([
    { id: "checks", point: "auth.pre_check", handler: () => undefined },
    {
      id: "calls",
      point: "tool.pre_execute",
      match: { tool: "write" },
      handler: async (_ctx, calls) => void (await calls.get("exec", { command: "true" })),
    },
  ]);
  orcs.addTool("write", () => null);
  const seen = listen(orcs, ["dispatch_started"]);
  const of = { session_id: "s1", tool_use_id: "t1" };
  await orcs.call("exec", { command: "true" }, of);
  const [exec, ...checks] = seen.map((event) => event);
  for (const check of checks.slice(0, 2))
    expect(check).toMatchObject({ ...of, parent_id: exec?.dispatch_id });
  seen.length = 0;
  await orcs.get("write", {}, { session_id: "s2", tool_use_id: "t2" });
  const [write, nested, check] = seen;
  expect(nested).toMatchObject({ session_id: "s2", parent_id: write?.dispatch_id });
  expect(nested).not.toHaveProperty("tool_use_id");
  expect(check).toMatchObject({ session_id: "s2", parent_id: nested?.dispatch_id });
  expect(check).not.toHaveProperty("tool_use_id");
});

describe("the event hook", () => {
  it("is told for every hook beyond the depth limit, too", async () => {
    const orcs = await hookEngine([
      {
        id: "again",
        point: "tool.pre_execute",
        handler: async (_ctx, calls) => void (await calls.get("loop", {})),
      },
    ]);
    orcs.addTool("loop", () => null);
    const seen = listen(orcs, ["dispatch_started", "hook", "dispatched"]);
    await orcs.dispatch("tool.pre_execute", { tool_name: "loop", args: {} });
    const started = seen.filter(
      (event) => event.name === "dispatch_started" && event.ctx.hook_point === "tool.pre_execute",
    );
    const steps = stepsOf(seen);
    expect(steps).toHaveLength(started.length);
    expect(steps.map(({ status }) => status)).toContain("not_reached");
  });

  it("has a patch that can be applied: no removal of what was not there", async () => {
    const orcs = await hookEngine([
      {
        id: "h",
        point: "tool.pre_execute",
        handler: ({ payload }) => {
          const args = payload["args"] as Record<string, unknown>;
          args["missing"] = undefined;
          args["there"] = undefined;
        },
      },
    ]);
    const seen = listen(orcs);
    await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { there: 1 } });
    expect(stepsOf(seen)[0]?.patch).toEqual([{ op: "remove", path: "/payload/args/there" }]);
  });
});

describe("the ids of events", () => {
  it("join all events of a dispatch, also when two are in flight", async () => {
    const orcs = await hookEngine([
      {
        id: "slow",
        point: "tool.pre_execute",
        handler: async ({ payload }) => {
          const { ms } = payload["args"] as { ms: number };
          await new Promise((resolve) => setTimeout(resolve, ms));
          return ms > 10 ? { action: "abort", reason: "slow" } : undefined;
        },
      },
    ]);
    const seen = listen(orcs);
    const dispatch = (ms: number) =>
      orcs.dispatch("tool.pre_execute", {
        tool_name: "read",
        args: { ms },
        session_id: `s${ms}`,
        tool_use_id: `t${ms}`,
      });
    await Promise.all([dispatch(20), dispatch(1)]);
    expect(seen.map(({ name, session_id }) => `${session_id} ${name}`)).toEqual([
      "s20 dispatch_started",
      "s1 dispatch_started",
      "s1 executed",
      "s1 hook",
      "s1 dispatched",
      "s20 executed",
      "s20 hook",
      "s20 dispatched",
    ]);
    for (const ms of [20, 1]) {
      const of = seen.filter(({ session_id }) => session_id === `s${ms}`);
      expect(new Set(of.map(({ dispatch_id }) => dispatch_id)).size).toBe(1);
      expect(of.every(({ tool_use_id }) => tool_use_id === `t${ms}`)).toBe(true);
    }
    expect(new Set(seen.map(({ dispatch_id }) => dispatch_id)).size).toBe(2);
  });

  it("join the dispatches of a call, and the calls of its hooks", async () => {
    const orcs = await hookEngine([
      {
        id: "asks",
        point: "tool.pre_execute",
        match: { tool: "outer" },
        handler: async (_, calls) => void (await calls.get("inner", { a: 1 })),
      },
    ]);
    for (const name of ["outer", "inner"]) orcs.addTool(name, () => ({ ok: true }));
    const seen = listen(orcs);
    await orcs.call("outer", {}, { session_id: "s", tool_use_id: "t" });
    const started = seen.filter((event) => event.name === "dispatch_started");
    const at = (tool: string, point: string) =>
      started.find(({ ctx, ...of }) => of.point === point && ctx.payload["tool_name"] === tool);
    const outer = at("outer", "tool.pre_execute");
    const id = outer?.dispatch_id;
    expect(started).toHaveLength(4);
    expect(outer).toMatchObject({ call_id: id, session_id: "s", tool_use_id: "t" });
    expect(outer).not.toHaveProperty("parent_id");
    expect(at("outer", "tool.post_execute")?.call_id).toBe(id);
    expect(at("outer", "tool.post_execute")?.dispatch_id).not.toBe(id);
    const inner = at("inner", "tool.pre_execute");
    expect(inner).toMatchObject({ parent_id: id, call_id: inner?.dispatch_id, session_id: "s" });
    expect(at("inner", "tool.post_execute")).toMatchObject({
      parent_id: id,
      call_id: inner?.dispatch_id,
    });
    const called = seen.filter((event) => event.name === "called");
    expect(called.map(({ tool, dispatch_id, call_id }) => [tool, dispatch_id, call_id])).toEqual([
      ["inner", inner?.dispatch_id, inner?.dispatch_id],
      ["outer", id, id],
    ]);
    expect(new Set(started.map(({ dispatch_id }) => dispatch_id)).size).toBe(4);
  });

  it("join the calls of Lua hooks, the model and permission checks too", async () => {
    const code = `
      orcs.get("llm", "hello")
      orcs.exec("true")
    `;
    const orcs = await open({
      config: {
        hooks: [{ id: "asks", point: "session.on_start", handler_inline: code }],
      },
      llm: () => "hi",
    });
    orcs.hook({ id: "check", point: "auth.pre_check", handler: () => ({ decision: "allow" }) });
    const seen: EngineEvents["dispatch_started"][] = [];
    orcs.events.on("dispatch_started", (event) => void seen.push(event));
    await orcs.dispatch("session.on_start", { session_id: "s" });
    const first = seen[0]?.dispatch_id;
    const parents = new Map(seen.map((event) => [event.dispatch_id, event.parent_id]));
    const isBelow = (id: string | undefined): boolean =>
      id !== undefined && (id === first || isBelow(parents.get(id)));
    expect(seen.map(({ point }) => point)).toEqual([
      "session.on_start",
      "tool.pre_execute",
      "llm.pre_generate",
      "llm.post_generate",
      "tool.post_execute",
      "tool.pre_execute",
      "auth.pre_check",
      "auth.post_check",
      "tool.post_execute",
    ]);
    expect(seen.map(({ dispatch_id }) => isBelow(dispatch_id))).toEqual(seen.map(() => true));
  });

  it("have a new dispatch for each try", async () => {
    let tries = 0;
    const orcs = await hookEngine([
      {
        id: "again",
        point: "tool.post_execute",
        handler: () => (++tries < 3 ? { action: "retry", delay_ms: 0 } : undefined),
      },
    ]);
    orcs.addTool("x", () => 1);
    const seen = listen(orcs, ["dispatch_started"]);
    await orcs.call("x", {});
    expect(seen).toHaveLength(6);
    expect(new Set(seen.map(({ dispatch_id }) => dispatch_id)).size).toBe(6);
    expect(new Set(seen.map((event) => event.call_id))).toEqual(new Set([seen[0]?.dispatch_id]));
  });

  it("name the dispatch of an asynchronous hook", async () => {
    const orcs = await hookEngine([
      { id: "later", point: "session.on_end", async: true, handler: () => undefined },
    ]);
    const seen = listen(orcs);
    await orcs.dispatch("session.on_end", { session_id: "s" });
    await orcs.registry.idle();
    expect(stepsOf(seen)).toEqual([
      expect.objectContaining({ status: "queued", hook: "later" }),
      expect.objectContaining({ status: "ran", hook: "later", async: true }),
    ]);
    expect(new Set(seen.map(({ dispatch_id }) => dispatch_id)).size).toBe(1);
  });

  it("are not made while nobody listens", async () => {
    const orcs = await hookEngine([]);
    expect(orcs.registry.newOperation({}, undefined)).toBeUndefined();
    const stop = orcs.events.on("dispatched", () => undefined);
    expect(orcs.registry.newOperation({}, undefined)).toBeDefined();
    stop();
    expect(orcs.registry.newOperation({}, undefined)).toBeUndefined();
  });
});

describe("the event of a hook", () => {
  it("says of each one what became of it, and why", async () => {
    const orcs = await hookEngine([
      { id: "off", point: "tool.pre_execute", enabled: false, handler: () => undefined },
      { id: "far", point: "tool.pre_execute", fql: "mcp::*", handler: () => undefined },
      {
        id: "other",
        point: "tool.pre_execute",
        match: { tool: "write" },
        handler: () => undefined,
      },
      {
        id: "bad",
        point: "tool.pre_execute",
        onError: "open",
        handler: () => {
          throw new Error("boom");
        },
      },
      {
        id: "asks",
        point: "tool.pre_execute",
        handler: () => ({ decision: "ask", reason: "sure?" }),
      },
      {
        id: "stops",
        point: "tool.pre_execute",
        handler: () => ({ action: "abort", reason: "password=hunter2hunter2" }),
      },
      { id: "last", point: "tool.pre_execute", handler: () => undefined },
    ]);
    const seen = listen(orcs, ["hook"]);
    await orcs.dispatch("tool.pre_execute", { tool_name: "read", args: {} });
    const { dispatch_id } = seen[0] as Joined;
    const of = { dispatch_id, point: "tool.pre_execute" };
    const ran = { status: "ran", duration_us: expect.any(Number) };
    expect(stepsOf(seen)).toMatchObject([
      { ...of, hook: "off", status: "disabled" },
      { ...of, hook: "far", status: "not_matched", failing: "fql" },
      {
        ...of,
        hook: "other",
        status: "not_matched",
        failing: "tool",
        mismatch: { pattern: "write", value: "read" },
      },
      { ...of, hook: "bad", status: "failed", reason: "boom" },
      { ...of, ...ran, hook: "asks", action: "continue", decision: "ask", reason: "sure?" },
      { ...of, ...ran, hook: "stops", action: "abort", reason: "password=[redacted]" },
      { ...of, hook: "last", status: "not_reached" },
    ]);
  });

  it("has the changes as a JSON Patch, secrets masked", async () => {
    const orcs = await hookEngine([
      {
        id: "edits",
        point: "tool.pre_execute",
        handler: ({ payload, metadata }) => {
          const args = payload["args"] as Record<string, unknown>;
          args["a"] = 2;
          args["b/c"] = [1];
          args["password"] = "hunter2hunter2";
          delete args["gone"];
          metadata["m"] = { n: 1 };
        },
      },
    ]);
    const seen = listen(orcs, ["hook"]);
    await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: { a: 1, gone: 1 } });
    expect(stepsOf(seen)[0]?.patch?.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { op: "add", path: "/metadata/m", value: { n: 1 } },
      { op: "replace", path: "/payload/args/a", value: 2 },
      { op: "add", path: "/payload/args/b~1c", value: [1] },
      { op: "remove", path: "/payload/args/gone" },
      { op: "add", path: "/payload/args/password", value: "[redacted]" },
    ]);
  });

  repeatedTest("has a patch that leads from the context before to the one after", async () => {
    const names = constantFrom("a", "b", "a/b", "~", "0", "1");
    const value = oneof(integer(), constant(null), string({ maxLength: 3 }));
    const tree = letrec((tie) => ({
      any: oneof({ maxDepth: 3 }, value, tie("map"), tie("list")),
      map: dictionary(names, tie("any"), { maxKeys: 3 }),
      list: array(tie("any"), { maxLength: 3 }),
    }));
    const edit = record({
      path: array(names, { minLength: 1, maxLength: 3 }),
      value: option(tree.any, { nil: undefined }),
    });
    let edits: readonly { path: readonly string[]; value: unknown }[] = [];
    const orcs = await hookEngine([
      {
        id: "edits",
        point: "tool.pre_execute",
        handler: ({ payload }) => {
          for (const { path, value: next } of edits) write(payload["args"] as object, path, next);
        },
      },
    ]);
    const seen = listen(orcs, ["hook"]);
    await assert(
      asyncProperty(tree.map, array(edit, { maxLength: 5 }), async (args, next) => {
        seen.length = 0;
        edits = next;
        const before = { tool_name: "x", args: args as never };
        const { ctx } = await orcs.dispatch("tool.pre_execute", before);
        const patch = stepsOf(seen)[0]?.patch ?? [];
        const after = patched({ payload: before }, patch) as { payload: { args: unknown } };
        expect(after.payload.args).toEqual(plain(ctx.payload["args"]));
      }),
      { numRuns: runCount(300) },
    );
  });
});

describe("the trace of a caller", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  it("is in the event of a dispatch, and of the calls of its hooks", async () => {
    const orcs = await hookEngine([
      {
        id: "asks",
        point: "session.on_start",
        handler: async (_, calls) => void (await calls.get("x", {})),
      },
    ]);
    orcs.addTool("x", () => 1);
    const seen = listen(orcs, ["dispatch_started"]);
    await orcs.dispatch("session.on_start", {}, { traceparent, tracestate: "a=b" });
    await orcs.session({ traceparent }).call("x", {});
    await orcs.call("x", {}, { traceparent: "nonsense" });
    const traces = seen.map((event) => event.name === "dispatch_started" && event.trace_context);
    const whole = { traceparent, tracestate: "a=b" };
    expect(traces).toEqual([
      whole,
      whole,
      whole,
      { traceparent },
      { traceparent },
      undefined,
      undefined,
    ]);
  });

  it("is that of the engine when a call names none", async () => {
    const orcs = await hookEngine([], { traceparent });
    const seen = listen(orcs, ["dispatch_started"]);
    await orcs.dispatch("session.on_start", {});
    // An invalid one is ignored.
    await orcs.dispatch("session.on_start", {}, { traceparent: "nonsense" });
    const own = { trace_context: { traceparent } };
    expect(seen).toMatchObject([own, own]);
  });
});

type Tree = Record<string, unknown> | unknown[];

/** Set or remove a value where its path leads, if it leads anywhere. */
function write(root: object, path: readonly string[], value: unknown): void {
  let at: unknown = root;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== "object" || at === null) return;
    at = (at as Record<string, unknown>)[key];
  }
  const last = path.at(-1) as string;
  if (typeof at !== "object" || at === null) return;
  if (Array.isArray(at)) {
    if (value === undefined) at.pop();
    else if (Number(last) <= at.length) at[Number(last)] = value;
    return;
  }
  if (value === undefined) delete (at as Record<string, unknown>)[last];
  else (at as Record<string, unknown>)[last] = value;
}

/** RFC 6902, as far as it is used. */
function patched(root: object, patch: NonNullable<HookStep["patch"]>): Record<string, unknown> {
  const copy = plain(root) as Record<string, unknown>;
  for (const operation of patch) {
    const keys = operation.path
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = keys.pop() as string;
    let at: Tree = copy;
    for (const key of keys) at = (at as Record<string, unknown>)[key] as Tree;
    const isThere = Array.isArray(at) ? Number(last) < at.length : Object.hasOwn(at, last);
    expect(isThere, `${operation.op} ${operation.path}`).toBe(operation.op !== "add");
    if (operation.op !== "remove") (at as Record<string, unknown>)[last] = operation.value;
    else if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  }
  return copy;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
