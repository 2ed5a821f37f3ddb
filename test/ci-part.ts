import { beforeEach, expect } from "vitest";
import type { RunnerTask } from "vitest";

/**
 * Of each file of the slow run, CI carries out this many tests, spread evenly over the file: what they try is much alike,
 * and each starts processes. `npm run test:slow` carries out all of it.
 */
const MOST = 2;
/** What takes ten seconds and more by itself is left to `npm run test:slow`. */
const TOO_LONG = ["dist/hook-starved", "slow/fleet-demo", "unit/engine/orcs/reload-soak.slow"];
/** Each test goes on where the one before it ended. */
const IN_ORDER = ["dist/tutorial", "docs/blocks.slow"];

const name = expect.getState().testPath?.replace(/^.*\/test\/(.*)\.test\.ts$/, "$1") ?? "";
/** Of a test that is tried again, the place stays. */
const places = new Map<string, number>();

beforeEach(({ task, skip }) => {
  if (IN_ORDER.includes(name)) return;
  const place = places.get(task.id) ?? places.size;
  places.set(task.id, place);
  const step = Math.ceil(countOf(task.file.tasks) / MOST);
  skip(TOO_LONG.includes(name) || place % step !== 0, "not of the part that CI carries out");
});

/** The tests that would be carried out. */
function countOf(tasks: readonly RunnerTask[]): number {
  return tasks.reduce(
    (sum, task) =>
      sum + (task.type === "suite" ? countOf(task.tasks) : task.mode === "run" ? 1 : 0),
    0,
  );
}
