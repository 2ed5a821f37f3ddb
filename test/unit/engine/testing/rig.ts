import { runTests } from "../../../../src/engine/testing/run-tests.ts";
import type { TestReport, TestRunOptions } from "../../../../src/engine/testing/run-tests.ts";
import { folder } from "../orcs/engine.ts";

/** Limits that are not reached because the machine has other things to do. */
export const PATIENT = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };

/** Run the tests of a folder with these files. */
export function runIn(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<TestRunOptions> = {},
): Promise<TestReport> {
  const config = options.config ?? ("orcs.toml" in files ? "orcs.toml" : {});
  return runTests({ cwd: folder(files), overrides: PATIENT, ...options, config });
}

/** A script with these lines as its handler and its tests. */
export function script(handler: string, tests: string, more = ""): string {
  return `return {
  id = "h",
  point = "tool.pre_execute",
  ${more}
  handler = function(ctx)
    ${handler}
  end,
  tests = {
${tests}
  },
}
`;
}

/** Run the tests of one script, alone. */
export function runScript(
  text: string,
  options: Partial<TestRunOptions> = {},
): Promise<TestReport> {
  return runIn({ "hooks/h.lua": text }, { files: ["hooks/h.lua"], ...options });
}

/** What became of each test, by name: `passed`, or all that is wrong. */
export function verdicts({ tests }: TestReport): Record<string, unknown> {
  return Object.fromEntries(
    tests.map(({ name, status, message, differences }) => [
      name,
      status === "passed" ? "passed" : { status, message, differences },
    ]),
  );
}
