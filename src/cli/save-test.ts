import { basename, dirname, join, relative } from "node:path";
import { markOf, recordedCase, savedTestText, TestFile, TESTS_HEAD } from "../workbench/index.ts";
import { EXIT } from "./options.ts";
import { print } from "./output.ts";

interface SaveFlags {
  readonly event: number;
  readonly config?: string;
  readonly hook?: string;
}

const TESTS = "replay_test.lua";

/**
 * Write a test of a hook into `replay_test.lua` beside its script: the recorded event and the expected result. The test
 * was run and passed before it is written.
 * @returns the exit code
 * @throws OrcsError ORCS5001, ORCS5002, ORCS8007: nothing was written
 */
export async function saveTest(
  record: string,
  { event, config, hook }: SaveFlags,
): Promise<number> {
  const cwd = process.cwd();
  const { file, ...test } = await recordedCase({ record, event, config, cwd, hook });
  const tests = new TestFile(join(dirname(file), TESTS), TESTS_HEAD);
  const shown = relative(cwd, tests.path);
  const saved = { ...test, script: basename(file) };
  if (tests.has(markOf(saved))) {
    print(`event ${event} is already a test in ${shown}`);
    return EXIT.fine;
  }
  const text = savedTestText(saved);
  await tests.expectToPass(text, { config, cwd });
  tests.add(text);
  print(`wrote a test of event ${event} to ${shown}\n\n  orcs test ${shown}`);
  return EXIT.fine;
}
