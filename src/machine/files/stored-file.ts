import { codeOf } from "../../core/index.ts";
import type { Stats } from "node:fs";
import {
  close,
  closeSync,
  constants,
  fchmod,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  link,
  linkSync,
  lstat,
  lstatSync,
  open,
  openSync,
  readdir,
  readdirSync,
  rename,
  renameSync,
  unlink,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

// Loaded by the process of every hook: it must stay light.

/** How a file is written. */
export interface StoredHow {
  /**
   * Permissions. 0o600 by default; `ANY_FILE` for those of any new file of this process, all others are set exactly.
   */
  readonly mode?: number | undefined;
  /** Whether the permissions of an existing file stay. */
  readonly keepsMode?: boolean | undefined;
  /**
   * Whether the file and its name are on the disk at the end. Otherwise a loss of power may take the new content back.
   */
  readonly isDurable?: boolean | undefined;
  /** Whether it fails with EEXIST when something has the name. */
  readonly isNew?: boolean | undefined;
  /** Whether the caller removes what killed writers left, for a folder with so many files that looking takes long. */
  readonly isSweptLater?: boolean | undefined;
}

/** The mode of a file that holds no secret: less the mask of the process. */
export const ANY_FILE = 0o666;

type Bytes = Uint8Array | string;

/**
 * Replace a file, or create it: a reader, also after a kill at any moment, finds the old or the new content. What a
 * killed writer left beside it is removed. Neither a link nor anything else that is not a regular file is replaced.
 * @throws the system's error; the file is as it was then
 */
export function replaceFile(path: string, bytes: Bytes, how: StoredHow = {}): void {
  run(replacing(path, bytes, how));
}

/** As `replaceFile`, without blocking the thread. */
export function replaceFileLater(path: string, bytes: Bytes, how: StoredHow = {}): Promise<void> {
  return runLater(replacing(path, bytes, how));
}

/** A new content beside its file. One of the two methods has to be called. */
export interface StagedFile {
  /** Put it in the place of the file. @throws the system's error; nothing has changed then */
  commit(): void;
  /** Remove it, if it was not committed. Never throws. */
  discard(): void;
}

/** The first half of `replaceFile`: a full disk is noticed here, and the file is still as it was. */
export function stageFile(path: string, bytes: Bytes, how: StoredHow = {}): StagedFile {
  const aside = run(staging(path, bytes, how));
  return {
    commit: () => run(committing(aside, path, how)),
    discard: () => run(removing(aside)),
  };
}

/**
 * Create a file where nobody else looks yet, such as in a new folder: after a kill it may be incomplete.
 * @throws the system's error, EEXIST when something has the name
 */
export function createFile(path: string, bytes: Bytes, how: StoredHow = {}): void {
  run(creating(path, bytes, how));
}

/** Append to a file, which is created when it does not exist. @throws the system's error */
export function appendToFile(path: string, text: string, how: StoredHow = {}): void {
  const file = openToAppend(path, how);
  try {
    writeWhole(file, text);
    if (how.isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const { O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Open a regular file for reading and appending.
 * @param isMissingError whether it fails when the file does not exist
 * @returns its descriptor, to be closed by the caller
 * @throws the system's error, also for a link, a pipe or a device, without waiting for their other end
 */
export function openToAppend(
  path: string,
  { mode = 0o600, isNew }: StoredHow = {},
  isMissingError = false,
): number {
  const create = isMissingError ? 0 : O_CREAT;
  const flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | create | (isNew ? O_EXCL : 0);
  const file = run(opening(path, flags, mode));
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(NOT_REGULAR);
}

/**
 * Write all bytes to an open file.
 * @param size the length of `bytes` as UTF-8
 * @throws the system's error, when some may have been written
 */
export function writeWhole(file: number, bytes: string, size = Buffer.byteLength(bytes)): void {
  const count = writeSync(file, bytes);
  if (count < size) run(writing(file, Buffer.from(bytes).subarray(count)));
}

/** Shorten an open file. */
export function shorten(file: number, size = 0): void {
  ftruncateSync(file, size);
}

/** Empty a file that is larger than this, in bytes. It is a log: nothing in it is needed. Never throws. */
export function emptyIfLarge(path: string, most: number): void {
  try {
    if (lstatSync(path).size <= most) return;
    const file = openToAppend(path, {}, true);
    shorten(file);
    closeSync(file);
  } catch {
    // It does not exist, or is none of ours.
  }
}

/** Give a file, folder or socket another name; what has that name is replaced. @throws the system's error */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
}

/** Force the names in a folder onto the disk, if the system can do that. */
export function syncFolder(folder: string): void {
  run(syncingFolder(folder));
}

/** Whether a call of the file system failed with this code, such as `ENOENT`. */
export function failedWith(thrown: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(thrown) ?? "");
}

/**
 * What is done, call by call, so that it is written once for threads that wait and for those that do not. Each call is
 * the name of a function of `node:fs` without `Sync`, and its arguments.
 */
type Steps<T> = Generator<readonly [name: CallName, ...args: unknown[]], T, unknown>;
type CallName = keyof ReturnType<typeof waitingCalls>;
type Call = (...args: unknown[]) => unknown;

function waitingCalls() {
  return {
    open: openSync,
    write: writeSync,
    fsync: fsyncSync,
    fchmod: fchmodSync,
    close: closeSync,
    rename: renameSync,
    link: linkSync,
    unlink: unlinkSync,
    lstat: lstatSync,
    readdir: readdirSync,
  };
}

const LATER = { open, write, fsync, fchmod, close, rename, link, unlink, lstat, readdir };

function run<T>(steps: Steps<T>): T {
  const calls = waitingCalls();
  let next = steps.next();
  while (!next.done) {
    const [name, ...args] = next.value;
    let result: unknown;
    try {
      result = (calls[name] as Call)(...args);
    } catch (thrown) {
      next = steps.throw(thrown);
      continue;
    }
    next = steps.next(result);
  }
  return next.value;
}

async function runLater<T>(steps: Steps<T>): Promise<T> {
  let next = steps.next();
  while (!next.done) {
    const [name, ...args] = next.value;
    const { error, result } = await new Promise<{ error?: unknown; result?: unknown }>((resolve) =>
      (LATER[name] as Call)(...args, (error: unknown, result: unknown) =>
        resolve({ error, result }),
      ),
    );
    next = error ? steps.throw(error) : steps.next(result);
  }
  return next.value;
}

function* replacing(path: string, bytes: Bytes, how: StoredHow): Steps<void> {
  const aside = yield* staging(path, bytes, how);
  try {
    yield* committing(aside, path, how);
  } catch (thrown) {
    yield* removing(aside);
    throw thrown;
  }
}

function* staging(path: string, bytes: Bytes, how: StoredHow): Steps<string> {
  if (!how.isSweptLater) yield* sweeping(path);
  const found = yield* regularAt(path, how);
  const mode = how.keepsMode && found ? found.mode & 0o7777 : how.mode;
  const aside = asideOf(path);
  yield* creating(aside, bytes, { ...how, mode });
  return aside;
}

function* committing(aside: string, path: string, how: StoredHow): Steps<void> {
  // It may have become something else while the content was written.
  yield* regularAt(path, how);
  if (how.isNew) yield* linking(aside, path);
  else yield ["rename", aside, path];
  if (how.isDurable) yield* syncingFolder(dirname(path));
}

/** A rename would replace what has come meanwhile; a second name does not. */
function* linking(aside: string, path: string): Steps<void> {
  try {
    yield ["link", aside, path];
  } catch (thrown) {
    // Not every file system has them.
    if (!failedWith(thrown, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw thrown;
    yield ["rename", aside, path];
    return;
  }
  yield* removing(aside);
}

function* creating(path: string, bytes: Bytes, how: StoredHow): Steps<void> {
  const { mode = 0o600, isDurable } = how;
  // Never readable by others before its permissions are set.
  const first = mode === ANY_FILE ? mode : mode & 0o600;
  const file = yield* opening(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, first);
  try {
    try {
      yield* writing(file, bytes);
      if (mode !== ANY_FILE) yield ["fchmod", file, mode];
      if (isDurable) yield ["fsync", file];
    } finally {
      yield ["close", file];
    }
  } catch (thrown) {
    yield* removing(path);
    throw thrown;
  }
}

function* opening(path: string, flags: number, mode: number): Steps<number> {
  try {
    return (yield ["open", path, flags, mode]) as number;
  } catch (thrown) {
    throw failedWith(thrown, "ELOOP") ? new Error(IS_LINK, { cause: thrown }) : thrown;
  }
}

function* writing(file: number, given: Bytes): Steps<void> {
  const bytes = typeof given === "string" ? Buffer.from(given) : given;
  for (let at = 0; at < bytes.length;) {
    const count = (yield ["write", file, bytes, at]) as number;
    if (count === 0) throw new Error("no space is left on the disk");
    at += count;
  }
}

function* removing(path: string): Steps<void> {
  try {
    yield ["unlink", path];
  } catch {
    // It is gone, or the next writer removes it.
  }
}

function* syncingFolder(folder: string): Steps<void> {
  try {
    const opened = yield ["open", folder, "r"];
    try {
      yield ["fsync", opened];
    } finally {
      yield ["close", opened];
    }
  } catch {
    // Not every system can. The file is complete either way.
  }
}

const IS_LINK = "it is a symbolic link";
const NOT_REGULAR = "it is not a regular file";

/** The file that has the name, if any. @throws Error when it is something else; with EEXIST when there must be none */
function* regularAt(path: string, { isNew }: StoredHow): Steps<Stats | undefined> {
  let found: Stats;
  try {
    found = (yield ["lstat", path]) as Stats;
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return undefined;
    throw thrown;
  }
  if (isNew) throw Object.assign(new Error(`${path} exists already`), { code: "EEXIST" });
  if (found.isFile()) return found;
  throw new Error(found.isSymbolicLink() ? IS_LINK : NOT_REGULAR);
}

/** No writer takes that long: what may be of another machine or container is removed then. In milliseconds. */
const OLD_MS = 3_600_000;
const ASIDE = /^\.(\d+)-(\d*)-(\w*)-\w+\.tmp$/;

/** A name for the new content of a file: it tells whose it is, so that it can be removed when its writer was killed. */
function asideOf(path: string): string {
  const { pid, started = "", space } = shortIdentity();
  return `${path}.${pid}-${started}-${space}-${Math.random().toString(36).slice(2, 10)}.tmp`;
}

/** Of this process, as in the name of a file. */
function shortIdentity(): ProcessIdentity {
  const own = ownIdentity();
  return {
    ...own,
    space: own.space?.slice(0, 8).concat(own.space.replaceAll(/^.*\[|\W/g, "")) ?? "",
  };
}

/** Remove what killed writers of a file left beside it. */
function* sweeping(path: string): Steps<void> {
  const name = basename(path);
  let names: string[];
  try {
    names = (yield ["readdir", dirname(path)]) as string[];
  } catch {
    return;
  }
  for (const each of names.filter((other) => other.startsWith(name))) {
    const [found, pid, started, space] = ASIDE.exec(each.slice(name.length)) ?? [];
    if (found === undefined) continue;
    const writer = { pid: Number(pid), started: started || undefined, space };
    const aside = join(dirname(path), each);
    const isNeeded = isRunning(writer, shortIdentity()) ?? (yield* ageOf(aside)) < OLD_MS;
    if (!isNeeded) yield* removing(aside);
  }
}

function* ageOf(path: string): Steps<number> {
  try {
    return Date.now() - ((yield ["lstat", path]) as Stats).mtimeMs;
  } catch {
    return 0;
  }
}
