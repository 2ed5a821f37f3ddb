import { isFileFor, namesIn } from "../machine/index.ts";
import { constants } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { nearest } from "../core/index.ts";

/** Scripts and modules that ship with the package. */
export const SHIPPED_HOOKS = fileURLToPath(new URL("../../hooks", import.meta.url));
export const SHIPPED_MODULES = fileURLToPath(new URL("../../lua", import.meta.url));

/** Where to search the scripts of a configuration. */
interface ScriptPlaces {
  /** Absolute directories, in order. */
  readonly dirs: readonly string[];
  /** Directory of the configuration file, searched last. */
  readonly baseDir: string;
  /** Resolves the place from which a found file is read: it may be in a copy. */
  readonly locate?: (path: string) => string;
}

/** A script that was found, or the places that were searched. */
export type ScriptSearch =
  | { readonly file: string }
  | {
      readonly file: undefined;
      readonly lookedIn: readonly string[];
      /** An existing script with a similar name, in the same notation. */
      readonly nearest: string | undefined;
    };

/** Prefix of shipped scripts: `orcs:audit`. */
const SHIPPED = "orcs:";

/** Maximum number of missing scripts for which a similar name is searched. */
const MOST_HINTS = 20;

/** Creates a search for the scripts of a configuration. */
export function scriptSearch(places: ScriptPlaces): (script: string) => ScriptSearch {
  let hints = 0;
  return (script) => {
    const found = findScript(script, places, hints < MOST_HINTS);
    if (found.file === undefined) hints++;
    return found;
  };
}

/**
 * The file of a script: `orcs:name` is a shipped one, an absolute path is used as it is, anything else is relative to
 * one of the script directories or to the configuration file.
 */
export function findScript(script: string, places: ScriptPlaces, hinted = true): ScriptSearch {
  if (script.startsWith(SHIPPED)) return findShipped(script.slice(SHIPPED.length));
  const { locate = (path: string) => path } = places;
  if (isAbsolute(script)) {
    const file = dirname(script) === SHIPPED_HOOKS ? script : locate(script);
    return firstReadable([file], script, hinted);
  }
  const dirs = [...new Set([...places.dirs, places.baseDir])];
  const files = dirs.map((dir) => locate(resolve(dir, script)));
  return firstReadable(files, script, hinted);
}

function findShipped(name: string): ScriptSearch {
  // The name must not be a path: only the shipped files themselves are safe to name.
  const file = join(SHIPPED_HOOKS, `${name}.lua`);
  if (/^[\w-]+$/.test(name) && isReadableFile(file)) return { file };
  const names = luaFiles(SHIPPED_HOOKS).map((known) => known.slice(0, -".lua".length));
  const near = nearest(name, names);
  return { file: undefined, lookedIn: [SHIPPED_HOOKS], nearest: near && `${SHIPPED}${near}` };
}

function firstReadable(files: readonly string[], written: string, hinted: boolean): ScriptSearch {
  const file = files.find(isReadableFile);
  if (file !== undefined) return { file };
  const lookedIn = files.map((candidate) => dirname(candidate));
  const near = hinted ? nearest(basename(written), lookedIn.flatMap(luaFiles)) : undefined;
  return { file: undefined, lookedIn, nearest: near && join(dirname(written), near) };
}

function isReadableFile(file: string): boolean {
  return isFileFor(file, constants.R_OK);
}

function luaFiles(dir: string): string[] {
  return namesIn(dir).filter((name) => name.endsWith(".lua"));
}
