import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { verifyReceived } from "../../../../src/fleet/shipping/verify-received.ts";
import { folder } from "../../records/audit/logs.ts";
import {
  logOf,
  batch,
  A,
  B,
  STATUS,
  GOOD,
  HEADS,
  asFile,
  verify,
  codes,
  at,
  forged,
} from "./received.ts";

test("what was sent is intact, and each log is listed with what its machine says", () => {
  expect(verify(GOOD)).toMatchObject({
    ok: true,
    files: 1,
    lines: GOOD.length,
    damage: [],
    logs: [
      { machine: "a", log: "log", lines: 12, first_seq: 1, last_seq: 12, status: { host: "h" } },
      { machine: "b", log: "log", lines: 6, duplicates: 0, last_seq: 6, status: undefined },
    ],
  });
});

const OLD = logOf("a", 5);
const NEW = logOf("again", 3);
const LATE = logOf("a", 3, 21, "f".repeat(64));
const AFTER_LOSS = logOf("a", 3, 21, "e".repeat(64));

describe("damage", () => {
  test.each<[string, string[], string[]]>([
    [
      "an altered line",
      GOOD.with(at(A[5]!), A[5]!.replace('"who":"a"', '"who":"x"')),
      ["ORCS9340"],
    ],
    ["an altered header", GOOD.with(0, GOOD[0]!.replace('"after":0', '"after":1')), ["ORCS9340"]],
    ["an altered status", GOOD.with(at(STATUS), STATUS.replace('"h"', '"i"')), ["ORCS9340"]],
    ["a line with a new hash of its own", GOOD.with(at(A[5]!), forged(A[5]!)), ["ORCS9340"]],
    [
      "the last line of a batch with a new hash",
      GOOD.with(at(A[11]!), forged(A[11]!)),
      ["ORCS9342", "ORCS9344"],
    ],
    ["a gap", GOOD.toSpliced(at(A[5]!), 1), ["ORCS9341"]],
    ["a batch that is missing", GOOD.toSpliced(at(A[4]!) - 1, 6), ["ORCS9341"]],
    ["the first batch missing", GOOD.slice(5), ["ORCS9341"]],
    ["an inserted line", GOOD.toSpliced(at(A[5]!), 0, forged(A[5]!)), ["ORCS9342"]],
    ["two lines swapped", GOOD.with(at(A[5]!), A[6]!).with(at(A[6]!), A[5]!), ["ORCS9343"]],
    ["a batch without its end", GOOD.slice(0, -1), ["ORCS9344"]],
    ["the last batch missing", GOOD.slice(0, -4), ["ORCS9344"]],
    ["a log that began again", [...batch("a", OLD), ...batch("a", NEW)], ["ORCS9345"]],
    ["a line of another machine", GOOD.toSpliced(at(A[5]!), 0, B[4]!), ["ORCS9346"]],
    ["a batch of another machine", GOOD.toSpliced(at(B[3]!) - 1, 1), ["ORCS9342", "ORCS9346"]],
    ["lines before the first batch", [...B.slice(0, 3), ...GOOD], ["ORCS9342"]],
    ["rubbish", GOOD.toSpliced(at(A[5]!), 0, "rubbish"), ["ORCS9347"]],
    [
      "lines that the machine had to drop",
      [...batch("a", OLD), ...batch("a", AFTER_LOSS, 5)],
      ["ORCS9348"],
    ],
  ])("%s", (name, lines, expected) => {
    const isOther = /began again|had to drop/.test(name);
    expect(codes(lines, isOther ? [] : HEADS)).toEqual(expected);
    // Each finding is at a line that is there.
    for (const { line } of verify(lines).damage) expect(line).toBeLessThanOrEqual(lines.length);
  });

  test("lines that were removed before anything was sent are none", () => {
    expect(verify(batch("a", LATE, 0), []).ok).toBe(true);
    expect(codes(batch("a", LATE), [])).toEqual(["ORCS9341"]);
  });

  test("a batch that was sent again, also divided differently, is none", () => {
    const again = [...GOOD.slice(0, 5), ...GOOD, ...batch("a", A.slice(2, 11)), ...batch("a", A)];
    expect(verify(again)).toMatchObject({ ok: true, logs: [{ duplicates: 4 + 9 + 12 }, {}] });
  });

  test("of hundreds of lines is counted, and listed in part", () => {
    const long = logOf("a", 500);
    const { damage, damage_count } = verify(
      batch("a", long).map((line, i) => (i % 2 === 1 ? line.replace("who", "woh") : line)),
      [],
    );
    expect(damage).toHaveLength(100);
    expect(damage_count).toBeGreaterThan(100);
  });
});

describe("what a receiver may store", () => {
  test("lines without batches", () => {
    expect(verify(A, [])).toMatchObject({ ok: true, logs: [{ machine: undefined, lines: 12 }] });
    expect(codes(A.toSpliced(4, 1), [])).toEqual(["ORCS9341"]);
    expect(codes([...A.slice(0, 5), ...B, ...A.slice(5)], [])).not.toEqual([]);
  });

  test("a file for each request, compressed, in folders", () => {
    const dir = folder();
    mkdirSync(join(dir, "1"));
    writeFileSync(join(dir, "1", "1.gz"), gzipSync(asFile(GOOD.slice(0, 5))));
    writeFileSync(join(dir, "1", "2.gz"), gzipSync(asFile(GOOD.slice(5, 10))));
    writeFileSync(join(dir, "2.ndjson"), asFile(GOOD.slice(10)));
    expect(verifyReceived(dir, HEADS)).toMatchObject({ ok: true, files: 3, lines: GOOD.length });
  });

  test("a file that ends within a batch, and the next one that goes on", () => {
    const dir = folder();
    for (const cut of [2, 7, 12]) {
      writeFileSync(join(dir, "1"), asFile(GOOD.slice(0, cut)));
      writeFileSync(join(dir, "2"), asFile(GOOD.slice(cut)));
      expect(verifyReceived(dir, HEADS)).toMatchObject({ ok: true, damage: [] });
    }
  });

  test("one file of lines for each machine", () => {
    const dir = folder();
    writeFileSync(join(dir, "a"), asFile(A));
    writeFileSync(join(dir, "b1"), asFile(B.slice(0, 3)));
    writeFileSync(join(dir, "b2"), asFile(B.slice(3)));
    expect(verifyReceived(dir, HEADS)).toMatchObject({ ok: true, logs: [{}, {}] });
  });

  test("nothing that can be read is an error", () => {
    expect(() => verifyReceived(join(folder(), "none"))).toThrow("ORCS9349");
    const file = join(folder(), "bomb.gz");
    writeFileSync(file, Buffer.from([0x1f, 0x8b, 1, 2, 3]));
    expect(() => verifyReceived(file)).toThrow("ORCS9349");
  });
});
