import { parseArgs } from "node:util";
import { LuaStates } from "./lua-states.ts";
import { soakSeed } from "./seed.ts";
import type { SeedReport } from "./seed.ts";

/** How long the program may take to end by itself when all is done. */
const EXIT_MS = 5000;
/** What a closed engine may leave behind, compiled code for one. */
const KEPT_BYTES = 8 * 2 ** 20;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10" },
    first: { type: "string", default: "1" },
    steps: { type: "string", default: "2000" },
    json: { type: "boolean", default: false },
  },
});
const first = Number(values.first);
const steps = Number(values.steps);
const states = await LuaStates.watch();
const reports: SeedReport[] = [];
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const report = await soakSeed(seed, steps, states);
  reports.push(report);
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : lineOf(report));
}
const kept = keptEngines();
const faults = reports.reduce((sum, report) => sum + report.faults.length, kept.length);
const answered = reports.reduce((sum, { endings }) => sum + count(endings), 0);
if (!values.json) {
  const what = `${reports.length} seeds of ${steps} steps, ${answered} calls answered`;
  for (const why of kept) process.stdout.write(`  ${why}\n`);
  process.stdout.write(`${what}, ${faults === 0 ? "no fault" : `${faults} faults`}\n`);
}
if (faults > 0) process.exitCode = 1;
// Whatever keeps the program alive now was left behind.
setTimeout(() => {
  process.stderr.write(`still there: ${process.getActiveResourcesInfo().join(", ")}\n`);
  process.exit(1);
}, EXIT_MS).unref();

/** An engine that was closed must be gone: a Lua VM has 16 MB. */
function keptEngines(): string[] {
  const [base] = reports;
  return reports
    .filter(({ rest = 0 }, i) => rest > (reports[Math.max(0, i - 1)]?.rest ?? 0) + KEPT_BYTES)
    .map(
      ({ seed, rest = 0 }) =>
        `after seed ${seed}: ${mb(rest)} MB, ${mb(base?.rest ?? 0)} MB after the first`,
    );
}

function mb(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function lineOf({ seed, ms, endings, memory, faults: found }: SeedReport): string {
  const line = `seed ${seed}: ${count(endings)} calls answered in ${(ms / 1000).toFixed(1)} s, memory ${memory.map(mb).join(" ")} MB`;
  if (found.length === 0) return `${line}, no fault\n`;
  const again = `npm run soak -- --seeds 1 --first ${seed} --steps ${steps}`;
  return `${line}\n${found.map((why) => `  ${why}\n`).join("")}  again: ${again}\n`;
}

function count(endings: Readonly<Record<string, number>>): number {
  return Object.values(endings).reduce((a, b) => a + b, 0);
}
