import { closeSync, openSync } from "node:fs";
import { isPlainObject, messageOf, OrcsError } from "../../core/index.ts";
import { type Piece, readForwards } from "../audit/log-lines.ts";
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
  for (const { bytes, ended, whole } of recordLines(file)) {
    line++;
    if (!whole) throw wrong(file, line, `the line is longer than ${MAX_RECORD_LINE / 2 ** 20} MB`);
    const value = parsed(bytes.toString("utf8"));
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

/**
 * The lines of a file.
 * @throws OrcsError ORCS8007 when it cannot be read
 */
function* recordLines(file: string): Generator<Piece, void, undefined> {
  let from: number | undefined;
  try {
    from = openSync(file, "r");
    yield* readForwards(from, null, MAX_RECORD_LINE);
  } catch (thrown) {
    throw new OrcsError("ORCS8007", `${file} cannot be read: ${messageOf(thrown)}`, { file });
  } finally {
    if (from !== undefined) closeSync(from);
  }
}
