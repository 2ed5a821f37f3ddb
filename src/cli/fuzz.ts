import { onEndingSignals } from "./signals.ts";
import { homedir } from "node:os";
import { fuzz, type FuzzHole, type FuzzReport } from "../workbench/index.ts";
import { CONFIG, EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { printEither, tell } from "./output.ts";
import { saveHoles } from "./save-holes.ts";
import { type Palette, paletteFor, Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { quoteWord, type TraceEntry } from "../core/index.ts";
import { printable } from "./table.ts";

const OPTIONS = {
  never: value(
    "<command...>",
    "commands that must never run, as in match.runs: 'git push --force'; ~ is your home folder",
    { isRequired: true },
  ),
  tool: value("<name>", "the tool that is called with the command line", { default: "exec" }),
  runs: count("maximum number of spellings", 20_000),
  seconds: count("maximum time", 60),
  seed: count("the same seed makes the same spellings", 1),
  holes: count("stop after this number of holes", 10),
  save: flag("write each hole as a test beside the script of the hook"),
  config: CONFIG,
  json: JSON_OUTPUT,
};
type FuzzFlags = OptionsOf<typeof OPTIONS>;

function count(does: string, standard: number) {
  return value("<number>", does, { parse: wholeNumber(1), default: standard });
}

/** `orcs test --fuzz`: find spellings of a forbidden command that the hooks let pass. */
export const fuzzCommand = verbCommand("test --fuzz", {
  options: OPTIONS,
  help: "Example:\n  orcs test --fuzz --never 'git push --force' --seconds 10",
  run: async (flags) => {
    const report = await run(flags);
    printEither(flags.json, report, () => fuzzText(report, paletteFor(process.stdout)));
    for (const note of fuzzNotes(report)) tell(`orcs: ${note}`);
    if (flags.save === true) process.stderr.write(await saveHoles(report.holes, flags));
    if (!report.ok) process.exitCode = EXIT.findings;
  },
});

async function run(flags: FuzzFlags): Promise<FuzzReport> {
  const { never, tool, runs, seconds, seed, holes, config } = flags;
  const progress = new Progress(process.stderr, "fuzzing");
  const stop = new AbortController();
  // What was found so far is shown, and temporary files are removed.
  const off = onEndingSignals((exitCode) => {
    if (exitCode !== INTERRUPTED) process.exitCode = exitCode;
    stop.abort();
  });
  try {
    return await fuzz({
      ...(config !== undefined && { config }),
      never: never.map(withHome),
      tool,
      runs,
      seconds,
      seed,
      most: holes,
      signal: stop.signal,
      progress: (counts) => {
        const { spellings, stopped, holes: found } = counts;
        progress.show(`fuzzing: ${spellings} spellings, ${stopped} stopped, ${found} holes`);
      },
    });
  } finally {
    off();
    progress.close();
  }
}

/** The exit code after Ctrl-C, which ends the search as its limits do. */
const INTERRUPTED = 130;

/** A command as a shell would run it here: `~` is the home folder. */
function withHome(command: string): string {
  const home = homedir();
  if (!/^[\w./-]+$/.test(home)) return command;
  return command.replaceAll(/(?<=\s)~(?=[\s/]|$)/g, home);
}

/** A report as text: each hole, then the numbers. */
function fuzzText(report: FuzzReport, colors: Palette): string {
  const blocks = report.holes.map((hole) => holeText(hole, colors));
  return [...blocks, summary(report, colors)].join("\n\n");
}

/** What limits the meaning of a report, one line each. */
function fuzzNotes({ checkedBy, why = "", failed, failure = "" }: FuzzReport): string[] {
  const notes: string[] = [];
  if (checkedBy === "reader") {
    notes.push(`no line was run (${why}): orcs read them, and found nothing that it cannot read`);
  }
  if (failed > 0) {
    const [first = ""] = failure.split("\n");
    notes.push(`${failed} lines were stopped because a hook failed: ${printable(first)}`);
  }
  return notes;
}

function holeText({ line, ran, rules, hooks }: FuzzHole, { red }: Palette): string {
  const seen = hooks.map(hookText);
  const rows = [
    `ran    ${printable(ran.map(quoteWord).join(" "))}`,
    `rules  ${rules.length === 0 ? "none: this is the plain command" : rules.join(", ")}`,
    `hooks  ${seen.length === 0 ? "none" : seen.join("; ")}`,
    `try    orcs eval tool.pre_execute tool=exec command=${printable(quoteWord(line))}`,
  ];
  return [`${red("✗")} ${printable(line)}`, ...rows.map((row) => `    ${row}`)].join("\n");
}

function hookText({ id, status, failing, action }: TraceEntry): string {
  const why = failing === undefined ? "" : ` (${failing})`;
  const did =
    status === "ran" && action !== undefined ? `ran: ${action}` : status.replaceAll("_", " ");
  return `${id} ${did}${why}`;
}

function summary(report: FuzzReport, { green, red }: Palette): string {
  const { holes, spellings, stopped, passed, ran, seed } = report;
  const count = holes.length === 1 ? "1 hole" : `${holes.length} holes`;
  const shown = holes.length === 0 ? green(count) : red(count);
  return `${shown}: ${spellings} spellings, ${stopped} stopped, ${passed} passed, ${ran} of these ran it (seed ${seed})`;
}
