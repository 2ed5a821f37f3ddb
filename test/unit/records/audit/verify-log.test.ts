import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { chained, folder, hashOf, linesIn, logIn, namesIn, rewrite, written } from "./logs.ts";
import type { Lines } from "./logs.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

/** What is done to ten lines, and what is told of it: kind, line in the file, number. */
const DAMAGE: readonly [string, (lines: Lines) => Lines, ...[string, number, number?][]][] = [
  ["an edited value", (l) => l.with(4, (l[4] ?? "").replace('"n":5', '"n":6')), ["changed", 5, 5]],
  [
    "the first one edited",
    (l) => l.with(0, (l[0] ?? "").replace('"n":1', '"n":6')),
    ["changed", 1, 1],
  ],
  [
    "the last one edited",
    (l) => l.with(9, (l[9] ?? "").replace('"n":10', '"n":1')),
    ["changed", 10, 10],
  ],
  [
    "its number edited",
    (l) => l.with(4, (l[4] ?? "").replace('"seq":5', '"seq":6')),
    ["changed", 5, 5],
  ],
  ["its hash edited", (l) => l.with(4, (l[4] ?? "").replace(/.{3}$/, 'g"}')), ["changed", 5, 5]],
  [
    "edited, with a new hash of its own",
    (l) => l.with(4, chained(5, hashOf(l[3])).line),
    ["changed", 5, 5],
  ],
  ["not JSON", (l) => l.with(4, "rubbish"), ["not_json", 5, 5]],
  ["an empty line", (l) => l.with(4, ""), ["not_json", 5, 5]],
  ["zeros", (l) => l.with(4, "\0".repeat(100)), ["not_json", 5, 5]],
  ["JSON of somebody else's", (l) => l.with(4, '{"level":"info"}'), ["foreign", 5, 5]],
  ["a list", (l) => l.with(4, "[]"), ["not_json", 5, 5]],
  ["another version", (l) => l.with(4, chained(5, hashOf(l[3]), { v: 2 }).line), ["changed", 5, 5]],
  [
    "three edited",
    (l) => l.map((x, i) => (i > 3 && i < 7 ? x.replace("pid", "pod") : x)),
    ["changed", 5, 5],
    ["changed", 6, 6],
    ["changed", 7, 7],
  ],
  ["one deleted", (l) => l.toSpliced(4, 1), ["missing", 5, 5]],
  ["three deleted", (l) => l.toSpliced(4, 3), ["missing", 5, 5]],
  ["the first deleted", (l) => l.slice(1), ["missing", 1, 1]],
  [
    "two deleted, apart",
    (l) => l.filter((_, i) => i !== 2 && i !== 6),
    ["missing", 3, 3],
    ["missing", 6, 7],
  ],
  [
    "one edited, the next deleted",
    (l) => l.with(4, "rubbish {").toSpliced(5, 1),
    ["not_json", 5, 6],
    ["missing", 6, 5],
  ],
  ["neighbours swapped", (l) => l.with(4, l[5] ?? "").with(5, l[4] ?? ""), ["out_of_order", 5, 6]],
  [
    "the last two swapped",
    (l) => l.with(8, l[9] ?? "").with(9, l[8] ?? ""),
    ["out_of_order", 9, 10],
  ],
  [
    "the first two swapped",
    (l) => l.with(0, l[1] ?? "").with(1, l[0] ?? ""),
    ["out_of_order", 1, 2],
  ],
  [
    "two swapped, apart",
    (l) => l.with(2, l[6] ?? "").with(6, l[2] ?? ""),
    ["out_of_order", 3, 7],
    ["out_of_order", 7, 3],
  ],
  ["one moved to the front", (l) => [l[6] ?? "", ...l.toSpliced(6, 1)], ["out_of_order", 1, 7]],
  ["one moved to the end", (l) => [...l.toSpliced(2, 1), l[2] ?? ""], ["out_of_order", 10, 3]],
  ["one twice", (l) => l.toSpliced(4, 0, l[4] ?? ""), ["duplicate", 6, 5]],
  ["the last one twice", (l) => [...l, l[9] ?? ""], ["duplicate", 11, 10]],
  ["a copy further down", (l) => l.toSpliced(7, 0, l[1] ?? ""), ["duplicate", 8, 2]],
  ["a copy further up", (l) => l.toSpliced(1, 0, l[7] ?? ""), ["duplicate", 2, 8]],
  [
    "one put in, with a hash of its own, chained to the one before",
    (l) => l.toSpliced(5, 0, chained(6, hashOf(l[4])).line),
    ["foreign", 6, 6],
  ],
  [
    "the same, behind the right one",
    (l) => l.toSpliced(6, 0, chained(6, hashOf(l[4])).line),
    ["foreign", 7, 6],
  ],
  [
    "one put in, chained to nothing",
    (l) => l.toSpliced(5, 0, chained(6, "f".repeat(64)).line),
    ["foreign", 6, 6],
  ],
  [
    "one put in, with a number of later",
    (l) => l.toSpliced(5, 0, chained(2 ** 50, hashOf(l[4])).line),
    ["foreign", 6, 2 ** 50],
  ],
  [
    "one put in, with an old number",
    (l) => l.toSpliced(5, 0, chained(2, hashOf(l[0])).line),
    ["duplicate", 6, 2],
  ],
  [
    "one put in, with the hash of another",
    (l) => l.toSpliced(5, 0, (l[4] ?? "").replace('"n":5', '"n":7')),
    ["foreign", 6],
  ],
  ["text put in", (l) => l.toSpliced(5, 0, "", "x"), ["not_json", 6], ["not_json", 7]],
  ["a line of carriage return", (l) => l.with(4, `${l[4]}\r`), ["changed", 5, 5]],
];

describe("verifyLog reports damage by line (A2)", () => {
  test.each(DAMAGE)("%s", async (_what, change, ...told) => {
    const { dir } = await written(10);
    rewrite(dir, change);
    const { ok, damage, damage_count } = verifyLog(dir);
    const found = damage.map(({ kind, line, seq }) =>
      seq === undefined ? [kind, line] : [kind, line, seq],
    );
    expect({ found, ok, damage_count }).toEqual({
      found: told,
      ok: false,
      damage_count: told.length,
    });
    for (const { file, message } of damage)
      expect([file, message]).toEqual(["audit.jsonl", expect.stringMatching(/\w/)]);
  });

  test.each(DAMAGE)("also after later writes by another: %s", async (_what, change) => {
    const { dir } = await written(10);
    rewrite(dir, change);
    const { damage } = verifyLog(dir);
    await logIn(dir).append({ n: 11 });
    const after = verifyLog(dir);
    expect(after.ok).toBe(false);
    for (const { line, file } of damage)
      expect(after.damage.map((each) => [each.file, each.line])).toContainEqual([file, line]);
    // What is written from now on is a chain again.
    await logIn(dir).append({ n: 12 });
    expect(verifyLog(dir).damage).toEqual(after.damage);
  });

  test("also after later writes by the same process", async () => {
    for (const [what, change] of DAMAGE) {
      const { dir, log } = await written(10);
      rewrite(dir, change);
      await log.append({ n: 11 });
      expect([what, verifyLog(dir).ok]).toEqual([what, false]);
    }
  });

  test("truncation is reported by the writer's next line", async () => {
    const { dir, log } = await written(10);
    rewrite(dir, (lines) => lines.slice(0, 6));
    await log.append({ n: 11 });
    expect(verifyLog(dir).damage).toMatchObject([
      { kind: "missing", line: 7, seq: 7, message: "lines 7 to 10 are missing before this one" },
    ]);
  });

  test("up to a limit, with a total count", async () => {
    const { dir } = await written(1000);
    rewrite(dir, (lines) => lines.filter((_, i) => i % 4 !== 1));
    const { damage, damage_count } = verifyLog(dir);
    expect([damage.length, damage_count]).toEqual([100, 250]);
  });

  test("a reversed log and lines that are none end in a report", async () => {
    const { dir } = await written(3000);
    rewrite(dir, (lines) => lines.toReversed());
    expect(verifyLog(dir)).toMatchObject({ ok: false, lines: 3000 });
    rewrite(dir, (lines) => lines.map(() => "x"));
    expect(verifyLog(dir)).toMatchObject({ ok: false, lines: 3000, damage_count: 1001 });
  });

  slowTest("a line of 40 MB ends in a report", async () => {
    const { dir } = await written(1);
    writeFileSync(join(dir, "audit.jsonl"), Buffer.alloc(40_000_000, 0x61));
    expect(verifyLog(dir)).toMatchObject({
      ok: false,
      lines: 1,
      damage: [{ kind: "not_json", line: 1 }],
    });
  });

  test("across files, with the file name", async () => {
    const { dir } = await written(60, { maxBytes: 3000 });
    const [, second = "", third = ""] = namesIn(dir);
    const path = join(dir, second);
    writeFileSync(path, readFileSync(path, "utf8").replace('"pid"', '"pod"'));
    rmSync(join(dir, third));
    const { damage } = verifyLog(dir);
    expect(damage.map(({ file, kind, line }) => [file, kind, line])).toEqual([
      [second, "changed", 1],
      [namesIn(dir)[2], "missing", 1],
    ]);
  });
});

describe("verifyLog reports no damage for", () => {
  test("an empty or missing log", () => {
    const dir = folder();
    for (const each of [dir, join(dir, "none")]) {
      expect(verifyLog(each)).toEqual({
        ok: true,
        lines: 0,
        files: 0,
        first_seq: undefined,
        last_seq: undefined,
        last_hash: undefined,
        damage: [],
        damage_count: 0,
        notes: [],
      });
    }
  });

  test("a valid log, with its summary", async () => {
    const { dir } = await written(10);
    expect(verifyLog(dir)).toEqual({
      ok: true,
      lines: 10,
      files: 1,
      first_seq: 1,
      last_seq: 10,
      last_hash: hashOf(linesIn(dir)[9]),
      damage: [],
      damage_count: 0,
      notes: [],
    });
  });

  test("files writable by others, with a note", async () => {
    const { dir } = await written(1);
    chmodSync(join(dir, "audit.jsonl"), 0o666);
    expect(verifyLog(dir)).toMatchObject({
      ok: true,
      notes: ["audit.jsonl: other users can write to it"],
    });
  });
});
