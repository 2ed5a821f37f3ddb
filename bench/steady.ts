import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrcs } from "orcs";
import { PAYLOAD, READ_THREE } from "./context.ts";
import { inlineEngine } from "./engines.ts";
import { quantile, timings } from "./measure.ts";
import type { Row } from "./report.ts";

const DISPATCHES = 1_000_000;

/** A million dispatches: memory after the first tenth against memory at the end. */
export async function memoryRows(): Promise<Row[]> {
  const orcs = await inlineEngine([READ_THREE]);
  const early = await memoryAfter(DISPATCHES / 10);
  const started = performance.now();
  const late = await memoryAfter(DISPATCHES * 0.9);
  const us = ((performance.now() - started) * 1000) / (DISPATCHES * 0.9);
  await orcs.close();
  return [
    {
      key: "memory_million",
      what: "memory after a million dispatches against 100,000",
      us,
      ratio: late / early,
    },
  ];

  async function memoryAfter(count: number): Promise<number> {
    for (let i = 0; i < count; i++) await orcs.dispatch("tool.pre_execute", PAYLOAD);
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }
}

/** What an engine costs a process that has started some, and what a script and a wrapped tool add. */
export async function loadRows(): Promise<Row[]> {
  return [await engineRow(), await scriptRow(), await toolRow()];
}

async function engineRow(): Promise<Row> {
  const hook = { point: "tool.pre_execute", handler_inline: READ_THREE };
  const took: number[] = [];
  for (let round = 0; round < 50; round++) {
    const started = performance.now();
    const orcs = await createOrcs({ config: { hooks: [hook] } });
    took.push(performance.now() - started);
    await orcs.close();
  }
  const ms = quantile(took, 0.25);
  return {
    key: "create_orcs",
    what: "createOrcs with one inline Lua hook in a warm process, as milliseconds",
    us: ms * 1000,
    ratio: ms,
  };
}

async function toolRow(): Promise<Row> {
  const orcs = await createOrcs({ config: false });
  const sum = async ({ a, b }: { a: number; b: number }): Promise<number> => a + b;
  const wrapped = orcs.wrapTool("sum", sum);
  const args = { a: 1, b: 2 };
  const [us = NaN, baseline = NaN] = await timings([
    { name: "wrapped", run: () => wrapped(args) },
    { name: "bare", run: () => sum(args) },
  ]);
  await orcs.close();
  return {
    key: "wrap_tool",
    what: "a wrapped tool without hooks, as microseconds",
    us,
    baseline,
    ratio: us,
  };
}

/** What a script of 100 lines adds to the start of an engine. */
async function scriptRow(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const lines = Array.from(
    { length: 97 },
    (_, i) => `local function f${i}(a, b) return a and b or ${i} end`,
  );
  const script = join(folder, "script.lua");
  writeFileSync(script, `${lines.join("\n")}\nreturn ${READ_THREE}\n`);
  const hook = { script, point: "tool.pre_execute" };
  // Scripts with other options have states of their own: eleven against one is ten loads.
  const start = async (count: number): Promise<number> => {
    const hooks = Array.from({ length: count }, (_, n) => ({ ...hook, options: { n } }));
    const started = performance.now();
    const orcs = await createOrcs({ config: { hooks } });
    const ms = performance.now() - started;
    await orcs.close();
    return ms;
  };
  const one: number[] = [];
  const eleven: number[] = [];
  for (let round = 0; round < 25; round++) {
    one.push(await start(1));
    eleven.push(await start(11));
  }
  rmSync(folder, { recursive: true });
  const ms = (quantile(eleven, 0.25) - quantile(one, 0.25)) / 10;
  return { key: "load_script", what: "loading a script of 100 lines", us: ms * 1000, ratio: ms };
}
