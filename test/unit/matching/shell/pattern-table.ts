import { readFileSync } from "node:fs";

/** What a pattern holds for, and what it does not. */
export interface PatternRows {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/**
 * The patterns of `NAME.txt`: below each the commands that it holds for, behind `+`, and those that it does not hold
 * for, behind `-`. `¦` parts them; `⏎`, `␍` and `⇥` stand for ends of lines and a tab, `∅` for nothing.
 */
export function patternTable(name: string): Readonly<Record<string, PatternRows>> {
  const text = readFileSync(new URL(`${name}.txt`, import.meta.url), "utf8");
  const table: Record<string, { yes: string[]; no: string[] }> = {};
  let current = { yes: [] as string[], no: [] as string[] };
  for (const row of text.trimEnd().split("\n")) {
    const [, sign, commands = ""] = /^([+-]) (.*)$/.exec(row) ?? [];
    if (sign === undefined) {
      current = { yes: [], no: [] };
      table[row] = current;
      continue;
    }
    const written = commands.replaceAll("⏎", "\n").replaceAll("␍", "\r").replaceAll("⇥", "\t");
    const each = written.split(" ¦ ").map((command) => (command === "∅" ? "" : command));
    current[sign === "+" ? "yes" : "no"].push(...each);
  }
  return table;
}
