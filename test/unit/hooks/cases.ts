import { readFileSync } from "node:fs";

/** The rows of `lines/NAME.txt`. */
export const rowsIn = (name: string): string[] =>
  readFileSync(new URL(`lines/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((row) => row !== "" && !row.startsWith("== "));

/** The lines of a row. */
export const casesOf = (row: string): string[] =>
  row.split(" ¦ ").map((line) => line.replaceAll("⏎", "\n"));

/**
 * The command lines of `lines/NAME.txt`, of which short ones share a row: ` ¦ ` parts them, and `⏎` stands for a line
 * break within one. Rows that begin with `==` are headings.
 */
export function casesIn(name: string): string[] {
  return rowsIn(name).flatMap(casesOf);
}

/** The same of a file whose rows begin with what their lines are about, and a tab. */
export function namedCases(name: string): [what: string, line: string][] {
  return rowsIn(name).flatMap((row) => {
    const [what = "", ...lines] = row.split("\t");
    return casesOf(lines.join("\t")).map((line): [string, string] => [what, line]);
  });
}

/** The lines of such a file by what they are about. */
export function casesByName(name: string): [what: string, lines: string[]][] {
  const found = new Map<string, string[]>();
  for (const [what, line] of namedCases(name)) found.set(what, [...(found.get(what) ?? []), line]);
  return [...found];
}
