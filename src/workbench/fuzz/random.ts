/** A stream of random numbers that is determined by its seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, n). */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** A copy in random order (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const all = [...items];
    for (let at = all.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [all[at], all[other]] = [all[other] as T, all[at] as T];
    }
    return all;
  }
}
