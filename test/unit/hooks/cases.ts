import { readFileSync } from "node:fs";

/**
 * The command lines of `lines/NAME.txt`, of which short ones share a row: ` ¦ ` parts them, and `⏎` stands for a line
 * break within one. Rows that begin with `==` are headings.
 */
export function casesIn(name: string): string[] {
  const text = readFileSync(new URL(`lines/${name}.txt`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((row) => row !== "" && !row.startsWith("== "))
    .flatMap((row) => row.split(" ¦ "))
    .map((line) => line.replaceAll("⏎", "\n"));
}
