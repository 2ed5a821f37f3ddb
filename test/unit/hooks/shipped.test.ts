import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { SHIPPED_HOOKS } from "../../../src/config/scripts.ts";
import { runTests } from "../../../src/engine/testing/run-tests.ts";
import { PATIENT } from "../engine/testing/rig.ts";
import { repeatedTest as test, shareOf } from "../../slow-test.ts";

const files = readdirSync(SHIPPED_HOOKS).filter((name) => name.endsWith(".lua"));

test.each(shareOf(files, 2))(
  "shipped hook %s has tests that pass and cover every line",
  async (name) => {
    const report = await runTests({
      config: {},
      files: [join(SHIPPED_HOOKS, name)],
      overrides: PATIENT,
      coverage: true,
    });
    expect(report.mistakes).toEqual([]);
    expect(report.tests.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report.passed).toBeGreaterThan(1);
    // The modules that it requires have tests of their own.
    const own = report.coverage?.find(({ file }) => basename(file) === name);
    expect(own?.missed).toEqual([]);
  },
);
