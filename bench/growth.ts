import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHooks } from "hookable";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { CONTEXT, PAYLOAD } from "./context.ts";
import { quantile, timings } from "./measure.ts";
import type { Row } from "./report.ts";

const HOOKS = 10_000;
const SCRIPTS = 100;
const ROUNDS = 9;

/** Many hooks: to add them, and to dispatch where they are of other tools. */
export async function hookCountRows(): Promise<Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const orcs = await createOrcs({ config: false });
    ours.push(usedBy(() => addHooks(orcs)));
    await orcs.close();
    const hooks = createHooks<{ call: () => void }>();
    theirs.push(
      usedBy(() => {
        for (let i = 0; i < HOOKS; i++) hooks.hook("call", () => {});
      }),
    );
  }
  const [us, baseline] = [quantile(ours, 0.25), quantile(theirs, 0.25)];
  const alone = await oneHook();
  const among = await oneHook();
  addHooks(among);
  const dispatch = (orcs: Orcs) => () => orcs.dispatch("tool.pre_execute", PAYLOAD);
  const [one, passed] = (await timings([
    { name: "one hook", run: dispatch(alone) },
    { name: "among 10,000", run: dispatch(among) },
  ])) as [number, number];
  for (const orcs of [alone, among]) await orcs.close();
  return [
    {
      key: "hooks_add_10000",
      what: "adding 10,000 TypeScript hooks against hookable",
      us,
      baseline,
      ratio: us / baseline,
      absolute: us,
    },
    {
      key: "pass_10000_other_tools",
      what: "one hook among 10,000 of other tools against one alone",
      us: passed,
      baseline: one,
      ratio: passed / one,
      absolute: passed,
    },
  ];
}

/** What each of a hundred small script files adds to the start of an engine, in processor time. */
export async function scriptStartRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const hooks = Array.from({ length: SCRIPTS }, (_, i) => {
    const script = join(folder, `hook-${i}.lua`);
    writeFileSync(
      script,
      `orcs.hook("*::*:tool.pre_execute", function(ctx)
  if ctx.payload.tool == "tool-${i}" then return orcs.deny("not today") end
end)\n`,
    );
    return { script };
  });
  const start = async (count: number): Promise<number> => {
    const before = process.cpuUsage();
    const orcs = await createOrcs({ config: { hooks: hooks.slice(0, count) } });
    const us = microseconds(before);
    await orcs.close();
    return us;
  };
  await start(1);
  const one: number[] = [];
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await start(1));
    all.push(await start(SCRIPTS));
  }
  rmSync(folder, { recursive: true });
  const us = (quantile(all, 0.25) - quantile(one, 0.25)) / (SCRIPTS - 1);
  return [
    {
      key: "script_start_100",
      what: "start of a small script among 100, processor time",
      us,
      ratio: us / 1000,
    },
  ];
}

type Call = (ctx: typeof CONTEXT) => unknown;

/** TypeScript hooks that wait, and hooks that write, against hookable with the same functions. */
export async function functionKindRows(): Promise<Row[]> {
  let written = 0;
  const waits: Call = async (ctx) => void ctx.payload.tool_name;
  const writes: Call = (ctx) => void (ctx.payload.args.timeout_ms = ++written);
  return [
    await againstHookable("async_1_vs_hookable", "one async hook against hookable", 1, waits),
    await againstHookable("async_10_vs_hookable", "10 async hooks against hookable", 10, waits),
    await againstHookable("writing_10", "10 hooks that each write against hookable", 10, writes),
  ];
}

async function againstHookable(key: string, what: string, count: number, call: Call): Promise<Row> {
  const orcs = await createOrcs({ config: false });
  const hooks = createHooks<{ call: (ctx: typeof CONTEXT) => void | Promise<void> }>();
  const own = structuredClone(CONTEXT);
  for (let i = 0; i < count; i++) {
    orcs.hook({ point: "tool.pre_execute", handler: (ctx) => call(ctx as unknown as typeof own) });
    hooks.hook("call", (ctx) => call(ctx) as void | Promise<void>);
  }
  const [us, baseline] = (await timings([
    { name: "orcs", run: () => orcs.dispatch("tool.pre_execute", PAYLOAD) },
    { name: "hookable", run: () => hooks.callHook("call", own) },
  ])) as [number, number];
  await orcs.close();
  return { key, what, us, baseline, ratio: us / baseline };
}

function addHooks(orcs: Orcs): void {
  for (let i = 0; i < HOOKS; i++) {
    orcs.hook({ point: "tool.pre_execute", match: { tool: `tool-${i}` }, handler: () => {} });
  }
}

async function oneHook(): Promise<Orcs> {
  const orcs = await createOrcs({ config: false });
  orcs.hook({ point: "tool.pre_execute", handler: (ctx) => void ctx.payload.tool_name });
  return orcs;
}

/** Microseconds of processor time: what a neighbour on the machine takes is no part of it. */
function usedBy(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return microseconds(before);
}

function microseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
