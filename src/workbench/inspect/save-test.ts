import { basename, dirname, join, relative } from "node:path";
import type { SeenDispatch } from "../../daemon/index.ts";
import { recordedCase } from "../replay/recorded-case.ts";
import { markOf, savedTestText } from "../replay/saved-test.ts";
import { TestFile } from "../replay/test-file.ts";
import { runTests } from "../../engine/index.ts";
import type { SavedAnswer } from "./api.ts";
import { withRecord } from "./one-record.ts";
import type { InspectedPlace } from "./replay-one.ts";

const HEAD =
  "-- Tests from events, written by `orcs ui`. You may edit them; new tests are appended.\n";

/**
 * Write a test of a hook into `NAME_test.lua` beside its script `NAME.lua`: the event, and what the hook makes of it
 * now. The test has passed before it is written, and the whole file is run then. What stands in the file stays.
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
  const path = join(dirname(file), `${basename(file, ".lua")}_test.lua`);
  const tests = new TestFile(path, HEAD);
  const saved = { ...test, script: basename(file) };
  const text = savedTestText(saved);
  const isKnown = tests.has(markOf(saved));
  if (!isKnown) {
    await tests.expectToPass(text, { config, cwd: directory });
    tests.add(text);
  }
  const { ok, passed, failed } = await runTests({ config, cwd: directory, files: [path] });
  return { file: relative(directory, path), ok, passed, failed, is_new: !isKnown, text };
}
