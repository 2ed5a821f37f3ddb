/** Most entries that are kept: more than the open calls of all runs of an agent. */
const MOST_KEPT = 1024;

/**
 * What an adapter keeps between two calls of its library, for example between the pre hooks of a call and its result: a
 * library that never makes the second call must not fill the memory.
 */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most = MOST_KEPT) {
    super();
    this.#most = most;
  }

  /** Add an entry as the newest one. @returns the value that had to go: of the same key, or the oldest */
  keep(key: Key, value: Value): Value | undefined {
    const replaced = this.take(key);
    this.set(key, value);
    const [oldest] = this.keys();
    return this.size > this.#most && oldest !== undefined ? this.take(oldest) : replaced;
  }

  /** Remove an entry. @returns its value */
  take(key: Key): Value | undefined {
    const value = this.get(key);
    this.delete(key);
    return value;
  }
}
