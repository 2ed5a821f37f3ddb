import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { messageOf, OrcsError } from "../core/errors.ts";
import { MASK } from "../core/json.ts";
import type { SeenDispatch } from "../feed/seen-dispatch.ts";
import { recordedCase } from "../replay/recorded-case.ts";
import { markOf, savedTestText } from "../replay/saved-test.ts";
import { expectTestFolder } from "../replay/test-folder.ts";
import { failureText } from "../testing/failure-text.ts";
import { runTests } from "../testing/run-tests.ts";
import type { SavedAnswer } from "./api.ts";
import { withRecord } from "./one-record.ts";
import type { InspectedPlace } from "./replay-one.ts";

const HEAD =
  "-- Tests from events, written by `orcs ui`. You may edit them; new tests are appended.\n";

/**
 * Write a test of a hook into `NAME_test.lua` beside its script `NAME.lua`: the event, and what the hook makes of it now.
 * The test has passed before it is written, and the whole file is run then. What stands in the file stays.
 * @param hook default: the one that decided, otherwise the last that changed the payload
 * @throws OrcsError ORCS5001, ORCS5002, ORCS8007: nothing was written
 */
export async function saveTest(
  dispatch: SeenDispatch,
  { config, directory }: InspectedPlace,
  hook: string | undefined,
): Promise<SavedAnswer> {
  const { file, ...test } = await withRecord(dispatch, (record) =>
    recordedCase({ record, event: 1, config, cwd: directory, hook }),
  );
  const tests = join(dirname(file), `${basename(file, ".lua")}_test.lua`);
  expectTestFolder(tests);
  const shown = relative(directory, tests);
  const saved = { ...test, script: basename(file) };
  const there = existsSync(tests) ? readFileSync(tests, "utf8") : undefined;
  const text = savedTestText(saved);
  const isKnown = there?.includes(markOf(saved)) === true;
  if (!isKnown) {
    await expectToHold(HEAD + text, tests, { config, directory });
    try {
      if (there === undefined) writeFileSync(tests, HEAD + text, { flag: "wx" });
      else appendFileSync(tests, there.endsWith("\n") ? text : `\n${text}`);
    } catch (thrown) {
      throw notWritten(tests, thrown);
    }
  }
  const { ok, passed, failed } = await runTests({ config, cwd: directory, files: [tests] });
  return { file: shown, ok, passed, failed, is_new: !isKnown, text };
}

/** @throws OrcsError ORCS8007 when it fails */
async function expectToHold(
  text: string,
  tests: string,
  { config, directory }: InspectedPlace,
): Promise<void> {
  // Beside the script, like the final file: its modules are found there.
  const trial = join(dirname(tests), `.ui-${process.pid}_test.lua`);
  try {
    writeFileSync(trial, text, { flag: "wx" });
  } catch (thrown) {
    throw notWritten(trial, thrown);
  }
  try {
    const {
      ok,
      tests: results,
      mistakes,
    } = await runTests({
      config,
      cwd: directory,
      files: [trial],
    });
    if (ok && results.length === 1) return;
    const failed = results.filter(({ status }) => status === "failed").map(failureText);
    const why = [...failed, ...mistakes.map(({ message }) => message)].join("\n");
    const masked = text.includes(MASK) ? "Secrets are masked in what the page has. " : "";
    throw new OrcsError(
      "ORCS8007",
      `the test was not written, because it would fail. ${masked}${why}`,
    );
  } finally {
    rmSync(trial, { force: true });
  }
}

function notWritten(path: string, thrown: unknown): OrcsError {
  const why = `${path} cannot be written: ${messageOf(thrown)}`;
  return new OrcsError("ORCS5002", why, { path }, { cause: thrown });
}
