import {
  closeSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parsedCheckpoint } from "./checkpoint.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { readLine } from "./line.ts";
import type { Link } from "./line.ts";
import { CURRENT, failedWith, filesAside, openLogFile, unreadable } from "./log-files.ts";
import { readBackwards } from "./reverse-reader.ts";

/**
 * The last line of a log that is known to have been in it, kept away from the log. It may lag behind, and is never
 * ahead of what is on the disk: a log that does not hold it has lost lines.
 */
export interface Head extends Checkpoint {
  /** Directory of the log, for those who look into the file. */
  readonly dir: string;
  /** Whether a writer has found that the log does not hold it: it stays where it is from then on. */
  readonly missing?: true;
}

/** More are not kept: each log that ever was has one. */
const MAX_HEADS = 1000;

/**
 * The head that a file holds; undefined where there is none, or nothing that can be read as one.
 * @throws OrcsError ORCS8006 when the file cannot be read
 */
export function readHead(path: string): Head | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return parsedCheckpoint(text) && (JSON.parse(text) as Head);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT") || failedWith(thrown, "ENOTDIR")) return undefined;
    throw unreadable(path, thrown);
  }
}

/**
 * Move the head of a log on to a line that is in it. The head stays where it is when another writer was quicker, and
 * when the log does not hold it any more: what was removed must not be forgotten because somebody writes on. The lock
 * of the log is held.
 * @param own what this process wrote last, which needs no looking for
 * @returns what it has written; undefined where it wrote nothing
 */
export function moveHead(
  path: string,
  { seq, hash, dir, time }: NextHead,
  own?: Head,
): Head | undefined {
  const known = readHead(path);
  if (known && (known.seq >= seq || known.missing)) return undefined;
  const isOwn = known?.seq === own?.seq && known?.hash === own?.hash;
  if (known && !isOwn && !holds(dir, known)) {
    write(path, { ...known, missing: true });
    return undefined;
  }
  if (!known) makeRoom(dirname(path));
  const head: Head = { v: 1, seq, hash, time, file: CURRENT, dir };
  write(path, head);
  return head;
}

/** A line that the head may move on to. */
export type NextHead = Pick<Head, "seq" | "hash" | "dir" | "time">;

function write(path: string, head: Head): void {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  renameSync(aside, path);
}

/** Whether a log still holds a line, or says itself that it was removed for its age. Looked for from the end. */
function holds(dir: string, { seq, hash }: Link): boolean {
  for (const name of [...filesAside(dir), CURRENT].toReversed()) {
    const file = openLogFile(dir, name);
    if (file === undefined) continue;
    try {
      for (const { bytes, whole } of readBackwards(file, fstatSync(file).size)) {
        const read = whole ? readLine(bytes) : undefined;
        if (!read || "fault" in read) continue;
        if (read.seq <= seq) return read.seq === seq && read.hash === hash;
        const { kind, removed_through: through } = read.record;
        if (kind === "rotated" && typeof through === "number" && through >= seq) return true;
      }
    } finally {
      closeSync(file);
    }
  }
  return false;
}

/** Make the folder of the heads, and let go of the oldest: programs may have logs in places that are long gone. */
function makeRoom(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  if (names.length < MAX_HEADS) return;
  const aged = names.map((name) => {
    const path = join(folder, name);
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  aged.sort((a, b) => a.at - b.at);
  for (const { path } of aged.slice(0, names.length - MAX_HEADS + 1)) rmSync(path, { force: true });
}
