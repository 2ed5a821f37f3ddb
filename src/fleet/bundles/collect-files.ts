import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileBytes, realpath } from "../../machine/index.ts";
import {
  CONFIG_NAME,
  exists,
  handlerProblem,
  loadConfig,
  LOCK_NAME,
  placesIn,
  sealedPackageFile,
  TrustSet,
} from "../../config/index.ts";
import type { FoundProject } from "../../config/index.ts";
import { messageOf, OrcsError } from "../../core/index.ts";
import { nameProblem } from "./file-names.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/**
 * The files of a folder that belong into its bundle, by name: `orcs.toml`, the scripts that it names, the modules that
 * they require, what hooks list in `files`, and the Lua files with tests.
 * @param directory absolute
 * @throws OrcsError ORCS9005 with everything that a bundle may not contain; ORCS1015 for errors of the configuration
 */
export async function collectFiles(directory: string): Promise<Map<string, Uint8Array>> {
  const root = realpath(directory);
  if (!exists(join(root, CONFIG_NAME))) {
    throw new OrcsError("ORCS9005", `${directory} has no ${CONFIG_NAME}`, { directory });
  }
  const problems: string[] = [];
  const files = new Map<string, Uint8Array>();
  for (const [name, bytes] of await configuredFiles(root, problems)) files.set(name, bytes);
  for (const name of testFiles(root, [...files.keys()], problems)) {
    if (!files.has(name)) files.set(name, readFile(join(root, name), problems));
  }
  for (const name of files.keys()) {
    const problem = nameProblem(name);
    if (problem !== undefined) problems.push(`${name} ${problem}`);
    const link = linkOn(root, name);
    if (link !== undefined) problems.push(`${link} is a symbolic link`);
  }
  if (problems.length > 0) {
    const why = `${directory} cannot become a bundle:\n${[...new Set(problems)].map((text) => `- ${text}`).join("\n")}`;
    throw new OrcsError("ORCS9005", why, { directory, problems: [...new Set(problems)] });
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the configuration refers to. */
async function configuredFiles(
  root: string,
  problems: string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  await loadConfig({
    cwd: root,
    // Without the user's own configuration: it does not come along.
    userDir: join(root, CONFIG_NAME, "none"),
    environment: {},
    isUsers: true,
    project: { directory: root, codeDir: root, files: new Map([[CONFIG_NAME, undefined]]) },
    async examine(found: FoundProject) {
      const set = await TrustSet.of(found);
      for (const { message } of set.problems) problems.push(message);
      const installed = new Set<string>();
      for (const { hooks, settings, packages } of await found.layers()) {
        for (const { name, isInstalled } of packages) if (isInstalled) installed.add(name);
        for (const hook of hooks) {
          const problem = handlerProblem(hook, hook.idGiven ? hook.id : undefined);
          if (problem !== undefined) problems.push(problem);
        }
        problems.push(...placesIn(settings));
      }
      problems.push(...[...installed].map(notInFolder));
      // The lock is about them.
      const left = installed.size === 0 ? [] : [LOCK_NAME];
      for (const [name, { bytes, isDerived }] of set.content.files) {
        const isPackaged = [...installed].some((each) =>
          name.startsWith(sealedPackageFile(each, "")),
        );
        if (!isDerived && !isPackaged && !left.includes(name)) files.set(name, bytes);
      }
      return [];
    },
  });
  return files;
}

/** A bundle has the files of one folder: what a machine has installed could be anything. */
function notInFolder(name: string): string {
  const folder = `./packages/${name.split("/").at(-1)}`;
  return `it uses the npm package ${name}: copy its files to ${folder}, and use ${JSON.stringify(folder)} in extends, or a script of it by its path, in place of npm:${name}`;
}

/** Test files beside the scripts, and all Lua files in `tests/`, which tests may require. */
function testFiles(root: string, names: readonly string[], problems: string[]): string[] {
  const folders = new Set(names.map((name) => name.split("/").slice(0, -1).join("/")));
  const beside = [...folders].flatMap((folder) =>
    namesIn(root, folder, problems, false).filter((name) => name.endsWith("_test.lua")),
  );
  return [...beside, ...namesIn(root, "tests", problems, true)].filter((name) =>
    name.endsWith(".lua"),
  );
}

function namesIn(root: string, folder: string, problems: string[], deep: boolean): string[] {
  const path = join(root, folder);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names: string[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSymbolicLink() && (deep || name.endsWith("_test.lua")))
      problems.push(`${name} is a symbolic link`);
    else if (entry.isFile()) names.push(name);
    else if (deep && entry.isDirectory() && names.length <= BUNDLE_LIMITS.files)
      names.push(...namesIn(root, name, problems, deep));
  }
  return names;
}

function readFile(file: string, problems: string[]): Uint8Array {
  try {
    return fileBytes(file, BUNDLE_LIMITS.oneFile);
  } catch (thrown) {
    problems.push(`${file} cannot be read: ${messageOf(thrown)}`);
    return new Uint8Array();
  }
}

/** The first part of a path that is a symbolic link. */
function linkOn(root: string, name: string): string | undefined {
  const parts = name.split("/");
  const prefixes = parts.map((_, n) => parts.slice(0, n + 1).join("/"));
  return prefixes.find(
    (prefix) => lstatSync(join(root, prefix), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
}
