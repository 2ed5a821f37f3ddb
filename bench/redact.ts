import { createOrcs } from "orcs";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";

/** A line of a tool's result without a secret. */
const LINE =
  "2024-05-01T10:00:00Z INFO request id=42 path=/api/v1/users/42 took 12 ms, agent Mozilla/5.0 (X11; Linux)\n";
/** What somebody would write who has one expression for it all. */
const NAIVE =
  /(?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s{0,4}[:=]\s{0,4}["']?[^\s"']+|\b(?:ghp_|gho_|github_pat_|glpat-|xox[abpr]-|sk_live_|sk-|AKIA|AIza|npm_|hf_)[A-Za-z0-9_-]{16,}|eyJ[\w-]+\.[\w-]+\.[\w-]+|-----BEGIN [A-Z ]*PRIVATE KEY-----|:\/\/[^\s:@/]+:[^\s@/]+@/gi;

/** Masking secrets, held against one expression over the same text, and against writing the value as JSON. */
export async function redactRows(): Promise<Row[]> {
  const orcs = await createOrcs({ config: false });
  const text = (size: number): string => LINE.repeat(Math.ceil(size / LINE.length)).slice(0, size);
  const small = text(1_000);
  const large = text(100_000);
  const secret = `${small}export GITHUB_TOKEN=ghp_${"0a1b2c3d".repeat(5)}\n`;
  const payload = (said: string): Record<string, unknown> => ({
    tool_name: "exec",
    args: { command: "git log --oneline", timeout_ms: 1000 },
    result: { ok: true, stdout: said, code: 0 },
  });
  const cases = [
    ["redact_1kb", "a tool's result of 1 KB without a secret", small],
    ["redact_100kb", "a tool's result of 100 KB without a secret", large],
    ["redact_secret", "a tool's result of 1 KB with a secret", secret],
  ] as const;
  const rows: Row[] = [];
  for (const [key, what, said] of cases) {
    const value = payload(said) as never;
    const [us = NaN, naive = NaN] = await timings([
      { name: "redact", run: () => orcs.redact(value) },
      { name: "one expression", run: () => said.replace(NAIVE, "[redacted]") },
    ]);
    rows.push({
      key,
      what: `redact ${what}, against one expression`,
      us,
      baseline: naive,
      ratio: us / naive,
    });
  }
  await orcs.close();
  return [...rows, ...(await blockRows())];
}

/** How long the event loop stands still at most while `orcs:mask-secrets` looks at a large result, in milliseconds. */
async function blockRows(): Promise<Row[]> {
  const orcs = await createOrcs({
    auditDir: false,
    config: { hooks: [{ script: "orcs:mask-secrets" }] },
  });
  const secret = `export GITHUB_TOKEN=ghp_${"0a1b2c3d".repeat(5)}\n`;
  const cases = [
    ["mask_1mb_block_ms", "1 MB", 1_000_000, ""],
    ["mask_1mb_secret_block_ms", "1 MB with a secret", 1_000_000, secret],
    ["mask_5mb_block_ms", "5 MB", 5_000_000, ""],
  ] as const;
  const rows: Row[] = [];
  for (const [key, what, size, end] of cases) {
    const stdout = LINE.repeat(Math.ceil(size / LINE.length)).slice(0, size) + end;
    const payload = { tool_name: "exec", args: { command: "cat log" }, elapsed_ms: 1 };
    let best = Infinity;
    for (let round = 0; round < 15; round++) {
      const result = { ok: true, stdout, code: 0 };
      best = Math.min(
        best,
        await longestBlock(() => orcs.dispatch("tool.post_execute", { ...payload, result })),
      );
    }
    rows.push({
      key,
      what: `longest block of the event loop while ${what} is masked`,
      us: best * 1000,
      baseline: 1000,
      ratio: best,
    });
  }
  await orcs.close();
  return rows;
}

/** Milliseconds between two turns of the event loop at most, while something runs. */
async function longestBlock(run: () => Promise<unknown>): Promise<number> {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await turn();
  const over = new AbortController();
  let longest = 0;
  let last = performance.now();
  const running = run().finally(() => over.abort());
  while (!over.signal.aborted) {
    await turn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await running;
  return longest;
}
