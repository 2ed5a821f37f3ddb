import { readFileSync } from "node:fs";
import type { Verdict } from "./guard-rig.ts";
import { DEV, HOME, PROGRAM } from "./self-guard-lines.ts";

/** A command line, and exactly what becomes of it. */
export type VerdictLine = readonly [line: string, verdict: Verdict["verdict"]];

/**
 * The lines of `lines/POLICY-verdicts.txt`: verdict, tab, line. `⏎` stands for a line break, `@HOME@` for the home
 * directory, `@PROGRAM@` and `@DEV@` for folders of the options of self-guard.
 */
export function verdictLines(policy: string): VerdictLine[] {
  const file = new URL(`lines/${policy}-verdicts.txt`, import.meta.url);
  const rows = readFileSync(file, "utf8").trimEnd().split("\n");
  return rows.map((row) => {
    const [verdict, ...line] = row.split("\t");
    const command = line
      .join("\t")
      .replaceAll("@HOME@", HOME)
      .replaceAll("@PROGRAM@", PROGRAM)
      .replaceAll("@DEV@", DEV)
      .replaceAll("⏎", "\n");
    return [command, verdict as Verdict["verdict"]];
  });
}
