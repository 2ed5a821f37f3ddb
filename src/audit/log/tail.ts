import { createHash } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import type { ChainedRecord } from "./line.ts";
import { readLine } from "./line.ts";
import { CURRENT, filesAside, openLogFile } from "./log-files.ts";
import { readAt, readBackwards, readForwards } from "./reverse-reader.ts";

const BLOCK_BYTES = 1 << 20;

/** How a file ends. */
interface Tail {
  /** The last line of the chain, by its number; undefined where no line says its own hash. */
  readonly last: ChainedRecord | undefined;
  /** Where the last whole line ends, newline included; 0 without one. */
  readonly end: number;
  /** Whether the file ends with a newline, or is empty. */
  readonly ended: boolean;
}

/** Look at a file of so many bytes from its end, as far as there is no whole line. */
export function tailOf(file: number, size: number): Tail {
  let ended: boolean | undefined;
  let last: ChainedRecord | undefined;
  let end = 0;
  for (const piece of readBackwards(file, size)) {
    ended ??= piece.ended;
    const read = piece.whole ? readLine(piece.bytes) : undefined;
    if (!read || "fault" in read) continue;
    // One that stands behind a later one was put there: the later one is the end of the chain.
    if (last && read.seq <= last.seq) break;
    if (!last) end = piece.start + piece.bytes.length + (piece.ended ? 1 : 0);
    last = read;
  }
  return { last, end, ended: ended ?? true };
}

/** The number of the first line that says one with its own hash. */
export function firstSeqOf(file: number): number | undefined {
  for (const { bytes, whole } of readForwards(file)) {
    const read = whole ? readLine(bytes) : undefined;
    if (read && !("fault" in read)) return read.seq;
  }
  return undefined;
}

/** The last line of the log, and the file it is in. */
export function lastOfLog(dir: string): (ChainedRecord & { readonly file: string }) | undefined {
  return lastOfFiles(dir, [...filesAside(dir), CURRENT]);
}

/** The last whole line in the newest of these files that has one. */
export function lastOfFiles(
  dir: string,
  names: readonly string[],
): (ChainedRecord & { readonly file: string }) | undefined {
  for (const name of names.toReversed()) {
    const file = openLogFile(dir, name);
    if (file === undefined) continue;
    try {
      const { last } = tailOf(file, fstatSync(file).size);
      if (last) return { ...last, file: name };
    } finally {
      closeSync(file);
    }
  }
  return undefined;
}

/** SHA-256 of a part of a file, in hexadecimal. */
export function sha256Of(file: number, start: number, end: number): string {
  const sum = createHash("sha256");
  for (let at = start; at < end; at += BLOCK_BYTES) {
    sum.update(readAt(file, at, Math.min(BLOCK_BYTES, end - at)));
  }
  return sum.digest("hex");
}
