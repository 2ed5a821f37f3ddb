import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createOrcs } from "orcs";
import type { Outcome } from "orcs";
import { fuzzMetatables } from "./metatables.ts";
import { randomHandler } from "./program.ts";
import { Random } from "./random.ts";
import { fuzzPlanted, fuzzRuns } from "./shell.ts";

/** A dispatch may take the chain's budget and what the machine is late by. */
const MOST_MS = 3000;
const CANARY =
  'function(ctx) ctx.metadata.canary = "alive " .. ctx.payload.args.command return ctx end';

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    isolation: { type: "string", default: "thread" },
    metatables: { type: "boolean", default: false },
    shell: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    runs: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "10" },
  },
});
const seed = Number(values.seed);
const until = performance.now() + Number(values.minutes) * 60_000;
process.stdout.write(`seed ${seed}, ${values.minutes} minutes, isolation ${values.isolation}\n`);

if (values.metatables) {
  await fuzzMetatables(seed, until, values.isolation);
  process.exit();
}

if (values.shell)
  process.exit((await fuzzRuns(Number(values.runs), seed, Number(values.minutes) * 60)) ? 0 : 1);
if (values.planted) process.exit((await fuzzPlanted(seed, Number(values.seconds), 95)) ? 0 : 1);

const root = mkdtempSync(join(tmpdir(), "orcs-fuzz-"));
let count = 0;
/** How the programs ended: what they answered, or how they failed. */
const endings: Record<string, number> = {};
const memory: number[] = [];
try {
  while (performance.now() < until) {
    await oneProgram(seed + count);
    if (++count % 250 === 0) await progress();
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
await progress();
checkMemory();
process.stdout.write(`${count} programs, none did harm\n`);

async function oneProgram(programSeed: number): Promise<void> {
  const random = new Random(programSeed);
  const code = randomHandler(random);
  const fail = (why: string): never => {
    throw new Error(`program ${programSeed}: ${why}\n${code}`);
  };
  const orcs = await createOrcs({
    trace: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    config: {
      permissions: { root, capabilities: ["READ"] },
      lua: { isolation: values.isolation },
      hooks: [
        {
          id: "fuzz",
          point: "tool.pre_execute",
          handler_inline: code,
          on_error: "open",
          timeout_ms: 500,
        },
        {
          id: "canary",
          point: "tool.post_execute",
          handler_inline: CANARY,
          options: { apart: true },
        },
        {
          id: "leak",
          point: "tool.on_failure",
          handler_inline: 'ctx.metadata.leak = orcs.state.get("leak")',
          options: { apart: true },
        },
      ],
    },
  }).catch((thrown: unknown) => fail(`was not loaded: ${String(thrown)}`));
  const payload = randomPayload(random);
  const before = JSON.stringify(payload);
  const started = performance.now();
  const outcome: Outcome = await orcs.dispatch("tool.pre_execute", payload);
  const took = performance.now() - started;
  if (took > MOST_MS) fail(`took ${took.toFixed(0)} ms`);
  if (JSON.stringify(payload) !== before) fail("wrote to the caller's payload");
  const [entry] = outcome.trace ?? [];
  const ending = entry?.status === "ran" ? String(entry.action) : String(entry?.status);
  endings[ending] = (endings[ending] ?? 0) + 1;
  expectPlain(outcome.ctx.payload, fail);
  expectPlain(outcome.ctx.metadata, fail);
  const alive = await orcs.dispatch("tool.post_execute", {
    tool_name: "t",
    args: { command: "yes" },
  });
  if (alive.ctx.metadata["canary"] !== "alive yes") fail("harmed the script next to it");
  const leak = await orcs.dispatch("tool.on_failure", { tool_name: "t", args: {} });
  if (leak.ctx.metadata["leak"] !== undefined)
    fail(`reached ${JSON.stringify(leak.ctx.metadata["leak"])}`);
  if ("polluted" in {} || Object.keys(Object.prototype).length > 0) fail("polluted a prototype");
  await orcs.close();
}

function randomPayload(random: Random) {
  const value = (depth: number): unknown =>
    random.pick([
      () => null,
      () => random.below(1000) - 500,
      () => random.next() * 1e20,
      () => random.pick(["", "text", "nul\0", "😀", "x".repeat(500)]),
      () => random.chance(0.5),
      () => (depth > 0 ? random.many(0, 4, () => value(depth - 1)) : []),
      () =>
        depth > 0
          ? Object.fromEntries(
              random.many(0, 4, () => [random.pick(["x", "y", "1", "then"]), value(depth - 1)]),
            )
          : {},
    ])();
  return {
    tool_name: "exec",
    args: {
      command: "ls",
      list: [1, null, "three", { x: 1 }],
      deep: value(4) as never,
      x: value(2) as never,
    },
  };
}

/** What hooks leave behind is plain JSON data, no function or class among it. */
function expectPlain(value: unknown, fail: (why: string) => never): void {
  if (typeof value === "function") fail("a function came out");
  if (typeof value !== "object" || value === null) return;
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== Array.prototype && proto !== null)
    fail("a class came out");
  for (const item of Object.values(value)) expectPlain(item, fail);
}

async function progress(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  memory.push(heapUsed + arrayBuffers);
  const mb = ((heapUsed + arrayBuffers) / 2 ** 20).toFixed(0);
  process.stderr.write(`${count} programs ${JSON.stringify(endings)} ${mb} MB\n`);
}

/** Flat: the last quarter of the run uses no more than the second one, give or take. */
function checkMemory(): void {
  const quarter = Math.floor(memory.length / 4);
  if (quarter < 2) return;
  const mean = (part: readonly number[]): number => part.reduce((a, b) => a + b, 0) / part.length;
  const early = mean(memory.slice(quarter, 2 * quarter));
  const late = mean(memory.slice(-quarter));
  if (late > early * 1.25 + 8 * 2 ** 20) {
    throw new Error(`memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} bytes`);
  }
}
