import { lstatSync, opendirSync, readlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { globMatcher } from "../matching/index.ts";

/** A file, a folder or a link as it was. */
export interface Entry {
  readonly kind: "file" | "folder" | "link";
  /** Permissions. */
  readonly mode: number;
  /** Of a file: the digest of its content. Of a link: where it leads. */
  readonly content?: string;
  readonly size?: number;
  readonly mtimeMs?: number;
}

/**
 * What is at a path now, and what tells whether it has changed. Without the system's own object, which is a large one.
 */
export interface Found extends Pick<Stats, "mode" | "size" | "mtimeMs" | "ctimeMs" | "ino"> {
  readonly kind: Entry["kind"];
  /** Of a link. */
  readonly target: string | undefined;
}

/** A file or a folder that a call names, relative to the base of its area. */
export interface Target {
  readonly path: string;
  readonly recursive?: boolean;
  /** Only what matches: a glob of absolute paths, below `path`. */
  readonly glob?: string;
}

/** A part of the file system of which a point keeps the state. */
export interface Area {
  /** Absolute, without links in it. Nothing is restored outside of it. */
  readonly base: string;
  /** `files`: targets; `tree`: a work tree; `git`: what a repository can lose, but for its objects. */
  readonly kind: "files" | "tree" | "git";
  readonly targets?: readonly Target[];
  /** Folders of a work tree that are left out, relative: git ignores them, and no call named them. */
  readonly skipped?: readonly string[];
  /** Whether repositories in it are kept with their objects. */
  readonly whole?: boolean;
}

/** More than this is not a change of source files. */
export const MOST_FILES = 100_000;

/** Why the state of an area cannot be kept. */
export class NotKept extends Error {}

/**
 * List what is in an area now, relative path → what is there, folders in front of what is in them. Links are never
 * followed. It pauses (`yield`) after each folder, and within a large one.
 * @param isStrict whether what cannot be restored later is an error: pipes, devices, names that are not UTF-8
 * @param isSkipped whether a folder of a work tree is left out
 * @throws NotKept
 */
export function* scan(
  area: Area,
  isStrict: boolean,
  isSkipped: (path: string) => boolean = skipping(area),
): Generator<undefined, Map<string, Found>> {
  const found = new Map<string, Found>();
  if (area.kind !== "files") {
    if (foundAt(area.base)?.kind === "folder")
      yield* scanFolder(area, "", found, { isSkipped, isStrict });
    return found;
  }
  for (const target of area.targets ?? []) yield* scanTarget(area, target, found, isStrict);
  return found;
}

function skipping({ skipped = [] }: Area): (path: string) => boolean {
  const all = new Set(skipped);
  return (path) => all.has(path);
}

function* scanTarget(
  area: Area,
  { path, recursive = false, glob }: Target,
  found: Map<string, Found>,
  isStrict: boolean,
): Generator<undefined> {
  const parts = path === "" ? [] : path.split("/");
  // The folders above are restored as well if they are gone, and never followed if they are links by then.
  for (let n = 1; n <= parts.length; n++) {
    const at = parts.slice(0, n).join("/");
    const here = found.get(at) ?? foundAt(join(area.base, at), isStrict ? "files" : undefined);
    if (!here) return;
    found.set(at, here);
    if (here.kind !== "folder") return;
  }
  if (!recursive && glob === undefined) return;
  const matches = glob === undefined ? undefined : globMatcher(glob);
  const takes = matches && ((at: string) => matches(join(area.base, at)));
  yield* scanFolder(area, path, found, { isStrict, takes, below: recursive });
}

interface How {
  readonly isStrict: boolean;
  readonly isSkipped?: (path: string) => boolean;
  /** Whether something is wanted; undefined: everything is. */
  readonly takes?: ((path: string) => boolean) | undefined;
  /** Whether everything below a folder that is wanted is wanted, too. */
  readonly below?: boolean;
}

function* scanFolder(
  area: Area,
  folder: string,
  found: Map<string, Found>,
  how: How,
): Generator<undefined> {
  const { isStrict, isSkipped, takes, below } = how;
  const names = yield* namesIn(join(area.base, folder), isStrict);
  const isGit = area.kind !== "files" && names.includes("HEAD") && names.includes("refs");
  for (const [n, name] of names.entries()) {
    if (n % BATCH === BATCH - 1) yield;
    // What git has in its store never changes, and only it removes something there.
    if (isGit && !area.whole && (name === "objects" || name === "lfs")) continue;
    if (area.kind === "tree" && folder === "" && name === ".git") continue;
    if (isGit && LOCKS.test(name)) continue;
    const at = folder === "" ? name : `${folder}/${name}`;
    const here = foundAt(`${area.base}/${at}`, isStrict ? area.kind : undefined);
    if (!here) continue;
    // Git follows those between its own files.
    const isOwnLink = isStrict && here.kind === "link" && area.kind === "git";
    if (isOwnLink && !/(?:^|\/)hooks(?:\/|$)/.test(at))
      throw new NotKept(`${at} of ${area.base} is a link`);
    const isFolder = here.kind === "folder";
    if (isFolder && isSkipped?.(at) === true) continue;
    const taken = takes?.(at) ?? true;
    if (takes === undefined) found.set(at, here);
    else if (taken) addWithParents(area, at, here, found);
    if (found.size > MOST_FILES) throw new NotKept(TOO_MANY);
    if (!isFolder) continue;
    if (!taken || takes === undefined) yield* scanFolder(area, at, found, how);
    else if (below) yield* scanFolder(area, at, found, { isStrict });
  }
  yield;
}

/** Names of a folder after which others have their turn. */
const BATCH = 256;

/** A folder of two million files is not read to its end. @throws NotKept */
function* namesIn(folder: string, isStrict: boolean): Generator<undefined, string[]> {
  const names: string[] = [];
  try {
    const open = opendirSync(folder, { bufferSize: 1024 });
    try {
      for (let entry = open.readSync(); entry; entry = open.readSync()) {
        const { name } = entry;
        // Which bytes it has is lost: it may as well be the name of another file.
        const isLost = name.includes(NO_UTF8);
        if (isLost && isStrict) throw new Error(`the name ${name} is not UTF-8`);
        if (!isLost && names.push(name) % BATCH === 0) yield;
        if (names.length > MOST_FILES) throw new Error(TOO_MANY);
      }
    } finally {
      open.closeSync();
    }
  } catch (thrown) {
    throw new NotKept(`${folder} cannot be read: ${(thrown as Error).message}`);
  }
  return names;
}

const NO_UTF8 = "\uFFFD";
const TOO_MANY = `there are more than ${MOST_FILES} files`;

/** What a running git holds, which is gone when it ends. */
const LOCKS = /\.lock$|^fsmonitor--daemon/;

function addWithParents(area: Area, at: string, here: Found, found: Map<string, Found>): void {
  const folder = dirname(at);
  if (folder !== "." && !found.has(folder)) {
    const above = foundAt(join(area.base, folder));
    if (above) addWithParents(area, folder, above, found);
  }
  found.set(at, here);
}

/**
 * What is at a path, its last link not followed; undefined if nothing is, or nothing that has a content.
 * @param strictIn the kind of its area, where it counts that all can be restored. No command of git removes a pipe
 * @throws NotKept
 */
export function foundAt(path: string, strictIn?: Area["kind"]): Found | undefined {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const isLink = stats.isSymbolicLink();
    const rest = stats.isFile() ? "file" : undefined;
    const kind = stats.isDirectory() ? "folder" : isLink ? "link" : rest;
    if (strictIn === "files" && kind === undefined && !stats.isSocket())
      throw new Error("it is a pipe or a device");
    if (kind === undefined) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    const mode = isLink ? 0o777 : stats.mode & 0o7777;
    const target = isLink ? readlinkSync(path) : undefined;
    if (strictIn && target?.includes(NO_UTF8)) throw new Error("it leads to no name in UTF-8");
    return { kind, mode, size, mtimeMs, ctimeMs, ino, target };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new NotKept(`${path} cannot be kept: ${(thrown as Error).message}`);
  }
}
