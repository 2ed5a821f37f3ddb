import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProjectConfiguration } from "vitest/config";

/** Tests of processes, faults and attacks, and whatever takes seconds. */
export const SLOW = ["test/{dist,faults,security,slow}/**/*.test.ts", "test/**/*.slow.test.ts"];

/**
 * Test files that share processes: to begin a new one, and to load all of it anew, takes longer than most of them. Not
 * those that replace modules or the home directory, which the next file in their process would get from them.
 */
const SHARING =
  "test/{unit,contract,property,seeds,dist,faults,wire,slow}/**/!(crash|service-gateway.slow|refusal-texts).test.ts";

const SETUP = ["test/file-end.ts", "test/property-seed.ts"];

/** What both runs have in common. */
export const SHARED = {
  // One less by default. More are no faster: what is waited for needs the processors, too.
  maxWorkers: "100%",
  // Thousands of engines are made and thrown away: young objects have room until most of them are gone.
  execArgv: ["--max-semi-space-size=32"] as string[],
  // What a file was translated to is kept from run to run.
  experimental: { fsModuleCache: true },
  globalSetup: "test/build.ts",
} as const;

/**
 * The projects of a run of all test files but these. The ones with a process of their own take longest, and begin
 * first.
 * @param setup modules that each file loads before it
 */
export function projectsOf(
  exclude: readonly string[],
  setup: readonly string[] = [],
): TestProjectConfiguration[] {
  return [
    {
      extends: true,
      test: {
        name: "apart",
        include: ["test/**/*.test.ts"],
        exclude: [...exclude, SHARING],
        setupFiles: [...SETUP, ...setup],
      },
    },
    {
      extends: true,
      test: {
        name: "sharing",
        include: [SHARING],
        exclude: [...exclude],
        isolate: false,
        setupFiles: [...SETUP, "test/nothing-left.ts", ...setup],
      },
    },
  ];
}

/** The test files of which nothing is slow: neither they, nor a test in them, nor all the runs of a property. */
export function quickFiles(): string[] {
  const tests = fileURLToPath(new URL("./", import.meta.url));
  return readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".slow.test.ts"))
    .filter((name) => !/^(dist|faults|security|slow)\//.test(name))
    .filter((name) => !readFileSync(join(tests, name), "utf8").includes('/slow-test.ts"'))
    .map((name) => join("test", name));
}
