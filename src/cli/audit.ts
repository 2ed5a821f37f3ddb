import { setTimeout as sleep } from "node:timers/promises";
import { onEndingSignals } from "./signals.ts";
import { join } from "node:path";
import type { Command } from "commander";
import {
  expectCheckpoints,
  makeCheckpoint,
  readCheckpoints,
  readHead,
  readLog,
  tailLog,
  verifyLog,
  writeCheckpoint,
} from "../records/index.ts";
import type { Head, LogLine, VerifyReport } from "../records/index.ts";
import { isPlainObject, type Json, OrcsError } from "../core/index.ts";
import { auditDirOf, headFileOf } from "../engine/index.ts";
import { configPlace, loadTrusted } from "../config/index.ts";
import { defaultAuditDir } from "../daemon/index.ts";
import { cellsOf, COLUMNS, FILTER, isWanted, jsonOf, SINCE } from "./audit-lines.ts";
import type { LineFilter } from "./audit-lines.ts";
import { noLog, report } from "./shadow-report.ts";
import { CONFIG, EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { print, printEither, printJson, tell } from "./output.ts";
import { counted, printable, renderTable } from "./table.ts";
import { flag, groupCommand, type OptionsOf, subcommand, value } from "./verb-command.ts";
import type { ReceivedReport } from "../fleet/index.ts";

/** Selects a log: its directory, or that of a configuration. */
const LOG = {
  dir: value("<dir>", "folder of the log; default: the configured one"),
  config: CONFIG,
};
type LogChoice = OptionsOf<typeof LOG>;

const LINES_OF_JSON = flag("print each entry as a line of JSON");

/** `orcs audit`: show the audit log, and verify that it is unchanged. */
export function auditCommand(): Command {
  return groupCommand("audit", [
    subcommand("verify", {
      does: "verify the hash chain; exit with 1 if lines were changed, removed or reordered",
      options: {
        ...LOG,
        checkpoint: value(
          "<file>",
          "compare with the checkpoints in this file; default: those next to the log",
        ),
        received: value(
          "<path>",
          "verify what a receiver has stored, in a file or a folder, instead of the log",
        ),
        json: JSON_OUTPUT,
      },
      help: "Example:\n  orcs audit verify --checkpoint /mnt/elsewhere/orcs.jsonl",
      run: async (options) =>
        options.received === undefined
          ? verify(await logDirectory(options), options)
          : verifyStored(options.received, options),
    }),
    subcommand("show", {
      does: "print entries as a table",
      options: {
        ...LOG,
        ...FILTER,
        lines: lines("how many entries to print; 0 for all", 100),
        json: LINES_OF_JSON,
      },
      help: "Example:\n  orcs audit show --since 2h --action abort",
      run: async (options) => show(await logDirectory(options), options),
    }),
    subcommand("tail", {
      does: "print the last entries; with -f, also new ones",
      options: {
        ...LOG,
        ...FILTER,
        lines: lines("how many entries to print first", 10),
        follow: flag("keep printing new entries until Ctrl-C", { short: "f" }),
        json: LINES_OF_JSON,
      },
      help: "Example:\n  orcs audit tail -f --failed",
      run: async (options) => tail(await logDirectory(options), options),
    }),
    subcommand("report", {
      does: "report what hooks with the mode audit or warn would have done",
      options: {
        ...LOG,
        shadow: flag("by hook, with three examples each and the command that promotes it", {
          isRequired: true,
        }),
        since: SINCE,
        hook: value("<id>", "only this hook"),
        json: JSON_OUTPUT,
      },
      help: "Example:\n  orcs audit report --shadow --since 7d",
      run: async (options) => report(await logDirectory(options), options),
    }),
    subcommand("checkpoint", {
      does: "save where the log ends now, so that verify detects a later truncation",
      options: {
        ...LOG,
        out: value(
          "<file>",
          `append the checkpoint to this file; default: ${CHECKPOINTS} next to the log`,
        ),
      },
      help:
        "Somebody who can truncate the log can also truncate a file next to it. Keep checkpoints elsewhere.\n\n" +
        "Example:\n  orcs audit checkpoint --out /mnt/elsewhere/orcs.jsonl",
      run: async (options) => {
        const dir = await logDirectory(options);
        const checkpoint = makeCheckpoint(dir);
        writeCheckpoint(options.out ?? join(dir, CHECKPOINTS), checkpoint);
        printJson(checkpoint);
      },
    }),
  ]);
}

function lines(does: string, standard: number) {
  const parse = wholeNumber(0, 1_000_000, "It must be a number from 0 to 1000000.");
  return value("<number>", does, { short: "n", parse, default: standard });
}

interface VerifyOptions {
  readonly checkpoint?: string;
  readonly json?: boolean;
}

/**
 * Verify a log, print the findings, and set the exit code.
 * @param how the file of checkpoints; default: the log's own
 */
function verify(dir: string, { checkpoint, json }: VerifyOptions): void {
  if (checkpoint !== undefined) expectCheckpoints(checkpoint);
  const checkpoints = readCheckpoints(checkpoint ?? join(dir, CHECKPOINTS));
  const headFile = headFileOf(dir);
  const head = readHead(headFile);
  const report = verifyLog(dir, checkpoints, head);
  if (report.files === 0 && checkpoints.length === 0 && !head) throw noLog(dir);
  const summary = {
    dir,
    checkpoints: checkpoints.length,
    head: head ? { seq: head.seq, time: head.time, path: headFile } : null,
    ...report,
    notes: [...report.notes, ...headNotes(head, headFile, report)],
  };
  printVerified(json, summary, verifiedLines(summary), "the hash chain is intact");
}

function headNotes(head: Head | undefined, path: string, { ok }: VerifyReport): string[] {
  if (!head) {
    return [`no saved head (${path}): only checkpoints can detect lines removed from the end`];
  }
  if (head.missing) {
    const since = ok ? "is back, but was missing for a time" : "was missed by a writer";
    return [`the saved head ${since}: it is not updated until ${path} is removed`];
  }
  return ok ? [] : [`the saved head is entry ${head.seq}, in ${path}`];
}

type Told = VerifyReport & { readonly dir: string; readonly checkpoints: number };

function verifiedLines(report: Told): string[] {
  const { dir, lines, files, first_seq, last_seq, checkpoints, damage, notes } = report;
  const range = first_seq === undefined ? "" : `, ${first_seq} to ${last_seq}`;
  const held = checkpoints === 0 ? "no checkpoint" : counted(checkpoints, "checkpoint");
  return [
    `${dir}: ${counted(lines, "line")} in ${counted(files, "file")}${range}, ${held}`,
    ...notes.map((note) => `note: ${note}`),
    ...damage.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  ];
}

/**
 * Verify what a receiver has stored, print the findings, and set the exit code.
 * @param how a file of checkpoints, each of which must be in one of the logs
 */
async function verifyStored(path: string, { checkpoint, json }: VerifyOptions): Promise<void> {
  if (checkpoint !== undefined) expectCheckpoints(checkpoint);
  const checkpoints = checkpoint === undefined ? [] : readCheckpoints(checkpoint);
  // Loaded for those who receive: most never do.
  const { verifyReceived } = await import("../fleet/index.ts");
  const report = verifyReceived(path, checkpoints);
  const summary = { path, checkpoints: checkpoints.length, ...report };
  printVerified(json, summary, receivedLines(path, report), "everything received is intact");
}

const RECEIVED = ["machine", "log", "lines", "again", "last line", "host", "bundle"];

function receivedLines(path: string, { files, lines, logs, damage }: ReceivedReport): string[] {
  const table = logs.map(({ machine, log, last_time, status, ...counts }) => [
    machine?.slice(0, 8) ?? "",
    log?.slice(0, 8) ?? "",
    String(counts.lines),
    String(counts.duplicates),
    last_time ?? "",
    shown(status?.["host"]),
    bundleText(status?.["bundle"]),
  ]);
  return [
    `${path}: ${counted(lines, "line")} in ${counted(files, "file")}, of ${counted(logs.length, "log")}`,
    ...(logs.length > 0 ? renderTable(RECEIVED, table).split("\n") : []),
    ...damage.map(({ file, line, code, message }) => `${file}:${line}: ${code}: ${message}`),
  ];
}

function shown(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function bundleText(bundle: Json | undefined): string {
  if (!isPlainObject(bundle)) return "";
  return `${shown(bundle["name"])} ${shown(bundle["revision"])}`;
}

/** What was verified, how much more damage there is than these lines say, and a last word. */
function printVerified(
  json: boolean | undefined,
  report: Pick<VerifyReport, "ok" | "damage_count"> & { readonly damage: readonly unknown[] },
  lines: readonly string[],
  intact: string,
): void {
  const { ok, damage, damage_count: count } = report;
  const more = count - damage.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  const end = ok ? intact : `${counted(count, "place")} of damage`;
  printEither(json, report, () => [...lines, ...rest, end].map(printable).join("\n"));
  if (!ok) process.exitCode = EXIT.findings;
}

interface ShownLines extends LineFilter {
  /** The number of last lines; to show, 0 for all. */
  readonly lines: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Print the selected lines of a log. */
function show(dir: string, options: ShownLines): void {
  const { lines: most, json } = options;
  let read = 0;
  let wanted: LogLine[] = [];
  for (const line of readLog(dir)) {
    read++;
    if (!isWanted(line.record, options)) continue;
    if (json === true && most === 0) print(jsonOf(line));
    else wanted.push(line);
    // Keep only as many lines as are shown.
    if (most > 0 && wanted.length >= 2 * most) wanted = wanted.slice(-most);
  }
  if (read === 0) throw noLog(dir);
  const last = most > 0 ? wanted.slice(-most) : wanted;
  if (json === true) for (const line of last) print(jsonOf(line));
  else print(last.length === 0 ? "no entries match" : renderTable(COLUMNS, last.map(cellsOf)));
}

/** Interval of checking for new lines, in milliseconds. */
const LOOK_MS = 200;

/** Print the last lines of a log, and with `follow` new ones until a signal ends it. */
async function tail(dir: string, options: ShownLines): Promise<void> {
  const first = tailLog(dir, options.lines);
  if (first.length === 0 && options.follow !== true) throw noLog(dir);
  printLines(first, options);
  if (options.follow !== true) return;
  let last = lastSeq(first) ?? lastSeq(tailLog(dir, 16)) ?? 0;
  const stop = new AbortController();
  const { signal } = stop;
  onEndingSignals(() => stop.abort());
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    const fresh = linesAfter(dir, last);
    printLines(fresh, options);
    last = lastSeq(fresh) ?? last;
  }
}

function printLines(lines: readonly LogLine[], options: ShownLines): void {
  for (const line of lines) {
    if (!isWanted(line.record, options)) continue;
    print(options.json === true ? jsonOf(line) : cellsOf(line).filter(Boolean).join("  "));
  }
}

/**
 * The lines after the one with a number, in any file. Invalid lines at the end may be incomplete: they are returned
 * when another line follows.
 */
function linesAfter(dir: string, seq: number): readonly LogLine[] {
  for (let count = 16; ; count *= 4) {
    const lines = tailLog(dir, count);
    const at = lines.findLastIndex((line) => seqOf(line) <= seq);
    // It is further up, unless these were all lines.
    if (at < 0 && lines.length === count) continue;
    return lines.slice(at + 1, lines.findLastIndex(({ record }) => record !== undefined) + 1);
  }
}

function lastSeq(lines: readonly LogLine[]): number | undefined {
  const seqs = lines.map((line) => seqOf(line)).filter(Number.isFinite);
  return seqs.length === 0 ? undefined : seqs.reduce((most, seq) => Math.max(most, seq));
}

/** Infinite if a line has none. */
function seqOf({ record }: LogLine): number {
  const seq = record?.["seq"];
  return typeof seq === "number" ? seq : Infinity;
}

/** The directory of the log that `orcs hook` and others would write for the same configuration. */
export async function logDirectory({ dir, config }: LogChoice): Promise<string> {
  if (dir !== undefined) return dir;
  const place = configPlace(process.cwd(), config);
  const standard = defaultAuditDir(place);
  if (place.config === false) return standard;
  try {
    const { settings, error } = await loadTrusted({
      ...(place.config !== undefined && { config: place.config }),
      cwd: place.directory,
    });
    if (error) {
      tell("orcs: your configuration has errors: using the log of its last valid version");
    }
    return auditDirOf(settings, standard) ?? standard;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError) || config !== undefined) throw thrown;
    // Entries from before the error can still be shown.
    tell(`orcs: the configuration has errors: assuming the log in ${standard}`);
    return standard;
  }
}

/** The checkpoint file in the directory of a log. */
const CHECKPOINTS = "checkpoints.jsonl";
