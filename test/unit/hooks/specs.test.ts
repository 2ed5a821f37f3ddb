import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runTests } from "../../../src/engine/testing/run-tests.ts";
import { PATIENT } from "../engine/testing/rig.ts";
import { quickTest as test } from "../../slow-test.ts";

const SPECS = fileURLToPath(new URL("specs", import.meta.url));

test.each(readdirSync(SPECS))("the tests in %s pass", async (name) => {
  const report = await runTests({ config: {}, files: [join(SPECS, name)], overrides: PATIENT });
  expect(report.mistakes).toEqual([]);
  expect(report.tests.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(report.passed).toBeGreaterThan(1);
});
