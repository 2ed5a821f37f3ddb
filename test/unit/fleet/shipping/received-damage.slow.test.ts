import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { verifyReceived } from "../../../../src/fleet/shipping/verify-received.ts";
import { folder } from "../../records/audit/logs.ts";
import { A, asFile, B, forged, GOOD, HEADS, seqOf, STATUS } from "./received.ts";

/**
 * The rules of a receiver, naively: it knows every original line. All lines are originals; each is in a batch that lists
 * it; and what came first of each log is that log.
 */
function isIntact(lines: readonly string[]): boolean {
  const logs = { a: A, b: B };
  const seen: Record<string, string[]> = { a: [], b: [] };
  let current: { machine: "a" | "b"; first: number; last: number } | undefined;
  for (const line of lines) {
    if (line === "" || line === STATUS) continue;
    if (!GOOD.includes(line)) return false;
    if (line.startsWith('{"orcs_batch"')) {
      current = JSON.parse(line) as NonNullable<typeof current>;
      continue;
    }
    if (!current || !logs[current.machine].includes(line)) return false;
    const seq = seqOf(line);
    if (seq < current.first || seq > current.last) return false;
    const own = seen[current.machine]!;
    if (!own.includes(line)) own.push(line);
  }
  return [A, B].every((log, i) => {
    const own = seen[i === 0 ? "a" : "b"]!;
    return own.length === log.length && own.every((line, at) => line === log[at]);
  });
}

const index = fc.nat(GOOD.length - 1);
const HARMS: readonly fc.Arbitrary<(lines: string[]) => string[]>[] = [
  index.map((i) => (lines) => lines.toSpliced(i, 1)),
  fc.tuple(index, fc.nat(6)).map(
    ([i, many]) =>
      (lines) =>
        lines.toSpliced(i, many),
  ),
  fc
    .tuple(index, fc.nat(), fc.integer({ min: 0x20, max: 0x7e }))
    .map(([i, offset, byte]) => (lines) => {
      const line = lines[i];
      if (line === undefined) return lines;
      const where = offset % Math.max(1, line.length);
      const edited = line.slice(0, where) + String.fromCharCode(byte) + line.slice(where + 1);
      return lines.with(i, edited);
    }),
  fc.tuple(index, index).map(([i, j]) => (lines) => {
    const [one, two] = [lines[i], lines[j]];
    return one === undefined || two === undefined ? lines : lines.with(i, two).with(j, one);
  }),
  fc.tuple(index, index).map(
    ([i, j]) =>
      (lines) =>
        lines.toSpliced(i, 0, GOOD[j]!),
  ),
  fc.tuple(index, fc.constantFrom(...A, ...B)).map(
    ([i, line]) =>
      (lines) =>
        lines.toSpliced(i, 0, forged(line)),
  ),
  fc.tuple(fc.nat(A.length - 1), fc.boolean()).map(([i]) => (lines) => {
    const where = lines.indexOf(A[i]!);
    return where < 0 ? lines : lines.with(where, forged(A[i]!));
  }),
  index.map((i) => (lines) => lines.slice(0, i)),
  fc.tuple(index, index).map(
    ([i, j]) =>
      (lines) =>
        lines.toSpliced(j, 0, ...lines.slice(i, i + 5)),
  ),
];

test("every damage is reported, and nothing else is", () => {
  const file = join(folder(), "received.ndjson");
  const harms = fc.array(fc.oneof(...HARMS), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(harms, (list) => {
      const lines = list.reduce<string[]>((done, harm) => harm(done), [...GOOD]);
      writeFileSync(file, asFile(lines));
      const report = verifyReceived(file, HEADS);
      expect(report.ok).toBe(isIntact(lines));
      expect(report.ok).toBe(report.damage.length === 0);
    }),
    { numRuns: 3000 },
  );
});

test("a file that was cut anywhere is reported, unless only its last newline is missing", () => {
  const file = join(folder(), "received.ndjson");
  const whole = asFile(GOOD);
  fc.assert(
    fc.property(fc.nat(whole.length), (end) => {
      writeFileSync(file, whole.subarray(0, end));
      expect(verifyReceived(file, HEADS).ok).toBe(end >= whole.length - 1);
    }),
    { numRuns: 500 },
  );
});
