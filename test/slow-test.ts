import { test } from "vitest";

/** Set by `npm run test:slow` (vitest.slow.config.ts). */
const isSlowRun = process.env["ORCS_TEST_SLOW"] !== undefined;

/** A test that takes seconds: `npm run test:slow` runs it, with the rest of its file. */
export const slowTest = test.runIf(isSlowRun);

/** How often a property is tried: all of it by `npm run test:slow`, a tenth of it otherwise, but no less than 25 times. */
export function runCount(all: number): number {
  return isSlowRun ? all : Math.min(all, Math.max(25, Math.ceil(all / 10)));
}
