import { writeFileSync } from "node:fs";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { PAYLOAD } from "./context.ts";
import { median, quantile } from "./measure.ts";
import type { Row } from "./report.ts";
import { scripted } from "./scripted.ts";

const SAVES = 40;
const ROUNDS = 3;
/** Dispatches between two looks at what else there is to do. */
const BURST = 10;
/** Between two saves, as between two of an editor; more than a watcher waits for a third one. */
const PAUSE_MS = 100;
/** A second save that follows sooner is no event of its own to the library that watches. */
const SHORT_PAUSE_MS = 50;
const LOST_MS = 10_000;

/** From a script's save until its new handler answers, while dispatches go on. */
export async function reloadRows(): Promise<Row[]> {
  const apart = median(await savesTook(SAVES, () => PAUSE_MS));
  const following = await slowest(() => 0);
  const random = await slowest(() => Math.random() * SHORT_PAUSE_MS);
  return [
    row("reload", "from a save until the hook is active, under load", apart),
    row("reload_following", "the same, each as soon as the last is: 95th percentile", following),
    row("reload_random", "the same, 0 to 50 ms after that: 95th percentile", random),
  ];
}

/** The 95th percentile of saves that follow each other, in the best of several rounds. */
async function slowest(pause: () => number): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(quantile(await savesTook(SAVES, pause), 0.95));
  }
  return Math.min(...rounds);
}

function row(key: string, what: string, ms: number): Row {
  return { key, what, us: ms * 1000, ratio: ms };
}

/** How long each of so many saves took, in milliseconds. */
function savesTook(saves: number, pause: () => number): Promise<number[]> {
  return scripted(handler(0), async (script) => {
    const hooks = [{ script, point: "tool.pre_execute" }];
    const orcs = await createOrcs({ config: { hooks }, watch: true });
    const took: number[] = [];
    try {
      for (let save = 1; save <= saves; save++) {
        await under(orcs, pause(), save - 1, save - 1);
        const saved = performance.now();
        writeFileSync(script, handler(save));
        await under(orcs, LOST_MS, save - 1, save);
        took.push(performance.now() - saved);
      }
    } finally {
      await orcs.close();
    }
    return took;
  });
}
/** Refuses by the number of its version. */
function handler(version: number): string {
  return `return function() return orcs.deny("${version}") end\n`;
}

/**
 * Dispatch on end for so long, or until a new version answers.
 * @throws Error when a dispatch is answered by neither version, or the new one does not come
 */
async function under(orcs: Orcs, ms: number, old: number, next: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (let i = 0; i < BURST; i++) {
      const outcome = await orcs.dispatch("tool.pre_execute", PAYLOAD);
      const answer = outcome.action === "abort" ? outcome.reason : outcome.action;
      if (next !== old && answer === String(next)) return;
      if (answer !== String(old)) throw new Error(`${answer} answered between ${old} and ${next}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (next !== old) throw new Error(`save ${next} is not in force after ${LOST_MS} ms`);
}
