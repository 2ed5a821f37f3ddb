import { writeFileSync } from "node:fs";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { PAYLOAD } from "./context.ts";
import { median } from "./measure.ts";
import type { Row } from "./report.ts";
import { scripted } from "./scripted.ts";

const SAVES = 40;
/** Dispatches between two looks at what else there is to do. */
const BURST = 10;
/** Between two saves, as between two of an editor; more than a watcher waits for a third one. */
const PAUSE_MS = 100;
const LOST_MS = 10_000;

/** From a script's save until its new handler answers, while dispatches go on. */
export function reloadRows(): Promise<Row[]> {
  return scripted(handler(0), async (script) => {
    const hooks = [{ script, point: "tool.pre_execute" }];
    const orcs = await createOrcs({ config: { hooks }, watch: true });
    const took: number[] = [];
    try {
      for (let save = 1; save <= SAVES; save++) {
        await under(orcs, PAUSE_MS, save - 1, save - 1);
        const saved = performance.now();
        writeFileSync(script, handler(save));
        await under(orcs, LOST_MS, save - 1, save);
        took.push(performance.now() - saved);
      }
    } finally {
      await orcs.close();
    }
    const ms = median(took);
    return [
      {
        key: "reload",
        what: "a save until it is in force, under load, in ms",
        us: ms * 1000,
        ratio: ms,
      },
    ];
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
