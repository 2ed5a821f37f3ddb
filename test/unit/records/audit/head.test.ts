import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuditLogOptions } from "../../../../src/records/audit/audit-log.ts";
import { moveHead, readHead } from "../../../../src/records/audit/head.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { folder, hashOf, linesIn, logIn, rewrite } from "./logs.ts";

/** A log whose head is kept elsewhere, written and closed. */
async function kept(count: number, options: Partial<AuditLogOptions> = {}) {
  const dir = join(folder(), "log");
  const head = join(folder(), "heads", "head.json");
  // Never the same line again: in the same millisecond it would have the same hash.
  let n = 0;
  const write = async (more: number): Promise<void> => {
    const log = logIn(dir, { head, fsync: "interval", ...options });
    await Promise.all(Array.from({ length: more }, () => log.append({ n: n++ })));
    await log.close();
  };
  await write(count);
  const verified = () => verifyLog(dir, [], readHead(head));
  return { dir, head, write, verified, file: join(dir, "audit.jsonl") };
}

describe("the head file of an audit log", () => {
  it.each(["never", "interval", "always"] as const)(
    "has the last line at close, fsync %s",
    async (fsync) => {
      const { dir, head, verified } = await kept(5, { fsync });
      const last = linesIn(dir).at(-1);
      expect(readHead(head)).toMatchObject({ v: 1, seq: 5, hash: hashOf(last), dir });
      expect(verified()).toMatchObject({ ok: true, lines: 5 });
    },
  );

  it("is updated while the log is open, with any fsync", async () => {
    const follows = async (fsync: AuditLogOptions["fsync"]): Promise<void> => {
      const head = join(folder(), "head.json");
      const log = logIn(folder(), { head, fsync });
      await log.append({ n: 1 });
      await expect.poll(() => readHead(head)?.seq).toBe(1);
      await log.append({ n: 2 });
      await expect.poll(() => readHead(head)?.seq, { timeout: 10_000 }).toBe(2);
    };
    await Promise.all((["never", "interval", "always"] as const).map(follows));
  });

  it.each<[string, (log: Awaited<ReturnType<typeof kept>>) => void]>([
    ["was emptied", ({ file }) => writeFileSync(file, "")],
    ["was removed", ({ file }) => rmSync(file)],
    ["was removed with its folder", ({ dir }) => rmSync(dir, { recursive: true })],
    ["lost its last line", ({ dir }) => rewrite(dir, (lines) => lines.slice(0, -1))],
    ["lost all but its first line", ({ dir }) => rewrite(dir, (lines) => lines.slice(0, 1))],
  ])("reveals a log that %s", async (_, remove) => {
    const log = await kept(5);
    remove(log);
    const { ok, damage } = log.verified();
    expect(ok).toBe(false);
    expect(damage.map(({ kind, message }) => [kind, message])).toContainEqual([
      "cut_tail",
      expect.stringMatching(/^the log ends before the last recorded head \(line 5 of \d{4}-.*Z\)$/),
    ]);
  });

  it.each([1, 4, 5, 9])(
    "is not moved when %i lines are written to an emptied log",
    async (more) => {
      const log = await kept(5);
      writeFileSync(log.file, "");
      await log.write(more);
      const { ok, damage } = log.verified();
      expect(ok).toBe(false);
      expect(damage[0]?.message).toMatch(
        more < 5
          ? /before the last recorded head \(line 5/
          : /line 5 differs from the line stored in the recorded head/,
      );
      // Nor does it move with what comes later.
      await log.write(20);
      expect(readHead(log.head)?.seq).toBe(5);
      expect(log.verified().ok).toBe(false);
    },
  );

  it("moves with a process that wrote before and after the emptying; the gap is reported", async () => {
    const log = await kept(5);
    const open = logIn(log.dir, { head: log.head });
    await open.append({ n: "before" });
    writeFileSync(log.file, "");
    await open.append({ n: "after" });
    await open.close();
    expect(log.verified().ok).toBe(false);
  });

  it("may be behind: a log that continues after it is valid", async () => {
    const log = await kept(5);
    const aside = `${log.head}.old`;
    copyFileSync(log.head, aside);
    await log.write(300);
    copyFileSync(aside, log.head);
    expect(log.verified().ok).toBe(true);
    // And the next writer moves it on.
    await log.write(1);
    expect(readHead(log.head)?.seq).toBe(306);
  });

  it("is not moved back by a slower writer", async () => {
    const log = await kept(5);
    const known = readHead(log.head);
    const slower = { seq: 3, hash: hashOf(linesIn(log.dir)[2]), dir: log.dir, time: "2026-01-01" };
    expect(moveHead(log.head, slower)).toBeUndefined();
    expect(readHead(log.head)).toEqual(known);
  });

  it("stays valid when files are rotated and removed by age", async () => {
    const log = await kept(5, { maxBytes: 600, keepBytes: 1800 });
    const behind = readFileSync(log.head);
    for (let i = 0; i < 10; i++) await log.write(3);
    expect(linesIn(log.dir)[0]).not.toContain('"seq":1,');
    expect(log.verified().ok).toBe(true);
    // Not even when it is behind by more than is kept.
    writeFileSync(log.head, behind);
    expect(log.verified().ok).toBe(true);
    await log.write(1);
    expect(log.verified().ok).toBe(true);
    expect(readHead(log.head)?.seq).toBeGreaterThan(30);
  });

  it("that cannot be written does not lose an entry", async () => {
    const blocked = join(folder(), "file");
    writeFileSync(blocked, "");
    const dir = folder();
    const log = logIn(dir, { head: join(blocked, "head.json"), fsync: "interval" });
    await log.append({ n: 1 });
    await log.close();
    expect(linesIn(dir)).toHaveLength(1);
    expect(readHead(join(blocked, "head.json"))).toBeUndefined();
  });

  it("that is unreadable is ignored and replaced at the next write", async () => {
    const log = await kept(2);
    writeFileSync(log.head, "{");
    expect(readHead(log.head)).toBeUndefined();
    await log.write(1);
    expect(readHead(log.head)?.seq).toBe(3);
  });

  it("is kept for the last thousand logs", async () => {
    const heads = join(folder(), "heads");
    mkdirSync(heads);
    for (let i = 0; i < 1100; i++) writeFileSync(join(heads, `${i}.json`), "{}");
    const log = logIn(folder(), { head: join(heads, "new.json") });
    await log.append({ n: 1 });
    await log.close();
    expect(existsSync(join(heads, "new.json"))).toBe(true);
    const left = Array.from({ length: 1100 }, (_, i) => existsSync(join(heads, `${i}.json`)));
    expect(left.filter(Boolean)).toHaveLength(999);
  });
});
