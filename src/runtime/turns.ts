/**
 * Work of the same key is done one after the other, in the order of the calls, whatever becomes of what was
 * before.
 */
export class Turns {
  /** The last turn of each key, and that it is over; never rejects. */
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(key, turn);
    try {
      await before;
      return await work();
    } finally {
      end();
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
