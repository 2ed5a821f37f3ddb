import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { exists, LOCAL_NAME, nearestConfig } from "../config/discover.ts";
import { packageNames, shippedModules } from "../config/packages/layer-packages.ts";
import type { LockDifference, LockedPackage } from "../config/packages/lock-file.ts";
import {
  differencesFromLock,
  LOCK_NAME,
  lockedPackage,
  lockText,
  readLock,
} from "../config/packages/lock-file.ts";
import { installedPackage } from "../config/packages/package-name.ts";
import { readPackage } from "../config/packages/read-package.ts";
import { readTomlFile } from "../config/toml-file.ts";
import { OrcsError } from "../core/errors.ts";
import { SHIPPED_HOOKS } from "../trust/script-sources.ts";
import { fileChange, writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./escape-untrusted.ts";
import { configOption, EXIT } from "./options.ts";
import { verbCommand } from "./verb-texts.ts";

interface UpdateOptions {
  readonly config?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

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
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  orcs update --dry-run\n  orcs update && orcs trust")
    .action(update);
}

function update({ config, dryRun = false, json = false }: UpdateOptions): void {
  const file = config === undefined ? nearestConfig(process.cwd()) : resolve(config);
  if (file === undefined) throw new OrcsError("ORCS5001", "no orcs.toml found here");
  const directory = dirname(file);
  const before = readLock(directory);
  const after = new Map<string, LockedPackage>();
  const changes: PackageChange[] = [];
  const files = [file, ...(config === undefined ? [join(directory, LOCAL_NAME)] : [])];
  const names = files.filter(exists).flatMap((each) => packageNames(treeOf(each)));
  for (const name of new Set(names)) {
    const folder = installedPackage(name, directory);
    if (folder === undefined) {
      const why = `the package ${name} is not installed: run npm install --save-dev --ignore-scripts ${name}`;
      throw new OrcsError("ORCS9300", why, { package: name });
    }
    const found = readPackage(folder, shippedModules(SHIPPED_HOOKS), name);
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
    const path = join(directory, LOCK_NAME);
    writeAtomically([fileChange(LOCK_NAME, path, () => lockText(after))]);
  }
  if (dryRun && changes.length > 0) process.exitCode = EXIT.findings;
  process.stdout.write(
    json ? `${JSON.stringify({ dry_run: dryRun, packages: changes })}\n` : text(changes, dryRun),
  );
}

/** @throws OrcsError ORCS1015 when it cannot be read: its packages would be taken from the lock */
function treeOf(file: string): unknown {
  const read = readTomlFile(file, file);
  if (read.mistake) throw new OrcsError("ORCS1015", read.mistake.message);
  return read.tree;
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
