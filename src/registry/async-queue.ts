/** A run that nobody waits for. */
export interface Job {
  run(): unknown;
  /** It will not run. */
  dropped(): void;
}

/** Jobs that may wait or run at the same time, of all hooks together. */
const MOST_JOBS = 1000;

/**
 * Runs the hooks that nobody waits for: each hook's own one after the other, in the order of their
 * dispatches, those of different hooks side by side. Bounded: what comes when it is full is dropped.
 */
export class AsyncQueue {
  /** The last job of each hook. */
  readonly #tails = new Map<string, Promise<void>>();
  /** Those that have not begun. */
  readonly #waiting = new Set<Job>();
  #pending = 0;
  #dropped = 0;
  #closed = false;

  /** How many jobs wait or run. */
  get pending(): number {
    return this.#pending;
  }

  /** How many jobs were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Run a job when those of the same key have ended, and not before the caller's own turn is over. It is
   * dropped when there are too many.
   */
  add(key: string, job: Job): void {
    if (this.#closed || this.#pending >= MOST_JOBS) {
      this.#drop(job);
      return;
    }
    this.#pending++;
    this.#waiting.add(job);
    const before = this.#tails.get(key) ?? new Promise<void>((resolve) => setImmediate(resolve));
    const tail = before
      .then(() => this.#run(job))
      // A hook that fails is reported where it runs; what is left is a logger that throws.
      .catch(() => undefined)
      .finally(() => {
        this.#pending--;
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
  }

  /**
   * Wait for the jobs there are and for those that they add, at most for `ms`; then take no more. Jobs
   * that have not begun by then are dropped.
   * @returns how many had not ended
   */
  async close(ms: number): Promise<number> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.idle(), late]);
    clearTimeout(timer);
    this.#closed = true;
    const left = [...this.#waiting];
    this.#waiting.clear();
    for (const job of left) this.#drop(job);
    return this.#pending;
  }

  #drop(job: Job): void {
    this.#dropped++;
    job.dropped();
  }

  /** Settles when nothing waits or runs: what runs may add more. */
  async idle(): Promise<void> {
    while (this.#pending > 0) await Promise.all(this.#tails.values());
  }

  async #run(job: Job): Promise<void> {
    if (this.#waiting.delete(job)) await job.run();
  }
}
