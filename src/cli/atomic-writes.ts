import { isUtf8 } from "node:buffer";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { messageOf, OrcsError, orUndefined } from "../core/index.ts";
import { ANY_FILE, failedWith, type StagedFile, stageFile } from "../machine/index.ts";

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
  const staged: StagedFile[] = [];
  const stage = (file: string, text: string): StagedFile => {
    const next = stageFile(file, text, { mode: ANY_FILE, keepsMode: true, isDurable: true });
    staged.push(next);
    undo.push(() => next.discard());
    return next;
  };
  let path = "";
  try {
    const steps = wanted.map((change) => {
      const { file, before, after } = change;
      path = change.path;
      makeFolder(dirname(file), undo);
      // Going back needs no disk space.
      const old = before === undefined ? undefined : stage(file, before);
      return { change, old, next: stage(file, after) };
    });
    for (const { change, old, next } of steps) {
      path = change.path;
      // It may have changed since the change was shown.
      if (textOf(path, change.file) !== change.before)
        throw new Error("it was changed in the meantime");
      next.commit();
      undo.push(old ? () => old.commit() : () => rmSync(change.file, { force: true }));
    }
  } catch (thrown) {
    // A step that cannot be undone must not keep the others from being undone.
    for (const step of undo.reverse()) orUndefined(step);
    const why = `cannot write ${path}: ${messageOf(thrown)}; nothing was changed`;
    throw new OrcsError("ORCS5002", why, { path }, { cause: thrown });
  }
  for (const each of staged) each.discard();
}

/** Create a folder and its missing parents. */
function makeFolder(folder: string, undo: Undo[]): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  // Only while it is empty.
  undo.push(() => rmdirSync(folder));
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
export function statusOf({ before, after }: FileChange): "created" | "changed" | "unchanged" {
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
    if (failedWith(thrown, "ENOENT")) return undefined;
    throw new OrcsError("ORCS5002", `cannot read ${path}: ${messageOf(thrown)}`, { path });
  }
}
