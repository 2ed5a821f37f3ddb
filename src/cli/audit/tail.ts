import { tailLog } from "../../audit/log/read-log.ts";
import type { LogLine } from "../../audit/log/read-log.ts";
import { isWanted } from "./line-filter.ts";
import type { LineFilter } from "./line-filter.ts";
import { cellsOf, jsonOf } from "./line-text.ts";
import { noLog } from "./log-files.ts";

interface TailOptions extends LineFilter {
  readonly lines: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** How often it is looked for new lines, in milliseconds. */
const LOOK_MS = 200;

/** Print the last lines of a log, and with `follow` those that come, until a signal ends it. */
export async function tail(dir: string, options: TailOptions): Promise<void> {
  const first = tailLog(dir, options.lines);
  if (first.length === 0 && options.follow !== true) throw noLog(dir);
  print(first, options);
  if (options.follow !== true) return;
  let last = lastSeq(first) ?? lastSeq(tailLog(dir, 16)) ?? 0;
  const stopped = stopSignal();
  while (!stopped.aborted) {
    await pause(LOOK_MS, stopped);
    const fresh = linesAfter(dir, last);
    print(fresh, options);
    last = lastSeq(fresh) ?? last;
  }
}

function print(lines: readonly LogLine[], options: TailOptions): void {
  for (const line of lines) {
    if (!isWanted(line.record, options)) continue;
    const text = options.json === true ? jsonOf(line) : cellsOf(line).filter(Boolean).join("  ");
    process.stdout.write(`${text}\n`);
  }
}

/**
 * The lines below the one of a number, whatever file they are in by now. Those at the end that are no JSON may be
 * half written: they come when another stands below them.
 */
function linesAfter(dir: string, seq: number): readonly LogLine[] {
  for (let count = 16; ; count *= 4) {
    const lines = tailLog(dir, count);
    const at = lines.findLastIndex((line) => seqOf(line) <= seq);
    // It is further up, unless that was all.
    if (at < 0 && lines.length === count) continue;
    return lines.slice(at + 1, lines.findLastIndex(({ record }) => record !== undefined) + 1);
  }
}

function lastSeq(lines: readonly LogLine[]): number | undefined {
  const seqs = lines.map((line) => seqOf(line)).filter(Number.isFinite);
  return seqs.length === 0 ? undefined : seqs.reduce((most, seq) => Math.max(most, seq));
}

/** Infinite where a line has none. */
function seqOf({ record }: LogLine): number {
  const seq = record?.["seq"];
  return typeof seq === "number" ? seq : Infinity;
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort());
  }
  return stop.signal;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
