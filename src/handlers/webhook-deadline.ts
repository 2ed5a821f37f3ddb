/** How the time of one call ends: by itself, or because the caller wants everything to end. */
type Ended = "timeout" | "aborted";

/** The time that one call has, retries and bodies included. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  #ended: Ended | undefined;
  #reject!: (reason: Error) => void;

  /** Rejects when time is up: a wait that misses the signal ends all the same. */
  readonly over = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });

  /**
   * @param ms at most 2^31 - 1
   * @param outer ends it early
   */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#end = performance.now() + ms;
    this.#timer = setTimeout(() => this.#expire("timeout"), ms);
    this.#outer = outer;
    outer?.addEventListener("abort", this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
  }

  /** Aborts when time is up, or when the outer signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why time is up; undefined while it is not. */
  get ended(): Ended | undefined {
    return this.#ended;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** Let go of the timer and the outer signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#expire("aborted");

  #expire(why: Ended): void {
    this.#ended ??= why;
    this.#controller.abort();
    this.#reject(new Error(why));
  }
}
