import type { Clock } from "orcs";

/** The machine's clock, which knows how many sleep on it. */
export class CountingClock implements Clock {
  readonly #start = performance.now();
  #sleeping = 0;

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleeping;
  }

  now(): number {
    return performance.now() - this.#start;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sleeping++;
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        this.#sleeping--;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}
