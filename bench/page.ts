import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { budgetText } from "./report.ts";
import type { Row } from "./report.ts";

const PAGE = new URL("../../docs/explanation/performance.md", import.meta.url);
/** A table of the page, which groups it shows, and of which commit it is. */
const TABLE = /<!-- figures: ([a-z_ ]+) -->\n([\s\S]*?)<!-- end of figures(?:: ([\w-]+))? -->/g;
const RUN = /<!-- run -->[\s\S]*?<!-- end of run -->/;

/** The groups that the page shows. */
export function pageGroups(): string[] {
  return Array.from(readFileSync(PAGE, "utf8").matchAll(TABLE), ([, names = ""]) =>
    names.split(" "),
  ).flat();
}

/**
 * Write the figures of one run into docs/explanation/performance.md. A table keeps what it has if one of its groups was
 * not run, which `pageProblems` reports when something was committed in between.
 */
export function writePage(groups: Readonly<Record<string, readonly Row[]>>): void {
  const commit = git("describe", "--always", "--dirty", "--exclude=*");
  const before = readFileSync(PAGE, "utf8");
  const after = before
    .replace(TABLE, (whole, names: string) => {
      const rows = names.split(" ").map((name) => groups[name]);
      return rows.includes(undefined)
        ? whole
        : `<!-- figures: ${names} -->\n\n${table(rows.flatMap((group) => group ?? []))}\n<!-- end of figures: ${commit} -->`;
    })
    .replace(RUN, `<!-- run -->\n${runText()}\n<!-- end of run -->`);
  writeFileSync(PAGE, after);
}

/** What a reader could not rely on: tables without figures, and tables that cannot be compared. */
export function pageProblems(text: string): string[] {
  const tables = Array.from(text.matchAll(TABLE), ([, names = "", rows = "", commit = "none"]) => ({
    names,
    rows,
    commit,
  }));
  const commits = new Set(tables.map(({ commit }) => commit));
  return [
    ...tables.filter(({ rows }) => rows.trim() === "").map(({ names }) => `no figures: ${names}`),
    ...(commits.size > 1 ? [`tables of several commits: ${[...commits].join(", ")}`] : []),
  ];
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

function runText(): string {
  const model = cpus()[0]?.model ?? "";
  const day = new Date().toISOString().slice(0, 10);
  const [load = 0] = loadavg();
  const busy = load > cpus().length + 1 ? ", while the machine was busy with other work" : "";
  return `The figures are from one run on ${day}: Node ${process.version}, ${cpus().length} cores (${model.trim()})${busy}.`;
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
  // What has a budget: the others are for whoever runs the bench.
  const kept = rows.filter(({ key }) => budgetText(key) !== "");
  const lines: string[][] = [];
  for (const row of kept) {
    lines.push([
      row.what.replaceAll("|", "\\|"),
      shown(row.us),
      row.baseline === undefined ? "" : shown(row.baseline),
      row.ratio === undefined ? "" : shown(row.ratio),
      ...(hasBefore ? [row.before === undefined ? "" : shown(row.before)] : []),
      budgetText(row.key),
    ]);
  }
  const [header, ...others] = [head, ...lines].map((cells) => `| ${cells.join(" | ")} |\n`);
  return `${header}|${"---|".repeat(head.length)}\n${others.join("")}`;
}

/** Three digits that count. */
function shown(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))));
  return value.toLocaleString("en-US", {
    maximumFractionDigits: Math.min(digits, 2),
    useGrouping: true,
  });
}
