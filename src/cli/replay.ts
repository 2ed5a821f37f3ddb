import { relative } from "node:path";
import { onEndingSignals } from "./signals.ts";
import { OrcsError, QUIET, subjectOf, textIn } from "../core/index.ts";
import { openBothSets, recordedEvents, replay, saveCase, TESTS_HEAD } from "../workbench/index.ts";
import type { OutsideHook, ReplayOptions, ReplaySet, SetOptions } from "../workbench/index.ts";
import { CONFIG, EXIT, wholeNumber } from "./options.ts";
import { print, printEither, printJson, tellOfOrcs } from "./output.ts";
import { differenceText, summaryText } from "./replay-text.ts";
import { textOf } from "./shadow-report.ts";
import { printable, renderTable, shortened } from "./table.ts";
import { Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  config: CONFIG,
  against: value("<dir|rev>", "compare with the hooks of this folder or git revision"),
  outside: flag("also run shell commands, webhooks and modules"),
  saveTest: value("<event>", "write a test for the hook that decided this event", {
    parse: wholeNumber(1, undefined, "It must be the number of an event, from 1."),
    conflicts: ["against", "json", "outside"],
  }),
  list: flag("only list the events, with the numbers that --save-test takes", {
    conflicts: ["against", "outside", "saveTest"],
  }),
  hook: value(
    "<id>",
    "with --save-test: write the test for this hook, not for the one that decided",
  ),
  json: flag("print a line of JSON for each difference, and a summary line"),
};
type ReplayFlags = OptionsOf<typeof OPTIONS>;

/** `orcs replay`: re-run recorded events, and show decisions that changed. */
export const replayCommand = verbCommand("replay", {
  options: OPTIONS,
  help: "No tool runs: a hook that calls a tool gets the recorded result. Exit code: 0 no difference, 1 differences.",
  run: async (flags, file: string) => {
    const { hook, saveTest: event } = flags;
    if (flags.list === true) return list(file, flags);
    if (hook !== undefined && event === undefined) {
      throw new OrcsError("ORCS5001", "--hook needs --save-test");
    }
    process.exitCode =
      event === undefined ? await replayed(file, flags) : await saveTest(file, { ...flags, event });
  },
});

function list(file: string, { json = false }: ReplayFlags): void {
  const rows = [...recordedEvents(file)].map(({ number, event }) => {
    const { payload, point, outcome } = event;
    const tool = textIn(payload, "tool_name");
    const subject = subjectOf(payload);
    const { action, decision, hook } = outcome;
    return { event: number, point, tool, subject, action: decision ?? action, hook };
  });
  if (json) return rows.forEach((row) => printJson(row));
  const cells = rows.map((row) =>
    Object.values(row).map((cell) => shortened(printable(String(cell ?? "")), MOST_SHOWN)),
  );
  print(renderTable(["event", "point", "tool", "subject", "action", "hook"], cells));
}

/** Longest cell of the list, in characters. */
const MOST_SHOWN = 60;

async function replayed(file: string, flags: ReplayFlags): Promise<number> {
  const { against, config, json = false } = flags;
  const shown = new Progress(process.stderr, "replaying");
  const cwd = process.cwd();
  const sets = against === undefined ? undefined : await openBothSets(config, against, cwd);
  const stop =
    sets &&
    onEndingSignals((exitCode) => {
      sets.close();
      process.exit(exitCode);
    });
  try {
    const summary = await replay({
      file,
      ...options(sets ?? { set: { config, cwd } }),
      outside: flags.outside === true,
      begun: (set, other) => reportSets([set, ...(other ? [other] : [])]),
      differs: (difference) => {
        shown.clear();
        printEither(json, difference, () => `${differenceText(difference)}\n`);
      },
      progress: (events) => shown.show(`replaying: ${events} events`),
      note: tellOfOrcs,
    });
    shown.clear();
    const { unenforced } = summary;
    if (!json && unenforced.length > 0) print(`${textOf(unenforced)}\n`);
    const per_second = Math.round(summary.events / summary.seconds) || 0;
    printEither(json, { ...summary, per_second }, () => summaryText(summary));
    return summary.differ > 0 ? EXIT.findings : EXIT.fine;
  } finally {
    shown.close();
    stop?.();
    sets?.close();
  }
}

/**
 * Warnings of loading are printed; log output of running hooks is dropped, since it could be repeated a million times.
 */
function options(sets: {
  readonly set: SetOptions;
  readonly against?: SetOptions;
}): Pick<ReplayOptions, "set" | "against"> {
  const logger = QUIET;
  const { set, against } = sets;
  return { set: { ...set, logger }, ...(against && { against: { ...against, logger } }) };
}

function reportSets(sets: readonly ReplaySet[]): void {
  const outside = new Map<string, OutsideHook>();
  for (const { warnings, notice, outside: hooks } of sets) {
    for (const { place, message } of warnings) {
      tellOfOrcs(place ? `${place.file}:${place.line}: ${message}` : message);
    }
    if (notice) tellOfOrcs(notice.text);
    for (const hook of hooks) outside.set(hook.id, hook);
  }
  if (outside.size === 0) return;
  const names = [...outside.values()].map(({ id, kind }) => `${id} (${kind})`);
  tellOfOrcs(`not run without --outside: ${names.join(", ")}`);
}

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
async function saveTest(record: string, { event, config, hook }: SaveFlags): Promise<number> {
  const cwd = process.cwd();
  const { path, isNew } = await saveCase(
    { record, event, config, cwd, hook },
    () => TESTS,
    TESTS_HEAD,
  );
  const shown = relative(cwd, path);
  print(
    isNew
      ? `wrote a test of event ${event} to ${shown}\n\n  orcs test ${shown}`
      : `event ${event} is already a test in ${shown}`,
  );
  return EXIT.fine;
}
