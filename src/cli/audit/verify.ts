import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHECKPOINTS, noLog } from "./log-files.ts";
import { readCheckpoints } from "../../audit/log/checkpoint.ts";
import { readHead } from "../../audit/log/head.ts";
import type { Head } from "../../audit/log/head.ts";
import { verifyLog } from "../../audit/log/verify-log.ts";
import type { VerifyReport } from "../../audit/log/verify-log.ts";
import { OrcsError } from "../../core/errors.ts";
import { headFileOf } from "../../host/audit/open-trail.ts";
import { EXIT } from "../exit.ts";
import { printable } from "../table.ts";

interface VerifyOptions {
  /** File of checkpoints; default the log's own. */
  readonly checkpoint?: string;
  readonly json?: boolean;
}

/** Look whether a log is what was written, print what was found, and set the exit code. */
export function verify(dir: string, { checkpoint, json }: VerifyOptions): void {
  if (checkpoint !== undefined && !existsSync(checkpoint)) {
    throw new OrcsError("ORCS8006", `there is no file ${checkpoint} of checkpoints`);
  }
  const checkpoints = readCheckpoints(checkpoint ?? join(dir, CHECKPOINTS));
  const headFile = headFileOf(dir);
  const head = readHead(headFile);
  const report = verifyLog(dir, checkpoints, head);
  if (report.files === 0 && checkpoints.length === 0 && !head) throw noLog(dir);
  const told = {
    dir,
    checkpoints: checkpoints.length,
    head: head ? { seq: head.seq, time: head.time, path: headFile } : null,
    ...report,
    notes: [...report.notes, ...headNotes(head, headFile, report)],
  };
  process.stdout.write(json === true ? `${JSON.stringify(told)}\n` : textOf(told));
  if (!report.ok) process.exitCode = EXIT.findings;
}

function headNotes(head: Head | undefined, path: string, { ok }: VerifyReport): string[] {
  if (!head) {
    return [`no head is known (${path}): lines cut off the end are seen by checkpoints alone`];
  }
  if (head.missing) {
    const since = ok ? "is here again, but was missing once" : "was missed by a writer";
    return [`the head ${since}: it does not move on until ${path} is removed`];
  }
  return ok ? [] : [`the last head known, entry ${head.seq}, is kept in ${path}`];
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
    report.ok ? "the chain is unbroken" : `${counted(damage_count, "place")} of damage`,
  ]
    .map((line) => `${printable(line)}\n`)
    .join("");
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
