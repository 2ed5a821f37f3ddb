import { defineConfig } from "vitest/config";
import { projectsOf, SHARED, SLOW } from "./test/projects.ts";

/** `npm test`: what everybody runs, all the time. What takes longer is `npm run test:slow`. */
export default defineConfig({
  test: {
    ...SHARED,
    typecheck: {
      include: ["test/types/**/*.test-d.ts"],
      // All other types are checked by `npm run check:types`.
      tsconfig: "test/types/tsconfig.json",
    },
    testTimeout: 30_000,
    projects: projectsOf(SLOW, true),
  },
});
