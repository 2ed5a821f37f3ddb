/** How many withdrawn ones may take memory, whatever else waits. */
const FEW = 64;

/** A bounded queue, first in, first out. What was withdrawn takes no place. */
export class Mailbox<T> {
  readonly #most: number;
  readonly #isWithdrawn: (item: T) => boolean;
  #items: (T | undefined)[] = [];
  #head = 0;
  #withdrawn = 0;

  /** @param isWithdrawn of an item: whether `withdraw` was said of it */
  constructor(most: number, isWithdrawn: (item: T) => boolean) {
    this.#most = most;
    this.#isWithdrawn = isWithdrawn;
  }

  /** How many wait. */
  get size(): number {
    return this.#items.length - this.#head - this.#withdrawn;
  }

  /** Whether there was room for it. */
  push(item: T): boolean {
    if (this.size >= this.#most) return false;
    this.#items.push(item);
    return true;
  }

  /** Say that one that still waits is withdrawn from now on. */
  withdraw(): void {
    this.#withdrawn++;
    // Nobody may take anything for long: what gave up would be kept all that time.
    if (this.#withdrawn <= Math.max(FEW, this.size)) return;
    this.#items = this.#items.slice(this.#head).filter((item) => !this.#isWithdrawn(item as T));
    this.#head = 0;
    this.#withdrawn = 0;
  }

  /** The next; undefined when none waits. */
  shift(): T | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head] as T;
      this.#items[this.#head++] = undefined;
      if (this.#head === this.#items.length) {
        this.#items = [];
        this.#head = 0;
      } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (!this.#isWithdrawn(item)) return item;
      this.#withdrawn--;
    }
    return undefined;
  }
}
