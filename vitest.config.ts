import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      // All other types are checked by `npm run check:types`.
      tsconfig: "test/types/tsconfig.json",
    },
    testTimeout: 30_000,
    // One less by default; half of the time is spent waiting for processes.
    maxWorkers: "100%",
    globalSetup: "test/build.ts",
  },
});
