import type { Range } from "./ast.ts";

/** Where a range begins, line and column from 1, and how much of it stands on that line. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A function that gives the places of ranges of a text. Columns and lengths count UTF-16 units. */
export function placesIn(text: string): (range: Range) => Place {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return ({ start, end }) => {
    let low = 0;
    for (let high = starts.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    const lineStart = starts[low] ?? 0;
    const lineEnd = (starts[low + 1] ?? text.length + 1) - 1;
    return {
      line: low + 1,
      column: start - lineStart + 1,
      length: Math.max(1, Math.min(end, lineEnd) - start),
    };
  };
}
