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
    globalSetup: "test/build.ts",
  },
});
