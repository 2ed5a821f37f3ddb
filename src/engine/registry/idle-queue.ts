import { withTimeLimit } from "../../core/index.ts";

/** Work that nobody waits for. */
interface IdleJob {
  /** Called in a turn of the event loop of its own. Rejections are ignored. */
  run(): Promise<void>;
  /** It will not run. */
  dropped(): void;
}

/** Jobs that may wait at the same time. */
const MOST_JOBS = 1000;

/** Jobs that may be in flight at the same time. */
const MOST_RUNNING = 100;

/**
 * Runs jobs one after the other, one per turn of the event loop, so that other events are served between two of them.
 * Bounded: what comes when it is full is dropped.
 */
export class IdleQueue {
  #jobs: IdleJob[] = [];
  readonly #running = new Set<Promise<void>>();
  #next: NodeJS.Immediate | undefined;
  #held = false;
  #closed = false;

  /** Start nothing before `idle` or `close`. */
  hold(): void {
    this.#held = true;
  }

  add(job: IdleJob): void {
    if (this.#closed || this.#jobs.length >= MOST_JOBS) return job.dropped();
    this.#jobs.push(job);
    this.#schedule();
  }

  /** Count work that a job has begun as part of it. */
  track(work: Promise<void>): void {
    const done = work
      .catch(() => undefined)
      .finally(() => {
        this.#running.delete(done);
        this.#schedule();
      });
    this.#running.add(done);
  }

  /** Whether nothing waits or runs. */
  get isIdle(): boolean {
    return this.#jobs.length === 0 && this.#running.size === 0;
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    this.#held = false;
    this.#schedule();
    while (this.#jobs.length > 0 || this.#running.size > 0) {
      await (this.#jobs.length > 0
        ? new Promise((resolve) => setImmediate(resolve))
        : Promise.all(this.#running));
    }
  }

  /**
   * Wait until nothing waits or runs, at most for `ms`; then take no more, and drop what has not begun.
   * @returns how many had not ended
   */
  async close(ms: number): Promise<number> {
    await withTimeLimit(ms, this.idle());
    this.#closed = true;
    const left = this.#jobs;
    this.#jobs = [];
    for (const job of left) job.dropped();
    return left.length + this.#running.size;
  }

  #schedule(): void {
    if (this.#next || this.#held || this.#jobs.length === 0) return;
    if (this.#running.size >= MOST_RUNNING) return;
    this.#next = setImmediate(() => {
      this.#next = undefined;
      const job = this.#jobs.shift();
      if (job) this.track(job.run());
      this.#schedule();
    });
  }
}
