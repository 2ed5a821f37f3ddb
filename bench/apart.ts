import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { READ_THREE, VERDICT_OF_THREE } from "./context.ts";
import { inlineEngine } from "./engines.ts";
import { quantile, timings } from "./measure.ts";
import type { Row } from "./report.ts";
import { RIVALS } from "./rivals.ts";
import { dispatch } from "./dispatch.ts";

/** How often each subject is started. */
const STARTS = 5;
const OURS = {
  "orcs, the context back": async () => dispatch(await inlineEngine([READ_THREE])).run,
  "orcs, nothing back": async () => dispatch(await inlineEngine([VERDICT_OF_THREE])).run,
};
type Start = () => Promise<() => unknown>;
const SUBJECTS: Readonly<Record<string, Start>> = { ...OURS, ...RIVALS };

/** Microseconds of one subject, in this process. */
export async function timeSubject(name: string): Promise<number> {
  const start = SUBJECTS[name];
  if (!start) throw new Error(`no subject ${name}`);
  const [us = NaN] = await timings([{ name, run: await start() }]);
  return us;
}

/** A guard that reads three fields, and what else could ask it: each in a process of its own, in turn. */
export async function rivalRows(): Promise<Row[]> {
  const names = Object.keys(SUBJECTS);
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  for (let i = 0; i < STARTS; i++) {
    for (const name of names) samples.get(name)?.push(startSubject(name));
  }
  const us = (name: string): number => quantile(samples.get(name) ?? [], 0.25);
  return Object.entries(KEYS).map(([name, [key, against]]) => ({
    key,
    what: `${name}, against ${against}`,
    us: us(name),
    baseline: us(against),
    ratio: us(name) / us(against),
  }));
}

/** Rows of the table: how many times as long a rival takes as orcs does for the same answer. */
const KEYS: Readonly<
  Record<keyof typeof RIVALS, readonly [key: string, against: keyof typeof OURS]>
> = {
  "wasmoon, the context converted, back whole": ["rival_wasmoon_whole", "orcs, the context back"],
  "wasmoon, the context converted, back a verdict": ["rival_wasmoon", "orcs, nothing back"],
  "wasmoon's proxies, back a verdict": ["rival_wasmoon_proxies", "orcs, nothing back"],
  "wasmoon, three strings passed by hand": ["rival_three_strings", "orcs, nothing back"],
  "QuickJS, the context as JSON, back whole": ["rival_quickjs_whole", "orcs, the context back"],
  "QuickJS, the context as JSON, back a verdict": ["rival_quickjs", "orcs, nothing back"],
  "QuickJS, the payload alone as JSON, back a verdict": [
    "rival_quickjs_payload",
    "orcs, nothing back",
  ],
  "Cedar, the policies parsed beforehand": ["rival_cedar", "orcs, nothing back"],
};

function startSubject(name: string): number {
  const run = fileURLToPath(new URL("./run.js", import.meta.url));
  const args = ["--expose-gc", run, "--subject", name];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}
