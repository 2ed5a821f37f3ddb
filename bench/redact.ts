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
  return rows;
}
