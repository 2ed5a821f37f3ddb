import { codeOf, type JsonObject, objectIn, orUndefined } from "../../core/index.ts";
import type { Stats } from "node:fs";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

// Loaded by the process of every hook: it must stay light.

/** Larger than any configuration or hook, and small enough to be read at every start. */
const MAX_FILE_BYTES = 16 * 2 ** 20;

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * The bytes of a plain file. Reading anything else may take any time, or never end.
 * @param most maximum size in bytes
 * @throws what the file system throws; an Error for a file that is not plain or too large
 */
export function fileBytes(file: string, most = MAX_FILE_BYTES): Buffer {
  // Opening some devices has side effects.
  expectPlain(statSync(file), most);
  // The name may refer to something else by now: opening a pipe must not wait for a writer.
  const open = openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = fstatSync(open);
    expectPlain(stats, most);
    return contentOf(open, stats.size, most);
  } finally {
    closeSync(open);
  }
}

/** The same bytes as a buffer, without a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The content of a plain file as text. */
export function fileText(file: string, most?: number): string {
  return fileBytes(file, most).toString("utf8");
}

/** The bytes of a plain file; undefined when it cannot be read. */
export function bytesIfReadable(file: string): Buffer | undefined {
  return orUndefined(() => fileBytes(file));
}

/** The same as text. */
export function textIfReadable(file: string): string | undefined {
  return bytesIfReadable(file)?.toString("utf8");
}

/** The object in a file of JSON; undefined when it cannot be read, or has none. */
export function objectInFile(file: string): JsonObject | undefined {
  const text = textIfReadable(file);
  return text === undefined ? undefined : objectIn(text);
}

/** Whether a path leads to a regular file. */
export function isFile(path: string): boolean {
  return orUndefined(() => isFileForSure(path)) ?? false;
}

/** The same; an error where the system does not let one look: what is sealed must not lack it without a word. */
export function isFileForSure(path: string): boolean {
  // Most do not exist, and throwing an error costs more than the lookup.
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Whether a path leads to a regular file that this process may use so. @param access such as `constants.X_OK` */
export function isFileFor(path: string, access: number): boolean {
  const look = (): boolean => {
    accessSync(path, access);
    return isFileForSure(path);
  };
  return orUndefined(look) ?? false;
}

/** Whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  return orUndefined(() => statSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? false;
}

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  return orUndefined(() => readdirSync(folder)) ?? [];
}

/** Read to its end, which may be beyond its reported size. */
function contentOf(open: number, size: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.max(size - total, 0) + 4096);
    const count = readSync(open, chunk, 0, chunk.length, null);
    if (count === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, count));
    total += count;
    if (total > most) throw tooLarge(most);
  }
}

function expectPlain(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new Error("it is a directory");
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): Error {
  return new Error(`it is larger than ${most} bytes`);
}

/**
 * Create a folder and those above it, as far as they are missing. Node's own `recursive` never ends where a parent
 * exists and takes no folders, such as `/proc`.
 * @throws what the file system throws
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (isMade(path, mode)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  if (!isMade(path, mode)) mkdirSync(path, { mode });
}

/** False when a folder above it is missing. */
function isMade(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return false;
    // Some systems say that they are read-only before they say that it exists.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw thrown;
  }
}
