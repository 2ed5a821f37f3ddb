import { createHooks } from "hookable";
import { AsyncSeriesWaterfallHook, SyncWaterfallHook } from "tapable";
import type { Orcs } from "orcs";
import { CONTEXT, LARGE_PAYLOAD, PAYLOAD, READ_THREE, WRITE_ONE } from "./context.ts";
import { functionEngine, inlineEngine, scriptEngine } from "./engines.ts";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";

/** A dispatch at `tool.pre_execute`, as a subject. */
export const dispatch = (orcs: Orcs, payload: typeof PAYLOAD = PAYLOAD) => ({
  run: () => orcs.dispatch("tool.pre_execute", payload),
});

/** Lua hooks against themselves. */
export async function luaRows(): Promise<Row[]> {
  const one = await inlineEngine([READ_THREE]);
  const write = await inlineEngine([WRITE_ONE]);
  const ten = await inlineEngine(Array.from({ length: 10 }, () => READ_THREE));
  const tenScripts = await scriptEngine(Array.from({ length: 10 }, () => READ_THREE));
  const [base, large, written, ten1, ten10] = (await timings([
    { name: "one hook", ...dispatch(one) },
    { name: "1 MB", ...dispatch(one, LARGE_PAYLOAD) },
    { name: "one write", ...dispatch(write) },
    { name: "ten hooks", ...dispatch(ten) },
    { name: "ten scripts", ...dispatch(tenScripts) },
  ])) as [number, number, number, number, number];
  for (const orcs of [one, write, ten, tenScripts]) await orcs.close();
  return [
    {
      key: "lua_1mb",
      what: "payload of 1 MB against the small one",
      us: large,
      baseline: base,
      ratio: large / base,
    },
    {
      key: "lua_write",
      what: "one field written against read-only",
      us: written,
      baseline: base,
      ratio: written / base,
    },
    {
      key: "lua_10_one_script",
      what: "10 hooks of one script against one",
      us: ten1,
      baseline: base,
      ratio: ten1 / base,
    },
    {
      key: "lua_10_scripts",
      what: "10 hooks of ten scripts against one",
      us: ten10,
      baseline: base,
      ratio: ten10 / base,
    },
  ];
}

/** TypeScript hooks, against hookable and tapable. */
export async function functionRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1, 10, 100]) {
    const orcs = await functionEngine(count);
    const hooks = createHooks<{ call: (ctx: unknown) => void | Promise<void> }>();
    const taps = new AsyncSeriesWaterfallHook<[typeof CONTEXT]>(["ctx"]);
    for (let i = 0; i < count; i++) {
      hooks.hook("call", (ctx) => void (ctx as typeof CONTEXT).payload.tool_name);
      taps.tap(`t${i}`, (ctx) => (ctx.payload.tool_name ? ctx : ctx));
    }
    const [ours, hookable, tapable] = (await timings([
      { name: "orcs", ...dispatch(orcs) },
      { name: "hookable", run: () => hooks.callHook("call", CONTEXT) },
      { name: "tapable", run: () => taps.promise(CONTEXT) },
    ])) as [number, number, number];
    rows.push(
      {
        key: `ts_${count}_vs_hookable`,
        what: `${count} TypeScript hooks against hookable`,
        us: ours,
        baseline: hookable,
        ratio: ours / hookable,
      },
      {
        key: `ts_${count}_vs_tapable`,
        what: `${count} TypeScript hooks against tapable`,
        us: ours,
        baseline: tapable,
        ratio: ours / tapable,
      },
    );
    await orcs.close();
  }
  return rows;
}

/** What hooks cost that do not run. */
export async function passRows(): Promise<Row[]> {
  const empty = await functionEngine(0);
  const byFql = await functionEngine(100, "plugin::other");
  const byTool = await inlineEngine(
    Array.from({ length: 100 }, () => READ_THREE),
    { tool: "write|edit" },
  );
  const waterfall = new SyncWaterfallHook<[typeof CONTEXT]>(["ctx"]);
  for (let i = 0; i < 100; i++) waterfall.tap(`t${i}`, (ctx) => ctx);
  const resolved = Promise.resolve(CONTEXT);
  const [none, plain, fql, tool, tapable] = (await timings([
    { name: "no hooks", ...dispatch(empty) },
    { name: "await", run: () => resolved },
    { name: "fql", ...dispatch(byFql) },
    { name: "tool", ...dispatch(byTool) },
    { name: "tapable", run: () => waterfall.call(CONTEXT) },
  ])) as [number, number, number, number, number];
  for (const orcs of [empty, byFql, byTool]) await orcs.close();
  return [
    {
      key: "empty_point",
      what: "a point without hooks against a plain await",
      us: none,
      baseline: plain,
      ratio: none / plain,
    },
    {
      key: "pass_100_fql",
      what: "100 hooks that do not match by FQL",
      us: fql,
      baseline: tapable,
      ratio: fql / tapable,
      absolute: fql,
    },
    {
      key: "pass_100_tool",
      what: "100 hooks that do not match by tool",
      us: tool,
      baseline: tapable,
      ratio: tool / tapable,
      absolute: tool,
    },
  ];
}

/** 0, 10 and 100 Lua hooks, all matching (ADR-002 §16.5). */
export async function luaCountRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [0, 10, 100]) {
    const orcs = await inlineEngine(Array.from({ length: count }, () => READ_THREE));
    const [us] = (await timings([{ name: "orcs", ...dispatch(orcs) }])) as [number];
    rows.push({ key: `lua_${count}`, what: `${count} Lua hooks, all matching`, us });
    await orcs.close();
  }
  return rows;
}

/** Reads the length of a string of a megabyte. */
const LENGTH = `function(ctx) local n = #ctx.payload.content end`;

/** The length of a long string of the host's, against writing its bytes once. */
export async function lengthRows(): Promise<Row[]> {
  const orcs = await inlineEngine([LENGTH]);
  const payload = { ...PAYLOAD, content: "x".repeat(1_000_000) };
  const bytes = new Uint8Array(payload.content.length);
  const encoder = new TextEncoder();
  const [us, baseline] = (await timings([
    { name: "orcs", ...dispatch(orcs, payload) },
    { name: "encode", run: () => encoder.encodeInto(payload.content, bytes) },
  ])) as [number, number];
  await orcs.close();
  return [
    {
      key: "lua_length_1mb",
      what: "the length of a string of 1 MB, against encoding it",
      us,
      baseline,
      ratio: us / baseline,
    },
  ];
}

/** Scripts on a worker thread, against the same in this one: the context crosses as a copy. */
export async function workerRows(): Promise<Row[]> {
  const thread = await inlineEngine([READ_THREE]);
  const worker = await inlineEngine([READ_THREE], undefined, "worker");
  const rows: Row[] = [];
  for (const [size, payload] of [
    ["small", PAYLOAD],
    ["1 MB", LARGE_PAYLOAD],
  ] as const) {
    const [there, here] = (await timings([
      { name: "worker", ...dispatch(worker, payload) },
      { name: "thread", ...dispatch(thread, payload) },
    ])) as [number, number];
    rows.push({
      key: "worker",
      what: `isolation = "worker" against "thread", ${size} payload`,
      us: there,
      baseline: here,
      ratio: there / here,
    });
  }
  const [small, large] = (await timings([
    { name: "small", ...dispatch(worker) },
    { name: "1 MB", ...dispatch(worker, LARGE_PAYLOAD) },
  ])) as [number, number];
  rows.push({
    key: "worker_1mb",
    what: "on a worker, payload of 1 MB against the small one",
    us: large,
    baseline: small,
    ratio: large / small,
  });
  for (const orcs of [thread, worker]) await orcs.close();
  return rows;
}
