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

/** How to undo one step, the latest first. */
type Undo = () => void;

/**
 * Write several files, all of them or none: new texts are written beside the files, and when all are there,
 * they take the files' places. When anything fails, what was done is undone.
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

/** Make a folder and the missing ones above it. */
function makeFolder(folder: string, undo: Undo[]): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  // Only as long as nobody else has put anything into it.
  undo.push(() => rmdirSync(folder));
}

/** Write the new text beside the file, down to the disk: a full one is noticed here. */
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

/** Somebody may have written to it since it was shown. */
function expectUntouched({ path, file, before }: FileChange): void {
  if (textOf(path, file) !== before) throw new Error("it was changed in the meantime");
}

/** Put the new file in place of the old one, which is kept until all are in place; where it is. */
function exchange(file: string, temporary: string, undo: Undo[]): string[] {
  if (!existsSync(file)) {
    renameSync(temporary, file);
    undo.push(() => rmSync(file, { force: true }));
    return [];
  }
  const old = `${file}.${randomUUID()}.old`;
  undo.push(() => rmSync(old, { force: true }));
  try {
    // A second name for it: to go back needs no room on the disk.
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
    // What cannot be undone must not keep the rest from being undone.
  }
}

/** One file as it is and as it is to be. */
export interface FileChange {
  /** As people see it. */
  readonly path: string;
  /** Absolute; what a link leads to, when it is one. */
  readonly file: string;
  /** Undefined when there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What becomes of a file. */
type FileStatus = "created" | "changed" | "unchanged";

/**
 * What a file is to become.
 * @param make gives its text, of what it holds now; undefined when there is no file yet
 * @throws OrcsError ORCS5002 when what is there cannot be read or is no file, and what `make` throws
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

/** What a change comes to. */
export function statusOf({ before, after }: FileChange): FileStatus {
  if (before === undefined) return "created";
  return before === after ? "unchanged" : "changed";
}

/** The text of a file; undefined when there is none. @throws OrcsError ORCS5002 */
export function textOf(path: string, file: string): string | undefined {
  try {
    // A pipe or a device would be waited for.
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
