import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuditLogOptions } from "../../../../src/records/audit/audit-log.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { chained, folder, linesIn, logIn, recordsIn, written } from "./logs.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

const refusal = async (promise: Promise<void>): Promise<{ code: string; message: string }> => {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(OrcsError);
  return thrown as OrcsError;
};

describe("an audit log line", () => {
  test("has the documented format, with an independently computed hash", async () => {
    const dir = folder();
    const log = logIn(dir, { now: () => Date.UTC(2026, 0, 1) });
    await log.append({ kind: "dispatch", reason: "no" });
    await log.append({ kind: "dispatch", deep: { list: [1, null, "x"] } });
    const pid = process.pid;
    const first = chained(1, "0".repeat(64), { pid, kind: "dispatch", reason: "no" });
    const second = chained(2, first.hash, {
      pid,
      kind: "dispatch",
      deep: { list: [1, null, "x"] },
    });
    expect(readFileSync(join(dir, "audit.jsonl"), "utf8")).toBe(`${first.line}\n${second.line}\n`);
  });

  test("keeps its own members, whatever the entry has", async () => {
    const dir = folder();
    await logIn(dir).append({ v: 9, seq: 9, time: "x", pid: 9, prev: "x", hash: "x", n: 1 });
    await logIn(dir).append(JSON.parse('{"__proto__":{"seq":7},"seq":8}') as JsonObject);
    const [first, second] = linesIn(dir);
    expect(first).toMatch(
      /^\{"v":1,"seq":1,"time":"[^"]*","pid":\d+,"n":1,"prev":"0+","hash":"\w{64}"\}$/,
    );
    expect(second).toMatch(
      /^\{"v":1,"seq":2,"time":"[^"]*","pid":\d+,"__proto__":\{"seq":7\},"prev"/,
    );
    expect(verifyLog(dir).ok).toBe(true);
  });

  test("can have an empty entry", async () => {
    const dir = folder();
    await logIn(dir).append({});
    expect(linesIn(dir)[0]).toMatch(/"pid":\d+,"prev":"/);
    expect(verifyLog(dir)).toMatchObject({ ok: true, lines: 1 });
  });

  test.each([
    ["A4: a line of somebody's own", '\n{"fake":1}', '\\n{\\"fake\\":1}'],
    ["A4: colours and the like of a terminal", "\u001b[2J\u009b31m", "\\u001b[2J\\u009b31m"],
    ["deletion, C1", "\u007f\u0080\u009f", "\\u007f\\u0080\\u009f"],
    ["separators of lines", "\u2028\u2029\r", "\\u2028\\u2029\\r"],
    ["directions", "\u202a\u202e\u2066\u2069\u200f", "\\u202a\\u202e\\u2066\\u2069\\u200f"],
    ["what is not shown", "\u200b\ufeff\u{e0041}", "\\u200b\\ufeff\\udb40\\udc41"],
    ["half of a pair", "\ud800x\udc00", "\\ud800x\\udc00"],
    ["what can be read stays", 'é 日本 😀 \\ "', 'é 日本 😀 \\\\ \\"'],
  ])("escapes invisible characters: %s", async (_what, text, as) => {
    const dir = folder();
    await logIn(dir).append({ [text]: text });
    const lines = readFileSync(join(dir, "audit.jsonl"), "utf8").split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`"${as}":"${as}"`);
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(recordsIn(dir)[0]?.[text]).toBe(text);
    expect(verifyLog(dir).ok).toBe(true);
  });
});

describe("audit log append", () => {
  test("resolves when the line is in the file", async () => {
    const { dir, log } = await written(0);
    for (let n = 1; n <= 5; n++) {
      await log.append({ n });
      expect(recordsIn(dir).map((record) => record["n"])).toEqual(
        Array.from({ length: n }, (_, i) => i + 1),
      );
    }
  });

  test("copies the entry at the time of the call", async () => {
    const { dir, log } = await written(0);
    const entry = { n: 1 };
    const done = log.append(entry);
    entry.n = 2;
    await done;
    expect(recordsIn(dir)[0]?.["n"]).toBe(1);
  });

  test("writes entries of one tick together, in order, under one lock", async () => {
    const dir = folder();
    let locks = 0;
    const log = logIn(dir, {
      lock: lockOf((run) => {
        locks++;
        return run();
      }),
    });
    await Promise.all(Array.from({ length: 1000 }, (_, i) => log.append({ n: i })));
    expect(locks).toBe(1);
    expect(recordsIn(dir).map((record) => record["n"])).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    );
  });

  test("creates files accessible to the user only", async () => {
    const dir = join(folder(), "made", "here");
    await logIn(dir).append({});
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, "audit.jsonl")).mode & 0o777).toBe(0o600);
    expect(verifyLog(dir).notes).toEqual([]);
  });

  test.each(["never", "interval", "always"] as const)(
    "after close rejects; pending entries are written, fsync %s",
    async (fsync) => {
      const { dir, log } = await written(0, { fsync });
      const done = log.append({ n: 1 });
      await log.close();
      await done;
      expect(recordsIn(dir)).toHaveLength(1);
      expect(await refusal(log.append({}))).toMatchObject({
        code: "ORCS8005",
        message: expect.stringContaining("closed") as string,
      });
      await log.close();
    },
  );

  test("rejects non-JSON entries, and continues", async () => {
    const { dir, log } = await written(1);
    const loop: JsonObject = {};
    loop["loop"] = loop;
    expect((await refusal(log.append(loop))).code).toBe("ORCS8005");
    await log.append({ n: 2 });
    expect(verifyLog(dir)).toMatchObject({ ok: true, lines: 2 });
  });

  slowTest("rejects too large entries, and continues", async () => {
    const { dir, log } = await written(1, { maxBytes: 1 << 25 });
    expect((await refusal(log.append({ big: "x".repeat(1 << 24) }))).message).toContain(
      "larger than",
    );
    await log.append({ big: "é".repeat((1 << 23) - 300) });
    await log.append({ n: 2 });
    expect(verifyLog(dir)).toMatchObject({ ok: true, lines: 3 });
  });
});

describe("an audit log that cannot be written", () => {
  test("a deleted directory is created again; verify reports the lost lines", async () => {
    const { dir, log } = await written(2);
    rmSync(dir, { recursive: true });
    await log.append({ n: 3 });
    expect(verifyLog(dir).damage).toMatchObject([
      { kind: "missing", seq: 1, line: 1, message: "lines 1 to 2 are missing before this one" },
    ]);
  });

  test("a file in place of the directory, or of a parent", async () => {
    const at = join(folder(), "file");
    writeFileSync(at, "mine");
    for (const dir of [at, join(at, "below")])
      expect((await refusal(logIn(dir).append({}))).code).toBe("ORCS8005");
    expect(readFileSync(at, "utf8")).toBe("mine");
  });

  test.each(["/dev/full", "/dev/null"])("a link to a device is rejected: %s", async (device) => {
    const dir = folder();
    symlinkSync(device, join(dir, "audit.jsonl"));
    expect(await refusal(logIn(dir).append({}))).toMatchObject({
      code: "ORCS8005",
      message: expect.stringContaining("symbolic link") as string,
    });
  });

  test("a directory in place of the file fails until it is removed", async () => {
    const dir = folder();
    mkdirSync(join(dir, "audit.jsonl"));
    const log = logIn(dir);
    expect((await refusal(log.append({}))).code).toBe("ORCS8005");
    rmSync(join(dir, "audit.jsonl"), { recursive: true });
    await log.append({ n: 1 });
    expect(verifyLog(dir)).toMatchObject({ ok: true, lines: 1 });
  });

  test("a lock that cannot be acquired", async () => {
    const dir = folder();
    const why = new OrcsError("ORCS5002", "stays locked");
    let isFree = false;
    const log = logIn(dir, {
      lock: lockOf((run) => {
        if (!isFree) throw why;
        return run();
      }),
    });
    const both = [log.append({ n: 1 }), log.append({ n: 2 })];
    for (const each of both) {
      expect(await refusal(each)).toMatchObject({
        code: "ORCS8005",
        cause: why,
        fields: { path: dir },
      });
    }
    isFree = true;
    await log.append({ n: 3 });
    expect(recordsIn(dir)).toMatchObject([{ seq: 1, n: 3 }]);
  });

  test("a lock that cannot be released does not lose the entry", async () => {
    const dir = folder();
    const log = logIn(dir, {
      lock: lockOf((run) => {
        run();
        throw new Error("EIO");
      }),
    });
    await log.append({ n: 1 });
    expect(recordsIn(dir)).toHaveLength(1);
  });

  it.skipIf(process.getuid?.() === 0)("a directory without write permission", async () => {
    const { dir, log } = await written(1);
    chmodSync(dir, 0o500);
    chmodSync(join(dir, "audit.jsonl"), 0o400);
    expect((await refusal(logIn(dir).append({}))).code).toBe("ORCS8005");
    await log.close();
    chmodSync(dir, 0o700);
    expect(recordsIn(dir)).toHaveLength(1);
  });
});

test("a clock that goes back is no damage", async () => {
  const dir = folder();
  const times = [5000, 9000, 1000, 2000, 9000];
  let at = 0;
  const log = logIn(dir, { now: () => times[at] ?? 0 });
  for (at = 0; at < times.length; at++) await log.append({ at });
  expect(recordsIn(dir).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  const { ok, notes } = verifyLog(dir);
  expect({ ok, notes }).toEqual({
    ok: true,
    notes: [
      "1 lines have an earlier time than the line before them (the clock was set back); their numbers give the order",
    ],
  });
});

/** A lock that does what it is told to when it is taken. */
function lockOf(held: <T>(run: () => T) => T): AuditLogOptions["lock"] {
  return () => ({ hold: (run) => held(() => run(false)), close: () => undefined });
}
