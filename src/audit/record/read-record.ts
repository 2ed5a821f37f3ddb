import { messageOf, OrcsError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import type { RecordEntry, RecordHeader } from "./format.ts";
import { headerOf, isHeader, NO_RECORD } from "./record-header.ts";
import { recordLines } from "./record-lines.ts";

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
      const cut = `${file} is cut within line ${line}`;
      if (strict) throw new OrcsError("ORCS8007", cut, { file, line });
      return note?.(`${cut}, which is left out`);
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

const MIXED = "from here on secrets are kept otherwise than before: these are two records in one";

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
