import { stripVTControlCharacters } from "node:util";

/** Rows as text in columns; the last column is left as wide as it is. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => width(row[i]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) =>
        i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - width(cell)),
      )
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((columns) => "─".repeat(columns))), ...rows.map(line)].join(
    "\n",
  );
}

/** Columns a cell takes on a terminal: colours take none. */
function width(cell = ""): number {
  return stripVTControlCharacters(cell).length;
}

/** Control characters escaped, so that what an agent sent cannot steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === "\n" ? "\\n" : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** A text cut to `most` characters. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
