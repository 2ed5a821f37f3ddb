import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrcs } from "./built.ts";
import { Random } from "../fuzz/random.ts";
import { CountingClock } from "./counting-clock.ts";
import { Ledger } from "./ledger.ts";
import type { LuaStates } from "./lua-states.ts";
import { memoryInUse } from "./memory.ts";
import { COMPONENT } from "./scripts.ts";
import { Steps } from "./steps.ts";
import { Lives } from "./ts-component.ts";

/** A soak is so many equal parts, each of which ends with nothing left. */
const ROUNDS = 8;
/** Longest that all that is under way may take to end. */
const QUIET_MS = 15_000;

/** What one seed came to. */
export interface SeedReport {
  readonly seed: number;
  readonly steps: number;
  readonly ms: number;
  /** Calls that were answered, by kind and ending. */
  readonly endings: Readonly<Record<string, number>>;
  /** Bytes in use at the end of each round; empty when garbage cannot be collected. */
  readonly memory: readonly number[];
  /** Bytes in use when the engine was closed. */
  readonly rest: number | undefined;
  readonly faults: readonly string[];
}

/** One engine under random load that the seed makes again, as far as time lets it. */
export async function soakSeed(
  seed: number,
  steps: number,
  states: LuaStates,
): Promise<SeedReport> {
  const started = performance.now();
  const random = new Random(seed);
  const ledger = new Ledger();
  const lives = new Lives(ledger);
  const clock = new CountingClock();
  const memory: number[] = [];
  const dir = mkdtempSync(join(tmpdir(), "orcs-soak-"));
  const unhandled = (reason: unknown): void => ledger.fault(`unhandled: ${String(reason)}`);
  process.on("unhandledRejection", unhandled);
  const statesBefore = states.size;
  const config: Record<string, unknown> = {
    lua: { max_run_ms: 25, max_chain_ms: 60 },
    hil: { timeout_ms: 30 },
    permissions: { root: dir, grants: ["git log"] },
    hooks: [],
  };
  writeFileSync(join(dir, "component.lua"), COMPONENT);
  const quiet = (): void => undefined;
  const orcs = await createOrcs({
    config,
    cwd: dir,
    clock,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    output: (text) => heard(text, ledger),
  });
  try {
    orcs.wrapTool("soak_tool", async ({ n }: { n?: string }) => {
      await clock.sleep(1);
      return { n: n ?? null };
    });
    const runtime = orcs.runtime({
      limits: {
        mailbox: 16,
        requestMs: 60,
        lifecycleMs: 80,
        graceMs: 40,
        children: 3,
        childDepth: 3,
        channels: 10,
      },
    });
    const load = new Steps({ orcs, runtime, config, ledger, lives, random, dir });
    const expectNothingLeft = (when: string): void => {
      const left = {
        calls: ledger.waiting,
        channels: runtime.channels.length,
        "members of the bus": runtime.bus.size,
        "hooks of components": orcs.registry.size - load.hooks,
        "components and children": lives.alive,
        sleepers: clock.sleeping,
        "Lua states": Math.max(0, states.size - statesBefore - load.configuredStates),
      };
      for (const [what, count] of Object.entries(left)) {
        if (count !== 0) ledger.fault(`${when}: ${count} ${what} left`);
      }
    };
    for (let round = 1; round <= ROUNDS; round++) {
      for (let i = 0; i < steps / ROUNDS; i++) await load.step();
      if (round < ROUNDS) {
        await load.endAll();
        await within(QUIET_MS, ledger, () => clock.sleeping === 0);
        expectNothingLeft(`round ${round}`);
        ledger.forget();
        const bytes = await memoryInUse();
        if (bytes !== undefined) memory.push(bytes);
      }
    }
    await load.shutDown();
    await within(QUIET_MS, ledger, () => clock.sleeping === 0);
    expectNothingLeft("after the shutdown");
    checkMemory(memory, ledger);
    if (orcs.registry.dropped > 0) ledger.endings["async dropped"] = orcs.registry.dropped;
  } finally {
    await orcs.close();
    rmSync(dir, { recursive: true, force: true });
    if (states.size > statesBefore) {
      ledger.fault(`after close: ${states.size - statesBefore} Lua states left`);
    }
    // What nobody heard is told after a turn of the loop.
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", unhandled);
  }
  const { endings, faults } = ledger;
  const ms = performance.now() - started;
  return { seed, steps, ms, endings, memory, rest: await memoryInUse(), faults };
}

/** What the Lua components say: `served <number> <who>`, or `fault <why>`. */
function heard(text: string, ledger: Ledger): void {
  const [word, number, who] = text.split(" ");
  if (word === "fault") ledger.fault(`in Lua: ${text}`);
  else if (word === "served" && who !== "lua-child") ledger.serve(number, String(who));
}

/** Wait for what must come true by itself. */
async function within(ms: number, ledger: Ledger, isTrue: () => boolean): Promise<void> {
  await ledger.idle();
  const until = performance.now() + ms;
  while (!isTrue() && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Flat: the last rounds end with no more than the ones after the warm-up, give or take. */
function checkMemory(memory: readonly number[], ledger: Ledger): void {
  if (memory.length < 6) return;
  const mean = (part: readonly number[]): number => part.reduce((a, b) => a + b, 0) / part.length;
  const early = mean(memory.slice(1, 3));
  const late = mean(memory.slice(-2));
  if (late > early * 1.15 + 2 * 2 ** 20) {
    ledger.fault(`memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} bytes`);
  }
}
