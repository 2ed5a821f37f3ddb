import { type JsonObject, objectIn } from "../../core/index.ts";
import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import { CURRENT, filesAside, openLogFile, openLogFiles, unreadable } from "./log-files.ts";
import { type Piece, readBackwards, readForwards } from "./log-lines.ts";

/** A line of the log. */
export interface LogLine {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** From 1, within the file; 0 when it was read from the end. */
  readonly line: number;
  readonly text: string;
  /** Its members, with `v`, `seq`, `time`, `pid`, `prev`, `hash`; undefined when it is not a JSON object. */
  readonly record: JsonObject | undefined;
}

/**
 * All lines of all files, the oldest first; of a line that is too long, the first part.
 * @throws OrcsError ORCS8006 when a file cannot be read
 */
export function* readLog(dir: string): Generator<LogLine> {
  for (const { name, fd } of openLogFiles(dir)) {
    let line = 0;
    let isWithin = false;
    try {
      for (const piece of readForwards(fd)) {
        if (!isWithin) yield lineOf(name, ++line, piece);
        isWithin = !piece.ended;
      }
    } catch (thrown) {
      throw unreadable(join(dir, name), thrown);
    }
  }
}

/**
 * The last lines of the log, the oldest first, without reading earlier ones.
 * @throws OrcsError ORCS8006 when a file cannot be read
 */
export function tailLog(dir: string, count: number): LogLine[] {
  const lines: LogLine[] = [];
  // The current file first: a file that is rotated from here on is not read twice.
  const current = openLogFile(dir, CURRENT);
  for (const name of [CURRENT, ...filesAside(dir).toReversed()]) {
    const fd = name === CURRENT ? current : openLogFile(dir, name);
    if (fd === undefined) continue;
    try {
      for (const piece of readBackwards(fd, fstatSync(fd).size)) {
        if (lines.length >= count) break;
        lines.push(lineOf(name, 0, piece));
      }
    } catch (thrown) {
      throw unreadable(join(dir, name), thrown);
    } finally {
      closeSync(fd);
    }
    if (lines.length >= count) break;
  }
  return lines.reverse();
}

function lineOf(file: string, line: number, { bytes }: Piece): LogLine {
  const text = bytes.toString("utf8");
  return { file, line, text, record: objectIn(text) };
}
