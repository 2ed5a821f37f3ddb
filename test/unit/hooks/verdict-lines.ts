import { namedCases } from "./cases.ts";
import type { Verdict } from "./guard-rig.ts";
import { placed } from "./self-guard-lines.ts";

/** A command line, and exactly what becomes of it. */
export type VerdictLine = readonly [line: string, verdict: Verdict["verdict"]];

/** The lines of `lines/POLICY-verdicts.txt`, with their verdicts. */
export function verdictLines(policy: string): VerdictLine[] {
  return namedCases(`${policy}-verdicts`).map(([verdict, line]) => [
    placed(line),
    verdict as Verdict["verdict"],
  ]);
}
