import { onEndingSignals } from "./signals.ts";
import { homedir } from "node:os";
import { TestFile, fuzz, markOf, savedTestText, scriptEntryOf } from "../workbench/index.ts";
import type { FuzzHole, FuzzReport } from "../workbench/index.ts";
import { CONFIG, EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { printEither, tell } from "./output.ts";
import { type Palette, paletteFor, Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { OrcsError, type TraceEntry, quoteWord } from "../core/index.ts";
import { printable } from "./table.ts";
import { basename, dirname, join, relative } from "node:path";
import { openTestProject } from "../engine/index.ts";

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

const TESTS = "fuzz_test.lua";
/** No script of the user, or no place for a test: the other holes are saved. */
const NOT_SAVED: ReadonlySet<string> = new Set(["ORCS5001", "ORCS8007"]);
const HEAD =
  "-- Tests from command lines that a hook let pass, written by `orcs test --fuzz --save`. You may edit them; new tests are appended.\n";

/**
 * Write each hole as a test of the script whose hook stops the plain command: the same is expected for the line. The
 * tests fail until the hook is corrected.
 * @returns what was written, for the user
 * @throws OrcsError ORCS5002 when a file cannot be written
 */
async function saveHoles(
  holes: readonly FuzzHole[],
  { config, tool }: { readonly config?: string; readonly tool: string },
): Promise<string> {
  const cwd = process.cwd();
  const { config: loaded, bench } = await openTestProject({
    ...(config !== undefined && { config }),
    cwd,
  });
  await bench.close();
  const told: string[] = [];
  const written = new Map<string, number>();
  for (const { line, hooks, guard } of holes) {
    if (!guard) {
      told.push(`not saved, because no hook stops the plain command: ${line}`);
      continue;
    }
    try {
      const source = hooks.find(({ id }) => id === guard.hook)?.source;
      const hook = { id: guard.hook, source };
      const { handler, options } = scriptEntryOf(hook, loaded.hooks, cwd);
      const payload = { tool_name: tool, args: { command: line } };
      const { action, decision } = guard;
      const test = {
        script: basename(handler.file),
        options,
        event: { point: "tool.pre_execute", component: "host::main", payload },
        calls: [],
        observed: {
          action,
          ...(decision && { decision }),
          payload,
          metadata: {},
          inject: [],
          logs: [],
        },
      };
      const file = join(dirname(handler.file), TESTS);
      const tests = new TestFile(file, HEAD);
      if (tests.has(markOf(test))) continue;
      tests.add(savedTestText(test));
      written.set(file, (written.get(file) ?? 0) + 1);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError) || !NOT_SAVED.has(thrown.code)) throw thrown;
      told.push(`not saved: ${thrown.message}`);
    }
  }
  for (const [file, count] of written) {
    const shown = relative(cwd, file);
    const tests = count === 1 ? "1 test" : `${count} tests`;
    told.push(
      `wrote ${tests} to ${shown}; they fail until the hook is corrected\n\n  orcs test ${shown}`,
    );
  }
  return [...new Set(told)].map((text) => `${text}\n`).join("");
}
