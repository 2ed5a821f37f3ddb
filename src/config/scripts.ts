import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { nearest } from "../core/text.ts";

/** Where the scripts of one configuration are looked for. */
interface ScriptPlaces {
  /** Absolute directories, in order. */
  readonly dirs: readonly string[];
  /** Directory of the config file, looked in last. */
  readonly baseDir: string;
  /** Directory of the scripts that ship with orcs. */
  readonly shippedDir: string | undefined;
  /** Where a file is read from that has been found: a copy may stand for it. */
  readonly locate?: (path: string) => string;
}

/** A script that was found, or where it was looked for. */
export type ScriptSearch =
  | { readonly file: string }
  | {
      readonly file: undefined;
      readonly lookedIn: readonly string[];
      /** A script there whose name is nearly the one written, written the same way. */
      readonly nearest: string | undefined;
    };

/** Prefix of the names of scripts that ship: `orcs:audit`. */
const SHIPPED = "orcs:";

/** For so many scripts that are not found, a name nearby is looked for. */
const MOST_HINTS = 20;

/** Finds the scripts that one configuration names. */
export function scriptSearch(places: ScriptPlaces): (script: string) => ScriptSearch {
  let hints = 0;
  return (script) => {
    const found = findScript(script, places, hints < MOST_HINTS);
    if (found.file === undefined) hints++;
    return found;
  };
}

/**
 * The file of a script: `orcs:name` is one that ships, an absolute path is itself, anything else is
 * relative to one of the script directories or to the config file.
 */
export function findScript(script: string, places: ScriptPlaces, hinted = true): ScriptSearch {
  if (script.startsWith(SHIPPED)) return findShipped(script.slice(SHIPPED.length), places);
  const { locate = (path: string) => path, shippedDir } = places;
  if (isAbsolute(script)) {
    const file =
      shippedDir !== undefined && dirname(script) === shippedDir ? script : locate(script);
    return firstReadable([file], script, hinted);
  }
  const dirs = [...new Set([...places.dirs, places.baseDir])];
  const files = dirs.map((dir) => locate(resolve(dir, script)));
  return firstReadable(files, script, hinted);
}

/** Whether a path is a directory that can be looked into; false for anything else. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function findShipped(name: string, places: ScriptPlaces): ScriptSearch {
  const dir = places.shippedDir;
  if (dir === undefined) return { file: undefined, lookedIn: [], nearest: undefined };
  // The name is not a path: what ships is what the project vouches for, nothing beside it.
  const file = join(dir, `${name}.lua`);
  if (/^[\w-]+$/.test(name) && isReadableFile(file)) return { file };
  const names = luaFiles(dir).map((known) => known.slice(0, -".lua".length));
  const near = nearest(name, names);
  return { file: undefined, lookedIn: [dir], nearest: near && `${SHIPPED}${near}` };
}

function firstReadable(files: readonly string[], written: string, hinted: boolean): ScriptSearch {
  const file = files.find(isReadableFile);
  if (file !== undefined) return { file };
  const lookedIn = files.map((candidate) => dirname(candidate));
  const near = hinted ? nearest(basename(written), lookedIn.flatMap(luaFiles)) : undefined;
  return { file: undefined, lookedIn, nearest: near && join(dirname(written), near) };
}

function isReadableFile(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function luaFiles(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith(".lua"));
  } catch {
    return [];
  }
}
