import { beforeEach, test } from "vitest";

/** Set by `npm run test:slow` and in CI: which share of the runs of a property is tried. */
const share = process.env["ORCS_TEST_SLOW"];
export const isSlowRun = share !== undefined;

/** Whether everything is tried, also what is much like something else: not in CI. */
export const isWholeRun = share === "1";

/** What is tried of a table whose rows are much like each other: in CI one of `n`, spread evenly. */
export function partOf<T>(all: readonly T[], n: number): T[] {
  return all.filter((_, i) => isWholeRun || i % n === 0);
}

/**
 * The same of a table in a `repeatedTest`: one of `n` by `npm test`, and the others in CI, of a long table as many again;
 * all of it by `npm run test:slow`.
 */
export function shareOf<T>(all: readonly T[], n: number): T[] {
  const isOwn = (i: number): boolean => {
    if (!isQuickDone || all.length === 1) return i % n === 0;
    return n > 4 ? i % n === 1 : i % n > 0;
  };
  return all.filter((_, i) => isWholeRun || isOwn(i));
}

/**
 * In CI, each case of a group that is there for both isolations is carried out in one of them: in which one, its name
 * decides. A worker is another way to the same layer, and all of both takes ten minutes.
 */
export function tryPart(isolation: "thread" | "worker"): void {
  skipInCi((name) => sumOf(name) % 2 === (isolation === "thread" ? 1 : 0));
}

/**
 * In CI, one of `n` cases of a group that is there for each of several hosts or programs: for each of them others.
 * @param of the place of this one among them
 */
export function tryOneOf(n: number, of: number): void {
  skipInCi((name) => (sumOf(name) + of) % n !== 0);
}

function skipInCi(isLeftOut: (name: string) => boolean): void {
  if (isWholeRun) return;
  beforeEach(({ task, skip }) => {
    if (isLeftOut(task.name)) skip("carried out for another one");
  });
}

function sumOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
}

/** A test that takes seconds: `npm run test:slow` runs it. */
export const slowTest = test.runIf(isSlowRun);

/** Set where `npm test` and `npm run test:slow` are one run. */
const isBoth = process.env["ORCS_TEST_QUICK"] === "1";

/** Whether `npm test` has carried out the other tests of a file with slow ones. */
export const isQuickDone = isSlowRun && !isBoth;

/** Beside slow tests, one that `npm test` has carried out. */
export const quickTest = test.skipIf(isQuickDone);

/** One that `npm run test:slow` carries out as well, with more than `npm test` tries. */
export const repeatedTest = test;

/**
 * How often a property is tried: all of it by `npm run test:slow`, a fifth of it in CI, a tenth of it otherwise, but
 * no less than 25 times.
 */
export function runCount(all: number): number {
  return Math.min(all, Math.max(25, Math.ceil(all * Number(share ?? 0.1))));
}
