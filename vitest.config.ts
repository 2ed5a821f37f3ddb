import { defineConfig } from "vitest/config";

/** They replace modules, which the next file in their process would get from them. */
const REPLACING = "crash|service-gateway";
/** Test files that share processes: to begin a new one, and to load all of it anew, takes longer than most of them. */
const SHARING = ["unit", "contract", "property", "seeds"].map(
  (dir) => `test/${dir}/**/!(${REPLACING}).test.ts`,
);

export default defineConfig({
  test: {
    typecheck: {
      include: ["test/types/**/*.test-d.ts"],
      // All other types are checked by `npm run check:types`.
      tsconfig: "test/types/tsconfig.json",
    },
    testTimeout: 30_000,
    // One less by default; half of the time is spent waiting for processes.
    maxWorkers: "100%",
    globalSetup: "test/build.ts",
    projects: [
      {
        extends: true,
        test: {
          // These take longest, and begin first.
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: [...SHARING, "test/slow/**"],
          typecheck: { enabled: true },
        },
      },
      {
        extends: true,
        test: {
          name: "sharing",
          include: SHARING,
          isolate: false,
          setupFiles: "test/nothing-left.ts",
        },
      },
    ],
  },
});
