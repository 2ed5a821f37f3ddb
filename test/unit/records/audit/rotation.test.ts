import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { folder, logIn, namesIn, recordsIn, written } from "./logs.ts";

const sizeOf = (dir: string, name: string): number => statSync(join(dir, name)).size;

describe("audit log rotation by size", () => {
  test("names the file by its first line's number, which the next file records", async () => {
    const { dir, log } = await written(0, { maxBytes: 2000 });
    for (let n = 1; n <= 40; n++) await log.append({ n });
    const names = namesIn(dir);
    expect(names.length).toBeGreaterThan(3);
    for (const [i, name] of names.entries()) {
      const [first = "", second = ""] = readFileSync(join(dir, name), "utf8").split("\n");
      const record = JSON.parse(first) as Record<string, unknown>;
      if (name !== "audit.jsonl")
        expect(name).toBe(`audit-${String(record["seq"]).padStart(16, "0")}.jsonl`);
      if (i > 0) expect(record).toMatchObject({ kind: "rotated", from: names[i - 1] });
      expect(second).toContain('"n":');
      expect(sizeOf(dir, name)).toBeLessThanOrEqual(2000);
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    }
    expect(verifyLog(dir)).toMatchObject({
      ok: true,
      notes: [],
      first_seq: 1,
      files: names.length,
    });
    expect(recordsIn(dir).flatMap(({ n }) => n ?? [])).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
  });

  test("distributes entries of one tick over as many files as needed", async () => {
    const { dir } = await written(300, { maxBytes: 5000 });
    for (const name of namesIn(dir)) expect(sizeOf(dir, name)).toBeLessThanOrEqual(5000);
    expect(recordsIn(dir).flatMap(({ n }) => n ?? [])).toEqual(
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
    expect(verifyLog(dir).ok).toBe(true);
  });

  test("gives a line larger than the limit its own file", async () => {
    const { dir, log } = await written(3, { maxBytes: 1000 });
    await log.append({ big: "x".repeat(3000) });
    await log.append({ n: 4 });
    expect(verifyLog(dir)).toMatchObject({ ok: true, notes: [] });
    expect(namesIn(dir).filter((name) => sizeOf(dir, name) > 3000)).toHaveLength(1);
  });

  test("never overwrites an existing file", async () => {
    const { dir, log } = await written(5, { maxBytes: 1000 });
    const [first = ""] = namesIn(dir);
    copyFileSync(join(dir, first), join(dir, "audit.jsonl"));
    const before = readFileSync(join(dir, first));
    for (let n = 6; n < 12; n++) await log.append({ n });
    expect(readFileSync(join(dir, first)).equals(before)).toBe(true);
    expect(namesIn(dir)).toContain(first.replace(".jsonl", ".1.jsonl"));
    expect(verifyLog(dir).ok).toBe(false);
  });
});

describe("audit log rotation with keep_mb", () => {
  test("removes old files and records the last removed line", async () => {
    const { dir, log } = await written(0, { maxBytes: 1500, keepBytes: 4500 });
    for (let n = 1; n <= 60; n++) await log.append({ n });
    expect(namesIn(dir)).toHaveLength(3);
    const report = verifyLog(dir);
    const gone = (report.first_seq ?? 0) - 1;
    const notes = [`lines 1 to ${gone} were removed by the rotation (keep_mb)`];
    expect(report).toMatchObject({ ok: true, damage: [], notes });
    expect(report.first_seq).toBeGreaterThan(10);
    expect(recordsIn(dir).findLast(({ kind }) => kind === "rotated")).toMatchObject({
      removed_through: (report.first_seq ?? 0) - 1,
      removed_hash: recordsIn(dir)[0]?.["prev"],
    });
  });

  test("an additional missing file is reported", async () => {
    const { dir, log } = await written(0, { maxBytes: 1500, keepBytes: 6000 });
    for (let n = 1; n <= 60; n++) await log.append({ n });
    const [oldest = "", next = ""] = namesIn(dir);
    rmSync(join(dir, oldest));
    expect(verifyLog(dir)).toMatchObject({
      damage_count: 1,
      damage: [{ kind: "missing", file: next, line: 1 }],
    });
  });

  test("a file that should have been removed but exists is no damage, and is removed next time", async () => {
    const { dir, log } = await written(0, { maxBytes: 1500 });
    for (let n = 1; n <= 30; n++) await log.append({ n });
    const all = namesIn(dir).length;
    await log.close();
    const few = logIn(dir, { maxBytes: 1500, keepBytes: 3000 });
    for (let n = 1; n <= 10; n++) await few.append({ n });
    expect(all).toBeGreaterThan(3);
    expect(namesIn(dir)).toHaveLength(2);
    expect(verifyLog(dir)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining("were removed by the rotation (keep_mb)")],
    });
  });

  test.skipIf(process.getuid?.() === 0)(
    "in a read-only directory fails without writing a partial line",
    async () => {
      const { dir, log } = await written(3, { maxBytes: 1000 });
      chmodSync(dir, 0o500);
      await expect(log.append({ big: "x".repeat(900) })).rejects.toMatchObject({
        code: "ORCS8005",
      });
      chmodSync(dir, 0o700);
      expect(verifyLog(dir).ok).toBe(true);
    },
  );
});

describe("audit log rotation interrupted", () => {
  const states: readonly [string, (dir: string) => void][] = [
    ["after the file was set aside", (dir) => rmSync(join(dir, "audit.jsonl"))],
    ["after the new one was made", (dir) => writeFileSync(join(dir, "audit.jsonl"), "")],
    [
      "within its first line",
      (dir) => {
        const [line = ""] = readFileSync(join(dir, "audit.jsonl"), "utf8").split("\n");
        writeFileSync(join(dir, "audit.jsonl"), line.slice(0, 70));
      },
    ],
    [
      "after its first line",
      (dir) => {
        const [line = ""] = readFileSync(join(dir, "audit.jsonl"), "utf8").split("\n");
        writeFileSync(join(dir, "audit.jsonl"), `${line}\n`);
      },
    ],
  ];

  test.each(states)("%s: the chain verifies and continues", async (_what, stop) => {
    const { dir, log } = await written(0, { maxBytes: 1000 });
    for (let n = 1; !namesIn(dir).some((name) => name !== "audit.jsonl"); n++)
      await log.append({ n });
    await log.close();
    stop(dir);
    expect(verifyLog(dir).damage).toEqual([]);
    const next = logIn(dir, { maxBytes: 1000, keepBytes: 6000 });
    for (let n = 1; n < 9; n++) await next.append({ n });
    expect(verifyLog(dir).damage).toEqual([]);
    expect(readdirSync(dir).filter((name) => name.endsWith(".jsonl")).length).toBeGreaterThan(2);
  });

  test("a deleted current file is reported by the writer's next line and by a checkpoint", async () => {
    const { dir, log } = await written(3);
    renameSync(join(dir, "audit.jsonl"), join(folder(), "taken"));
    await log.append({ n: 4 });
    expect(verifyLog(dir).damage).toMatchObject([{ kind: "missing", seq: 1 }]);
  });
});

describe("audit log retention by age and size", () => {
  const DAY = 24 * 3600 * 1000;

  test("removes the oldest files beyond the size of all, except the last rotated one, and says so", async () => {
    const { dir, log } = await written(200, { maxBytes: 1500, keepBytes: 6000 });
    const size = namesIn(dir).reduce((sum, name) => sum + sizeOf(dir, name), 0);
    expect(size).toBeLessThanOrEqual(6000);
    expect(size).toBeGreaterThan(3000);
    await log.append({ n: 201 });
    const { ok, notes, first_seq: first = 0 } = verifyLog(dir);
    expect([ok, notes]).toEqual([
      true,
      [`lines 1 to ${first - 1} were removed by the rotation (keep_mb)`],
    ]);
    const small = await written(50, { maxBytes: 1500, keepBytes: 1 });
    expect(namesIn(small.dir)).toHaveLength(2);
  });

  test("rotates a file after a tenth of the days, and removes it after them", async () => {
    let time = Date.now();
    const { dir, log } = await written(2, { keepDays: 10, now: () => time });
    await log.append({ n: 3 });
    expect(namesIn(dir)).toHaveLength(1);
    time += 1.1 * DAY;
    await log.append({ n: 4 });
    expect(namesIn(dir)).toHaveLength(2);
    utimesSync(join(dir, "audit.jsonl"), time / 1000, time / 1000);
    time += 9 * DAY;
    await log.append({ n: 5 });
    const { ok, notes, first_seq: first } = verifyLog(dir);
    expect([ok, first, notes]).toEqual([
      true,
      4,
      ["lines 1 to 3 were removed by the rotation (keep_days)"],
    ]);
  });

  test("leaves tampering visible in a thinned log", async () => {
    const { dir } = await written(200, { maxBytes: 1500, keepBytes: 6000 });
    const [oldest = "", next = ""] = namesIn(dir)
      .filter((name) => name !== "audit.jsonl")
      .sort();
    const kept = readFileSync(join(dir, oldest));
    // One more file is gone than the log says.
    rmSync(join(dir, oldest));
    expect(verifyLog(dir).damage.map(({ kind }) => kind)).toEqual(["missing"]);
    writeFileSync(join(dir, oldest), kept);
    const lines = readFileSync(join(dir, next), "utf8");
    writeFileSync(join(dir, next), lines.replace('"n":', '"m":'));
    expect(verifyLog(dir).damage.map(({ kind }) => kind)).toContain("changed");
  });
});
