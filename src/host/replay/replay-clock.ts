import type { Clock } from "../../core/ports.ts";

/**
 * The clock of a record, in milliseconds since it was begun: it stands still during an event, and whoever sleeps
 * moves it on at once, until the next event.
 */
export class ReplayClock implements Clock {
  #now = 0;
  /** Never goes back, whatever the clock that was recorded did. */
  #began = 0;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.#now + ms;
    // Those who fall asleep at the same time wake at the same time; what is done meanwhile takes no time at all.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) return;
    this.#now = Math.max(this.#now, until);
  }

  /** An event begins. */
  begin(ms: number): void {
    if (ms > this.#began) this.#began = ms;
    this.#now = this.#began;
  }
}
