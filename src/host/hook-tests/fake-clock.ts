import type { Clock } from "../../core/ports.ts";

/** A clock for tests: it stands still, and sleeping moves it on at once. */
export class FakeClock implements Clock {
  #now: number;

  /** @param now milliseconds */
  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    const until = this.#now + ms;
    // Those who fall asleep at the same time wake at the same time.
    await Promise.resolve();
    this.#now = Math.max(this.#now, until);
  }

  /** Move on by `ms`. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Say what time it is. */
  set(now: number): void {
    this.#now = now;
  }
}
