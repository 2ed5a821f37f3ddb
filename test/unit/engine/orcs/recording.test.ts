import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { isCall } from "../../../../src/records/recording/format.ts";
import type {
  RecordedCall,
  RecordedEvent,
  RecordEntry,
} from "../../../../src/records/recording/format.ts";
import { readRecord } from "../../../../src/records/recording/read-record.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { ORCS_POINTS } from "../../../../src/core/point-table.ts";
import { Recording } from "../../../../src/engine/orcs/audit/recording.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { PRE_ROWS } from "../../../contract/runtime-pre-points.ts";
import { createWorld, type World } from "../../../contract/runtime-rig.ts";
import { anyObject, canonical } from "../../records/recording/json-values.ts";
import { folder, Lines, open } from "./engine.ts";
import { quickTest as test, repeatedTest, runCount, slowTest } from "../../../slow-test.ts";

interface Recorded {
  readonly orcs: Orcs;
  readonly file: string;
  /** Close, and read what there is. */
  readonly read: () => Promise<RecordEntry[]>;
  readonly events: () => Promise<RecordedEvent[]>;
  readonly calls: () => Promise<RecordedCall[]>;
}

async function recorded(options: CreateOrcsOptions = {}, whole = false): Promise<Recorded> {
  const file = join(folder(), "record.jsonl");
  const orcs = await open({ record: whole ? { file, whole } : file, ...options });
  const read = async (): Promise<RecordEntry[]> => {
    await orcs.close();
    return [...readRecord(file, { strict: true })].map(({ entry }) => entry);
  };
  return {
    orcs,
    file,
    read,
    events: async () => (await read()).flatMap((entry) => (isCall(entry) ? [] : [entry])),
    calls: async () => (await read()).filter(isCall),
  };
}

const CALL = { tool_name: "t", args: { command: "ls" } };
const pre = "tool.pre_execute";
const hook = (
  point: string,
  handler: NonNullable<CreateOrcsOptions["hooks"]>[number]["handler"],
) => [{ id: "h", point, handler }];

test("a recorded event has all fields of the dispatch", async () => {
  const { orcs, events } = await recorded({ hooks: hook(pre, () => undefined) });
  const before = Date.now();
  await orcs.dispatch(pre, CALL, {
    component: "agent::x",
    child: "a/b",
    instance: "first",
    channel: "c",
    principal: { type: "User", id: "u" },
    metadata: { trace: "7" },
  });
  const [event, ...more] = await events();
  expect(more).toEqual([]);
  expect(event).toStrictEqual({
    at: expect.any(Number) as number,
    point: pre,
    component: "agent::x",
    child: "a/b",
    instance: "first",
    channel: "c",
    principal: { type: "User", id: "u" },
    metadata: { trace: "7" },
    payload: { ...CALL, tool: "t" },
    outcome: { action: "continue", edits: [] },
    duration_ms: expect.any(Number) as number,
  });
  expect(event?.at).toBeGreaterThanOrEqual(before);
  expect(event?.at).toBeLessThanOrEqual(Date.now());
  expect(event?.duration_ms).toBeGreaterThanOrEqual(0);
});

/** What a hook does before a call, and what its outcome is recorded as: one that continues without edits, and this. */
const OUTCOMES: Readonly<Record<string, readonly [does: (ctx: any) => unknown, outcome: object]>> =
  {
    nothing: [() => undefined, {}],
    allow: [() => ({ decision: "allow" }), { decision: "allow", hook: "h" }],
    ask: [() => ({ decision: "ask", reason: "y" }), { decision: "ask", reason: "y", hook: "h" }],
    defer: [() => ({ decision: "defer" }), { decision: "defer", hook: "h" }],
    deny: [
      () => ({ decision: "deny", reason: "no" }),
      { action: "abort", reason: "no", hook: "h" },
    ],
    abort: [
      () => ({ action: "abort", reason: "no" }),
      { action: "abort", reason: "no", hook: "h" },
    ],
    ...Object.fromEntries(
      [{ a: [null, -0] }, null].map((result) => [
        `skip with ${JSON.stringify(result)}`,
        [() => ({ action: "skip", result }), { action: "skip", result, hook: "h" }],
      ]),
    ),
    retry: [() => ({ action: "retry", delay_ms: 5 }), { action: "retry", delay_ms: 5, hook: "h" }],
    inject: [
      () => ({ inject: ["a", { content: "b", strategy: "user_message" }] }),
      { inject: ["a", { content: "b", strategy: "user_message" }] },
    ],
    "an edit of the payload": [
      (ctx) => void (ctx.payload.args.command = "ls -l"),
      { edits: [{ path: "/payload/args/command", value: "ls -l" }] },
    ],
    "one that removes": [
      (ctx) => void delete ctx.payload.args.command,
      { edits: [{ path: "/payload/args/command" }] },
    ],
    "one of the metadata": [
      (ctx) => void (ctx.metadata.seen = { by: "h" }),
      { edits: [{ path: "/metadata/seen", value: { by: "h" } }] },
    ],
    "one that comes to nothing": [(ctx) => void (ctx.payload.args = { command: "ls" }), {}],
    "an edit and a refusal": [
      (ctx) => ((ctx.metadata.seen = true), { action: "abort", reason: "no" }),
      {
        action: "abort",
        reason: "no",
        hook: "h",
        edits: [{ path: "/metadata/seen", value: true }],
      },
    ],
  };

describe("a recorded outcome", () => {
  async function recordedOutcome(point: string, payload: object, does: (ctx: any) => unknown) {
    const { orcs, events } = await recorded({ hooks: hook(point, does) });
    await orcs.dispatch(point, payload as JsonObject);
    const [event] = await events();
    expect(event?.failures).toBeUndefined();
    expect(event?.not_json).toBeUndefined();
    return event?.outcome;
  }

  test.each(Object.entries(OUTCOMES))("%s", async (_name, [does, outcome]) => {
    const expected = { action: "continue", edits: [], ...outcome };
    expect(await recordedOutcome(pre, CALL, does)).toStrictEqual(expected);
  });

  test.each([
    ["tool.post_execute", { ...CALL, result: "old" }, { new: true }],
    ["ui.on_status_line", {}, "line"],
  ])("replace at %s", async (point, payload, result) => {
    const edits = [{ path: "/payload/result", value: result }];
    const outcome = await recordedOutcome(point, payload, () => ({ action: "replace", result }));
    expect(outcome).toStrictEqual({ action: "continue", edits });
  });

  test("has the edits of an async handler", async () => {
    const { orcs, events } = await recorded({
      hooks: hook(pre, async (ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        ctx.metadata["late"] = true;
      }),
    });
    await orcs.dispatch(pre, CALL);
    const [event] = await events();
    expect(event?.outcome.edits).toEqual([{ path: "/metadata/late", value: true }]);
    expect(event?.duration_ms).toBeGreaterThan(0.5);
  });
});

test("failures are recorded with kind and message", async () => {
  const { orcs, events } = await recorded({
    hooks: [
      {
        id: "throws",
        point: pre,
        onError: "open",
        handler: () => Promise.reject(new Error("broke")),
      },
      { id: "odd", point: pre, onError: "open", handler: () => ({ action: "explode" }) as never },
      { id: "late", point: pre, timeoutMs: 5, handler: () => new Promise(() => undefined) },
    ],
  });
  await orcs.dispatch(pre, CALL);
  const [event] = await events();
  expect(event?.failures?.map(({ hook: id, kind }) => [id, kind])).toEqual([
    ["throws", "error"],
    ["odd", "answer"],
    ["late", "timeout"],
  ]);
  expect(event?.failures?.[0]?.message).toContain("broke");
  expect(event?.outcome).toMatchObject({ action: "abort", hook: "late" });
});

test("dispatches without hooks are recorded, including tool calls", async () => {
  const { orcs, events } = await recorded();
  orcs.wrapTool("t", () => ({ ok: true, n: 1 }));
  await orcs.get("t", { a: 1 });
  await orcs.dispatch("session.on_start", { session_id: "s" });
  const read = await events();
  expect(read.map(({ point }) => point)).toEqual([
    "tool.pre_execute",
    "tool.post_execute",
    "session.on_start",
  ]);
  expect(read[1]?.payload).toMatchObject({ tool_name: "t", result: { ok: true, n: 1 } });
});

describe("a tool call made by a hook", () => {
  const calling = (call: string): CreateOrcsOptions => ({
    config: {
      hooks: [{ id: "caller", point: pre, match: { tool: "outer" }, handler_inline: call }],
    },
  });

  test("is recorded with the tool's result before post hooks, without its own dispatches", async () => {
    const { orcs, read } = await recorded(
      calling('ctx.metadata.got = orcs.get("inner", { a = 1 }).n'),
    );
    orcs.on("tool.post_execute", { tool: "inner" }, () => ({
      action: "replace",
      result: { n: "changed" },
    }));
    orcs.on(pre, { tool: "inner" }, (ctx) => void ((ctx.payload.args as JsonObject)["b"] = 2));
    orcs.wrapTool("inner", (args: { a: number }) => ({ n: args.a }));
    orcs.wrapTool("outer", () => "done");
    await orcs.get("outer", {});
    const entries = await read();
    expect(entries.map((entry) => (isCall(entry) ? entry.call.kind : entry.point))).toEqual([
      "inner",
      "tool.pre_execute",
      "tool.post_execute",
    ]);
    expect(entries[0]).toStrictEqual({
      call: { kind: "inner", args: { a: 1, b: 2 }, result: { n: 1 } },
      depth: 1,
    });
    expect(entries[1]).toMatchObject({
      outcome: { edits: [{ path: "/metadata/got", value: "changed" }] },
    });
  });

  test("is recorded with the arguments before the tool changed them, and with the error it throws", async () => {
    const { orcs, calls } = await recorded(
      calling('orcs.get("inner", { a = 1 }) orcs.get("throws")'),
    );
    orcs.wrapTool("inner", (args: JsonObject) => void (args["a"] = "mine"));
    orcs.wrapTool("throws", () => Promise.reject(new Error("it broke")));
    await orcs.dispatch(pre, { tool_name: "outer", args: {} });
    expect(await calls()).toStrictEqual([
      { call: { kind: "inner", args: { a: 1 } }, depth: 1 },
      { call: { kind: "throws", args: {}, error: "it broke" }, depth: 1 },
    ]);
  });

  test("is not recorded if it was denied or the tool is unknown", async () => {
    const { orcs, calls } = await recorded({
      ...calling('orcs.exec("ls") orcs.get("none") orcs.get("guarded")'),
      overrides: { permissions: { capabilities: ["READ"] } },
    });
    orcs.on(pre, { tool: "guarded" }, () => ({ action: "abort", reason: "no" }));
    orcs.wrapTool("guarded", () => 1);
    await orcs.dispatch(pre, { tool_name: "outer", args: {} });
    expect(await calls()).toEqual([]);
  });

  test("is recorded for built-in tools, nested calls, and the model behind llm with its request", async () => {
    const dir = folder({ "file.txt": "hello" });
    const { orcs, calls } = await recorded({
      cwd: dir,
      config: {
        hooks: [
          {
            id: "outer",
            point: pre,
            match: { tool: "outer" },
            handler_inline: 'orcs.read("file.txt") orcs.llm("q")',
          },
          {
            id: "deeper",
            point: pre,
            match: { tool: "read" },
            handler_inline: 'local found = orcs.glob("*")',
          },
        ],
      },
      llm: () => ({ text: "a", usage: { total_tokens: 3 }, further: 1 }),
    });
    orcs.on("llm.post_generate", () => ({ action: "replace", result: "changed" }));
    await orcs.dispatch(pre, { tool_name: "outer", args: {} });
    expect((await calls()).map(({ call, depth }) => [call.kind, depth, call.result])).toEqual([
      ["glob", 2, expect.objectContaining({ files: ["file.txt"] })],
      ["read", 1, expect.objectContaining({ content: "hello" })],
      ["llm", 1, { text: "a", usage: { total_tokens: 3 } }],
    ]);
  });

  test("is recorded for a TypeScript hook and an async hook; the async run is no event", async () => {
    const { orcs, read } = await recorded({
      hooks: [
        {
          id: "later",
          point: pre,
          match: { tool: "outer" },
          async: true,
          handler: async (_ctx, call) => void (await call.get("inner", 1)),
        },
      ],
    });
    orcs.addTool("inner", ({ value }) => Number(value) + 1);
    await orcs.dispatch(pre, { tool_name: "outer", args: {} });
    expect(await read()).toMatchObject([
      { point: pre, payload: { tool_name: "outer" } },
      { call: { kind: "inner", args: { value: 1 }, result: 2 }, depth: 1 },
    ]);
  });
});

test("events at all runtime points are recorded and can be replayed", async () => {
  const record = join(folder(), "record.jsonl");
  const seen = new Set<string>();
  const grant = {
    act: async (world: World) => {
      await world.up();
      return world.ask("grant", "git log");
    },
  };
  for (const row of [...Object.values(PRE_ROWS), grant]) {
    const world = await createWorld({ more: { record } });
    world.orcs.events.on("dispatched", ({ point }) => seen.add(point));
    await row.act(world);
    await world.orcs.close();
  }
  const read = [...readRecord(record)].flatMap(({ entry }) => (isCall(entry) ? [] : [entry]));
  const points = new Set(read.map(({ point }) => point));
  expect([...points].toSorted()).toEqual(Object.keys(ORCS_POINTS).toSorted());
  expect([...seen].filter((point) => !points.has(point))).toEqual([]);
  expect(read.filter(({ not_json }) => not_json)).toEqual([]);
  expect(read.some(({ child }) => child === "kid")).toBe(true);
});

describe("values that are not JSON in a record", () => {
  class Own {
    readonly n = 1;
  }
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ inner }), 1);
  const throwing = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("hunter2");
    },
  });
  const VALUES: Readonly<Record<string, readonly [value: unknown, path: string, why: string]>> = {
    cycle: [cycle, "/self", "is a circular reference"],
    getter: [throwing, "/x", "is an accessor"],
    promise: [[1, Promise.resolve("hunter2")], "/1", "is a promise"],
    iterator: [["hunter2"].values(), "", "is a stream"],
    proxy: [
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("hunter2");
          },
        },
      ),
      "",
      "cannot be read: reading it throws",
    ],
  };

  test.each(Object.entries(VALUES))(
    "%s is noted in not_json with its path",
    async (_name, [value, at, why]) => {
      const { orcs, file, events } = await recorded();
      await orcs.dispatch(pre, { tool_name: "t", args: { value, fine: 1 } as never });
      const [event] = await events();
      expect(event?.not_json).toEqual([{ path: `/payload/args/value${at}`, why }]);
      expect(event?.payload).toMatchObject({ tool_name: "t", args: { fine: 1 } });
      expect(readFileSync(file, "utf8")).not.toContain("hunter2");
    },
  );

  /** What hooks read of it, and a replay will read again. */
  const CONVERTED: Readonly<Record<string, readonly [value: unknown, recorded: unknown]>> = {
    Date: [new Date(0), "1970-01-01T00:00:00.000Z"],
    Map: [new Map([["a", new Own()]]), [["a", { n: 1 }]]],
    class: [new Own(), { n: 1 }],
    function: [() => 1, null],
    symbol: [Symbol("s"), null],
    bigint: [1n, "1"],
    NaN: [Number.NaN, null],
    infinity: [
      [1, -Infinity],
      [1, null],
    ],
    hole: [
      [1, undefined],
      [1, null],
    ],
  };

  test.each(Object.entries(CONVERTED))(
    "%s is recorded as hooks read it, and not noted",
    async (_name, [value, wanted]) => {
      const { orcs, events } = await recorded();
      await orcs.dispatch(pre, { tool_name: "t", args: { value, fine: 1 } as never });
      const [event] = await events();
      expect(event?.not_json).toBeUndefined();
      expect(event?.payload["args"]).toStrictEqual({ value: wanted, fine: 1 });
    },
  );

  test("a value nested deeper than 32 levels is noted", async () => {
    const { orcs, events } = await recorded();
    await orcs.dispatch(pre, { tool_name: "t", args: { deep } as never });
    const [event] = await events();
    expect(event?.not_json).toEqual([
      {
        path: expect.stringMatching(/^\/payload\/args\/deep(\/inner){30}$/) as string,
        why: "is nested deeper than 32 levels",
      },
    ]);
  });

  test("in results and arguments of calls are noted; the other keys are kept", async () => {
    const { orcs, calls } = await recorded({
      config: {
        hooks: [
          { point: pre, match: { tool: "outer" }, handler_inline: 'local got = orcs.get("inner")' },
        ],
      },
    });
    orcs.wrapTool("inner", () => ({ ok: true, at: new Date(0), later: Promise.resolve(), n: 1 }));
    await orcs.dispatch(pre, { tool_name: "outer", args: {} });
    expect(await calls()).toStrictEqual([
      {
        call: {
          kind: "inner",
          args: {},
          result: { ok: true, at: "1970-01-01T00:00:00.000Z", later: null, n: 1 },
        },
        depth: 1,
        not_json: [{ path: "/call/result/later", why: "is a promise" }],
      },
    ]);
  });

  test("at most 100 are noted", async () => {
    const { orcs, events } = await recorded();
    const args = { list: Array.from({ length: 5000 }, () => Promise.resolve()) };
    await orcs.dispatch(pre, { tool_name: "t", args: args as never });
    expect((await events())[0]?.not_json).toHaveLength(100);
  });

  test("unchanged non-JSON values are not recorded as edits", async () => {
    const { orcs, events } = await recorded({
      hooks: hook(pre, (ctx) => void ((ctx.payload["args"] as JsonObject)["b"] = 1)),
    });
    const args = { when: new Date(0), later: Promise.resolve(), list: [[1]] };
    await orcs.dispatch(pre, { tool_name: "t", args: args as never });
    const [event] = await events();
    expect(event?.outcome.edits).toEqual([{ path: "/payload/args/b", value: 1 }]);
    expect(event?.not_json).toEqual([{ path: "/payload/args/later", why: "is a promise" }]);
  });
});

describe("secrets in a record", () => {
  const TOKEN = `ghp_${"a1B2".repeat(9)}`;
  const SECRET = "hunter2-and-more";

  test.each([
    ["masked", false],
    ["whole", true],
  ])("in a key whose value is not JSON: %s", async (_, whole) => {
    const { orcs, file, events } = await recorded({}, whole);
    await orcs.dispatch(pre, { tool_name: "t", args: { [TOKEN]: Promise.resolve() } as never });
    const [event] = await events();
    expect(event?.not_json).toEqual([
      { path: `/payload/args/${whole ? TOKEN : "[redacted]"}`, why: "is a promise" },
    ]);
    expect(readFileSync(file, "utf8").includes(TOKEN)).toBe(whole);
  });

  const run = async (whole: boolean): Promise<string> => {
    const { orcs, file, read } = await recorded(
      {
        config: {
          hooks: [
            {
              id: "all",
              point: pre,
              match: { tool: "outer" },
              handler_inline: `
                orcs.get("inner", { token = "${SECRET}", text = "${TOKEN}" })
                orcs.get("throws")
                ctx.payload.args.password = "${SECRET}2"
                ctx.payload.args.command = "curl -H 'Authorization: Bearer ${TOKEN}'"
                ctx.metadata.api_key = "${SECRET}"
                return { decision = "ask", reason = "it has ${TOKEN}", inject = { "${TOKEN}", { content = "${TOKEN}", strategy = "tool_result" } } }`,
            },
            {
              id: "fails",
              point: pre,
              match: { tool: "outer" },
              on_error: "open",
              handler_inline: `error("${TOKEN}")`,
            },
            {
              id: "skips",
              point: pre,
              match: { tool: "skipped" },
              handler_inline: `return orcs.skip({ secret = "${SECRET}", text = "${TOKEN}" })`,
            },
          ],
        },
      },
      whole,
    );
    orcs.wrapTool("inner", () => ({ ok: true, secret: SECRET, text: TOKEN }));
    orcs.wrapTool("throws", () => Promise.reject(new Error(`no ${TOKEN}`)));
    const args = { password: SECRET, text: TOKEN };
    await orcs.dispatch(pre, { tool_name: "outer", args }, { metadata: { token: SECRET } });
    await orcs.dispatch(pre, { tool_name: "skipped", args: {} });
    expect(await read()).toHaveLength(4);
    return readFileSync(file, "utf8");
  };

  test("are masked in every field", async () => {
    const text = await run(false);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(TOKEN);
    expect(text).toContain('"path":"/payload/args/command"');
  });

  test("are kept in a whole record", async () => {
    const text = await run(true);
    expect(text).toContain('"whole":true');
    expect(text).toContain(`"password":"${SECRET}"`);
    expect(text).toContain(`{"path":"/payload/args/password","value":"${SECRET}2"}`);
    expect(text).toContain(`"error":"no ${TOKEN}"`);
  });

  test("replacing one secret by another shows no edit in a masked record", async () => {
    const { orcs, events } = await recorded({
      hooks: hook(pre, (ctx) => void ((ctx.payload["args"] as JsonObject)["password"] = "other")),
    });
    await orcs.dispatch(pre, { tool_name: "t", args: { password: SECRET } });
    expect((await events())[0]?.outcome.edits).toEqual([]);
  });
});

repeatedTest("any dispatched payload is read back unchanged, with its edits", async () => {
  const { orcs, events } = await recorded({}, true);
  const given: JsonObject[] = [];
  let next: JsonObject = {};
  orcs.on("agent.on_notification", (ctx) => void Object.assign(ctx.metadata, { next }));
  await fc.assert(
    fc.asyncProperty(anyObject, anyObject, async (payload, left) => {
      next = left;
      const full = { ...payload, message: "m", kind: "k" };
      const { ctx } = await orcs.dispatch("agent.on_notification", full);
      // Names that a hook may not write are its failure.
      given.push({ payload: full, metadata: ctx.metadata as JsonObject });
    }),
    { numRuns: runCount(300) },
  );
  const read = await events();
  expect(read).toHaveLength(given.length);
  read.forEach((event, i) => {
    expect(canonical(event.payload)).toBe(canonical(given[i]?.["payload"]));
    const { next: left } = (given[i]?.["metadata"] ?? {}) as JsonObject;
    expect(canonical(event.outcome.edits)).toBe(
      canonical(left === undefined ? [] : [{ path: "/metadata/next", value: left }]),
    );
  });
  expect(read.some(({ outcome }) => outcome.edits.length > 0)).toBe(true);
});

describe("the record file", () => {
  test("is relative to the engine's working directory", async () => {
    const cwd = folder();
    const orcs = await open({ cwd, record: "record.jsonl" });
    await orcs.close();
    expect([...readRecord(join(cwd, "record.jsonl"))]).toEqual([]);
  });

  test("that is not a record makes createOrcs fail with ORCS8007", async () => {
    const dir = folder({ "notes.txt": "mine\n" });
    const record = join(dir, "notes.txt");
    await expect(open({ record })).rejects.toThrow(/^ORCS8007: .*notes\.txt: this is not a record/);
    expect(readFileSync(record, "utf8")).toBe("mine\n");
    await expect(open({ record: join(dir, "no", "r") })).rejects.toThrow("ORCS8008");
  });

  test("can be shared by engines that record at the same time", async () => {
    const file = join(folder(), "record.jsonl");
    const engines = await Promise.all(Array.from({ length: 4 }, () => open({ record: file })));
    for (let i = 0; i < 100; i++) {
      for (const orcs of engines) await orcs.dispatch("agent.on_notification", { message: `${i}` });
    }
    await Promise.all(engines.map((orcs) => orcs.close()));
    expect([...readRecord(file, { strict: true })]).toHaveLength(400);
  });
});

slowTest("an event that is too large or not serialisable is left out with a warning", async () => {
  const logger = new Lines();
  const { orcs, events } = await recorded({ logger });
  await orcs.dispatch("agent.on_notification", { message: "x".repeat(65 * 2 ** 20) });
  await orcs.dispatch("agent.on_notification", { message: "small" });
  expect((await events()).map(({ payload }) => payload["message"])).toEqual(["small"]);
  expect(logger.lines).toEqual([
    "warn: the dispatch of agent.on_notification is not recorded: it is larger than 64 MB",
  ]);
});

test("an internal error of the recorder affects no dispatch and no tool", async () => {
  const logger = new Lines();
  const file = join(folder(), "record.jsonl");
  const fail = (): never => {
    throw new Error("the redactor broke");
  };
  const recording = new Recording(file, {
    cwd: "/",
    redactor: { text: fail, value: fail },
    logger,
  });
  expect(recording.runs({ kind: "exec", args: {}, depth: 1 })).toBeUndefined();
  expect(recording.runs({ kind: "exec", args: {}, depth: 0 })).toBeUndefined();
  recording.close();
  expect(logger.lines).toEqual(["warn: a call of exec is not recorded: the redactor broke"]);
});

test("without the record option nothing is recorded and points stay quiet", async () => {
  const orcs = await open();
  expect(orcs.registry.isQuiet([pre])).toBe(true);
  const { orcs: recording } = await recorded();
  expect(recording.registry.isQuiet([pre])).toBe(false);
});

test("the record file is not written to after the engine closed", async () => {
  const { orcs, file, read } = await recorded();
  await orcs.dispatch("agent.on_notification", { message: "1" });
  await read();
  writeFileSync(file, "");
  await expect(orcs.get("x")).rejects.toThrow("ORCS2006");
  expect(readFileSync(file, "utf8")).toBe("");
});
