/** A table written as text: rows of cells that ` | ` separates; an indented line goes on with the row above it. */
export function rows(text: string): string[][] {
  const lines = text.trim().replaceAll(/\n +/g, " ").split("\n");
  return lines.map((line) => line.split(/ \|(?: |$)/).map((cell) => cell.trim()));
}
