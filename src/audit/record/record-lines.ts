import { closeSync, openSync, readSync } from "node:fs";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { MAX_RECORD_LINE } from "./format.ts";

export interface RecordText {
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
export function* recordLines(file: string): Generator<RecordText, void, undefined> {
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
  const why = `${file}:${line}: a line of more than ${MAX_RECORD_LINE / 2 ** 20} MB`;
  return new OrcsError("ORCS8007", why, { file, line });
}
