import type { TestProjectConfiguration } from "vitest/config";

/** Tests of processes, faults and attacks, and whatever takes seconds. */
export const SLOW = ["test/{dist,faults,security,slow}/**/*.test.ts", "test/**/*.slow.test.ts"];

/**
 * Test files that share processes: to begin a new one, and to load all of it anew, takes longer than most of them. Not
 * those that replace modules, which the next file in their process would get from them.
 */
const SHARING = "test/{unit,contract,property,seeds}/**/!(crash|service-gateway.slow).test.ts";

/** What both runs have in common. */
export const SHARED = {
  // One less by default; half of the time is spent waiting for processes.
  maxWorkers: "100%",
  globalSetup: "test/build.ts",
} as const;

/** The projects of a run of these files. The ones with a process of their own take longest, and begin first. */
export function projectsOf(
  include: readonly string[],
  exclude: readonly string[] = [],
): TestProjectConfiguration[] {
  return [
    {
      extends: true,
      test: {
        name: "apart",
        include: [...include],
        exclude: [...exclude, SHARING],
        // Types are checked once.
        typecheck: { enabled: exclude.length > 0 },
      },
    },
    {
      extends: true,
      test: {
        name: "sharing",
        include: [SHARING],
        exclude: [...exclude, ...without(include)],
        isolate: false,
        setupFiles: "test/nothing-left.ts",
      },
    },
  ];
}

/** What is to be left out where only these are wanted, out of all that share a process. */
function without(include: readonly string[]): string[] {
  return include.includes("test/**/*.slow.test.ts") ? ["test/**/!(*.slow).test.ts"] : [];
}
