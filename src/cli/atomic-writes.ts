import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { messageOf, OrcsError } from "../core/errors.ts";

/** Undoes one step; called in reverse order. */
type Undo = () => void;

/**
 * Write several files, all of them or none: new texts are written beside the files first, and then replace them. If
 * anything fails, everything is undone.
 * @throws OrcsError ORCS5002
 */
export function writeAtomically(changes: readonly FileChange[]): void {
  const wanted = changes.filter((change) => statusOf(change) !== "unchanged");
  const undo: Undo[] = [];
  const kept: string[] = [];
  let path = "";
  try {
    const staged = wanted.map((change) => {
      path = change.path;
      makeFolder(dirname(change.file), undo);
      return { change, temporary: stage(change, undo) };
    });
    for (const { change, temporary } of staged) {
      path = change.path;
      expectUntouched(change);
      kept.push(...exchange(change.file, temporary, undo));
    }
  } catch (thrown) {
    for (const step of undo.reverse()) quietly(step);
    const why = `cannot write ${path}: ${messageOf(thrown)}; nothing was changed`;
    throw new OrcsError("ORCS5002", why, { path }, { cause: thrown });
  }
  for (const old of kept) quietly(() => rmSync(old, { force: true }));
}

/** Create a folder and its missing parents. */
function makeFolder(folder: string, undo: Undo[]): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  // Only while it is empty.
  undo.push(() => rmdirSync(folder));
}

/** Write the new text beside the file and sync it: a full disk is noticed here. */
function stage({ file, before, after }: FileChange, undo: Undo[]): string {
  const temporary = `${file}.${randomUUID()}.tmp`;
  undo.push(() => rmSync(temporary, { force: true }));
  const handle = openSync(temporary, "wx");
  try {
    writeFileSync(handle, after);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (before !== undefined) chmodSync(temporary, statSync(file).mode);
  return temporary;
}

/** The file may have changed since the change was shown. */
function expectUntouched({ path, file, before }: FileChange): void {
  if (textOf(path, file) !== before) throw new Error("it was changed in the meantime");
}

/** Replace the file by the new one, and keep the old one until all are replaced; returns its path. */
function exchange(file: string, temporary: string, undo: Undo[]): string[] {
  if (!existsSync(file)) {
    renameSync(temporary, file);
    undo.push(() => rmSync(file, { force: true }));
    return [];
  }
  const old = `${file}.${randomUUID()}.old`;
  undo.push(() => rmSync(old, { force: true }));
  try {
    // A second name for it: going back needs no disk space.
    linkSync(file, old);
  } catch {
    // Not every file system has links.
    copyFileSync(file, old, constants.COPYFILE_EXCL);
  }
  renameSync(temporary, file);
  undo.push(() => renameSync(old, file));
  return [old];
}

function quietly(step: Undo): void {
  try {
    step();
  } catch {
    // A step that cannot be undone must not keep the others from being undone.
  }
}

/** A file before and after a change. */
export interface FileChange {
  /** For messages. */
  readonly path: string;
  /** Absolute; for a link, its target. */
  readonly file: string;
  /** Undefined when the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The effect on a file. */
type FileStatus = "created" | "changed" | "unchanged";

/**
 * The planned change of a file.
 * @param make returns the new text from the current one, which is undefined when the file does not exist
 * @throws OrcsError ORCS5002 when the existing file cannot be read or is not a file, and what `make` throws
 */
export function fileChange(
  path: string,
  file: string,
  make: (before: string | undefined) => string,
): FileChange {
  const before = textOf(path, file);
  const real = before === undefined ? file : realpathSync(file);
  return { path, file: real, before, after: make(before) };
}

/** The effect of a change. */
export function statusOf({ before, after }: FileChange): FileStatus {
  if (before === undefined) return "created";
  return before === after ? "unchanged" : "changed";
}

/** The text of a file; undefined when it does not exist. @throws OrcsError ORCS5002 */
export function textOf(path: string, file: string): string | undefined {
  try {
    // Reading a pipe or a device would block.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Error("it is not a regular file");
    }
    const bytes = readFileSync(file);
    if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
    return bytes.toString("utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw new OrcsError("ORCS5002", `cannot read ${path}: ${messageOf(thrown)}`, { path });
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
