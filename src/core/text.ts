/** Escapes the control characters of a text, so that it cannot fake a line or control a terminal. */
export function escapeControl(text: string): string {
  return text.replaceAll(/(?!\t)\p{Cc}/gu, escapedUnits);
}

/** A text as JSON escapes it, in UTF-16 units. */
export function escapedUnits(text: string): string {
  return text.replaceAll(
    /[^]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A character as Lua and JavaScript escape it. */
export function escapedChar(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Longer texts are not names, and comparing them would be slow (quadratic in the length). */
const MOST_CHARACTERS = 200;
const MOST_CANDIDATES = 2000;

/**
 * The candidate most similar to a text, or undefined when none is similar enough. Uses the Levenshtein distance,
 * ignoring case; at most a third of the longer name may differ.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  if (written.length > MOST_CHARACTERS) return undefined;
  const from = written.toLowerCase();
  let compared = 0;
  for (const candidate of candidates) {
    const limit = Math.ceil(Math.max(from.length, candidate.length) / 3);
    // The difference in length is a lower bound of the distance.
    if (Math.abs(from.length - candidate.length) > limit) continue;
    if (++compared > MOST_CANDIDATES) break;
    const distance = editDistance(from, candidate.toLowerCase());
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The same as the end of a message; empty when nothing is similar enough. */
export function suggestion(written: string, candidates: Iterable<string>): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The beginning of a text for a message, and a sign if there is more. */
export function beginning(text: string, most = 200): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The same in quotation marks, with escapes. */
export function quotedBeginning(text: string, most?: number): string {
  return JSON.stringify(beginning(text, most));
}

/**
 * The rows of a table that is written as a text: a line each. A line that begins with blanks continues the row before
 * it, and `#` begins a comment.
 */
export function textRows(text: string): string[] {
  const rows = text.replaceAll(/\n[ \t]+/g, " ").split("\n");
  return rows.filter((row) => row !== "" && !row.startsWith("#"));
}

/** The cells of a row, which `|` separates; the last one may contain it. */
export function cellsOf(row: string, count: number): string[] {
  const cells = row.split("|");
  return [...cells.slice(0, count - 1), cells.slice(count - 1).join("|")].map((cell) =>
    cell.trim(),
  );
}

/** The words of a text, between blanks. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The same as a set. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}

/** Where the lines of a text begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last of some ascending numbers that is not above a value; 0 if all of them are. */
export function lastUpTo(numbers: readonly number[], value: number): number {
  let low = 0;
  for (let high = numbers.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}
