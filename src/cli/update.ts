import {
  differencesFromLock,
  hookDifferences,
  type HookPackage,
  LOCK_NAME,
  type LockedPackage,
  lockedPackage,
  NPM,
  readLock,
} from "../config/index.ts";
import { type MapChange, OrcsError } from "../core/index.ts";
import { writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./table.ts";
import { CONFIG, EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printEither, tell } from "./output.ts";
import { proofProblems, provePackage } from "./bundle-proof.ts";
import {
  lockChanges,
  lockedNames,
  type PackageProject,
  packageProject,
  readSpec,
  USER,
} from "./packages/package-project.ts";
import { Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  dryRun: flag("only print what would change; exit with 1 when something would"),
  replay: value("<record>", "also show which recorded decisions the packages would change"),
  force: flag("accept a package although its checks or tests fail"),
  user: USER,
  json: JSON_OUTPUT,
  config: CONFIG,
};

/** How a package differs from its lock. */
interface PackageChange {
  readonly name: string;
  /** Undefined when it is not locked, or not used any more. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly hooks: readonly MapChange<"id">[];
  readonly files: readonly MapChange<"file">[];
  /** Undefined when there is nothing to test: it is a link, or not used any more. */
  readonly tests: TestedPackage | undefined;
}

/** The result of a package's own tests. */
interface TestedPackage {
  readonly passed: number;
  /** Errors of its check, and tests that fail. */
  readonly problems: readonly string[];
}

/** `orcs package update`: show how installed packages differ from orcs.lock, and accept it. */
export const updateCommand = verbCommand("package update", {
  options: OPTIONS,
  help:
    "The tests of a package that differs are run, in the Lua sandbox and without real tools. Nothing is written if\n" +
    "one fails. --replay runs the events of a record (orcs hook --record FILE) through the hooks that are active\n" +
    "and through those that would be, and prints each decision that differs. No tool runs. With --json, a line for\n" +
    "each of them and a line with their number follow the line with the packages.\n\n" +
    "Exit code: 0 written or nothing to do, 1 a test failed or --dry-run found a difference, 2 errors.\n\n" +
    "Example:\n  orcs package update --dry-run --replay events.jsonl\n  orcs package update && orcs trust",
  run: update,
});

async function update(options: OptionsOf<typeof OPTIONS>): Promise<void> {
  const { dryRun = false, force = false, json = false, replay } = options;
  const project = packageProject(options);
  const before = readLock(project.directory);
  const after = new Map<string, LockedPackage>();
  const changes: PackageChange[] = [];
  const progress = new Progress(process.stderr, "testing packages");
  try {
    for (const name of lockedNames(project)) {
      const found = readSpec({ from: `${NPM}${name}`, name }, project);
      const entry = lockedPackage(found);
      after.set(name, entry);
      const change = changeOf(found, entry, before.get(name));
      if (change) changes.push({ ...change, tests: await tested(found) });
    }
  } finally {
    progress.close();
  }
  for (const [name, entry] of before) {
    if (after.has(name)) continue;
    const hooks = hookDifferences(undefined, entry);
    const gone = { from: entry.version, to: undefined, files: [], tests: undefined };
    changes.push({ name, hooks, ...gone });
  }
  const failing = changes.filter(({ tests }) => tests && tests.problems.length > 0);
  const isRefused = failing.length > 0 && !force;
  const document = { ok: !isRefused, dry_run: dryRun, packages: changes };
  printEither(json, document, () => changesText(changes));
  // A package that fails its check could not be loaded.
  const differ = replay !== undefined && !isRefused ? await flips(project, replay, json) : 0;
  if (!dryRun && !isRefused && changes.length > 0) writeAtomically(lockChanges(project, after));
  if (isRefused || (dryRun && changes.length + differ > 0)) process.exitCode = EXIT.findings;
  if (json) return;
  const run = project.next === undefined ? "" : `: run ${project.next}`;
  const end = dryRun || isRefused ? "nothing was written" : `${LOCK_NAME} is written${run}`;
  if (changes.length > 0) print(end);
  if (!isRefused) return;
  const names = failing.map(({ name }) => name).join(", ");
  const why = `checks or tests of ${names} fail: install the version of ${LOCK_NAME} again, or accept it with --force`;
  const { message } = new OrcsError("ORCS9312", why);
  tell(`orcs: ${escapeUntrusted(message)}`);
}

/** Undefined if there is no difference. */
function changeOf(
  found: HookPackage,
  entry: LockedPackage,
  locked: LockedPackage | undefined,
): Omit<PackageChange, "tests"> | undefined {
  const files = entry.link === true ? [] : differencesFromLock(found, locked);
  if (files.length === 0 && locked && locked.link === entry.link) return undefined;
  const hooks = hookDifferences(entry, locked);
  return { name: found.name, from: locked?.version, to: found.version, hooks, files };
}

/** Whoever works on a linked package tests it there. */
async function tested(found: HookPackage): Promise<TestedPackage | undefined> {
  if (found.isLinked) return undefined;
  try {
    const proof = await provePackage(found);
    return { passed: proof.passed, problems: proofProblems(proof) };
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { passed: 0, problems: [thrown.message] };
  }
}

/** Print the recorded events that the packages would decide differently. @returns their number */
async function flips({ file }: PackageProject, record: string, json: boolean): Promise<number> {
  const { updatedSets } = await import("../workbench/index.ts");
  const { printFlips } = await import("./replay-text.ts");
  const sets = updatedSets(file, process.cwd());
  if (!sets.against) {
    const why = "no copy of the hooks before the update is stored, as orcs trust does it";
    tell(`orcs: ${why}: compared with the recorded decisions`);
  }
  const { differ } = await printFlips({ record, ...sets }, json);
  if (!json) print("");
  return differ;
}

function changesText(changes: readonly PackageChange[]): string {
  if (changes.length === 0) return `every package is as ${LOCK_NAME} has it`;
  const lines = changes.flatMap(
    ({ name, from = "not locked", to = "not used", hooks, files, tests }) => [
      `${name}  ${from} → ${to}`,
      ...hooks.map(({ id, is }) => `  ${is.padEnd(8)} hook ${id}`),
      ...files.map(({ file, is }) => `  ${is.padEnd(8)} ${file}`),
      ...(tests ? testLines(tests) : []),
    ],
  );
  return lines.map(escapeUntrusted).join("\n");
}

function testLines({ passed, problems }: TestedPackage): string[] {
  if (problems.length === 0) {
    return [`  tests    ${passed === 0 ? "it has none" : `${passed} passed`}`];
  }
  const lines = problems.flatMap((problem) => problem.split("\n"));
  return [
    `  tests    ${passed} passed, ${problems.length} failed`,
    ...lines.map((line) => `    ${line}`),
  ];
}
