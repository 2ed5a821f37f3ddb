import type { Verdict } from "./guard.ts";

/** Lines that are tried at a level, and what becomes of each. */
export interface Group {
  /** The trick by which a guard may be walked round, or made to refuse what is harmless. */
  readonly trick: string;
  /** Default: "default". */
  readonly level?: "strict" | "paranoid";
  readonly refuse?: string;
  readonly ask?: string;
  readonly pass?: string;
}

/** One command line with its verdict. */
export interface Row {
  readonly trick: string;
  readonly level: string;
  readonly line: string;
  readonly verdict: Verdict;
}

/** A line as it is run: `⏎` stands for a line break, `ˋ` for a backtick, `$\{` for `${`. */
export function lineOf(written: string): string {
  return written.replaceAll("⏎", "\n").replaceAll("ˋ", "`").replaceAll("$\\{", "${");
}

/** The rows of groups: one line each. */
export function rowsOf(groups: readonly Group[]): Row[] {
  return groups.flatMap(({ trick, level = "default", ...lines }) =>
    VERDICTS.flatMap((verdict) =>
      (lines[verdict] ?? "")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({
          trick,
          level,
          line: lineOf(line),
          verdict,
        })),
    ),
  );
}

const VERDICTS = ["refuse", "ask", "pass"] as const satisfies readonly Verdict[];
