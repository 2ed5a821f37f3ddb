/** A bounded queue, first in, first out. What was withdrawn takes no place. */
export class Mailbox<T> {
  readonly #most: number;
  #items: (T | undefined)[] = [];
  #head = 0;
  #withdrawn = 0;

  constructor(most: number) {
    this.#most = most;
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

  /** Say that one that still waits will be passed over by whoever takes it. */
  withdraw(): void {
    this.#withdrawn++;
  }

  /**
   * The next, withdrawn ones included; undefined when none waits.
   * @param isWithdrawn of an item: whether `withdraw` was said of it
   */
  shift(isWithdrawn: (item: T) => boolean): T | undefined {
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
      if (!isWithdrawn(item)) return item;
      this.#withdrawn--;
    }
    return undefined;
  }
}
