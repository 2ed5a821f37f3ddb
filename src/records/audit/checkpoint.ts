import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { appendToFile, failedWith, fileText, isSha256, makeFolder } from "../../machine/index.ts";
import { isShaped, isText, messageOf, objectIn, OrcsError, orFail } from "../../core/index.ts";
import { unreadable } from "./log-files.ts";
import { lastOfLog } from "./log-lines.ts";

/**
 * The end of a log at some time. Kept where writers of the log have no access, it reveals whether they changed the log.
 */
export interface Checkpoint {
  readonly v: 1;
  /** Of the last line. */
  readonly seq: number;
  readonly hash: string;
  /** When it was made, ISO 8601. */
  readonly time: string;
  /** The file that the line was in. */
  readonly file: string;
}

/**
 * The current end of a log. Nothing is verified here: do that first.
 * @param now milliseconds since 1970
 * @throws OrcsError ORCS8006 when there is no line, or it cannot be read
 */
export function makeCheckpoint(dir: string, now = Date.now): Checkpoint {
  const last = orFail(
    () => lastOfLog(dir),
    (thrown) => unreadable(dir, thrown),
  );
  if (!last) throw new OrcsError("ORCS8006", `there is no audit log in ${dir}`, { path: dir });
  const { seq, hash, file } = last;
  return { v: 1, seq, hash, time: new Date(now()).toISOString(), file };
}

/**
 * Append a checkpoint to a file, which is created with its folder; it is on the disk when this returns.
 * @throws OrcsError ORCS8005
 */
export function writeCheckpoint(path: string, checkpoint: Checkpoint): void {
  try {
    makeFolder(dirname(path));
    appendToFile(path, `${JSON.stringify(checkpoint)}\n`, { isDurable: true });
  } catch (cause) {
    const why = `the checkpoint cannot be written to ${path}: ${messageOf(cause)}`;
    throw new OrcsError("ORCS8005", why, { path }, { cause });
  }
}

/**
 * The checkpoints in a file; empty if it does not exist.
 * @throws OrcsError ORCS8006 when it cannot be read, and for the first invalid line
 */
export function readCheckpoints(path: string): Checkpoint[] {
  return linesOf(path).flatMap((text, i) => {
    if (text === "") return [];
    const checkpoint = parsedCheckpoint(text);
    if (checkpoint) return [checkpoint];
    throw new OrcsError("ORCS8006", `${path}:${i + 1}: not a valid checkpoint`, { path });
  });
}

/** @throws OrcsError ORCS8006 if there is no such file */
export function expectCheckpoints(path: string): void {
  if (existsSync(path)) return;
  throw new OrcsError("ORCS8006", `there is no file ${path} of checkpoints`);
}

function linesOf(path: string): string[] {
  try {
    return fileText(path).split("\n");
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return [];
    throw unreadable(path, thrown);
  }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  const isOne = (version: unknown): boolean => version === 1;
  const texts = { hash: isSha256, time: isText, file: isText };
  return isShaped(value, { v: isOne, seq: Number.isSafeInteger, ...texts });
}

/** Parse a checkpoint; undefined when invalid. Other keys are ignored. */
export function parsedCheckpoint(text: string): Checkpoint | undefined {
  const value: unknown = objectIn(text);
  return isCheckpoint(value) ? value : undefined;
}
