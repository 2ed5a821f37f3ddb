import { readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { checkFiles } from "../check/check-files.ts";
import { isLua, isShipped, loadTrusted } from "../../config/index.ts";
import { type Diagnostic, isSameText, OrcsError } from "../../core/index.ts";
import type { SeenDispatch } from "../../daemon/index.ts";
import { type EditedScript, runTests } from "../../engine/index.ts";
import { createFile, inTemporaryFolder } from "../../machine/index.ts";
import { headerText, outcomeDifference } from "../../records/index.ts";
import { saveCase, shownScript } from "../replay/recorded-case.ts";
import type { Replayed } from "../replay/replay-set.ts";
import { replay } from "../replay/replay.ts";
import type { Problem, ReplayAnswer, SavedAnswer, ScriptAnswer } from "./api.ts";

/** The configuration of the page. */
export interface InspectedPlace {
  /** A file; undefined for the one that is discovered from the directory. */
  readonly config: string | undefined;
  readonly directory: string;
  /** Whether its hooks answer coding agents: orcs' own guard is in front of them. */
  readonly isService?: boolean;
}

/**
 * Run the hooks as they are now, or with an edited script, on an event that has happened. No tool, command, webhook or
 * module runs.
 */
export async function replayOne(
  dispatch: SeenDispatch,
  { config, directory }: InspectedPlace,
  edited: EditedScript | undefined,
): Promise<ReplayAnswer> {
  const logs: string[] = [];
  const log = (text: string): void => void logs.push(text);
  const logger = { debug: log, info: log, warn: log, error: log };
  let is: Replayed | undefined;
  let outside: string[] = [];
  try {
    await withRecord(dispatch, (file) =>
      replay({
        file,
        set: { config, cwd: directory, logger, edited },
        differs: () => undefined,
        begun: (set) => {
          logs.length = 0;
          outside = set.outside.map(({ id }) => id);
        },
        replayed: (_event, replayed) => (is = replayed),
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof OrcsError) || thrown.code !== "ORCS1015") throw thrown;
    return { problems: thrown.diagnostics.map(shownProblem) };
  }
  if (!is) {
    throw new OrcsError("ORCS8007", "this event cannot be replayed with these hooks");
  }
  const { outcome: was } = dispatch;
  const difference = outcomeDifference(was, is.outcome, isSameText);
  return {
    was,
    is: is.outcome,
    differs: difference ? difference.keys : [],
    logs,
    unrecorded: is.unrecorded,
    not_run: is.wouldLeave ? outside : [],
  };
}

/** A finding for the editor. */
export function shownProblem({ message, severity, place, hint }: Diagnostic) {
  return {
    message: hint === undefined ? message : `${message} (${hint})`,
    severity,
    ...(place && { file: place.file, line: place.line }),
    ...(place?.column !== undefined && { column: place.column }),
  };
}

/** Do something with a record of one dispatch, which is gone then. */
export function withRecord<T>(
  dispatch: SeenDispatch,
  work: (file: string) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder("orcs-ui-", (folder) => {
    const file = join(folder, "record.jsonl");
    createFile(file, `${headerText(false, undefined)}${JSON.stringify(dispatch)}\n`);
    return work(file);
  });
}

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
  const { path, text, isNew } = await withRecord(dispatch, (record) =>
    saveCase(
      { record, event: 1, config, cwd: directory, hook },
      (script) => `${basename(script, ".lua")}_test.lua`,
      HEAD,
    ),
  );
  const { ok, passed, failed } = await runTests({ config, cwd: directory, files: [path] });
  return { file: relative(directory, path), ok, passed, failed, is_new: isNew, text };
}

/**
 * The script of a hook, which the configuration names: no other file is read.
 * @param source file of the hook, relative to the directory of the configuration or absolute
 * @throws OrcsError ORCS5001 when its handler is not in a script
 */
export async function scriptOf(
  source: string,
  { config, directory }: InspectedPlace,
): Promise<ScriptAnswer> {
  const loaded = await loadTrusted({
    ...(config !== undefined && { config }),
    cwd: directory,
  });
  for (const { handler } of loaded.hooks) {
    if (!isLua(handler) || handler.kind !== "script" || isShipped(handler.file)) continue;
    const { file } = handler;
    const shown = shownScript(file, directory, loaded.projectTrust);
    if (shown === resolve(directory, source)) return { file, text: readFileSync(shown, "utf8") };
  }
  const why = `${source} is not a script of this configuration: its hooks cannot be edited here`;
  throw new OrcsError("ORCS5001", why, { source });
}

/** What `orcs check` finds in a text. The text is not run. */
export function checkText(file: string, text: string): Promise<readonly Problem[]> {
  return inTemporaryFolder("orcs-ui-", async (folder) => {
    createFile(join(folder, basename(file)), text);
    return (await checkFiles([basename(file)], folder)).map(shownProblem);
  });
}
