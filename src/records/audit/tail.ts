import { createHash } from "node:crypto";
import { fstatSync } from "node:fs";
import type { ChainedRecord } from "./line.ts";
import { CURRENT, filesAside, opened } from "./log-files.ts";
import { readAt, readBackwards, readForwards, recordIn } from "./reverse-reader.ts";

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
    const read = recordIn(piece);
    if (!read) continue;
    // A line after one with a later number was inserted: the later one is the end of the chain.
    if (last && read.seq <= last.seq) break;
    if (!last) end = piece.start + piece.bytes.length + (piece.ended ? 1 : 0);
    last = read;
  }
  return { last, end, ended: ended ?? true };
}

/** The first line with a valid hash. */
export function firstOf(file: number): ChainedRecord | undefined {
  for (const piece of readForwards(file)) {
    const read = recordIn(piece);
    if (read) return read;
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
  for (const { name, fd } of opened(dir, names.toReversed())) {
    const { last } = tailOf(fd, fstatSync(fd).size);
    if (last) return { ...last, file: name };
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
