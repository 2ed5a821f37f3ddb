/** Counts frequent events, and tells when to log them: at the first one, and whenever the count has doubled. */
export class LogThrottle {
  readonly #counts = new Map<string, number>();

  /** Count another one. Returns the count if it must be logged, otherwise undefined. */
  another(what: string): number | undefined {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }

  /** Start counting again. */
  forget(what: string): void {
    this.#counts.delete(what);
  }
}
