import { readFileSync, writeFileSync } from "node:fs";
import { scoreOf } from "../../src/cli/test.ts";
import type { FileResult } from "./results.ts";
import { byPart } from "./sample.ts";

const PAGE = new URL("../../docs/how-to/testing.md", import.meta.url);
const FIGURES = /(<!-- mutants -->\n)[\s\S]*?(<!-- end of mutants -->)/;

/** Write the table of all files into docs/how-to/testing.md. */
export function writePage(files: readonly FileResult[]): void {
  const before = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    before.replace(FIGURES, (_, begin: string, end: string) => `${begin}\n${table(files)}\n${end}`),
  );
}

function table(files: readonly FileResult[]): string {
  const groups = byPart(files);
  const rows = [...groups].map(([name, scores]) => rowOf(`\`${name}\``, scores));
  const head = ["files", "changes", "tried", "seed", "killed", "% of tried"];
  const all = [...rowOf("all", files).slice(0, 5), weighted([...groups.values()])];
  const [header, ...lines] = [head, ...rows, all].map((cells) => `| ${cells.join(" | ")} |\n`);
  return `${header}|${"---|".repeat(head.length)}\n${lines.join("")}`;
}

/** Percent of all changes, if those that were tried speak for their group: samples of groups differ in size. */
function weighted(groups: readonly (readonly FileResult[])[]): string {
  const sum = (some: readonly FileResult[], of: "found" | "mutants" | "killed") =>
    some.reduce((all, score) => all + score[of], 0);
  const tried = groups.filter((group) => sum(group, "mutants") > 0);
  const noticed = tried.map(
    (group) => (sum(group, "found") * sum(group, "killed")) / sum(group, "mutants"),
  );
  const changes = tried.map((group) => sum(group, "found"));
  const total = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return `${((100 * total(noticed)) / total(changes)).toFixed(1)} of all changes`;
}

function rowOf(name: string, scores: readonly FileResult[]): string[] {
  const sum = (of: "found" | "mutants" | "killed") =>
    scores.reduce((all, score) => all + score[of], 0);
  const percent = (some: readonly FileResult[]) =>
    some.some(({ mutants }) => mutants > 0) ? scoreOf(some).toFixed(1) : "not tried";
  const seeds = [
    ...new Set(scores.flatMap(({ seed, mutants, found }) => (mutants < found ? (seed ?? []) : []))),
  ];
  const [found, tried, killed] = [sum("found"), sum("mutants"), sum("killed")];
  return [name, `${found}`, `${tried}`, seeds.join(", "), `${killed}`, percent(scores)];
}
