import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { lineBody, nextLine } from "../../../../src/records/audit/line.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { chained, folder, linesIn, logIn, rewrite, written } from "./logs.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A log of three lines, cut within or right after one of them, at each byte. */
async function cuts(of: (whole: Buffer) => { from: number; to: number }) {
  const { dir } = await written(3);
  const path = join(dir, "audit.jsonl");
  const whole = readFileSync(path);
  const { from, to } = of(whole);
  const sizes = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return { dir, path, whole, sizes };
}

const startOfLast = (whole: Buffer): number => whole.lastIndexOf(10, whole.length - 2) + 1;

describe("recovery of an audit log that ends within a line", () => {
  test("at any byte: nothing is lost, and the chain continues", async () => {
    const { dir, path, whole, sizes } = await cuts((all) => ({
      from: startOfLast(all) + 1,
      to: all.length - 2,
    }));
    for (const size of sizes) {
      const left = whole.subarray(0, size);
      const cut = left.subarray(startOfLast(whole));
      writeFileSync(path, left);
      expect(verifyLog(dir)).toMatchObject({
        ok: true,
        last_seq: 2,
        notes: [`audit.jsonl:3: the file ends with an incomplete line of ${cut.length} bytes`],
      });
      const log = logIn(dir);
      await Promise.all([log.append({ n: 4 }), log.append({ n: 5 })]);
      const after = readFileSync(path);
      expect(after.subarray(0, size).equals(left)).toBe(true);
      expect(after[size]).toBe(10);
      expect(verifyLog(dir)).toMatchObject({
        ok: true,
        damage: [],
        last_seq: 5,
        lines: 6,
        notes: [
          `audit.jsonl:4: ${cut.length} bytes of an incomplete line precede it, left by a crash`,
        ],
      });
      const [recovered] = after
        .subarray(size + 1)
        .toString()
        .split("\n");
      expect(JSON.parse(recovered ?? "")).toMatchObject({
        seq: 3,
        kind: "recovered",
        cut_bytes: cut.length,
        cut_sha256: sha256(cut),
      });
      await log.close();
    }
  });

  test("a line without its newline only is complete", async () => {
    const { dir, path, whole } = await cuts((all) => ({ from: 0, to: all.length }));
    truncateSync(path, whole.length - 1);
    expect(verifyLog(dir)).toMatchObject({ ok: true, last_seq: 3, notes: [] });
    await logIn(dir).append({ n: 4 });
    expect(verifyLog(dir)).toMatchObject({ ok: true, lines: 4, last_seq: 4, notes: [] });
  });

  test("in the first line", async () => {
    const dir = folder();
    writeFileSync(join(dir, "audit.jsonl"), '{"v":1,"se');
    await logIn(dir).append({ n: 1 });
    expect(
      linesIn(dir)
        .slice(1)
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { seq: 1, kind: "recovered" },
      { seq: 2, n: 1 },
    ]);
    expect(verifyLog(dir)).toMatchObject({ ok: true, notes: [expect.any(String)] });
  });

  test("with zero bytes from a power failure", async () => {
    const { dir } = await written(2);
    appendFileSync(
      join(dir, "audit.jsonl"),
      Buffer.concat([Buffer.from('{"v":1,"seq":3,"ti'), Buffer.alloc(5000)]),
    );
    await logIn(dir).append({ n: 3 });
    expect(verifyLog(dir)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining("5018 bytes")],
    });
  });

  test("after a crash during recovery, at any byte", async () => {
    const { dir, path, whole } = await cuts((all) => ({ from: 0, to: all.length }));
    const cutAt = startOfLast(whole) + 40;
    writeFileSync(path, whole.subarray(0, cutAt));
    await logIn(dir).append({ n: 3 });
    const recovered = readFileSync(path);
    const end = recovered.indexOf(10, cutAt + 1);
    for (let size = cutAt; size < end; size++) {
      writeFileSync(path, recovered.subarray(0, size));
      expect([size, verifyLog(dir).damage]).toEqual([size, []]);
      await logIn(dir).append({ n: 4 });
      const report = verifyLog(dir);
      expect([size, report.damage, report.notes.length]).toEqual([size, [], 1]);
      expect(readFileSync(path).subarray(0, size).equals(recovered.subarray(0, size))).toBe(true);
    }
  });

  test("changing or removing the truncated line is damage", async () => {
    const { dir, path, whole } = await cuts((all) => ({ from: 0, to: all.length }));
    writeFileSync(path, whole.subarray(0, startOfLast(whole) + 40));
    await logIn(dir).append({ n: 4 });
    const recovered = readFileSync(path, "utf8");
    rewrite(dir, (lines) => lines.with(2, (lines[2] ?? "").replace("time", "tame")));
    expect(verifyLog(dir).damage).toMatchObject([
      { kind: "not_json", line: 3 },
      { kind: "changed", line: 4 },
    ]);
    writeFileSync(path, recovered);
    rewrite(dir, (lines) => lines.toSpliced(2, 1));
    expect(verifyLog(dir).damage).toMatchObject([{ kind: "changed", line: 3, seq: 3 }]);
  });

  test.each([
    ["rubbish", "rubbish"],
    ["a line of later", '{"v":1,"seq":9,"time":"2026'],
    ["a whole line with a wrong hash", chained(3, "f".repeat(64)).line.replace("pid", "pod")],
  ])("%s at the end is damage, also after more writes", async (_what, text) => {
    const { dir } = await written(2);
    appendFileSync(join(dir, "audit.jsonl"), text);
    expect(verifyLog(dir).damage).toMatchObject([{ line: 3 }]);
    await logIn(dir).append({ n: 3 });
    expect(verifyLog(dir).damage).toMatchObject([{ line: 3 }]);
    expect(linesIn(dir)[2]).toBe(text);
  });

  test("a million lines: recovered from the end, verified in constant memory", async () => {
    const dir = folder();
    const path = join(dir, "audit.jsonl");
    writeMillion(path);
    truncateSync(path, statSync(path).size - 60);
    const log = logIn(dir, { maxBytes: 1 << 30 });
    const began = process.cpuUsage();
    await log.append({ n: 1 });
    const { user, system } = process.cpuUsage(began);
    const appended = (user + system) / 1000;
    expect(verifiedApart(dir)).toMatchObject({
      ok: true,
      lines: 1_000_002,
      last_seq: 1_000_001,
      notes: expect.arrayContaining([expect.stringContaining("left by a crash")]),
    });
    // A hundred times what it takes: to read it all takes a thousand times as long.
    expect(appended).toBeLessThan(500);
  }, 120_000);
});

/**
 * What `orcs audit verify` says of a log, in a process with a small heap: what is kept of each line would not fit, and
 * the file, read as a whole, would show in its most memory.
 */
function verifiedApart(dir: string): unknown {
  const most = join(dir, "most-memory");
  const tells = `import { writeFileSync as w } from "node:fs"; process.on("exit", () => w(${JSON.stringify(most)}, String(process.resourceUsage().maxRSS)))`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--max-old-space-size=48",
      `--import=data:text/javascript,${encodeURIComponent(tells)}`,
      join(import.meta.dirname, "../../../../dist/cli/main.js"),
      "audit",
      "verify",
      "--json",
      "--dir",
      dir,
    ],
    { cwd: dir, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  expect(Number(readFileSync(most, "utf8"))).toBeLessThan(300_000);
  return JSON.parse(stdout);
}

/** A whole chain, in blocks. */
function writeMillion(path: string): void {
  const body = lineBody({ kind: "dispatch", reason: "x".repeat(200) });
  let last: ReturnType<typeof nextLine> | undefined;
  let block: string[] = [];
  for (let i = 1; i <= 1_000_000; i++) {
    last = nextLine(last, "2026-01-01T00:00:00.000Z", body);
    block.push(last.text, "\n");
    if (i % 10_000 > 0) continue;
    appendFileSync(path, block.join(""));
    block = [];
  }
}

test("an audit log whose writer could not undo a partial line is repaired by the next write", async () => {
  const { dir, log } = await written(2);
  appendFileSync(join(dir, "audit.jsonl"), '{"v":1,"seq":3,"time":"2026-');
  await log.append({ n: 3 });
  expect(seqsIn(dir)).toEqual([1, 2, 3, 4]);
  expect(verifyLog(dir).ok).toBe(true);
});

function seqsIn(dir: string): unknown[] {
  return linesIn(dir).flatMap((line) => {
    try {
      return [(JSON.parse(line) as { seq: unknown }).seq];
    } catch {
      return [];
    }
  });
}
