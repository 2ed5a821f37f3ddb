import { closeSync, constants, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf, OrcsError } from "../../core/index.ts";
import { failedWith } from "../../machine/index.ts";

/** The current file. */
export const CURRENT = "audit.jsonl";
export const LOCK = "audit.lock";
/** Rotated files; a second one with the same number gets a suffix. */
const SET_ASIDE = /^audit-(\d{16})(?:\.(\d{1,6}))?\.jsonl$/;

/** A free name for a rotated file whose first line has this number. */
export function nameAside(seq: number, taken: readonly string[]): string {
  const stem = `audit-${String(seq).padStart(16, "0")}`;
  let name = `${stem}.jsonl`;
  for (let n = 1; taken.includes(name); n++) name = `${stem}.${n}.jsonl`;
  return name;
}

/**
 * Names of the rotated files, the oldest first; none if the folder does not exist.
 * @throws OrcsError ORCS8006
 */
export function filesAside(dir: string): string[] {
  return namesIn(dir)
    .flatMap((name) => {
      const [, seq, nth = "0"] = SET_ASIDE.exec(name) ?? [];
      return seq === undefined ? [] : [{ name, seq: Number(seq), nth: Number(nth) }];
    })
    .sort((a, b) => a.seq - b.seq || a.nth - b.nth)
    .map(({ name }) => name);
}

/** The number of the first line of a rotated file, as its name says; undefined for another name. */
export function firstSeqIn(name: string): number | undefined {
  const [, seq] = SET_ASIDE.exec(name) ?? [];
  return seq === undefined ? undefined : Number(seq);
}

/** A file of the log, open until the next one is requested. */
interface OpenLogFile {
  readonly name: string;
  readonly fd: number;
}

/**
 * All files in the order in which they were written, also while others write and rotate.
 * @throws OrcsError ORCS8006
 */
export function* openLogFiles(dir: string): Generator<OpenLogFile> {
  const read = new Set<string>();
  for (;;) {
    const left = filesAside(dir).filter((name) => !read.has(name));
    for (const name of left) read.add(name);
    yield* opened(dir, left);
    const current = openLogFile(dir, CURRENT);
    // A file that was rotated before it was opened comes first; it may be the current file itself.
    const isNext = filesAside(dir).every((name) => read.has(name));
    try {
      if (isNext && current !== undefined) yield { name: CURRENT, fd: current };
    } finally {
      if (current !== undefined) closeSync(current);
    }
    if (isNext) return;
  }
}

/**
 * These files, one after another. One that disappeared meanwhile was removed because of its age.
 * @throws OrcsError ORCS8006
 */
export function* opened(dir: string, names: readonly string[]): Generator<OpenLogFile> {
  for (const name of names) {
    const fd = openLogFile(dir, name);
    if (fd === undefined) continue;
    try {
      yield { name, fd };
    } finally {
      closeSync(fd);
    }
  }
}

/**
 * Open a file for reading; undefined if it does not exist.
 * @throws OrcsError ORCS8006
 */
export function openLogFile(dir: string, name: string): number | undefined {
  const path = join(dir, name);
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return undefined;
    throw unreadable(path, thrown);
  }
}

/** An error while reading the log, as the error to report. */
export function unreadable(path: string, thrown: unknown): OrcsError {
  if (thrown instanceof OrcsError) return thrown;
  const why = `${path} cannot be read: ${messageOf(thrown)}`;
  return new OrcsError("ORCS8006", why, { path }, { cause: thrown });
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return [];
    throw unreadable(join(dir, CURRENT), thrown);
  }
}
