import { lstatSync, readdirSync, readlinkSync } from "node:fs";
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

/** What is at a path now, and what tells whether it has changed. Without the system's own object, which is a large one. */
export interface Found {
  readonly kind: Entry["kind"];
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
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
 * followed. It pauses (`yield`) after each folder.
 * @param isSkipped whether a folder of a work tree is left out
 * @throws NotKept
 */
export function* scan(
  area: Area,
  isSkipped: (path: string) => boolean = skipping(area),
): Generator<undefined, Map<string, Found>> {
  const found = new Map<string, Found>();
  if (area.kind !== "files") {
    if (foundAt(area.base)?.kind === "folder") yield* scanFolder(area, "", found, { isSkipped });
    return found;
  }
  for (const target of area.targets ?? []) yield* scanTarget(area, target, found);
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
): Generator<undefined> {
  const parts = path === "" ? [] : path.split("/");
  // The folders above are restored as well if they are gone, and never followed if they are links by then.
  for (let n = 1; n <= parts.length; n++) {
    const at = parts.slice(0, n).join("/");
    const here = found.get(at) ?? foundAt(join(area.base, at));
    if (!here) return;
    found.set(at, here);
    if (here.kind !== "folder") return;
  }
  if (!recursive && glob === undefined) return;
  const matches = glob === undefined ? undefined : globMatcher(glob);
  const takes = matches && ((at: string) => matches(join(area.base, at)));
  yield* scanFolder(area, path, found, { takes, below: recursive });
}

interface How {
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
  let names: string[];
  try {
    names = readdirSync(join(area.base, folder));
  } catch (thrown) {
    throw new NotKept(`${folder || "."} cannot be read: ${(thrown as Error).message}`);
  }
  const isGit = area.kind !== "files" && names.includes("HEAD") && names.includes("refs");
  for (const name of names) {
    // What git has in its store never changes, and only it removes something there.
    if (isGit && !area.whole && (name === "objects" || name === "lfs")) continue;
    if (area.kind === "tree" && folder === "" && name === ".git") continue;
    if (isGit && LOCKS.test(name)) continue;
    const at = folder === "" ? name : `${folder}/${name}`;
    const here = foundAt(`${area.base}/${at}`);
    if (!here) {
      if (name.includes("\uFFFD")) throw new NotKept(`the name of ${at} is not UTF-8`);
      continue;
    }
    const isFolder = here.kind === "folder";
    if (isFolder && how.isSkipped?.(at) === true) continue;
    const taken = how.takes?.(at) ?? true;
    if (how.takes === undefined) found.set(at, here);
    else if (taken) addWithParents(area, at, here, found);
    if (found.size > MOST_FILES) throw new NotKept(`there are more than ${MOST_FILES} files`);
    if (!isFolder) continue;
    if (!taken || how.takes === undefined) yield* scanFolder(area, at, found, how);
    else if (how.below) yield* scanFolder(area, at, found, {});
  }
  yield;
}

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

/** What is at a path, its last link not followed; undefined if nothing is, or nothing that has a content. */
export function foundAt(path: string): Found | undefined {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const isLink = stats.isSymbolicLink();
    const kind = stats.isDirectory()
      ? "folder"
      : isLink
        ? "link"
        : stats.isFile()
          ? "file"
          : undefined;
    if (kind === undefined) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    const mode = isLink ? 0o777 : stats.mode & 0o7777;
    return {
      kind,
      mode,
      size,
      mtimeMs,
      ctimeMs,
      ino,
      target: isLink ? readlinkSync(path) : undefined,
    };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new NotKept(`${path} cannot be read: ${(thrown as Error).message}`);
  }
}
