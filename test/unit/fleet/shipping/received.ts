import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_HASH } from "../../../../src/records/audit/line.ts";
import { batchLine, statusLine } from "../../../../src/fleet/shipping/batch.ts";
import { verifyReceived } from "../../../../src/fleet/shipping/verify-received.ts";
import { chained, folder, hashOf } from "../../records/audit/logs.ts";

/** Lines of a log with so many entries; `who` makes them different. */
export function logOf(who: string, count: number, from = 1, prev = NO_HASH): string[] {
  const lines: string[] = [];
  for (let seq = from; seq < from + count; seq++) {
    const before = lines.at(-1);
    lines.push(chained(seq, before === undefined ? prev : hashOf(before), { who }).line);
  }
  return lines;
}

export const seqOf = (line: string): number => (JSON.parse(line) as { seq: number }).seq;
export const prevOf = (line: string): string => (JSON.parse(line) as { prev: string }).prev;

/** A batch of lines, as a machine sends it. */
export function batch(
  machine: string,
  lines: readonly string[],
  after = seqOf(lines[0]!) - 1,
): string[] {
  const [first = "", last = first] = [lines[0], lines.at(-1)];
  const where = { after, first: seqOf(first), last: seqOf(last) };
  const hashes = { prev: prevOf(first), head: hashOf(last) };
  return [batchLine({ machine, log: "log", ...where, ...hashes }).text, ...lines];
}

export const A = logOf("a", 12);
export const B = logOf("b", 6);
export const STATUS = statusLine({ machine: "a", log: "log" }, "2026-01-01T00:00:00.000Z", {
  host: "h",
});
/** Two machines, in batches. */
export const GOOD = [
  ...batch("a", A.slice(0, 4)),
  ...batch("b", B.slice(0, 3)),
  STATUS,
  ...batch("a", A.slice(4, 9)),
  ...batch("b", B.slice(3)),
  ...batch("a", A.slice(9)),
];
export const HEADS = [A.at(-1)!, B.at(-1)!].map((line) => ({
  v: 1 as const,
  seq: seqOf(line),
  hash: hashOf(line),
  time: "2026-01-01T00:00:00.000Z",
  file: "audit.jsonl",
}));

export function asFile(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

export function verify(content: readonly string[] | Buffer, checkpoints = HEADS) {
  const file = join(folder(), "received.ndjson");
  writeFileSync(file, Buffer.isBuffer(content) ? content : asFile(content));
  return verifyReceived(file, checkpoints);
}

export function codes(content: readonly string[], checkpoints = HEADS): string[] {
  return [...new Set(verify(content, checkpoints).damage.map(({ code }) => code))].sort();
}

export const at = (line: string): number => GOOD.indexOf(line);
export const forged = (line: string): string =>
  chained(seqOf(line), prevOf(line), { who: "forger" }).line;
