import type { FileScore, MutationReport, Survivor } from "../engine/index.ts";
import { counted, printable, renderTable } from "./table.ts";
import type { Palette } from "./terminal.ts";

/** Percent of mutants that tests killed; 100 without mutants. */
export function scoreOf(files: readonly FileScore[]): number {
  const sum = (of: "killed" | "mutants"): number => files.reduce((all, file) => all + file[of], 0);
  return sum("mutants") === 0 ? 100 : (100 * sum("killed")) / sum("mutants");
}

/** What `orcs test --mutate` prints: the survivors, a table of the files, and the score. */
export function mutationText(report: MutationReport, { green, red, bold }: Palette): string {
  const { files, survivors, median_ms, found, tests } = report;
  const blocks = survivors.map((survivor) => survivorText(survivor, bold));
  const total = files.reduce((sum, { mutants }) => sum + mutants, 0);
  if (total === 0) return "nothing to change: the tests load no Lua of their own\n";
  const rows = files.map((score) => {
    const { file, mutants, killed } = score;
    return [file, percent(scoreOf([score])), `${killed}/${mutants}`];
  });
  blocks.push(renderTable(["file", "score", "killed"], rows));
  const score = `${percent(scoreOf(files))} of ${counted(total, "mutant")} killed`;
  const sampled = total < found ? ` (a sample of ${found})` : "";
  const color = survivors.length === 0 ? green : red;
  const time = `${counted(tests, "test")}, ${median_ms.toFixed(1)} ms per mutant (median)`;
  blocks.push(`${color(score)}${sampled}; ${time}`);
  return `${blocks.join("\n\n")}\n`;
}

/** Rounded down: 100 % means all. */
function percent(score: number): string {
  return `${Math.floor(score)}%`;
}

/** A survivor: where it is, what was changed, and which test is missing. */
export function survivorText(survivor: Survivor, bold: Palette["bold"]): string {
  const { file, line, column, from, to, killer, tests } = survivor;
  const at = bold(printable(`${file}:${line}:${column}`));
  const missing =
    tests === 0
      ? `no test runs this line: ${killer}`
      : `${tests === 1 ? "1 test passes" : `${tests} tests pass`} on it; missing: ${killer}`;
  return [at, `  ${printable(from)}  →  ${printable(to)}`, `  ${printable(missing)}`].join("\n");
}

/** The documented form of `--json`. */
export function mutationJson(report: MutationReport, ok: boolean) {
  const { files, survivors, tests, found, median_ms, duration_ms } = report;
  const total = files.reduce((sum, { mutants }) => sum + mutants, 0);
  return {
    ok,
    score: scoreOf(files),
    mutants: total,
    killed: total - survivors.length,
    survived: survivors.length,
    found,
    tests,
    median_ms,
    duration_ms,
    files: files.map((score) => {
      const { file, mutants, killed } = score;
      return { file, mutants, killed, score: scoreOf([score]) };
    }),
    survivors: survivors.map(({ file, line, column, kind, from, to, killer, tests: ran }) => ({
      file,
      line,
      column,
      kind,
      from,
      to,
      tests: ran,
      missing: killer,
    })),
  };
}
