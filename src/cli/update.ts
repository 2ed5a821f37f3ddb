import { Command } from "commander";
import type { LockDifference, LockedPackage } from "../config/packages/lock-file.ts";
import {
  differencesFromLock,
  LOCK_NAME,
  lockedPackage,
  readLock,
} from "../config/packages/lock-file.ts";
import { NPM } from "../config/packages/package-name.ts";
import { writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./escape-untrusted.ts";
import { configOption, EXIT } from "./options.ts";
import type { PackageOptions } from "./packages/package-project.ts";
import {
  lockChanges,
  lockedNames,
  packageProject,
  readSpec,
  userOption,
} from "./packages/package-project.ts";
import { verbCommand } from "./verb-texts.ts";

/** How a package differs from its lock. */
interface PackageChange {
  readonly name: string;
  /** Undefined when it is not locked, or not used any more. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly files: readonly LockDifference[];
}

/** `orcs update`: show how installed packages differ from orcs.lock, and accept it. */
export function updateCommand(): Command {
  return verbCommand("update")
    .option("--dry-run", "only print what would change; exit with 1 when something would")
    .addOption(userOption())
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  orcs update --dry-run\n  orcs update && orcs trust")
    .action(update);
}

function update(options: PackageOptions): void {
  const { dryRun = false, json = false } = options;
  const project = packageProject(options);
  const before = readLock(project.directory);
  const after = new Map<string, LockedPackage>();
  const changes: PackageChange[] = [];
  for (const name of lockedNames(project)) {
    const found = readSpec({ from: `${NPM}${name}`, name }, project);
    const locked = before.get(name);
    const entry = lockedPackage(found);
    after.set(name, entry);
    const differences = entry.link === true ? [] : differencesFromLock(found, locked);
    if (differences.length === 0 && locked?.link === entry.link && locked) continue;
    changes.push({ name, from: locked?.version, to: found.version, files: differences });
  }
  for (const [name, { version }] of before) {
    if (!after.has(name)) changes.push({ name, from: version, to: undefined, files: [] });
  }
  if (!dryRun && changes.length > 0) {
    writeAtomically(lockChanges(project, after));
  }
  if (dryRun && changes.length > 0) process.exitCode = EXIT.findings;
  process.stdout.write(
    json ? `${JSON.stringify({ dry_run: dryRun, packages: changes })}\n` : text(changes, dryRun),
  );
}

function text(changes: readonly PackageChange[], dryRun: boolean): string {
  if (changes.length === 0) return `every package is as ${LOCK_NAME} has it\n`;
  const lines = changes.flatMap(({ name, from = "not locked", to = "not used", files }) => [
    `${name}  ${from} → ${to}`,
    ...files.map(({ file, is }) => `  ${is.padEnd(8)} ${file}`),
  ]);
  const next = dryRun ? "nothing was written" : `${LOCK_NAME} is written: run orcs trust`;
  return `${[...lines, next].map(escapeUntrusted).join("\n")}\n`;
}
