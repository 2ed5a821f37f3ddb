import { defineConfig } from "vitest/config";
import { projectsOf } from "./test/projects.ts";
import quick from "./vitest.config.ts";
import slow from "./vitest.slow.config.ts";

/** `npm run test:all`: in CI. What `npm test` and `npm run test:slow` run, but no test twice. */
export default defineConfig({
  test: {
    ...quick.test,
    ...slow.test,
    // Read by test/slow-test.ts.
    env: { ORCS_TEST_SLOW: "0.2" },
    projects: projectsOf([], true),
  },
});
