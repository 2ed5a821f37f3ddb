import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { PAYLOAD } from "./context.ts";
import { median, quantile } from "./measure.ts";
import type { Row } from "./report.ts";

const POINT = "tool.pre_execute";
const ROUNDS = 3000;
const WARM = 500;

/** A guard as people have it, and two hooks of their own. */
export const ENFORCED = [
  { id: "shell-guard", script: "orcs:shell-guard" },
  {
    id: "no-force",
    point: POINT,
    match: { runs: "git push --force" },
    handler_inline: 'orcs.deny("no")',
  },
  {
    id: "count",
    point: POINT,
    handler_inline: 'ctx.metadata.n = #ctx.payload.args.command; orcs.state.incr("calls", 1)',
  },
];
const SHADOW = [
  {
    id: "new-guard",
    point: POINT,
    mode: "audit",
    match: { tool: "exec" },
    handler_inline: 'if ctx.payload.args.command:find("git") then return orcs.deny("not yet") end',
  },
  {
    id: "new-pattern",
    point: POINT,
    mode: "audit",
    match: { runs: ["git status", "rm -r*"] },
    handler_inline: 'ctx.payload.args.command = "true"; return orcs.ask("sure?")',
  },
];

/** What hooks in shadow cost the decision that they look at, and what the report about them takes. */
export async function shadowRows(): Promise<Row[]> {
  return [await delayRow(), reportRow()];
}

async function delayRow(): Promise<Row> {
  const plain = await createOrcs({ config: { hooks: ENFORCED } });
  const beside = await createOrcs({ config: { hooks: [...ENFORCED, ...SHADOW] } });
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < WARM + ROUNDS; i++) {
    // They take turns, and the hooks in shadow run before the next one's turn.
    for (const [at, orcs] of [plain, beside].entries()) {
      const us = await decisionUs(orcs);
      if (i >= WARM) times[at]?.push(us);
      await orcs.registry.shadow.queue.idle();
    }
  }
  await Promise.all([plain.close(), beside.close()]);
  const [without, with_] = times.map((all) => quantile(all, 0.25)) as [number, number];
  return {
    key: "shadow_delay",
    what: "a decision with two hooks in shadow, against the same set without them",
    us: with_,
    baseline: without,
    ratio: with_ / without,
  };
}

async function decisionUs(orcs: Orcs): Promise<number> {
  const started = performance.now();
  await orcs.dispatch(POINT, PAYLOAD);
  return (performance.now() - started) * 1000;
}

/** Entries of the report. */
const ENTRIES = 50_000;
const HASH = "0123456789abcdef".repeat(4);

/** Prints the CPU time of a process at its end, in microseconds. */
const TELL_CPU =
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();process.stderr.write(`cpu ${user+system}`)})';

/** `orcs audit report --shadow` as a process: its CPU time, against a second. */
function reportRow(): Row {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  try {
    writeFileSync(join(folder, "audit.jsonl"), Array.from({ length: ENTRIES }, line).join(""));
    const us = median(Array.from({ length: 5 }, () => reportUs(folder)));
    return {
      key: "shadow_report",
      what: "orcs audit report --shadow of 50,000 entries: CPU time, against a second",
      us,
      baseline: 1e6,
      ratio: us / 1e6,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function reportUs(folder: string): number {
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const asked = ["audit", "report", "--shadow", "--json", "--dir", folder];
  const tell = ["--import", `data:text/javascript,${encodeURIComponent(TELL_CPU)}`];
  const { stdout, stderr } = spawnSync(process.execPath, [...tell, main, ...asked], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const reports = JSON.parse(stdout) as { entries: number }[];
  const entries = reports.reduce((sum, each) => sum + each.entries, 0);
  const [, us] = /cpu (\d+)$/.exec(stderr) ?? [];
  if (entries !== ENTRIES || us === undefined) throw new Error(`${entries} entries were reported`);
  return Number(us);
}

function line(_: unknown, i: number): string {
  const entry = {
    kind: "shadow",
    mode: "audit",
    point: POINT,
    component: "agent::claude-code",
    session: `session-${i % 200}`,
    action: i % 3 === 0 ? "abort" : "rewrite",
    tool: "exec",
    subject: `git push --force origin branch-${i}`,
    hook: `guard-${i % 20}`,
    source: "hooks/guard.lua:3",
    script: HASH,
    config: HASH,
    input: `sha256:${HASH}`,
    reason: "a force push loses work of others",
    patch: [{ op: "replace", path: "/payload/args/command", value: "true" }],
    enforced: { action: "continue" },
    duration_ms: 0.42,
  };
  const time = new Date(Date.UTC(2026, 0, 1) + i * 1000);
  return `${JSON.stringify({ v: 1, seq: i + 1, time, pid: 1, ...entry, prev: HASH, hash: HASH })}\n`;
}
