/** Unchanged lines that are shown around a change. */
const AROUND = 2;
/** Beyond this many lines a diff is cut: nobody reads it at a prompt. */
const MOST_LINES = 60;

/**
 * What changes in a text, by lines: `-` goes, `+` comes. One stretch is shown, from the first line that
 * differs to the last.
 */
export function textDiff(before: string, after: string): string {
  const [old, next] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const begin = Math.max(0, head - AROUND);
  return cut([
    ...marked(" ", old.slice(begin, head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", next.slice(head, next.length - tail)),
    ...marked(" ", next.slice(next.length - tail, next.length - Math.max(0, tail - AROUND))),
  ]).join("\n");
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const hidden = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), `… ${hidden} more lines`];
}
