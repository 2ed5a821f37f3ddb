/** A table of Markdown. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line)].join("\n");
}

/** A list of Markdown: names, and what each is. */
export function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, is]) => `- \`${name}\`: ${is}`).join("\n");
}
