import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { chained, hashOf, linesIn, logIn, written, type Lines } from "./logs.ts";

/** One thing that is done to a log, and between which lines of the file it is to be told. */
interface Harm {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const HARMS: Readonly<Record<string, (lines: Lines, a: number, b: number, byte: number) => Harm>> =
  {
    edit: (lines, a, at, byte) => {
      const bytes = asFile(lines);
      const start = asFile(lines.slice(0, a)).length;
      const index = start + (at % ((lines[a] ?? "").length + 1));
      bytes[index] = bytes[index] === byte ? byte ^ 1 : byte;
      return { bytes, from: a + 1, to: a + 1 };
    },
    delete: (lines, a) => ({ bytes: asFile(lines.toSpliced(a, 1)), from: a + 1, to: a + 1 }),
    swap: (lines, a, at) => {
      const b = (a + 1 + (at % (lines.length - 1))) % lines.length;
      const bytes = asFile(lines.with(a, lines[b] ?? "").with(b, lines[a] ?? ""));
      return { bytes, from: Math.min(a, b) + 1, to: Math.max(a, b) + 1 };
    },
    duplicate: (lines, a, at) => {
      const b = at % (lines.length + 1);
      return { bytes: asFile(lines.toSpliced(b, 0, lines[a] ?? "")), from: b, to: b + 2 };
    },
    forge: (lines, a, at) => {
      const { line } = chained((at % 20) + 1, hashOf(lines[a - 1] ?? lines[a]), { forged: true });
      return { bytes: asFile(lines.toSpliced(a, 0, line)), from: a, to: a + 2 };
    },
  };

function asFile(lines: Lines): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

test("any log by any writers verifies; any damage to it is found at its position", async () => {
  const { dir } = await written(0);
  const path = join(dir, "audit.jsonl");
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const steps = fc.array(
    fc.tuple(
      fc.nat(2),
      fc.dictionary(text, fc.jsonValue() as fc.Arbitrary<JsonObject[string]>, { maxKeys: 3 }),
    ),
    {
      minLength: 4,
      maxLength: 14,
    },
  );
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom(...Object.entries(HARMS)),
      fc.nat(),
      fc.nat(),
      fc.nat(255),
      async (appends, [, harm], a, b, byte) => {
        rmSync(path, { force: true });
        const logs = [logIn(dir), logIn(dir), logIn(dir)];
        for (const [who, entry] of appends) await logs[who]?.append(entry);
        await Promise.all(logs.map((log) => log.close()));
        expect(verifyLog(dir)).toMatchObject({ ok: true, lines: appends.length, notes: [] });
        const lines = linesIn(dir);
        // What is done to the last line alone may be what a crash does: those have tests of their own.
        const { bytes, from, to } = harm(lines, a % (lines.length - 1), b, byte);
        writeFileSync(path, bytes);
        const { ok, damage } = verifyLog(dir);
        expect(ok).toBe(bytes.equals(asFile(lines)));
        for (const each of damage) {
          expect(each.line).toBeGreaterThanOrEqual(from);
          expect(each.line).toBeLessThanOrEqual(to + 1);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("a change of any byte of the last line is damage", async () => {
  const { dir } = await written(3);
  const path = join(dir, "audit.jsonl");
  const whole = readFileSync(path);
  const start = whole.lastIndexOf(10, whole.length - 2) + 1;
  for (let at = start; at < whole.length; at++) {
    for (const byte of [0x00, 0x0a, 0x22, 0x31, 0x5c, 0x7d]) {
      // Zeros at the end are what a failure of power leaves.
      const isCut = byte === 0 && at === whole.length - 2;
      if (whole[at] === byte || isCut) continue;
      const bytes = Buffer.from(whole);
      bytes[at] = byte;
      writeFileSync(path, bytes);
      const { damage } = verifyLog(dir);
      expect({ at: at - start, byte, lines: damage.map(({ line }) => line) }).toMatchObject({
        at: at - start,
        byte,
        lines: expect.arrayContaining([3]) as number[],
      });
    }
  }
});

test("a forged appended line with correct hashes is not detected (hence checkpoints)", async () => {
  const { dir } = await written(2);
  appendFileSync(join(dir, "audit.jsonl"), `${chained(3, hashOf(linesIn(dir)[1])).line}\n`);
  expect(verifyLog(dir).ok).toBe(true);
});
