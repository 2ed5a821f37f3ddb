import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readHead } from "../../src/records/audit/head.ts";
import { readLog } from "../../src/records/audit/read-log.ts";
import { verifyLog } from "../../src/records/audit/verify-log.ts";
import { folder } from "../dist/orcs.ts";
import { killWriters } from "./kill-writers.ts";

/** `ORCS_KILL_ROUNDS=200` for as many as the issue asks for. */
const ROUNDS = Number(process.env["ORCS_KILL_ROUNDS"] ?? 10);

test(
  `audit log writers killed ${ROUNDS} times: the chain is valid, with every returned decision once`,
  { timeout: 60_000 + ROUNDS * 5000 },
  async () => {
    const dir = folder();
    const state = folder();
    const { kills, answered, complaints } = await killWriters(dir, state, ROUNDS, Math.random);
    expect(complaints).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(ROUNDS);
    expect(answered.length).toBeGreaterThan(kills);
    const heads = join(state, "orcs", "audit-heads");
    const name = readdirSync(heads).find((each) => each.endsWith(".json")) ?? "";
    const head = readHead(join(heads, name));
    if (!head) throw new Error("no head is known");
    const { ok, damage, lines, files, notes, last_seq: last = 0 } = verifyLog(dir, [], head);
    expect(damage).toEqual([]);
    expect(ok).toBe(true);
    const logged = new Map<string, number>();
    let recovered = 0;
    for (const { record } of readLog(dir)) {
      if (record?.["kind"] === "recovered") recovered++;
      if (record?.["kind"] !== "dispatch") continue;
      const call = (record["reason"] as string).replace(/^no /, "");
      logged.set(call, (logged.get(call) ?? 0) + 1);
    }
    expect(answered.filter((call) => logged.get(call) !== 1)).toEqual([]);
    expect([...logged].filter(([, count]) => count > 1)).toEqual([]);
    // What is logged and was not heard of was on its way: four calls of each writer at most.
    const unheard = logged.size - answered.length;
    expect(unheard).toBeLessThanOrEqual(kills * 4);
    // What is cut off below the head shows; what stands above it was written in the last moments.
    expect(head.seq).toBeLessThanOrEqual(last);
    // All files: the head may stand in one that was set aside.
    for (const log of readdirSync(dir)) {
      if (log.endsWith(".jsonl")) writeFileSync(join(dir, log), "");
    }
    const cut = verifyLog(dir, [], head);
    expect(cut.damage.at(-1)?.message).toContain("ends before the last recorded head");
    const figures = {
      kills,
      above: last - head.seq,
      answered: answered.length,
      unheard,
      lines,
      files,
      recovered,
      notes,
    };
    process.stderr.write(`${JSON.stringify(figures)}\n`);
  },
);
