import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { mutationJson, mutationText } from "../../src/cli/mutation-text.ts";
import { paletteFor } from "../../src/cli/terminal.ts";
import type { MutationReport } from "../../src/testing/mutation/mutation-run.ts";
import { runMutants } from "../../src/testing/mutation/mutation-run.ts";
import type { VerdictTable } from "../../src/testing/mutation/verdict-table.ts";
import { SHIPPED_HOOKS } from "../../src/trust/script-sources.ts";
import { projectIn } from "../../test/unit/hooks/file-guard-calls.ts";
import { fileTables, invalidOptions, shellTables } from "./tables.ts";

/**
 * How many small changes of the shipped Lua its tests notice: the tests in the hooks, those in test/unit/hooks/specs, and
 * the verdict tables of the unit tests, whose rows share one load of the changed hook.
 *
 *   npm run bench:mutate -- --only lua/shell_guard/removal.lua --show
 *   npm run bench:mutate -- --sample 200
 *
 * --only    files whose name contains this text; may be repeated
 * --sample  at most this many changes of each suite, spread evenly
 * --show    print the changes that no test notices
 * --json    print the reports as JSON
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    sample: { type: "string" },
    show: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

/** Hooks that are mutated together with the modules that they require. */
interface Suite {
  readonly hooks: readonly string[];
  /** Folders and files of lua/ that are mutated in this suite. */
  readonly modules: readonly string[];
  readonly tables?: () => VerdictTable[];
}

const ROOT = dirname(SHIPPED_HOOKS);
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
    tables: () => fileTables(projectIn(folder("project", homedir())), folder("empty", tmpdir())),
  },
  ...readdirSync(SHIPPED_HOOKS)
    .filter((name) => name.endsWith(".lua"))
    .map((name) => name.slice(0, -".lua".length))
    .filter((name) => name !== "shell-guard" && !FILE_GUARDS.includes(name))
    .map((name) => ({
      hooks: [name],
      modules: name === "approve" ? ["lua/policy/options.lua", "lua/sha256.lua"] : [],
    })),
];

/** A new folder that is removed at the end. */
function folder(name: string, above: string): string {
  const made = folders.get(name) ?? realpathSync(mkdtempSync(join(above, ".orcs-mutants-")));
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

/** Whether one of the files that are asked for may belong to a suite. */
function isWanted(suite: Suite): boolean {
  const files = readdirSync(join(ROOT, "lua"), { recursive: true, encoding: "utf8" });
  const known = [
    ...suite.hooks.map((hook) => `hooks/${hook}.lua`),
    ...files.map((file) => `lua/${file}`),
  ];
  return known.some((file) => file.endsWith(".lua") && isMutated(suite, file));
}

/** A hook, which has tests of its own, and its `_test.lua` file. */
function testsOf(hook: string): string[] {
  const files = [join(SHIPPED_HOOKS, `${hook}.lua`), join(SPECS, `${hook}_test.lua`)];
  return files.filter((file) => existsSync(file));
}

function progress(done: number, all: number, file: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done}/${all} ${file}`);
}

async function run(suite: Suite): Promise<MutationReport> {
  const report = await runMutants({
    config: {},
    cwd: ROOT,
    files: suite.hooks.flatMap((hook) => testsOf(hook)),
    // Longer than any call takes, even on a busy machine: only loops that no longer end reach it.
    overrides: { lua: { max_run_ms: 2000, max_chain_ms: 10_000 } },
    tables: suite.tables?.(),
    invalidOptions: suite.hooks.flatMap((hook) => invalidOptions(hook)),
    only: (file) => isMutated(suite, file),
    sample: flags.sample === undefined ? undefined : Number(flags.sample),
    progress,
  });
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

try {
  const reports: MutationReport[] = [];
  for (const suite of SUITES.filter(isWanted)) {
    const report = await run(suite);
    reports.push(report);
    if (!flags.json) {
      const shown = flags.show ? report : { ...report, survivors: [] };
      process.stdout.write(`${mutationText(shown, paletteFor(process.stdout))}\n`);
    }
  }
  if (flags.json) {
    console.log(JSON.stringify(reports.map((report) => mutationJson(report, true))));
  } else {
    const files = reports.flatMap((report) => report.files);
    const sum = (of: "killed" | "mutants") => files.reduce((all, file) => all + file[of], 0);
    const score = ((100 * sum("killed")) / sum("mutants")).toFixed(1);
    console.log(`all: ${score}% of ${sum("mutants")} mutants killed`);
  }
} finally {
  for (const made of folders.values()) rmSync(made, { recursive: true, force: true });
}
