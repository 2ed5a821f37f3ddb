import { lstatSync, opendirSync, readlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../core/index.ts";
import { failedWith } from "../machine/index.ts";
import { globMatcher } from "../matching/index.ts";

/** A file, a folder or a link as it was. */
export interface Entry {
  readonly kind: "file" | "folder" | "link";
  /** Permissions. */
  readonly mode: number;
  /** Of a file: the digest of its content. Of a link: where it leads. */
  readonly content?: string | undefined;
  readonly size?: number;
  readonly mtimeMs?: number;
}

/**
 * What is at a path now, and what tells whether it has changed; of a file without its content. Without the system's own
 * object, which is a large one.
 */
export type Found = Entry & Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

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

type OfPath = (path: string) => boolean;
type Steps<T = void> = Generator<undefined, T>;
const all: OfPath = () => true;

/** More than this is not a change of source files. */
const MOST_FILES = 100_000;

/** Why the state of an area cannot be kept. */
export class NotKept extends Error {}

/**
 * List what is in an area now, relative path → what is there, folders in front of what is in them. Links are never
 * followed. It pauses (`yield`) after each folder, and within a large one.
 * @param isStrict whether what cannot be restored later is an error: pipes, devices, names that are not UTF-8
 * @param isSkipped whether a folder is left out
 * @param isKnown whether a folder counts also if nothing that is wanted is in it any more
 * @throws NotKept
 */
export function* scan(
  { base, kind, whole, targets = [{ path: "", recursive: true }] }: Area,
  isStrict: boolean,
  isSkipped: OfPath,
  isKnown: OfPath,
): Steps<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  if (kind !== "files" && foundAt(base)?.kind !== "folder") return found;
  for (const { path, recursive = false, glob } of targets) {
    if (!isReached(path) || (!recursive && glob === undefined)) continue;
    const matches = glob === undefined ? undefined : globMatcher(glob);
    const isWanted: OfPath = matches ? (at) => matches(join(base, at)) : all;
    const rest = glob?.slice(join(base, path).length + 1) ?? "";
    const levels = rest.includes("**") ? Infinity : rest.split("/").length - 1;
    yield* scanFolder(path, isWanted, recursive, levels);
  }
  return found;

  /** The folders above are restored as well if they are gone, and never followed if they are links by then. */
  function isReached(path: string): boolean {
    const names = path === "" ? [] : path.split("/");
    return names.every((_, n) => {
      const at = names.slice(0, n + 1).join("/");
      const here = found.get(at) ?? foundAt(join(base, at), isStrict ? "files" : undefined);
      if (here) found.set(at, here);
      return here?.kind === "folder";
    });
  }

  /** With `below`, all in a folder that is wanted is wanted, too; more may be wanted in so many levels of folders. */
  function* scanFolder(folder: string, isWanted: OfPath, below: boolean, levels: number): Steps {
    const names = yield* namesIn(join(base, folder), isStrict);
    const isGit = kind !== "files" && names.includes("HEAD") && names.includes("refs");
    for (const [n, name] of names.entries()) {
      if (n % BATCH === BATCH - 1) yield;
      // What git has in its store never changes, and only it removes something there.
      if (isGit && !whole && (name === "objects" || name === "lfs")) continue;
      if (kind === "tree" && folder === "" && name === ".git") continue;
      if (isGit && LOCKS.test(name)) continue;
      const at = folder === "" ? name : `${folder}/${name}`;
      const here = foundAt(`${base}/${at}`, isStrict ? kind : undefined);
      if (!here) continue;
      // Git follows those between its own files.
      const isOwnLink = isStrict && here.kind === "link" && kind === "git";
      if (isOwnLink && !/(?:^|\/)hooks(?:\/|$)/.test(at))
        throw new NotKept(`${at} of ${base} is a link`);
      const isFolder = here.kind === "folder";
      if (isFolder && isSkipped(at)) continue;
      const isTaken = isWanted(at);
      const isNew = !found.has(at) && !isKnown(at);
      if (isTaken || isFolder) found.set(at, here);
      const { size } = found;
      if (size > MOST_FILES) throw new NotKept(TOO_MANY);
      const isWhole = isTaken && below;
      if (!isFolder || (!isWhole && levels === 0)) continue;
      yield* scanFolder(at, isWhole ? all : isWanted, below, levels - 1);
      // Only for what is in it.
      if (!isTaken && isNew && found.size === size) found.delete(at);
    }
    yield;
  }
}

/** Names of a folder after which others have their turn. */
const BATCH = 256;

/** A folder of two million files is not read to its end. @throws NotKept */
function* namesIn(folder: string, isStrict: boolean): Steps<string[]> {
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
    throw new NotKept(`${folder} cannot be read: ${messageOf(thrown)}`);
  }
  return names;
}

const NO_UTF8 = "\uFFFD";
const TOO_MANY = `there are more than ${MOST_FILES} files`;

/** What a running git holds, which is gone when it ends. */
const LOCKS = /\.lock$|^fsmonitor--daemon/;

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
    const content = isLink ? readlinkSync(path) : undefined;
    if (strictIn && content?.includes(NO_UTF8)) throw new Error("it leads to no name in UTF-8");
    return { kind, mode, content, size, mtimeMs, ctimeMs, ino };
  } catch (thrown) {
    if (failedWith(thrown, "ENOTDIR")) return undefined;
    throw new NotKept(`${path} cannot be kept: ${messageOf(thrown)}`);
  }
}
