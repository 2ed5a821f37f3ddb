import { beforeEach, test } from "vitest";

/** Set by `npm run test:slow` and in CI: which share of the runs of a property is tried. */
const share = process.env["ORCS_TEST_SLOW"];
const isSlowRun = share !== undefined;

/** Whether everything is tried, also what is much like something else: not in CI. */
export const isWholeRun = share === "1";

/** What is tried of a table whose rows are much like each other: in CI one of `n`, spread evenly. */
export function partOf<T>(all: readonly T[], n: number): T[] {
  return all.filter((_, i) => isWholeRun || i % n === 0);
}

/**
 * In CI, each case of a group that is there for both isolations is carried out in one of them: in which one, its name
 * decides. A worker is another way to the same layer, and all of both takes ten minutes.
 */
export function tryPart(isolation: "thread" | "worker"): void {
  if (isWholeRun) return;
  beforeEach(({ task, skip }) => {
    let sum = 0;
    for (const letter of task.name) sum += letter.charCodeAt(0);
    if ((sum % 2 === 0) !== (isolation === "thread")) skip("carried out in the other one");
  });
}

/** A test that takes seconds: `npm run test:slow` runs it, with the rest of its file. */
export const slowTest = test.runIf(isSlowRun);

/**
 * How often a property is tried: all of it by `npm run test:slow`, a fifth of it in CI, a tenth of it otherwise, but
 * no less than 25 times.
 */
export function runCount(all: number): number {
  return Math.min(all, Math.max(25, Math.ceil(all * Number(share ?? 0.1))));
}
