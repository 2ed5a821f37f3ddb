import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AuditLog, type AuditLogOptions } from "../../../../src/records/audit/audit-log.ts";
import { FileLock } from "../../../../src/machine/files/file-lock.ts";
import { ownIdentity } from "../../../../src/machine/files/process-identity.ts";

const self = ownIdentity();

/** A temporary directory, gone after the test. */
export function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-audit-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A log in a directory, as the host opens it; closed after the test. */
export function logIn(dir: string, options: Partial<AuditLogOptions> = {}): AuditLog {
  const log = new AuditLog({
    dir,
    lock: (path) => new FileLock(path, self),
    fsync: "never",
    maxBytes: 1 << 20,
    ...options,
  });
  onTestFinished(() => log.close());
  return log;
}

/** A directory with a log of so many entries: `{"n":1}` and so on. */
export async function written(count: number, options: Partial<AuditLogOptions> = {}) {
  const dir = folder();
  const log = logIn(dir, options);
  await Promise.all(Array.from({ length: count }, (_, i) => log.append({ n: i + 1 })));
  return { dir, log };
}

/** Lines of a file, without their newlines. */
export type Lines = readonly string[];

/** The hash that a line says. */
export function hashOf(line: string | undefined): string {
  return (JSON.parse(line ?? "{}") as { hash: string }).hash;
}

/** The names of the files of a log, the oldest first. */
export function namesIn(dir: string): string[] {
  const names = readdirSync(dir).filter((name) => /^audit.*\.jsonl$/.test(name));
  return [...names.filter((name) => name !== "audit.jsonl").sort(), "audit.jsonl"].filter((name) =>
    names.includes(name),
  );
}

/** All lines of all files, in order, without what does not end with a newline. */
export function linesIn(dir: string): string[] {
  return namesIn(dir).flatMap((name) =>
    readFileSync(join(dir, name), "utf8").split("\n").slice(0, -1),
  );
}

export function recordsIn(dir: string): Record<string, unknown>[] {
  return linesIn(dir).map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Write the current file anew. */
export function rewrite(dir: string, change: (lines: string[]) => readonly string[]): void {
  const path = join(dir, "audit.jsonl");
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

/** A line as the format has it, written by other means than the log's own. */
export function chained(
  seq: number,
  prev: string,
  members: object = {},
  time = "2026-01-01T00:00:00.000Z",
) {
  const { length } = "}";
  const start = JSON.stringify({ v: 1, seq, time, pid: 1, ...members, prev }).slice(0, -length);
  const hash = createHash("sha256").update(start).digest("hex");
  return { line: `${start},"hash":"${hash}"}`, hash };
}
