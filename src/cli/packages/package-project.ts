import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import {
  CONFIG_NAME,
  exists,
  expectInstalled,
  LOCAL_NAME,
  LOCK_NAME,
  lockText,
  nearestConfig,
  NPM,
  packageNames,
  readPackage,
  readTomlFile,
  shownFile,
  splitPackagePath,
} from "../../config/index.ts";
import type { HookPackage, Lock } from "../../config/index.ts";
import { OrcsError, orUndefined } from "../../core/index.ts";
import { defaultUserDir, isFolder, realIfThere } from "../../machine/index.ts";
import { type FileChange, fileChange } from "../atomic-writes.ts";
import { CONFIG, JSON_OUTPUT } from "../options.ts";
import { flag, type OptionsOf, verbCommand } from "../verb-command.ts";

/** `--user`, the same for all verbs about packages. */
export const USER = flag("your own configuration, which is active in all projects", {
  conflicts: ["config"],
});

const OPTIONS = {
  user: USER,
  dryRun: flag("only print what would change"),
  json: JSON_OUTPUT,
  config: CONFIG,
};

/** Which configuration a verb about packages is about. */
export type PackageOptions = OptionsOf<typeof OPTIONS>;

/**
 * `orcs package add` and `orcs package remove`: one argument, and the same options.
 * @param help what `--help` says after them
 */
export function packageVerb(
  verb: "add" | "remove",
  help: string,
  run: (options: PackageOptions, word: string) => Promise<void>,
): () => Command {
  return verbCommand(`package ${verb}`, { options: OPTIONS, help, run });
}

/** A configuration and the folder of its lock. */
export interface PackageProject {
  /** Absolute; it may not exist if it is the user's own. */
  readonly file: string;
  /** As messages name it. */
  readonly shown: string;
  readonly directory: string;
  /** What has to be done until a change is active; undefined if it is active at once. */
  readonly next: string | undefined;
}

/** @throws OrcsError ORCS5001 when there is no configuration */
export function packageProject({ config, user = false }: PackageOptions): PackageProject {
  const cwd = process.cwd();
  const own = join(defaultUserDir(), CONFIG_NAME);
  const file = user ? own : config === undefined ? nearestConfig(cwd) : resolve(config);
  if (file === undefined || (config !== undefined && !exists(file))) {
    const why = `no ${config ?? CONFIG_NAME} found here: begin a project with orcs init, or use --user`;
    throw new OrcsError("ORCS5001", why);
  }
  const shown = shownFile(file, cwd);
  // The user's own configuration needs no trust, and neither does an explicit one.
  const next = file === own || config !== undefined ? undefined : "orcs trust";
  return { file, shown, directory: dirname(file), next };
}

/**
 * The parsed configuration; without a file, an empty one.
 * @throws OrcsError ORCS1015 when it cannot be read: its packages would be taken from the lock
 */
export function treeOf(file: string): unknown {
  if (!exists(file)) return {};
  const read = readTomlFile(file, file);
  if (read.mistake) throw new OrcsError("ORCS1015", read.mistake.message);
  return read.tree;
}

/** The npm packages that share the lock of a folder. @param changed the new tree of one of its configurations */
export function lockedNames(
  { file, directory }: PackageProject,
  changed?: { readonly tree: unknown },
): string[] {
  const files = new Set([file, join(directory, CONFIG_NAME), join(directory, LOCAL_NAME)]);
  const trees = [...files].map((each) => (changed && each === file ? changed.tree : treeOf(each)));
  return [...new Set(trees.flatMap(packageNames))];
}

/** A package as the command line names it. */
export interface PackageSpec {
  /** As `extends` has it: `npm:NAME`, or a path that begins with a dot. */
  readonly from: string;
  /** Of an npm package. */
  readonly name: string | undefined;
}

/**
 * The package that a word names: `@acme/guards`, `npm:@acme/guards`, `./shared`.
 * @throws OrcsError ORCS5001 when it names none
 */
export function packageSpec(word: string, { directory }: PackageProject): PackageSpec {
  if (/^\.{1,2}(?:[/\\]|$)/.test(word) || isAbsolute(word)) {
    const path = relative(realIfThere(directory), realIfThere(resolve(word))).replaceAll("\\", "/");
    return { from: path.startsWith("../") ? path : `./${path}`, name: undefined };
  }
  const written = word.startsWith(NPM) ? word.slice(NPM.length) : word;
  const split = splitPackagePath(written);
  if (split && split.rest === "") return { from: `${NPM}${split.name}`, name: split.name };
  const [, name] = /^((?:@[^/@]+\/)?[^/@]+)@/.exec(written) ?? [];
  const hint =
    name !== undefined
      ? `a version is installed by npm: npm install --save-dev --ignore-scripts ${written}, then use ${name}`
      : isFolder(resolve(word))
        ? `a folder is written ./${written}`
        : "write the name of an installed npm package (lower case, at most 214 characters), or the path of a folder, which begins with ./";
  const why = `${JSON.stringify(word)} names no package: ${hint}`;
  throw new OrcsError("ORCS5001", why, { package: word });
}

/** The package that an entry of `extends` names. */
export function writtenSpec(from: string): PackageSpec {
  return { from, name: from.startsWith(NPM) ? from.slice(NPM.length) : undefined };
}

/** @throws OrcsError ORCS9300 to ORCS9303 */
export function readSpec({ from, name }: PackageSpec, { directory }: PackageProject): HookPackage {
  const folder = name === undefined ? resolve(directory, from) : expectInstalled(name, directory);
  return readPackage(folder, name);
}

/** The name of a package; undefined if it cannot be read. */
export function nameOf(spec: PackageSpec, project: PackageProject): string | undefined {
  return orUndefined(() => spec.name ?? readSpec(spec, project).name);
}

/** The change of a file that was read before. @param before undefined for a new file */
export function changeTo(
  { file, shown }: PackageProject,
  before: string | undefined,
  after: string,
): FileChange {
  return { path: shown, file: before === undefined ? file : realpathSync(file), before, after };
}

/** The changes of the lock of a folder: none for a lock that says nothing. */
export function lockChanges({ directory }: PackageProject, lock: Lock): FileChange[] {
  const change = fileChange(LOCK_NAME, join(directory, LOCK_NAME), () => lockText(lock));
  return lock.size === 0 && change.before === undefined ? [] : [change];
}
