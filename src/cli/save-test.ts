import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { MASK } from "../core/json.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import { recordedCase } from "../replay/recorded-case.ts";
import { markOf, savedTestText, TESTS_HEAD } from "../replay/saved-test.ts";
import { expectTestFolder } from "../replay/test-folder.ts";
import { runTests } from "../testing/run-tests.ts";
import { failureText } from "../testing/failure-text.ts";
import { EXIT } from "./options.ts";

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
  const tests = join(dirname(file), TESTS);
  expectTestFolder(tests);
  const shown = relative(cwd, tests);
  const saved = { ...test, script: basename(file) };
  const there = existsSync(tests) ? readFileSync(tests, "utf8") : undefined;
  if (there?.includes(markOf(saved)) === true) {
    process.stdout.write(`event ${event} is already a test in ${shown}\n`);
    return EXIT.fine;
  }
  const text = savedTestText(saved);
  await expectToHold(text, tests, config, event);
  try {
    if (there === undefined) writeFileSync(tests, TESTS_HEAD + text, { flag: "wx" });
    else appendFileSync(tests, text);
  } catch (thrown) {
    throw notWritten(tests, thrown);
  }
  process.stdout.write(`wrote a test of event ${event} to ${shown}\n\n  orcs test ${shown}\n`);
  return EXIT.fine;
}

/** @throws OrcsError ORCS8007 when it fails */
async function expectToHold(
  text: string,
  tests: string,
  config: string | undefined,
  event: number,
): Promise<void> {
  // Beside the script, like the final file: its modules are resolved there.
  const trial = join(dirname(tests), `.replay-${process.pid}_test.lua`);
  try {
    writeFileSync(trial, TESTS_HEAD + text, { flag: "wx" });
  } catch (thrown) {
    throw notWritten(trial, thrown);
  }
  try {
    const { ok, tests: results, mistakes } = await runTests({ config, files: [trial] });
    if (ok && results.length === 1) return;
    const failed = results.filter(({ status }) => status === "failed").map(failureText);
    const why = [...failed, ...mistakes.map(({ message }) => message)].join("\n");
    const masked = text.includes(MASK) ? "Secrets are masked in the record. " : "";
    const message = `the test of event ${event} was not written, because it would fail. ${masked}${why}`;
    throw new OrcsError("ORCS8007", message, { event });
  } finally {
    rmSync(trial, { force: true });
  }
}

function notWritten(path: string, thrown: unknown): OrcsError {
  const why = `${path} cannot be written: ${messageOf(thrown)}`;
  return new OrcsError("ORCS5002", why, { path }, { cause: thrown });
}
