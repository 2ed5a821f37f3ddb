import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import type { AuditLog } from "../../../../src/records/audit/audit-log.ts";
import { readHead } from "../../../../src/records/audit/head.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { folder, logIn, namesIn, recordsIn } from "./logs.ts";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";

/** A head is noted when the test says so. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The numbers of all lines, and of the entries in them. */
function numbersIn(dir: string) {
  const records = recordsIn(dir);
  return {
    seqs: records.map(({ seq }) => seq),
    entries: records.flatMap(({ n }) => (n === undefined ? [] : [n])),
  };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("several writers of one audit log", () => {
  test("a writer with a head file notices another writer's rotation", async () => {
    const dir = folder();
    const head = join(folder(), "head.json");
    const one = logIn(dir, { head, maxBytes: 1200 });
    const other = logIn(dir, { maxBytes: 1200 });
    for (let n = 1; n <= 3; n++) await one.append({ n });
    // It does not fit: the other one begins a new file, and leaves the first as it was.
    await other.append({ n: 4, long: "x".repeat(400) });
    expect(namesIn(dir)).toHaveLength(2);
    vi.advanceTimersToNextTimer();
    expect(readHead(head)?.seq).toBe(3);
    await one.append({ n: 5 });
    expect(numbersIn(dir)).toEqual({ seqs: upTo(6), entries: upTo(5) });
    expect(verifyLog(dir, [], readHead(head))).toMatchObject({ ok: true, lines: 6 });
  });

  type Step =
    | { readonly kind: "append"; readonly log: number; readonly sizes: readonly number[] }
    | { readonly kind: "note" | "reopen"; readonly log: number };
  const log = fc.nat(2);
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("append" as const),
        log,
        // Some fill a file, so that the next one is begun without a line more in this one.
        sizes: fc.array(fc.constantFrom(0, 0, 300, 700, 1500), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("note" as const), log }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const), log }) },
  );

  repeatedTest("in any interleaving produce one chain without lost entries", async () => {
    const root = folder();
    let run = 0;
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const dir = join(root, `${++run}`);
      const head = join(root, `${run}.json`);
      mkdirSync(dir);
      // Rotation by size; heads are noted by the timers of each, the earliest first.
      const open = (): AuditLog => logIn(dir, { head, maxBytes: 1200 });
      const logs = [open(), open(), open()];
      let count = 0;
      for (const { kind, log: at, ...rest } of steps) {
        const writer = logs[at];
        if (!writer) throw new Error("no such log");
        if (kind === "append" && "sizes" in rest) {
          const entries = rest.sizes.map((size) => ({ n: ++count, long: "x".repeat(size) }));
          await Promise.all(entries.map((entry) => writer.append(entry)));
        } else if (kind === "note") {
          vi.advanceTimersToNextTimer();
        } else {
          await writer.close();
          logs[at] = open();
        }
      }
      for (const each of logs) await each.close();
      const { seqs, entries } = numbersIn(dir);
      expect(entries).toEqual(upTo(count));
      expect(seqs).toEqual(upTo(seqs.length));
      expect(verifyLog(dir, [], readHead(head))).toMatchObject({ ok: true, damage: [], notes: [] });
    });
    await fc.assert(property, { numRuns: runCount(150) });
  });
});
