import type { Place } from "./findings.ts";

/** Numbers of lines that are not where they belong, from the first to the last. */
export interface Gap extends Place {
  first: number;
  last: number;
  /** Whether it is at the start of a file, where old ones may have been removed. */
  readonly atStart: boolean;
}

/** More are merged with the last one: a log with so many is a ruin. */
const MAX_GAPS = 1000;

/** What is missing, as far as it has not turned up elsewhere. */
export class Gaps {
  readonly #gaps: Gap[] = [];

  add(gap: Gap): void {
    const last = this.#gaps.at(-1);
    if (last && this.#gaps.length === MAX_GAPS) last.last = gap.last;
    else this.#gaps.push(gap);
  }

  /** Take a number out; false where it is in none. */
  fill(seq: number): boolean {
    const index = this.#gaps.findIndex(({ first, last }) => first <= seq && seq <= last);
    const gap = this.#gaps[index];
    if (!gap) return false;
    const parts = [
      { ...gap, last: seq - 1 },
      { ...gap, first: seq + 1 },
    ];
    this.#gaps.splice(index, 1, ...parts.filter(({ first, last }) => first <= last));
    return true;
  }

  /** The last number between these that is in one. */
  lastWithin(first: number, last: number): number | undefined {
    const gap = this.#gaps.findLast((each) => each.first <= last && first <= each.last);
    return gap && Math.min(gap.last, last);
  }

  list(): readonly Gap[] {
    return this.#gaps;
  }
}
