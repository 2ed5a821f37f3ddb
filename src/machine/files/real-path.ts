import { codeOf, orUndefined } from "../../core/index.ts";
import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/** An absolute path with its links resolved as far as it exists; the missing part is appended. */
export function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realpath(folder), basename(path));
  }
}

/** A folder and those above it, the nearest first. */
export function* upwards(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

/** Whether a path is a folder or inside it, compared as text: links are resolved by the code that opens them. */
export function isWithin(root: string, path: string): boolean {
  const below = relative(root, path);
  return below !== ".." && !below.startsWith("../") && !isAbsolute(below);
}

/** A path with its links resolved; as it is when it leads to nothing. */
export function realIfThere(path: string): string {
  return orUndefined(() => realpathSync(path)) ?? path;
}

/**
 * Whether a path leads to a regular file inside a folder, links followed. A pipe is rejected: reading it may never end.
 */
export function isFileInside(root: string, path: string): boolean {
  const look = (): boolean => {
    const file = realpathSync(path);
    return file.startsWith(realpathSync(root) + sep) && statSync(file).isFile();
  };
  return orUndefined(look) ?? false;
}

/** Links followed before a path counts as a loop, as in Linux. */
const MAX_LINKS = 40;
/** Maximum length of a path in a system call, in bytes, including the terminating NUL. */
const PATH_MAX = 4096;

/**
 * The absolute path that the kernel reaches when it opens `path` from `cwd`. Links are followed as far as something
 * exists, including a last one that leads to nothing, since a write would create its target. `..` behind a link is
 * relative to the link's target. Parts that do not exist, or may not be read, are taken as text.
 * @param cwd absolute, or relative to `root`
 * @param root absolute
 * @throws Error for what the kernel would reject (a loop of links, a path that is too long or contains NUL), and for
 * names that are not UTF-8
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
    // For example ELOOP, ENAMETOOLONG, or an error of a failing disk.
    const code = codeOf(thrown);
    if (code === undefined) throw thrown;
    throw notFollowed(path, `cannot be resolved: ${code}`);
  }
}

/** The real path of something that exists: the kernel's resolution is much faster than following link by link. */
function existing(path: string): string | undefined {
  return existsSync(path) ? text(realpathSync.native(path, "buffer")) : undefined;
}

/**
 * Follow a path segment by segment.
 * @param at real path to begin at; empty for the root
 */
function follow(at: string, rest: string, path: string): string {
  const waiting = rest.split("/").reverse();
  let links = 0;
  /** Number of last segments that do not exist or cannot be read. */
  let unseen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === "" || next === ".") continue;
    if (next === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      // Back in the existing part there can be links again: simply normalising the text would miss them.
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

/** The target of a link as written; null for something that is not a link, undefined when nothing is there. */
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

/** The kernel's codes when nothing is there: a path below a file, or in an unreadable directory. */
const UNSEEN: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

function expectPath(path: string): void {
  if (path.includes("\0")) throw notFollowed(path, "contains a NUL byte");
  if (LONE_SURROGATE.test(path)) throw notFollowed(path, "is not valid Unicode");
  if (Buffer.byteLength(path) >= PATH_MAX) throw notFollowed(path, "is too long for a path");
}

/** Half of a surrogate pair: it is replaced when passed to the kernel. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A name of the file system. One that is not UTF-8 would become another name as text. */
function text(name: Buffer): string {
  if (!isUtf8(name)) throw notFollowed(name.toString(), "is not valid UTF-8");
  return name.toString();
}

function notFollowed(path: string, why: string): Error {
  const shown = path.length > MOST_SHOWN ? `${path.slice(0, MOST_SHOWN)}…` : path;
  return new Error(`orcs.real_path: ${JSON.stringify(shown)} ${why}`);
}

const MOST_SHOWN = 200;
