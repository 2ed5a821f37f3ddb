import { createHash } from "node:crypto";
import { fstatSync, readSync } from "node:fs";
import { type ChainedRecord, MAX_LINE_BYTES, NEWLINE, readLine } from "./line.ts";
import { CURRENT, filesAside, opened } from "./log-files.ts";

const BLOCK_BYTES = 1 << 20;
/** Enough for several lines: most readers from the end want the last one. */
const FIRST_BLOCK_BYTES = 1 << 13;

/** A line of a file, or a part of one that is too long to keep in memory. */
export interface Piece {
  /** Without the newline. The buffer is valid until the next piece is requested. */
  readonly bytes: Buffer;
  /** Its offset in the file, in bytes. */
  readonly start: number;
  /** Whether a newline ends it. */
  readonly ended: boolean;
  /** Whether it is a complete line, with or without a newline. */
  readonly whole: boolean;
}

/** The line of the chain that a piece is; undefined for one without a valid hash. */
export function recordIn({ bytes, whole }: Piece): ChainedRecord | undefined {
  const read = whole ? readLine(bytes) : undefined;
  return read && !("fault" in read) ? read : undefined;
}

/**
 * The lines of a file from its start; uses memory for a block and a line.
 * @param from offset of the first line, in bytes; null to begin where the file stands, which may be a pipe
 * @param most a longer line comes in parts, in bytes
 */
export function* readForwards(
  file: number,
  from: number | null = 0,
  most = MAX_LINE_BYTES,
): Generator<Piece> {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let start = from ?? 0;
  let whole = true;
  const piece = (last: Buffer, ended: boolean): Piece => {
    const bytes = keptBytes === 0 ? last : Buffer.concat([...kept, last]);
    const made = { bytes, start, ended, whole: whole && (ended || keptBytes <= most) };
    start += bytes.length + (ended ? 1 : 0);
    kept = [];
    keptBytes = 0;
    return made;
  };
  for (let at = from; ;) {
    const read = readSync(file, block, 0, BLOCK_BYTES, at);
    if (read === 0) break;
    if (at !== null) at += read;
    const got = block.subarray(0, read);
    let begin = 0;
    for (;;) {
      const newline = got.indexOf(NEWLINE, begin);
      if (newline < 0) break;
      yield piece(got.subarray(begin, newline), true);
      whole = true;
      begin = newline + 1;
    }
    if (begin === read) continue;
    kept.push(Buffer.from(got.subarray(begin)));
    keptBytes += read - begin;
    if (keptBytes > most) {
      yield piece(Buffer.alloc(0), false);
      whole = false;
    }
  }
  if (keptBytes > 0) yield piece(Buffer.alloc(0), false);
}

/** The lines of a file of this size from its end; a line that is too long has no bytes. */
export function* readBackwards(file: number, size: number): Generator<Piece> {
  let parts: Buffer[] = [];
  let end = size;
  let ended = false;
  let step = FIRST_BLOCK_BYTES;
  const piece = (start: number): Piece => {
    const whole = end - start <= MAX_LINE_BYTES;
    return { bytes: whole ? Buffer.concat(parts.reverse()) : Buffer.alloc(0), start, ended, whole };
  };
  for (let at = size; at > 0;) {
    const from = Math.max(0, at - step);
    const block = readAt(file, from, at - from);
    let to = block.length;
    while (to > 0) {
      const newline = block.lastIndexOf(NEWLINE, to - 1);
      if (newline < 0) break;
      parts.push(block.subarray(newline + 1, to));
      const start = from + newline + 1;
      if (ended || start < end) yield piece(start);
      parts = [];
      ended = true;
      end = start - 1;
      to = newline;
    }
    if (end - from <= MAX_LINE_BYTES) parts.push(block.subarray(0, to));
    else parts = [];
    at = from;
    step = Math.min(step * 2, BLOCK_BYTES);
  }
  if (ended || end > 0) yield piece(0);
}

/** @throws Error when the file ends before */
function readAt(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let got = 0; got < length;) {
    const read = readSync(file, bytes, got, length - got, start + got);
    if (read === 0) throw new Error("the file became shorter while it was read");
    got += read;
  }
  return bytes;
}

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
