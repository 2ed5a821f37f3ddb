/** Steps between two checks: at some 4 ns a step, 20 µs. */
const STEPS_PER_CHECK = 5_000;
/** Bytes of a simple loop (a scan, a copy) that may pass without a check: some 20 µs, too. */
export const BYTES_PER_STRETCH = 16_384;
/** How many bytes such a loop does in the time of one step, as a power of two. */
const BYTES_PER_STEP_LOG2 = 2;

/**
 * Counts the steps of matching and calls `check` every few microseconds, which throws to end it.
 *
 * The count goes on from one call to the next: a thousand short calls are checked like one long one.
 * `left` is public because the innermost loops count for themselves.
 */
export class PatternBudget {
  /** Steps left until the next check; whoever makes it negative calls {@link refill}. */
  left = STEPS_PER_CHECK;
  readonly #check: () => void;

  constructor(check: () => void) {
    this.#check = check;
  }

  /** Counts some steps. */
  spend(steps: number): void {
    if ((this.left -= steps) < 0) this.refill();
  }

  /** Counts the bytes of a simple loop or of a copy. */
  spendBytes(bytes: number): void {
    if ((this.left -= bytes >> BYTES_PER_STEP_LOG2) < 0) this.refill();
  }

  /** Starts the next stretch, after a check. */
  refill(): void {
    this.left = STEPS_PER_CHECK;
    this.#check();
  }
}
