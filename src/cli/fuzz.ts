import { onEndingSignals } from "./signals.ts";
import { homedir } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { fuzz } from "../workbench/index.ts";
import type { FuzzReport } from "../workbench/index.ts";
import { fuzzNotes, fuzzText } from "./fuzz-text.ts";
import { configOption, EXIT } from "./options.ts";
import { saveHoles } from "./save-holes.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";

interface FuzzFlags {
  never: string[];
  tool: string;
  runs: number;
  seconds: number;
  seed: number;
  holes: number;
  save?: boolean;
  config?: string;
  json?: boolean;
}

/** `orcs fuzz`: find spellings of a forbidden command that the hooks let pass. */
export function fuzzCommand(): Command {
  return verbCommand("fuzz")
    .addOption(
      new Option(
        "--never <command...>",
        "commands that must never run, as in match.runs: 'git push --force'; ~ is your home folder",
      ).makeOptionMandatory(),
    )
    .option("--tool <name>", "the tool that is called with the command line", "exec")
    .option("--runs <number>", "maximum number of spellings", whole, 20_000)
    .option("--seconds <number>", "maximum time", whole, 60)
    .option("--seed <number>", "the same seed makes the same spellings", whole, 1)
    .option("--holes <number>", "stop after this number of holes", whole, 10)
    .option("--save", "write each hole as a test beside the script of the hook")
    .addOption(configOption())
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs fuzz --never 'git push --force' --seconds 10")
    .action(async (flags: FuzzFlags) => {
      const report = await run(flags);
      const { json, save } = flags;
      const text =
        json === true ? JSON.stringify(report) : fuzzText(report, paletteFor(process.stdout));
      process.stdout.write(`${text}\n`);
      for (const note of fuzzNotes(report)) process.stderr.write(`orcs: ${note}\n`);
      if (save === true) process.stderr.write(await saveHoles(report.holes, flags));
      if (!report.ok) process.exitCode = EXIT.findings;
    });
}

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

function whole(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
