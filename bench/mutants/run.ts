import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { mutationJson, scoreOf, survivorText } from "../../src/cli/test.ts";
import { renderTable } from "../../src/cli/table.ts";
import { paletteFor } from "../../src/cli/terminal.ts";
import type {
  FileScore,
  MutationOptions,
  MutationReport,
  Survivor,
} from "../../src/engine/testing/mutation/mutation-run.ts";
import { runMutants } from "../../src/engine/testing/mutation/mutation-run.ts";
import { SHIPPED_HOOKS } from "../../src/config/scripts.ts";
import { projectIn } from "../../test/unit/hooks/file-guard-calls.ts";
import { withTexts } from "../../test/unit/hooks/refusal-texts.ts";
import { writePage } from "./page.ts";
import type { FileResult } from "./results.ts";
import { Results } from "./results.ts";
import { Sample } from "./sample.ts";
import { fileTables, invalidOptions, shellTables } from "./tables.ts";
import type { VerdictTable } from "./verdict-table.ts";
import { optionUnits, tableUnits } from "./verdict-table.ts";

/**
 * Changes all Lua of the shipped hooks in small ways, and shows how many changes its tests notice: the tests in the hooks,
 * those in test/unit/hooks/specs, and the verdict tables of the unit tests, whose rows share one load of the changed hook.
 *
 *   npm run mutants -- --only lua/shell_guard/removal.lua --show
 *   npm run mutants -- --only lua/shell_guard/removal.lua --again
 *   npm run mutants -- --sample 200 --seed 2 --page
 *
 * --only    files whose name contains this text; may be repeated
 * --again   only the changes that survived the latest run of their file, after tests were added
 * --sample  at most this many changes of each part, chosen at random; a part is a hook, or a folder of lua/
 * --seed    the same seed chooses the same changes; default 1
 * --show    print the changes that no test notices
 * --json    print the reports as JSON
 * --page    write the latest results of all files into docs/how-to/testing.md; with --only none, nothing is run
 *
 * The exit code is 1 if a file is below GOAL.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    again: { type: "boolean", default: false },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    show: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});

if (flags.again && flags.sample !== undefined) {
  throw new Error("--again tries all that survived: it has no --sample");
}

/** Percent of the changes of each file that tests have to notice. */
const GOAL = 90;

/** The engine's own Lua, which is no module: the unit tests of the engine are its tests. */
const ENGINE = new Set(["lua/prelude.lua", "lua/testing/spec.lua"]);

/** Hooks that are mutated together with the modules that they require. */
interface Suite {
  readonly hooks: readonly string[];
  /** Folders and files of lua/ that are mutated in this suite. */
  readonly modules: readonly string[];
  /** Names of `_test.lua` files beside those of the hooks. */
  readonly specs?: readonly string[];
  readonly tables?: () => VerdictTable[] | Promise<VerdictTable[]>;
}

const ROOT = dirname(SHIPPED_HOOKS);
const results = new Results(ROOT, join(ROOT, "bench/mutants/results.json"));
const SPECS = join(ROOT, "test/unit/hooks/specs");
const FILE_GUARDS = ["path-guard", "secret-guard", "self-guard"];
const folders = new Map<string, string>();
const SUITES: readonly Suite[] = [
  {
    hooks: ["shell-guard"],
    modules: ["lua/shell_guard/", "lua/policy/allow_once.lua", "lua/policy/command_text.lua"],
    tables: shellTables,
  },
  {
    hooks: FILE_GUARDS,
    modules: ["lua/file_guard/", "lua/self_guard/"],
    specs: ["file-guard-names", "self-guard-code", "self-guard-places", "self-guard-verbs"],
    tables: () => fileTables(projectIn(folder("project", homedir())), folder("empty", tmpdir())),
  },
  ...readdirSync(SHIPPED_HOOKS)
    .filter((name) => name.endsWith(".lua"))
    .map((name) => name.slice(0, -".lua".length))
    .filter((name) => name !== "shell-guard" && !FILE_GUARDS.includes(name))
    .map((name) => ({
      hooks: [name],
      modules: [],
    })),
  {
    hooks: [],
    modules: ["lua/sha256.lua", "lua/policy/options.lua"],
    specs: ["sha256", "policy-options"],
  },
];

/** A new folder that is removed at the end. */
function folder(name: string, above: string): string {
  const made = join(realpathSync(above), `.orcs-mutants-${process.pid}.${name}`);
  mkdirSync(made, { recursive: true });
  folders.set(name, made);
  return made;
}

/** Whether a file is asked for, and belongs to a suite. */
function isMutated({ hooks, modules }: Suite, file: string): boolean {
  const isOwn =
    hooks.some((hook) => file === `hooks/${hook}.lua`) ||
    modules.some((module) => file.startsWith(module));
  return isOwn && (flags.only.length === 0 || flags.only.some((part) => file.includes(part)));
}

/** The Lua that ships and is mutated. */
function shippedLua(): string[] {
  return ["hooks", "lua"]
    .flatMap((above) =>
      readdirSync(join(ROOT, above), { recursive: true, encoding: "utf8" }).map(
        (name) => `${above}/${name}`,
      ),
    )
    .filter((file) => file.endsWith(".lua") && !ENGINE.has(file));
}

/** A hook, which has tests of its own, and its `_test.lua` file. */
function testsOf(hook: string): string[] {
  const files = [join(SHIPPED_HOOKS, `${hook}.lua`), join(SPECS, `${hook}_test.lua`)];
  return files.filter((file) => existsSync(file));
}

function progress(done: number, all: number, file: string, survivor?: Survivor): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done}/${all} ${file}`);
  if (!survivor || !flags.show || flags.json) return;
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  // At once: a run of all takes an hour.
  process.stdout.write(`${survivorText(survivor, paletteFor(process.stdout).bold)}\n\n`);
}

/** The seed of the sample that a result is of. */
function seedOf(file: string): number | undefined {
  if (flags.again) return results.of(file)?.seed;
  return flags.sample === undefined ? undefined : Number(flags.seed);
}

/** Tell how a run goes, and keep the results of each file when the next begins. */
function watch() {
  let file: string | undefined;
  let ran = 0;
  let survivors: Survivor[] = [];
  const keep = (): void => {
    if (file !== undefined) {
      const mutants = ran + (flags.again ? (results.of(file)?.killed ?? 0) : 0);
      results.keep({ file, mutants, killed: mutants - survivors.length }, survivors, seedOf(file));
    }
    [ran, survivors] = [0, []];
  };
  const step = (done: number, all: number, current: string, survivor?: Survivor): void => {
    if (current !== file) keep();
    file = current;
    ran++;
    if (survivor) survivors.push(survivor);
    progress(done, all, current, survivor);
  };
  return { step, keep };
}

/** Which changes to try: all, those that survived, or a sample; a sample replaces earlier results. */
function wantedIn(suite: Suite): MutationOptions["wanted"] {
  if (flags.again) return (file, mutant) => results.survived(file, mutant);
  if (flags.sample === undefined) return undefined;
  const files = shippedLua().filter((file) => isMutated(suite, file));
  const sample = new Sample(files, (file) => results.changesOf(file), {
    size: Number(flags.sample),
    seed: Number(flags.seed),
  });
  for (const file of files) results.forget(file);
  return (file, mutant) => sample.has(file, mutant);
}

async function run(suite: Suite): Promise<MutationReport> {
  const { step, keep } = watch();
  const report = await runMutants({
    config: {},
    cwd: ROOT,
    files: [
      ...suite.hooks.flatMap((hook) => testsOf(hook)),
      ...(suite.specs ?? []).map((spec) => join(SPECS, `${spec}_test.lua`)),
    ],
    // Longer than any call takes, even on a busy machine: only loops that no longer end reach it.
    overrides: { lua: { max_run_ms: 1000, max_chain_ms: 10_000 }, engine: { load_ms: 100_000 } },
    units: [
      ...tableUnits(withTexts((await suite.tables?.()) ?? [])),
      ...optionUnits(suite.hooks.flatMap((hook) => invalidOptions(hook))),
    ],
    only: (file) => isMutated(suite, file),
    wanted: wantedIn(suite),
    progress: step,
  });
  keep();
  const { failed, mistakes } = report;
  if (failed.length + mistakes.length > 0) {
    const texts = failed.map(
      ({ name, message = "", differences = [] }) =>
        `${name}: ${message} ${JSON.stringify(differences)}`,
    );
    texts.push(...mistakes.map(({ message }) => message));
    throw new Error(`tests fail without any change:\n${texts.join("\n")}`);
  }
  return report;
}

/** The scores of the files that were run; with --again, also what was killed before. */
function scoresOf(reports: readonly MutationReport[]): FileScore[] {
  return reports
    .flatMap((report) => report.files)
    .map((score) => (flags.again && results.of(score.file)) || score)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The latest results of all files; those that were not run since their last change have none. */
function latest(): FileResult[] {
  return shippedLua()
    .map((file) => results.of(file) ?? results.none(file))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** One table of the files that were run. */
function table(files: readonly FileScore[], reports: readonly MutationReport[]): string {
  const all = files.reduce(
    (sum, { mutants, killed }) => ({
      file: "all",
      mutants: sum.mutants + mutants,
      killed: sum.killed + killed,
    }),
    { file: "all", mutants: 0, killed: 0 },
  );
  const rows = [...files, all].map((score) => [
    score.file,
    `${score.mutants}`,
    `${score.killed}`,
    scoreOf([score]).toFixed(1),
  ]);
  const medians = reports.map(({ median_ms }) => median_ms.toFixed(1)).join(", ");
  const tests = reports.reduce((sum, report) => sum + report.tests, 0);
  return `${renderTable(["file", "mutants", "killed", "%"], rows)}\n\n${tests} tests; ${medians} ms per mutant (medians of the suites)\n`;
}

try {
  const shipped = shippedLua();
  const isWanted = (suite: Suite) => shipped.some((file) => isMutated(suite, file));
  const reports: MutationReport[] = [];
  for (const suite of SUITES.filter(isWanted)) reports.push(await run(suite));
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  const files = scoresOf(reports);
  if (flags.json) {
    console.log(JSON.stringify(reports.map((report) => mutationJson(report, true))));
  } else {
    process.stdout.write(table(files, reports));
  }
  if (flags.page) writePage(latest());
  const below = files.filter((score) => scoreOf([score]) < GOAL);
  if (below.length > 0) {
    console.error(`below ${GOAL} %: ${below.map(({ file }) => file).join(", ")}`);
    process.exitCode = 1;
  }
} finally {
  for (const made of folders.values()) rmSync(made, { recursive: true, force: true });
}
