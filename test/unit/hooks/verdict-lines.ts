import { namedCases } from "./cases.ts";
import type { Verdict } from "./guard-rig.ts";
import { DEV, HOME, PROGRAM } from "./self-guard-lines.ts";

/** A command line, and exactly what becomes of it. */
export type VerdictLine = readonly [line: string, verdict: Verdict["verdict"]];

/**
 * The lines of `lines/POLICY-verdicts.txt`, by verdict. `@HOME@` stands for the home directory, `@PROGRAM@` and `@DEV@`
 * for folders of the options of self-guard.
 */
export function verdictLines(policy: string): VerdictLine[] {
  return namedCases(`${policy}-verdicts`).map(([verdict, line]) => [
    line.replaceAll("@HOME@", HOME).replaceAll("@PROGRAM@", PROGRAM).replaceAll("@DEV@", DEV),
    verdict as Verdict["verdict"],
  ]);
}
