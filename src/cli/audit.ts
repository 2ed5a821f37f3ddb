import { setTimeout as sleep } from "node:timers/promises";
import { onEndingSignals } from "./signals.ts";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
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
import { OrcsError } from "../core/index.ts";
import { auditDirOf, headFileOf } from "../engine/index.ts";
import { configPlace, loadTrusted } from "../config/index.ts";
import { defaultAuditDir } from "../daemon/index.ts";
import type { LineFilter } from "./audit-lines.ts";
import { cellsOf, COLUMNS, isWanted, jsonOf, sinceOption, withFilter } from "./audit-lines.ts";
import type { ReportOptions } from "./shadow-report.ts";
import { report } from "./shadow-report.ts";
import type { ReceivedOptions } from "./audit-received.ts";
import { reportReceived } from "./audit-received.ts";
import { configOption, EXIT } from "./options.ts";
import { counted, printable, renderTable } from "./table.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs audit`: show the audit log, and verify that it is unchanged. */
export function auditCommand(): Command {
  const audit = verbCommand("audit");
  for (const command of [verifyVerb(), showVerb(), tailVerb(), reportVerb(), checkpointVerb()]) {
    audit.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  }
  return audit;
}

function verifyVerb(): Command {
  return verb(
    "verify",
    "verify the hash chain; exit with 1 if lines were changed, removed or reordered",
  )
    .option(
      "--checkpoint <file>",
      "compare with the checkpoints in this file; default: those next to the log",
    )
    .option(
      "--received <path>",
      "verify what a receiver has stored, in a file or a folder, instead of the log",
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs audit verify --checkpoint /mnt/elsewhere/orcs.jsonl")
    .action(async (options: LogChoice & Parameters<typeof verify>[1] & ReceivedOptions) =>
      options.received === undefined
        ? verify(await logDirectory(options), options)
        : reportReceived(options.received, options),
    );
}

function showVerb(): Command {
  return withFilter(verb("show", "print entries as a table"))
    .option("-n, --lines <number>", "how many entries to print; 0 for all", count, 100)
    .option("--json", "print each entry as a line of JSON")
    .addHelpText("after", "\nExample:\n  orcs audit show --since 2h --action abort")
    .action(async (options: LogChoice & Parameters<typeof show>[1]) =>
      show(await logDirectory(options), options),
    );
}

function tailVerb(): Command {
  return withFilter(verb("tail", "print the last entries; with -f, also new ones"))
    .option("-n, --lines <number>", "how many entries to print first", count, 10)
    .option("-f, --follow", "keep printing new entries until Ctrl-C")
    .option("--json", "print each entry as a line of JSON")
    .addHelpText("after", "\nExample:\n  orcs audit tail -f --failed")
    .action(async (options: LogChoice & Parameters<typeof tail>[1]) =>
      tail(await logDirectory(options), options),
    );
}

function reportVerb(): Command {
  return verb("report", "report what hooks with the mode audit or warn would have done")
    .requiredOption(
      "--shadow",
      "by hook, with three examples each and the command that promotes it",
    )
    .addOption(sinceOption())
    .option("--hook <id>", "only this hook")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs audit report --shadow --since 7d")
    .action(async (options: LogChoice & ReportOptions) =>
      report(await logDirectory(options), options),
    );
}

function checkpointVerb(): Command {
  return verb(
    "checkpoint",
    "save where the log ends now, so that verify detects a later truncation",
  )
    .option(
      "--out <file>",
      `append the checkpoint to this file; default: ${CHECKPOINTS} next to the log`,
    )
    .addHelpText(
      "after",
      "\nSomebody who can truncate the log can also truncate a file next to it. Keep checkpoints elsewhere.\n\n" +
        "Example:\n  orcs audit checkpoint --out /mnt/elsewhere/orcs.jsonl",
    )
    .action(async (options: LogChoice & { readonly out?: string }) => {
      const dir = await logDirectory(options);
      const checkpoint = makeCheckpoint(dir);
      writeCheckpoint(options.out ?? join(dir, CHECKPOINTS), checkpoint);
      process.stdout.write(`${JSON.stringify(checkpoint)}\n`);
    });
}

function verb(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option("--dir <dir>", "folder of the log; default: the configured one")
    .addOption(configOption());
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 1_000_000) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 1000000.");
}

interface VerifyOptions {
  /** File of checkpoints; default: the log's own. */
  readonly checkpoint?: string;
  readonly json?: boolean;
}

/** Verify a log, print the findings, and set the exit code. */
export function verify(dir: string, { checkpoint, json }: VerifyOptions): void {
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
  process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : textOf(summary));
  if (!report.ok) process.exitCode = EXIT.findings;
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

function textOf(report: Told): string {
  const { dir, lines, files, first_seq, last_seq, checkpoints, damage, damage_count, notes } =
    report;
  const range = first_seq === undefined ? "" : `, ${first_seq} to ${last_seq}`;
  const held = checkpoints === 0 ? "no checkpoint" : counted(checkpoints, "checkpoint");
  const more = damage_count - damage.length;
  return [
    `${dir}: ${counted(lines, "line")} in ${counted(files, "file")}${range}, ${held}`,
    ...notes.map((note) => `note: ${note}`),
    ...damage.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    report.ok ? "the hash chain is intact" : `${counted(damage_count, "place")} of damage`,
  ]
    .map((line) => `${printable(line)}\n`)
    .join("");
}

interface ShowOptions extends LineFilter {
  /** The number of last lines; 0 for all. */
  readonly lines: number;
  readonly json?: boolean;
}

/** Print the selected lines of a log. */
export function show(dir: string, options: ShowOptions): void {
  const { lines: most, json } = options;
  let read = 0;
  let wanted: LogLine[] = [];
  for (const line of readLog(dir)) {
    read++;
    if (!isWanted(line.record, options)) continue;
    if (json === true && most === 0) process.stdout.write(`${jsonOf(line)}\n`);
    else wanted.push(line);
    // Keep only as many lines as are shown.
    if (most > 0 && wanted.length >= 2 * most) wanted = wanted.slice(-most);
  }
  if (read === 0) throw noLog(dir);
  const last = most > 0 ? wanted.slice(-most) : wanted;
  if (json === true) for (const line of last) process.stdout.write(`${jsonOf(line)}\n`);
  else process.stdout.write(`${last.length === 0 ? "no entries match" : table(last)}\n`);
}

function table(lines: readonly LogLine[]): string {
  return renderTable(COLUMNS, lines.map(cellsOf));
}

interface TailOptions extends LineFilter {
  readonly lines: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Interval of checking for new lines, in milliseconds. */
const LOOK_MS = 200;

/** Print the last lines of a log, and with `follow` new ones until a signal ends it. */
export async function tail(dir: string, options: TailOptions): Promise<void> {
  const first = tailLog(dir, options.lines);
  if (first.length === 0 && options.follow !== true) throw noLog(dir);
  print(first, options);
  if (options.follow !== true) return;
  let last = lastSeq(first) ?? lastSeq(tailLog(dir, 16)) ?? 0;
  const stop = new AbortController();
  const { signal } = stop;
  onEndingSignals(() => stop.abort());
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
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

/** Selects a log. */
export interface LogChoice {
  /** Its directory. */
  readonly dir?: string;
  /** Otherwise the log of this configuration, or of the discovered one. */
  readonly config?: string;
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
      process.stderr.write(
        "orcs: your configuration has errors: using the log of its last valid version\n",
      );
    }
    return auditDirOf(settings, standard) ?? standard;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError) || config !== undefined) throw thrown;
    // Entries from before the error can still be shown.
    process.stderr.write(`orcs: the configuration has errors: assuming the log in ${standard}\n`);
    return standard;
  }
}

/** The checkpoint file in the directory of a log. */
export const CHECKPOINTS = "checkpoints.jsonl";

/** The error when there is no log. */
export function noLog(dir: string): OrcsError {
  return new OrcsError(
    "ORCS8006",
    `there is no audit log in ${dir}: nothing was written there yet`,
  );
}
