import { sourceText } from "../config/index.ts";
import { OrcsError, renderDiagnostic } from "../core/index.ts";
import { Watcher, failureText, lineRanges, runMutants, runTests } from "../engine/index.ts";
import type {
  FileScore,
  MutationReport,
  Survivor,
  TestReport,
  TestResult,
} from "../engine/index.ts";
import { coloredSeverity } from "./diagnostics-text.ts";
import { CONFIG, EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { tell } from "./output.ts";
import { counted, printable, renderTable } from "./table.ts";
import { type Palette, Progress, paletteFor } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  config: CONFIG,
  filter: value("<text>", "run only tests whose name contains this text"),
  watch: flag("run the tests again whenever a file changes", { conflicts: ["json"] }),
  json: JSON_OUTPUT,
  coverage: flag("show which lines of the scripts were run"),
  profile: flag("show the lines of hooks that took longest", { conflicts: ["coverage"] }),
  mutate: flag("change the tested Lua in small ways and list the changes that no test notices", {
    conflicts: ["watch", "coverage", "profile"],
  }),
  sample: value("<count>", "with --mutate: run at most this many changes, spread evenly", {
    parse: wholeNumber(1),
    implies: { mutate: true },
  }),
  min: value("<percent>", "with --mutate: fail only if fewer changes are noticed", {
    parse: wholeNumber(0, 100),
    implies: { mutate: true },
  }),
};
type TestOptions = OptionsOf<typeof OPTIONS>;

/** `orcs test`: run the tests of hooks. */
export const testCommand = verbCommand("test", {
  options: OPTIONS,
  run: async (options, files: string[]) => {
    if (options.mutate === true) process.exitCode = await mutate(files, options);
    else if (options.watch === true) await watch(files, options);
    else process.exitCode = exitOf(await run(files, options), options);
  },
});

async function mutate(files: string[], options: TestOptions): Promise<number> {
  const { config, filter, sample, min, json } = options;
  const progress = new Progress(process.stderr, "running the tests");
  const report = await runMutants({
    config,
    files,
    filter,
    sample,
    progress: (done, all, file) => progress.show(`mutants: ${done} of ${all}, ${printable(file)}`),
  }).finally(() => progress.close());
  if (report.tests === 0 || report.failed.length > 0 || report.mistakes.length > 0) {
    const code = exitOf(unchanged(report), options);
    if (report.failed.length > 0) {
      tell("orcs: --mutate needs tests that pass: nothing was changed");
    }
    return code;
  }
  const isEnough = min === undefined ? report.survivors.length === 0 : scoreOf(report.files) >= min;
  process.stdout.write(
    json === true
      ? `${JSON.stringify(mutationJson(report, isEnough))}\n`
      : mutationText(report, paletteFor(process.stdout)),
  );
  return isEnough ? EXIT.fine : EXIT.findings;
}

/** The report of tests that fail without any change. */
function unchanged({ failed, mistakes, tests }: MutationReport): TestReport {
  return {
    ok: false,
    passed: tests - failed.length,
    failed: failed.length,
    pending: 0,
    tests: failed,
    mistakes,
    coverage: undefined,
    profile: undefined,
    files: [],
    folders: [],
  };
}

function run(files: string[], { config, filter, coverage, profile }: TestOptions) {
  const progress = new Progress(process.stderr, "testing");
  let count = 0;
  return runTests({
    config,
    files,
    filter,
    coverage,
    profile,
    ended: ({ place }) => progress.show(`testing: ${++count} done, ${printable(place.file)}`),
  }).finally(() => progress.close());
}

function exitOf(report: TestReport, { json, filter }: TestOptions): number {
  process.stdout.write(
    json === true
      ? `${JSON.stringify(reportJson(report))}\n`
      : reportText(report, paletteFor(process.stdout)),
  );
  const none = report.tests.length === 0;
  if (json !== true) {
    const colors = paletteFor(process.stderr);
    for (const mistake of report.mistakes) {
      const text = renderDiagnostic(mistake, sourceText(mistake, process.cwd()));
      tell(coloredSeverity(text, mistake, colors));
    }
  }
  if (none && report.mistakes.length === 0) {
    const which = filter === undefined ? "" : ` whose name holds ${JSON.stringify(filter)}`;
    tell(`orcs: no tests were found${which}`);
  }
  if (none || report.mistakes.length > 0) return EXIT.error;
  return report.ok ? EXIT.fine : EXIT.findings;
}

/** The documented form of `--json`. */
function reportJson(report: TestReport) {
  const { ok, passed, failed, pending, tests, mistakes, coverage, profile } = report;
  return {
    ok: ok && tests.length > 0,
    passed,
    failed,
    pending,
    tests: tests.map(testJson),
    ...(mistakes.length > 0 && { mistakes }),
    ...(coverage && { coverage }),
    ...(profile && { profile }),
  };
}

function testJson({ name, place, status, duration_ms, message, differences }: TestResult) {
  return {
    name,
    file: place.file,
    line: place.line,
    status,
    duration_ms,
    ...(message !== undefined && { message }),
    ...(differences && {
      expected: side(differences, "expected"),
      got: side(differences, "got"),
    }),
  };
}

/** One side of the differences, by their names; of a single value, the value itself. */
function side(
  differences: NonNullable<TestResult["differences"]>,
  of: "expected" | "got",
): unknown {
  const [first] = differences;
  if (first?.at === "") return first[of] ?? null;
  return Object.fromEntries(differences.map((each) => [each.at, each[of] ?? null]));
}

const MOST_PROFILED = 20;

function reportText(
  { tests, passed, failed, pending, coverage, profile }: TestReport,
  { green, red, yellow }: Palette,
): string {
  const blocks = tests
    .filter(({ status }) => status === "failed")
    .map((test) => failureText(test).replace("✗", red("✗")));
  if (coverage && coverage.length > 0) {
    const rows = coverage.map(({ file, lines, ran, missed }) => [
      file,
      lines === 0 ? "100%" : `${Math.floor((100 * ran) / lines)}%`,
      `${ran}/${lines}`,
      lineRanges(missed),
    ]);
    blocks.push(renderTable(["file", "ran", "lines", "did not run"], rows));
  }
  if (profile) {
    const all = profile.reduce((sum, { us }) => sum + us, 0);
    const rows = profile.slice(0, MOST_PROFILED).map(({ file, line, ran, us, source }) => {
      const share = `${Math.round((100 * us) / all)}%`;
      return [`${file}:${line}`, String(ran), us.toFixed(1), share, printable(source.trim())];
    });
    blocks.push(renderTable(["line", "ran", "µs", "share", "source"], rows));
  }
  const total = tests.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const counts = [passed > 0 ? green(`${passed} passed`) : `${passed} passed`];
  if (failed > 0) counts.push(red(`${failed} failed`));
  if (pending > 0) counts.push(yellow(`${pending} pending`));
  blocks.push(`${counts.join(", ")} in ${total.toFixed(1)} ms`);
  return `${blocks.join("\n\n")}\n`;
}

async function watch(files: string[], options: TestOptions): Promise<void> {
  let last: TestReport | undefined;
  const once = async (): Promise<void> => {
    try {
      last = await run(files, options);
      exitOf(last, options);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      tell(`orcs: ${thrown.message}`);
    }
  };
  const started = Date.now();
  await once();
  const watcher = new Watcher({
    files: () => last?.files ?? [],
    folders: () => [process.cwd(), ...(last?.folders ?? [])],
    changed: async () => {
      process.stdout.write("\n");
      await once();
    },
  });
  await watcher.start(started);
  // The exit code is that of the last run.
  await new Promise<void>((resolve) => process.once("SIGINT", () => resolve()));
  await watcher.close();
}

/** Percent of mutants that tests killed; 100 without mutants. */
export function scoreOf(files: readonly FileScore[]): number {
  const sum = (of: "killed" | "mutants"): number => files.reduce((all, file) => all + file[of], 0);
  return sum("mutants") === 0 ? 100 : (100 * sum("killed")) / sum("mutants");
}

/** What `orcs test --mutate` prints: the survivors, a table of the files, and the score. */
function mutationText(report: MutationReport, { green, red, bold }: Palette): string {
  const { files, survivors, median_ms, found, tests } = report;
  const blocks = survivors.map((survivor) => survivorText(survivor, bold));
  const total = files.reduce((sum, { mutants }) => sum + mutants, 0);
  if (total === 0) return "nothing to change: the tests load no Lua of their own\n";
  const rows = files.map((score) => {
    const { file, mutants, killed } = score;
    return [file, percent(scoreOf([score])), `${killed}/${mutants}`];
  });
  blocks.push(renderTable(["file", "score", "killed"], rows));
  const score = `${percent(scoreOf(files))} of ${counted(total, "mutant")} killed`;
  const sampled = total < found ? ` (a sample of ${found})` : "";
  const color = survivors.length === 0 ? green : red;
  const time = `${counted(tests, "test")}, ${median_ms.toFixed(1)} ms per mutant (median)`;
  blocks.push(`${color(score)}${sampled}; ${time}`);
  return `${blocks.join("\n\n")}\n`;
}

/** Rounded down: 100 % means all. */
function percent(score: number): string {
  return `${Math.floor(score)}%`;
}

/** A survivor: where it is, what was changed, and which test is missing. */
export function survivorText(survivor: Survivor, bold: Palette["bold"]): string {
  const { file, line, column, from, to, killer, tests } = survivor;
  const at = bold(printable(`${file}:${line}:${column}`));
  const missing =
    tests === 0
      ? `no test runs this line: ${killer}`
      : `${tests === 1 ? "1 test passes" : `${tests} tests pass`} on it; missing: ${killer}`;
  return [at, `  ${printable(from)}  →  ${printable(to)}`, `  ${printable(missing)}`].join("\n");
}

/** The documented form of `--json`. */
export function mutationJson(report: MutationReport, ok: boolean) {
  const { files, survivors, tests, found, median_ms, duration_ms } = report;
  const total = files.reduce((sum, { mutants }) => sum + mutants, 0);
  return {
    ok,
    score: scoreOf(files),
    mutants: total,
    killed: total - survivors.length,
    survived: survivors.length,
    found,
    tests,
    median_ms,
    duration_ms,
    files: files.map((score) => {
      const { file, mutants, killed } = score;
      return { file, mutants, killed, score: scoreOf([score]) };
    }),
    survivors: survivors.map(({ file, line, column, kind, from, to, killer, tests: ran }) => ({
      file,
      line,
      column,
      kind,
      from,
      to,
      tests: ran,
      missing: killer,
    })),
  };
}
