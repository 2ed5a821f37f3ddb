import { closeSync, openSync, readSync } from "node:fs";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import type { RecordEntry, RecordHeader } from "./format.ts";
import { headerOf, isHeader, MAX_RECORD_LINE, NO_RECORD } from "./format.ts";

/** One thing that was recorded. */
export interface RecordLine {
  /** Of the file, counted from 1. */
  readonly line: number;
  readonly entry: RecordEntry;
}

export interface ReadRecordOptions {
  /** Told of the header, before the first entry. */
  readonly begun?: (header: RecordHeader) => void;
  /** Told that the last line was cut short, as a crash or a full disk leaves it, and is left out. */
  readonly note?: (text: string) => void;
  /** Whether such a line is an error instead. */
  readonly strict?: boolean;
}

/**
 * Read a record, entry by entry, whatever its size: what is kept is a block of the file, or a line where that is
 * longer.
 * @throws OrcsError ORCS8007 with the line that is none of a record of this version
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
    // Two processes that begin a file at the same time may both have written one.
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

/** Of what replay reads of a line, whether it is there and of its type; the rest it takes as it comes. */
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
  /** Whether a line feed stands behind it: one that was cut short has none. */
  readonly ended: boolean;
}

const BLOCK = 2 ** 20;
const NEWLINE = 10;

/**
 * The lines of a file, block by block.
 * @throws OrcsError ORCS8007 when it cannot be read, or a line is longer than one of a record is
 */
function* recordLines(file: string): Generator<RecordText, void, undefined> {
  const from = opened(file);
  try {
    let line = 0;
    // Pieces of a line that is longer than a block.
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
