/** The processes that one owner has running, so that it can end them all when it closes. */
export class ProcessSet {
  readonly #kills = new Set<() => void>();
  #closed = false;

  /** How many are running. */
  get size(): number {
    return this.#kills.size;
  }

  /** Once closed, nothing starts in it any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Take a running process in.
   * @param kill ends it with all that it started
   * @returns takes it out again
   */
  add(kill: () => void): () => void {
    this.#kills.add(kill);
    return () => void this.#kills.delete(kill);
  }

  /** Kill what is running; their runs end as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const kill of this.#kills) kill();
  }
}
