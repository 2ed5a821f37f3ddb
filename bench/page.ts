import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { budgetText } from "./report.ts";
import type { Row } from "./report.ts";

const PAGE = new URL("../../docs/explanation/performance.md", import.meta.url);
/** A table of the page, and which groups it shows. */
const TABLE = /(<!-- figures: ([a-z_ ]+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;
const RUN = /<!-- run -->[\s\S]*?<!-- end of run -->/;

/**
 * Write the figures of one run into docs/explanation/performance.md. A table keeps what it has if one of its groups was not run, and
 * then those that were written name their own run.
 */
export function writePage(groups: Readonly<Record<string, readonly Row[]>>): void {
  const before = readFileSync(PAGE, "utf8");
  const all = Array.from(before.matchAll(TABLE), ([, , names = ""]) => names.split(" ")).flat();
  const isWhole = all.every((name) => groups[name] !== undefined);
  const note = isWhole ? "" : `\n${runText()}\n`;
  const after = before
    .replace(TABLE, (whole, begin: string, names: string, end: string) => {
      const rows = names.split(" ").map((name) => groups[name]);
      return rows.includes(undefined)
        ? whole
        : `${begin}\n${table(rows.flatMap((group) => group ?? []))}${note}\n${end}`;
    })
    .replace(RUN, (run) => (isWhole ? `<!-- run -->\n${runText()}\n<!-- end of run -->` : run));
  writeFileSync(PAGE, after);
}

function runText(): string {
  const model = cpus()[0]?.model ?? "";
  const day = new Date().toISOString().slice(0, 10);
  const [load = 0] = loadavg();
  const busy = load > cpus().length + 1 ? ", while the machine was busy with other work" : "";
  return `These figures are from one run on ${day}: Node ${process.version}, ${cpus().length} cores (${model.trim()})${busy}.`;
}

function table(rows: readonly Row[]): string {
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const head = [
    "what",
    "µs",
    "against, µs",
    "ratio",
    ...(hasBefore ? ["ratio before"] : []),
    "budget",
  ];
  const lines = rows.map((row) => [
    row.what.replaceAll("|", "\\|"),
    shown(row.us),
    row.baseline === undefined ? "" : shown(row.baseline),
    row.ratio === undefined ? "" : shown(row.ratio),
    ...(hasBefore ? [row.before === undefined ? "" : shown(row.before)] : []),
    budgetText(row.key),
  ]);
  const all = [head, head.map(() => "---"), ...lines];
  return `${all.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** Three digits that count. */
function shown(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))));
  return value.toLocaleString("en-US", {
    maximumFractionDigits: Math.min(digits, 2),
    useGrouping: true,
  });
}
