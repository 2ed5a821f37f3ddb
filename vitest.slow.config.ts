import { defineConfig } from "vitest/config";
import { projectsOf, quickFiles, SHARED } from "./test/projects.ts";

/** `npm run test:slow`: before an issue is resolved, and in CI. */
export default defineConfig({
  test: {
    ...SHARED,
    globalSetup: [SHARED.globalSetup, "test/security/build.ts"],
    // Read by test/slow-test.ts.
    env: { ORCS_TEST_SLOW: "1" },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: projectsOf(quickFiles()),
  },
});
