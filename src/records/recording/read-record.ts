import { closeSync, openSync, readSync } from "node:fs";
import { isPlainObject, messageOf, OrcsError } from "../../core/index.ts";
import type { RecordEntry, RecordHeader } from "./format.ts";
import { headerOf, isHeader, MAX_RECORD_LINE, NO_RECORD } from "./format.ts";

/** One recorded entry. */
export interface RecordLine {
  /** Of the file, counted from 1. */
  readonly line: number;
  readonly entry: RecordEntry;
}

export interface ReadRecordOptions {
  /** Called with the header, before the first entry. */
  readonly begun?: (header: RecordHeader) => void;
  /** Called when the last line is incomplete, as after a crash or on a full disk, and is skipped. */
  readonly note?: (text: string) => void;
  /** Whether such a line is an error instead. */
  readonly strict?: boolean;
}

/**
 * Read a record entry by entry, whatever its size: memory holds a block of the file, or a line if that is longer.
 * @throws OrcsError ORCS8007 with the line that is invalid in this version
 */
export function* readRecord(
  file: string,
  { begun, note, strict = false }: ReadRecordOptions = {},
): Generator<RecordLine, void, undefined> {
  let header: RecordHeader | undefined;
  let line = 0;
  for (const { text, ended } of recordLines(file)) {
    line++;
    const value = parsed(text);
    if (value instanceof Error) {
      if (!header) throw wrong(file, line, NO_RECORD);
      if (ended) throw wrong(file, line, `it is not JSON: ${value.message}`);
      const cut = `${file} is truncated in line ${line}`;
      if (strict) throw new OrcsError("ORCS8007", cut, { file, line });
      return note?.(`${cut}, which is ignored`);
    }
    // Two processes that create a file at the same time may both have written a header.
    if (!header || isHeader(value)) {
      const next = headerOf(value);
      if (typeof next === "string") throw wrong(file, line, next);
      if (header && header.whole !== next.whole) throw wrong(file, line, MIXED);
      if (!header) begun?.(next);
      header ??= next;
    } else if (isEntry(value)) yield { line, entry: value };
    else throw wrong(file, line, "it is neither an event nor a call");
  }
  if (!header) throw wrong(file, 1, NO_RECORD);
}

const MIXED = "from here on secrets are stored differently: the file contains two records";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    return new Error(messageOf(thrown));
  }
}

/** Checks presence and type of the keys that a replay reads; others are taken as they are. */
function isEntry(value: unknown): value is RecordEntry {
  if (!isPlainObject(value)) return false;
  const { call, point, payload, outcome } = value;
  if (isPlainObject(call)) return typeof call["kind"] === "string" && isPlainObject(call["args"]);
  if (typeof point !== "string" || !isPlainObject(payload) || !isPlainObject(outcome)) return false;
  return typeof outcome["action"] === "string" && Array.isArray(outcome["edits"]);
}

function wrong(file: string, line: number, why: string): OrcsError {
  return new OrcsError("ORCS8007", `${file}:${line}: ${why}`, { file, line });
}

interface RecordText {
  readonly text: string;
  /** Whether a line feed ends it: an incomplete line has none. */
  readonly ended: boolean;
}

const BLOCK = 2 ** 20;
const NEWLINE = 10;

/**
 * The lines of a file, read in blocks.
 * @throws OrcsError ORCS8007 when it cannot be read, or a line is longer than the limit
 */
function* recordLines(file: string): Generator<RecordText, void, undefined> {
  const from = opened(file);
  try {
    let line = 0;
    // Parts of a line that is longer than a block.
    let pieces: Buffer[] = [];
    let held = 0;
    for (;;) {
      const block = Buffer.allocUnsafe(BLOCK);
      const bytes = block.subarray(0, read(from, block, file));
      if (bytes.length === 0) break;
      const end = bytes.lastIndexOf(NEWLINE);
      if (end >= 0) {
        pieces.push(bytes.subarray(0, end));
        for (const text of Buffer.concat(pieces).toString("utf8").split("\n")) {
          line++;
          yield { text, ended: true };
        }
        pieces = [];
        held = 0;
      }
      pieces.push(bytes.subarray(end + 1));
      held += bytes.length - end - 1;
      if (held > MAX_RECORD_LINE) throw tooLong(file, line + 1);
    }
    if (held > 0) yield { text: Buffer.concat(pieces).toString("utf8"), ended: false };
  } finally {
    closeSync(from);
  }
}

function opened(file: string): number {
  try {
    return openSync(file, "r");
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
}

function read(from: number, block: Buffer, file: string): number {
  try {
    return readSync(from, block, 0, block.length, null);
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
}

function unreadable(file: string, thrown: unknown): OrcsError {
  return new OrcsError("ORCS8007", `${file} cannot be read: ${messageOf(thrown)}`, { file });
}

function tooLong(file: string, line: number): OrcsError {
  const why = `${file}:${line}: the line is longer than ${MAX_RECORD_LINE / 2 ** 20} MB`;
  return new OrcsError("ORCS8007", why, { file, line });
}
