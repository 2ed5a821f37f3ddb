import type { Orcs } from "../engine/index.ts";
import { endWhenBlocked } from "../machine/index.ts";

/** What is left to a module after its time, in milliseconds. */
const GRACE_MS = 5000;

/**
 * End this process, which runs hooks for others, when a module of its configuration blocks the thread for longer than
 * any of them may run: whoever waits is denied then, and not only when the agent's time is over.
 */
export function watchModules(orcs: Orcs): void {
  let limit: ((ms: number) => void) | undefined;
  const look = (): void => {
    const times = orcs.registry.list().flatMap(({ runner, table, timeoutMs }) =>
      // A hook of a program has no table.
      runner.mayBlock === true && table !== undefined ? [timeoutMs] : [],
    );
    if (times.length === 0) return;
    limit ??= endWhenBlocked();
    limit(Math.max(...times) + GRACE_MS);
  };
  look();
  orcs.events.on("reloaded", look);
}
