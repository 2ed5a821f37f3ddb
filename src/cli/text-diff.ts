import { lineDiff } from "../core/index.ts";

/** Number of unchanged lines around a change. */
const AROUND = 2;
/** A longer diff is truncated: nobody reads it at a prompt. */
const MOST_LINES = 60;
/** The changes of a text by lines: `-` removed, `+` added, with two lines of context. */
export function textDiff(before: string, after: string): string {
  const marked = lineDiff(before.split("\n"), after.split("\n"));
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
