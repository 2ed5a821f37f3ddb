import { onEndingSignals } from "./signals.ts";
import { homedir } from "node:os";
import { fuzz, type FuzzReport } from "../workbench/index.ts";
import { fuzzNotes, fuzzText } from "./fuzz-text.ts";
import { CONFIG, EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { printEither, tell } from "./output.ts";
import { saveHoles } from "./save-holes.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

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

async function run({
  never,
  tool,
  runs,
  seconds,
  seed,
  holes,
  config,
}: FuzzFlags): Promise<FuzzReport> {
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
