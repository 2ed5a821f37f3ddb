/**
 * How often things happen that may happen very often, and when that is worth another line in the log: for
 * the first time, and each time that it has doubled.
 */
export class LogThrottle {
  readonly #counts = new Map<string, number>();

  /** It happened again: how often by now, or undefined when that need not be told. */
  another(what: string): number | undefined {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }

  /** It begins anew. */
  forget(what: string): void {
    this.#counts.delete(what);
  }
}
