import { onEndingSignals } from "./signals.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { OrcsError, QUIET } from "../core/index.ts";
import { openBothSets, replay } from "../workbench/index.ts";
import type {
  OutsideHook,
  ReplayOptions,
  ReplaySet,
  ReplaySummary,
  SetOptions,
} from "../workbench/index.ts";
import { configOption, EXIT } from "./options.ts";
import { differenceText, summaryText } from "./replay-text.ts";
import { textOf } from "./shadow-report.ts";
import { saveTest } from "./save-test.ts";
import { printable } from "./table.ts";
import { Progress } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";

interface ReplayFlags {
  config?: string;
  against?: string;
  outside?: boolean;
  saveTest?: number;
  hook?: string;
  json?: boolean;
}

/** `orcs replay`: re-run recorded events, and show decisions that changed. */
export function replayCommand(): Command {
  return verbCommand("replay")
    .addOption(configOption())
    .option("--against <dir|rev>", "compare with the hooks of this folder or git revision")
    .option("--outside", "also run shell commands, webhooks and modules")
    .addOption(
      new Option("--save-test <event>", "write a test for the hook that decided this event")
        .argParser(eventNumber)
        .conflicts(["against", "json", "outside"]),
    )
    .option(
      "--hook <id>",
      "with --save-test: write the test for this hook, not for the one that decided",
    )
    .option("--json", "print a line of JSON for each difference, and a summary line")
    .addHelpText(
      "after",
      "\nNo tool runs: a hook that calls a tool gets the recorded result. Exit code: 0 no difference, 1 differences.",
    )
    .action(async (file: string, flags: ReplayFlags) => {
      if (flags.hook !== undefined && flags.saveTest === undefined) {
        throw new OrcsError("ORCS5001", "--hook needs --save-test");
      }
      process.exitCode =
        flags.saveTest === undefined
          ? await replayed(file, flags)
          : await saveTest(file, { ...flags, event: flags.saveTest });
    });
}

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
        const text = json ? JSON.stringify(difference) : `${differenceText(difference)}\n`;
        process.stdout.write(`${text}\n`);
      },
      progress: (events) => shown.show(`replaying: ${events} events`),
      note: (text) => tell(text),
    });
    shown.clear();
    if (json) process.stdout.write(`${JSON.stringify(summaryJson(summary))}\n`);
    else {
      const { unenforced } = summary;
      if (unenforced.length > 0) process.stdout.write(`${textOf(unenforced)}\n\n`);
      process.stdout.write(`${summaryText(summary)}\n`);
    }
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

function summaryJson(summary: ReplaySummary) {
  const { events, seconds } = summary;
  return { ...summary, per_second: Math.round(events / seconds) || 0 };
}

function reportSets(sets: readonly ReplaySet[]): void {
  const outside = new Map<string, OutsideHook>();
  for (const { warnings, notice, outside: hooks } of sets) {
    for (const { place, message } of warnings) {
      tell(place ? `${place.file}:${place.line}: ${message}` : message);
    }
    if (notice) tell(notice.text);
    for (const hook of hooks) outside.set(hook.id, hook);
  }
  if (outside.size === 0) return;
  const names = [...outside.values()].map(({ id, kind }) => `${id} (${kind})`);
  tell(`not run without --outside: ${names.join(", ")}`);
}

function tell(text: string): void {
  process.stderr.write(`orcs: ${printable(text)}\n`);
}

function eventNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError("It must be the number of an event, from 1.");
}
