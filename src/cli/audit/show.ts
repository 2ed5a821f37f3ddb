import { readLog } from "../../audit/log/read-log.ts";
import type { LogLine } from "../../audit/log/read-log.ts";
import { renderTable } from "../table.ts";
import { isWanted } from "./line-filter.ts";
import type { LineFilter } from "./line-filter.ts";
import { cellsOf, COLUMNS, jsonOf } from "./line-text.ts";
import { noLog } from "./log-files.ts";

interface ShowOptions extends LineFilter {
  /** The last so many; 0 for all. */
  readonly lines: number;
  readonly json?: boolean;
}

/** Print the lines of a log that are wanted. */
export function show(dir: string, options: ShowOptions): void {
  const { lines: most, json } = options;
  let read = 0;
  let wanted: LogLine[] = [];
  for (const line of readLog(dir)) {
    read++;
    if (!isWanted(line.record, options)) continue;
    if (json === true && most === 0) process.stdout.write(`${jsonOf(line)}\n`);
    else wanted.push(line);
    // Of a long log no more is kept than is shown.
    if (most > 0 && wanted.length >= 2 * most) wanted = wanted.slice(-most);
  }
  if (read === 0) throw noLog(dir);
  const last = most > 0 ? wanted.slice(-most) : wanted;
  if (json === true) for (const line of last) process.stdout.write(`${jsonOf(line)}\n`);
  else process.stdout.write(`${last.length === 0 ? "no such lines" : table(last)}\n`);
}

function table(lines: readonly LogLine[]): string {
  return renderTable(COLUMNS, lines.map(cellsOf));
}
