import type { Clock, Logger } from "../../core/ports.ts";

/** The same mistake is told again after so many milliseconds: a full disk fails with each call. */
const AGAIN_MS = 60_000;

/** Tells of a log that cannot be written: when it begins, now and then while it lasts, and when it is over. */
export class SinkFailures {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #missed = 0;
  #why = "";
  #toldAt = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** So many more entries are missing. */
  tell(why: string, entries: number): void {
    const isFirst = this.#missed === 0;
    this.#missed += entries;
    const now = this.#clock.now();
    if (why === this.#why && now - this.#toldAt < AGAIN_MS) return;
    this.#why = why;
    this.#toldAt = now;
    this.#logger.error(isFirst ? why : `${why} (${this.#missed} entries so far)`);
  }

  /** An entry was written. @returns how many before it were not, and why, if there are any */
  ended(): { readonly entries: number; readonly reason: string } | undefined {
    if (this.#missed === 0) return undefined;
    const missed = { entries: this.#missed, reason: this.#why };
    this.#missed = 0;
    this.#why = "";
    this.#logger.warn(`the audit log is written again: ${missed.entries} entries are missing`);
    return missed;
  }
}
