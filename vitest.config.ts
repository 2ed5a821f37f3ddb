import { defineConfig } from "vitest/config";
import { projectsOf, SHARED, SLOW } from "./test/projects.ts";

/** `npm test`: what everybody runs, all the time. What takes longer is `npm run test:slow`; test/types is for the compiler. */
export default defineConfig({
  test: {
    ...SHARED,
    testTimeout: 30_000,
    projects: projectsOf(SLOW),
  },
});
