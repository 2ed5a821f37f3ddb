/** What becomes of a line: "ask" is a stop, too, but not a refusal. */
export type Verdict = "pass" | "refuse" | "ask";

/** A command line with what its corpus wants of a guard. */
export interface Line {
  /** The name of its corpus, as the table shows it. */
  readonly corpus: string;
  readonly line: string;
  readonly wants: "stop" | "allow";
  /** File and line in the copy that was read. */
  readonly source: string;
  /** The rival's pack that the line tests. */
  readonly pack?: string;
  /** Working directory. Default: {@link CWD}. */
  readonly cwd?: string;
  /** The shell that the line is for, if it is not a POSIX shell. */
  readonly shell?: "powershell";
}

/** Where lines run that do not say where; the home is `/home/me`. */
export const CWD = "/work/project";
export const HOME = "/home/me";

/** Each line once. A line that its corpus wants both stopped and allowed (it depends on options) is left out. */
export function distinct(lines: readonly Line[]): Line[] {
  const kept = new Map<string, Line | undefined>();
  for (const line of lines) {
    const key = JSON.stringify([line.line, line.cwd ?? CWD, line.shell]);
    const before = kept.get(key);
    if (!kept.has(key)) kept.set(key, line);
    else if (before !== undefined && before.wants !== line.wants) kept.set(key, undefined);
  }
  return [...kept.values()].filter((line) => line !== undefined);
}
