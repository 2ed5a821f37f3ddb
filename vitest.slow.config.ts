import { defineConfig } from "vitest/config";

/** What takes over two seconds, or needs a server or a foreign client: `npm run test:slow`, before an issue is resolved. */
export default defineConfig({
  test: {
    include: ["test/slow/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: "100%",
    globalSetup: "test/build.ts",
    passWithNoTests: true,
  },
});
