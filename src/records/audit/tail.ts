import { createHash } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import { type ChainedRecord, readLine } from "./line.ts";
import { CURRENT, filesAside, openLogFile } from "./log-files.ts";
import { readAt, readBackwards, readForwards } from "./reverse-reader.ts";

const BLOCK_BYTES = 1 << 20;

/** The end of a file. */
interface Tail {
  /** The last line of the chain, by its number; undefined when no line has a valid hash. */
  readonly last: ChainedRecord | undefined;
  /** The offset after the last complete line, including its newline; 0 without one. */
  readonly end: number;
  /** Whether the file ends with a newline, or is empty. */
  readonly ended: boolean;
}

/** Read a file of this size from its end until there is a complete line. */
export function tailOf(file: number, size: number): Tail {
  let ended: boolean | undefined;
  let last: ChainedRecord | undefined;
  let end = 0;
  for (const piece of readBackwards(file, size)) {
    ended ??= piece.ended;
    const read = piece.whole ? readLine(piece.bytes) : undefined;
    if (!read || "fault" in read) continue;
    // A line after one with a later number was inserted: the later one is the end of the chain.
    if (last && read.seq <= last.seq) break;
    if (!last) end = piece.start + piece.bytes.length + (piece.ended ? 1 : 0);
    last = read;
  }
  return { last, end, ended: ended ?? true };
}

/** The first line with a valid hash. */
export function firstOf(file: number): ChainedRecord | undefined {
  for (const { bytes, whole } of readForwards(file)) {
    const read = whole ? readLine(bytes) : undefined;
    if (read && !("fault" in read)) return read;
  }
  return undefined;
}

/** The last line of the log, and its file. */
export function lastOfLog(dir: string): (ChainedRecord & { readonly file: string }) | undefined {
  return lastOfFiles(dir, [...filesAside(dir), CURRENT]);
}

/** The last complete line of the newest file that has one. */
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
