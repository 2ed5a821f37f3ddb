import { fstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { failedWith, fileText, makeFolder, replaceFile } from "../../machine/index.ts";
import { type Checkpoint, parsedCheckpoint } from "./checkpoint.ts";
import type { Link } from "./line.ts";
import { CURRENT, filesAside, opened, unreadable } from "./log-files.ts";
import { readBackwards, recordIn } from "./log-lines.ts";

/**
 * The last line that is known to have been in a log, stored outside of the log's folder. It can lag behind, but is
 * never ahead of the disk: a log without this line has lost lines.
 */
export interface Head extends Checkpoint {
  /** Directory of the log, for people who read the file. */
  readonly dir: string;
  /** Whether a writer found that the log does not contain it; it is not moved any more then. */
  readonly missing?: true;
}

/** Limit of kept heads: each log that ever existed has one. */
const MAX_HEADS = 1000;

/**
 * The head in a file; undefined when there is none, or it cannot be parsed.
 * @throws OrcsError ORCS8006 when the file cannot be read
 */
export function readHead(path: string): Head | undefined {
  try {
    const text = fileText(path);
    return parsedCheckpoint(text) && (JSON.parse(text) as Head);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT") || failedWith(thrown, "ENOTDIR")) return undefined;
    throw unreadable(path, thrown);
  }
}

/**
 * Move the head of a log to a line in it. The head stays when another writer has moved it further, and when the log no
 * longer contains it: a removal must not be forgotten because somebody writes on. Call it while holding the log's lock.
 * @param own the head that this process last wrote, which needs no lookup
 * @returns the written head; undefined when nothing was written
 */
export function moveHead(
  path: string,
  { seq, hash, dir, time }: Pick<Head, "seq" | "hash" | "dir" | "time">,
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

function write(path: string, head: Head): void {
  replaceFile(path, `${JSON.stringify(head)}\n`);
}

/** Whether a log still contains a line, or records that it removed it because of its age. Searched from the end. */
function holds(dir: string, { seq, hash }: Link): boolean {
  for (const { fd } of opened(dir, [...filesAside(dir), CURRENT].toReversed())) {
    for (const piece of readBackwards(fd, fstatSync(fd).size)) {
      const read = recordIn(piece);
      if (!read) continue;
      if (read.seq <= seq) return read.seq === seq && read.hash === hash;
      const { kind, removed_through: through } = read.record;
      if (kind === "rotated" && typeof through === "number" && through >= seq) return true;
    }
  }
  return false;
}

/** Create the folder of the heads, and remove the oldest ones: logs may be in places that are long gone. */
function makeRoom(folder: string): void {
  makeFolder(folder);
  const names = readdirSync(folder);
  if (names.length < MAX_HEADS) return;
  const aged = names.map((name) => {
    const path = join(folder, name);
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  aged.sort((a, b) => a.at - b.at);
  for (const { path } of aged.slice(0, names.length - MAX_HEADS + 1)) rmSync(path, { force: true });
}
