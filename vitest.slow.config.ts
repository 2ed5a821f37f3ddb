import { defineConfig } from "vitest/config";
import { projectsOf, SHARED, SLOW } from "./test/projects.ts";

/** `npm run test:slow`: before an issue is resolved, and in CI. */
export default defineConfig({
  test: {
    ...SHARED,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: projectsOf(SLOW),
  },
});
