import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

/** An absolute path with its links resolved, as far as it exists: what is gone is named below what is left. */
export function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realpath(folder), basename(path));
  }
}

/**
 * Whether a path leads to a file inside of a folder, its links followed. A pipe is none: nobody can say how
 * long it takes to read one, or whether it ends.
 */
export function isFileInside(root: string, path: string): boolean {
  try {
    const file = realpathSync(path);
    return file.startsWith(realpathSync(root) + sep) && statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Links followed before a path counts as a loop, as in Linux. */
const MAX_LINKS = 40;
/** Bytes that a path may have in a call of the kernel, the NUL behind it included. */
const PATH_MAX = 4096;

/**
 * The absolute path that the kernel would end at when it opens `path` from `cwd`. Links are followed as far as something
 * exists, a last one that leads to nothing as well: there a write would make the file. `..` behind a link leads out of
 * what the link leads to. What does not exist yet, or may not be looked at, is taken by its text.
 *
 * @param cwd absolute, or seen from `root`
 * @param root absolute
 * @throws Error for what the kernel would not follow (a loop of links, a path that is too long or holds a NUL byte), and
 *   for what cannot be told as text: names that are not UTF-8
 */
export function followedPath(path: string, cwd: string, root: string): string {
  expectPath(path);
  expectPath(cwd);
  const from = cwd.startsWith("/") ? cwd : `${root}/${cwd}`;
  const written = path.startsWith("/") ? path : `${from}/${path}`;
  try {
    const whole = existing(written);
    if (whole !== undefined) return whole;
    const cut = written.lastIndexOf("/");
    const parent = existing(written.slice(0, cut));
    return parent === undefined
      ? follow("", written, path)
      : follow(parent === "/" ? "" : parent, written.slice(cut), path);
  } catch (thrown) {
    // Such as ELOOP and ENAMETOOLONG, and what a disk that fails gives.
    const code = codeOf(thrown);
    if (code === undefined) throw thrown;
    throw notFollowed(path, `cannot be resolved: ${code}`);
  }
}

/** The real path of what exists: the kernel's own way is much quicker than link by link. */
function existing(path: string): string | undefined {
  return existsSync(path) ? text(realpathSync.native(path, "buffer")) : undefined;
}

/**
 * Go along a path segment by segment.
 * @param at real path to begin at; empty for the root
 */
function follow(at: string, rest: string, path: string): string {
  const waiting = rest.split("/").reverse();
  let links = 0;
  /** How many of the last segments are not there, or cannot be seen. */
  let unseen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === "" || next === ".") continue;
    if (next === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      // Back among what exists, there may be links again: who makes paths short by their text would follow them.
      if (unseen > 0) unseen--;
      continue;
    }
    const entry = `${at}/${next}`;
    const target = unseen > 0 ? undefined : look(entry);
    if (typeof target === "string") {
      if (++links > MAX_LINKS) throw notFollowed(path, "has too many levels of symbolic links");
      if (target.startsWith("/")) at = "";
      for (const segment of target.split("/").reverse()) waiting.push(segment);
      continue;
    }
    at = entry;
    if (target === undefined) unseen++;
  }
  return at === "" ? "/" : at;
}

/** Where a link leads, as it says; null for what is no link, undefined where nothing is to be seen. */
function look(entry: string): string | null | undefined {
  try {
    const found = lstatSync(entry, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isSymbolicLink() ? text(readlinkSync(entry, "buffer")) : null;
  } catch (thrown) {
    if (UNSEEN.has(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

/** What the kernel says where nothing is to be seen: below a file, or in a directory that one may not enter. */
const UNSEEN: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

function expectPath(path: string): void {
  if (path.includes("\0")) throw notFollowed(path, "contains a NUL byte");
  if (LONE_SURROGATE.test(path)) throw notFollowed(path, "is not valid Unicode");
  if (Buffer.byteLength(path) >= PATH_MAX) throw notFollowed(path, "is too long for a path");
}

/** Half of a character: whoever writes it to the kernel puts something else in its place. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A name of the file system; one that is not UTF-8 would come to another name as text. */
function text(name: Buffer): string {
  if (!isUtf8(name)) throw notFollowed(name.toString(), "is not valid UTF-8");
  return name.toString();
}

function notFollowed(path: string, why: string): Error {
  const shown = path.length > MOST_SHOWN ? `${path.slice(0, MOST_SHOWN)}…` : path;
  return new Error(`orcs.real_path: ${JSON.stringify(shown)} ${why}`);
}

const MOST_SHOWN = 200;

/** Code of an error of the system. */
function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}
