/** Number of unchanged lines around a change. */
const AROUND = 2;
/** A longer diff is truncated: nobody reads it at a prompt. */
const MOST_LINES = 60;
/** Beyond this many pairs of lines the whole text counts as changed. */
const MOST_PAIRS = 4_000_000;

/** The changes of a text by lines: `-` removed, `+` added, with two lines of context. */
export function textDiff(before: string, after: string): string {
  const marked = markedLines(before.split("\n"), after.split("\n"));
  const near = (at: number): boolean =>
    marked.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => !line.startsWith(" "));
  const shown: string[] = [];
  for (const [at, line] of marked.entries()) {
    if (near(at)) shown.push(line.trimEnd());
    else if (at > 0 && near(at - 1)) shown.push("…");
  }
  if (shown.at(-1) === "…") shown.pop();
  const hidden = shown.length - MOST_LINES;
  const cut = hidden > 0 ? [...shown.slice(0, MOST_LINES), `… ${hidden} more lines`] : shown;
  return cut.join("\n");
}

function markedLines(old: readonly string[], next: readonly string[]): string[] {
  const lines: string[] = [];
  const common = commonLengths(old, next);
  const width = next.length + 1;
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push(`  ${old[i]}`);
      i++;
      j++;
      continue;
    }
    const without = common?.[(i + 1) * width + j] ?? 0;
    const withNext = common?.[i * width + j + 1] ?? 0;
    if (i < old.length && (j === next.length || without >= withNext)) lines.push(`- ${old[i++]}`);
    else lines.push(`+ ${next[j++]}`);
  }
  return lines;
}

/** For each pair of positions, the number of common lines in the rest; undefined when there are too many. */
function commonLengths(old: readonly string[], next: readonly string[]): Uint32Array | undefined {
  const width = next.length + 1;
  if ((old.length + 1) * width > MOST_PAIRS) return undefined;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] =
        old[i] === next[j]
          ? 1 + (common[at + width + 1] ?? 0)
          : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  return common;
}
