import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { SHIPPED_HOOKS } from "../../../src/config/scripts.ts";
import { runTests } from "../../../src/engine/testing/run-tests.ts";
import { PATIENT } from "../engine/testing/rig.ts";
import { repeatedTest as test, shareOf } from "../../slow-test.ts";

const files = readdirSync(SHIPPED_HOOKS).filter((name) => name.endsWith(".lua"));

const SPECS = fileURLToPath(new URL("specs", import.meta.url));

/** Lines are counted, on a machine with other work: in milliseconds. */
const PATIENCE = 120_000;

// Those in the hook show what it does; what they leave out is in its file of specs.
test.each(shareOf(files, 2))(
  "shipped hook %s has tests that pass and cover every line",
  async (name) => {
    const specs = join(SPECS, name.replace(".lua", "_test.lua"));
    const report = await runTests({
      config: {},
      files: [join(SHIPPED_HOOKS, name), ...(existsSync(specs) ? [specs] : [])],
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
  PATIENCE,
);
