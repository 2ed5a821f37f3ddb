import { defineConfig } from "vitest/config";
import { projectsOf, quickFiles } from "./test/projects.ts";
import slow from "./vitest.slow.config.ts";

/**
 * `npm run test:ci`: after `npm test`. As `npm run test:slow`, but a part of what is much alike (test/ci-part.ts,
 * test/slow-test.ts).
 */
export default defineConfig({
  test: {
    ...slow.test,
    env: { ORCS_TEST_SLOW: "0.2" },
    // One failure of a race in 2,700 tests of processes and browsers must not hide what a submission changes: such a test
    // runs once more, and is named at the end.
    retry: 1,
    reporters: ["default", "./test/repeated-tests.ts"],
    projects: projectsOf(quickFiles(), ["test/ci-part.ts"]),
  },
});
