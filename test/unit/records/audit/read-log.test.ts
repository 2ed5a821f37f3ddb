import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  makeCheckpoint,
  readCheckpoints,
  writeCheckpoint,
} from "../../../../src/records/audit/checkpoint.ts";
import { readLog, tailLog } from "../../../../src/records/audit/read-log.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import { folder, linesIn, logIn, namesIn, recordsIn, rewrite, written } from "./logs.ts";

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof OrcsError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "nothing was thrown";
};

describe("reading an audit log", () => {
  test("returns all lines of all files in order, with positions", async () => {
    const { dir } = await written(50, { maxBytes: 3000 });
    const read = [...readLog(dir)];
    expect(read.map(({ text }) => text)).toEqual(linesIn(dir));
    expect(read.map(({ record }) => record)).toEqual(recordsIn(dir));
    const names = namesIn(dir);
    expect([...new Set(read.map(({ file }) => file))]).toEqual(names);
    expect(read.filter(({ line }) => line === 1)).toHaveLength(names.length);
  });

  test("tailLog returns the last lines across files", async () => {
    const { dir } = await written(50, { maxBytes: 3000 });
    const lines = linesIn(dir);
    for (const count of [0, 1, 2, 7, 20, lines.length, lines.length + 5]) {
      expect([count, tailLog(dir, count).map(({ text }) => text)]).toEqual([
        count,
        count === 0 ? [] : lines.slice(-count),
      ]);
    }
  });

  test("works for long and short lines from both ends", () => {
    const dir = folder();
    const texts = Array.from({ length: 60 }, (_, i) =>
      String(i).repeat(((i * 7919) % 40_000) + (i % 3)),
    );
    writeFileSync(join(dir, "audit.jsonl"), `${texts.join("\n")}\n\n`);
    const wanted = [...texts, ""];
    expect([...readLog(dir)].map(({ text }) => text)).toEqual(wanted);
    expect(tailLog(dir, 100).map(({ text }) => text)).toEqual(wanted);
    appendFileSync(join(dir, "audit.jsonl"), "open");
    expect(tailLog(dir, 3).map(({ text }) => text)).toEqual([texts.at(-1), "", "open"]);
  });

  test("returns lines that are not JSON objects", async () => {
    const { dir } = await written(1);
    appendFileSync(join(dir, "audit.jsonl"), "rubbish\n[1]\ncut sh");
    expect([...readLog(dir)].slice(1)).toEqual(
      tailLog(dir, 3).map(({ file, text, record }, i) => ({ file, line: i + 2, text, record })),
    );
    expect(tailLog(dir, 3).map(({ text, record }) => [text, record])).toEqual([
      ["rubbish", undefined],
      ["[1]", undefined],
      ["cut sh", undefined],
    ]);
  });

  test("during writes and rotation returns no line twice and misses none", async () => {
    const { dir, log } = await written(0, { maxBytes: 1200 });
    let wrote = 0;
    while (wrote < 10) await log.append({ n: ++wrote });
    const read: unknown[] = [];
    for (const { record } of readLog(dir)) {
      if (typeof record?.["n"] === "number") read.push(record["n"]);
      if (wrote < 50) await log.append({ n: ++wrote });
    }
    expect(read.length).toBeGreaterThan(20);
    expect(read).toEqual(Array.from({ length: read.length }, (_, i) => i + 1));
  });

  test("of a missing log is empty; of an unreadable one is ORCS8006", () => {
    const dir = folder();
    expect([[...readLog(dir)], tailLog(dir, 3), [...readLog(join(dir, "none"))]]).toEqual([
      [],
      [],
      [],
    ]);
    mkdirSync(join(dir, "audit.jsonl"));
    for (const run of [
      () => [...readLog(dir)],
      () => tailLog(dir, 1),
      () => verifyLog(dir),
      () => makeCheckpoint(dir),
    ]) {
      expect(codeOf(run)).toMatch(/^ORCS8006 .*audit/);
    }
    writeFileSync(join(dir, "file"), "");
    expect(codeOf(() => verifyLog(join(dir, "file")))).toMatch(/^ORCS8006/);
  });
});

describe("audit log checkpoints", () => {
  test("record the last line, and are kept in a file", async () => {
    const { dir, log } = await written(3);
    const path = join(dir, "kept", "checkpoints.jsonl");
    const first = makeCheckpoint(dir, () => 0);
    const { hash } = recordsIn(dir)[2] as { hash: string };
    expect(first).toEqual({
      v: 1,
      seq: 3,
      hash,
      time: "1970-01-01T00:00:00.000Z",
      file: "audit.jsonl",
    });
    writeCheckpoint(path, first);
    await log.append({ n: 4 });
    writeCheckpoint(path, makeCheckpoint(dir));
    expect(readCheckpoints(path).map(({ seq }) => seq)).toEqual([3, 4]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(verifyLog(dir, readCheckpoints(path))).toMatchObject({ ok: true, notes: [] });
  });

  test("reveal a truncated log, across files", async () => {
    const { dir } = await written(30, { maxBytes: 2000 });
    const checkpoint = makeCheckpoint(dir);
    rmSync(join(dir, "audit.jsonl"));
    expect(verifyLog(dir).ok).toBe(true);
    const { ok, damage, last_seq: last = 0 } = verifyLog(dir, [checkpoint]);
    expect([ok, damage]).toMatchObject([
      false,
      [{ kind: "cut_tail", seq: last + 1, file: namesIn(dir).at(-1) }],
    ]);
    expect(damage[0]?.message).toBe(
      `the log ends with line ${last}, but the checkpoint of ${checkpoint.time} is of line ${checkpoint.seq}`,
    );
    rmSync(dir, { recursive: true });
    expect(verifyLog(dir, [checkpoint]).damage).toMatchObject([
      { kind: "cut_tail", seq: 1, line: 0 },
    ]);
  });

  test("reveal a rewritten log with valid hashes", async () => {
    const { dir } = await written(5);
    const checkpoints = [makeCheckpoint(dir)];
    rmSync(join(dir, "audit.jsonl"));
    const log = logIn(dir);
    for (let n = 1; n <= 7; n++) await log.append({ n: -n });
    expect(verifyLog(dir).ok).toBe(true);
    expect(verifyLog(dir, checkpoints).damage).toMatchObject([
      { kind: "changed", seq: 5, line: 5 },
    ]);
  });

  test("of lines removed by age or damaged are inconclusive", async () => {
    const { dir, log } = await written(3, { maxBytes: 1500, keepBytes: 3000 });
    const old = makeCheckpoint(dir);
    for (let n = 1; n <= 30; n++) await log.append({ n });
    expect(verifyLog(dir, [old])).toMatchObject({
      ok: true,
      notes: expect.arrayContaining([
        `line 3 no longer exists, so the checkpoint of ${old.time} cannot be checked`,
      ]),
    });
    const { dir: other } = await written(5);
    const whole = makeCheckpoint(other);
    rewrite(other, (lines) => lines.with(4, "x"));
    await logIn(other).append({});
    expect(verifyLog(other, [whole]).ok).toBe(false);
  });

  test.each([
    ["not JSON", "x"],
    ["another version", '{"v":2,"seq":1,"hash":"","time":"","file":""}'],
    ["no hash", '{"v":1,"seq":1,"hash":"x","time":"","file":""}'],
    ["null", "null"],
  ])("a checkpoint file with %s is rejected with its line", async (_what, text) => {
    const { dir } = await written(1);
    const path = join(dir, "checkpoints.jsonl");
    writeCheckpoint(path, makeCheckpoint(dir));
    appendFileSync(path, `\n${text}\n`);
    expect(codeOf(() => readCheckpoints(path))).toBe(
      `ORCS8006 ORCS8006: ${path}:3: not a valid checkpoint`,
    );
  });

  test("cannot be made without a log, nor written to a folder; a missing file has none", () => {
    const dir = folder();
    expect(codeOf(() => makeCheckpoint(dir))).toContain("ORCS8006: there is no audit log in");
    expect(
      codeOf(() => writeCheckpoint(dir, { v: 1, seq: 1, hash: "", time: "", file: "" })),
    ).toMatch(/^ORCS8005/);
    expect(readCheckpoints(join(dir, "none"))).toEqual([]);
    expect(codeOf(() => readCheckpoints(dir))).toMatch(/^ORCS8006/);
  });
});
