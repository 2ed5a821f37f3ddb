import { readFileSync } from "node:fs";

/** One line of the table. */
export interface Row {
  /** Name in budget.json; a row without a budget is printed only. */
  readonly key: string;
  readonly what: string;
  /** Microseconds of the subject, and of what it is held against. */
  readonly us: number;
  readonly baseline?: number;
  readonly ratio?: number;
  /** The ratio of an older package, measured in the same run. */
  readonly before?: number | undefined;
  /** A second way to meet the budget, in microseconds. */
  readonly absolute?: number;
}

interface Budget {
  readonly min?: number;
  readonly max?: number;
  /** Meets the budget at or below this many microseconds, whatever the ratio. */
  readonly or_max_us?: number;
  /** What the ratio should be and is not yet: the budget keeps it from getting worse. */
  readonly goal?: number;
}

/** The rows that break their budget. */
export function brokenRows(rows: readonly Row[]): Row[] {
  const budgets = readBudgets();
  return rows.filter((row) => !holds(row, budgets[row.key]));
}

/** Print the rows with their budgets. */
export function report(rows: readonly Row[]): void {
  const broken = brokenRows(rows);
  const width = Math.max(...rows.map(({ what }) => what.length));
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const head = `${"".padEnd(width)}       µs   against   ratio${hasBefore ? "  before" : ""}  budget`;
  process.stdout.write(`${head}\n`);
  for (const row of rows) {
    const cells = [
      row.what.padEnd(width),
      row.us.toFixed(2).padStart(8),
      (row.baseline?.toFixed(2) ?? "").padStart(9),
      (row.ratio?.toFixed(2) ?? "").padStart(7),
      ...(hasBefore ? [(row.before?.toFixed(2) ?? "").padStart(7)] : []),
      ` ${budgetText(row.key)}`,
      broken.includes(row) ? "BROKEN" : "",
    ];
    process.stdout.write(`${cells.join(" ").trimEnd()}\n`);
  }
}

/** What a row is to keep to, in words; empty where it has no budget. */
export function budgetText(key: string): string {
  const budget = readBudgets()[key];
  if (!budget) return "";
  const parts = [
    budget.min === undefined ? "" : `>= ${budget.min}`,
    budget.max === undefined ? "" : `<= ${budget.max}`,
    budget.or_max_us === undefined ? "" : `or <= ${budget.or_max_us} µs`,
    budget.goal === undefined ? "" : `(goal <= ${budget.goal})`,
  ];
  return parts.filter(Boolean).join(" ");
}

function readBudgets(): Readonly<Record<string, Budget>> {
  // As compiled or bundled, it is in bench/build: the bundler only replaces the whole expression of a module's place.
  const { url } = import.meta;
  const file = new URL("../budget.json", url);
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, Budget>;
}

function holds({ ratio, absolute }: Row, budget: Budget | undefined): boolean {
  if (!budget || ratio === undefined) return true;
  if (budget.or_max_us !== undefined && absolute !== undefined && absolute <= budget.or_max_us) {
    return true;
  }
  return ratio >= (budget.min ?? -Infinity) && ratio <= (budget.max ?? Infinity);
}
