/**
 * A map that holds its first entry itself: most parts of a context are left through one key, and a Map
 * for that costs more than what it holds.
 */
export class SmallMap<K, V> {
  #key: K | undefined;
  #value: V | undefined;
  #rest: Map<K, V> | undefined;

  get(key: K): V | undefined {
    return this.#value !== undefined && key === this.#key ? this.#value : this.#rest?.get(key);
  }

  set(key: K, value: V): void {
    if (this.#value === undefined ? !this.#rest?.has(key) : key === this.#key) {
      this.#key = key;
      this.#value = value;
    } else (this.#rest ??= new Map()).set(key, value);
  }

  delete(key: K): void {
    if (this.#value !== undefined && key === this.#key) this.#value = undefined;
    else this.#rest?.delete(key);
  }

  /** As a Map's; deleting the entry at hand is fine. */
  forEach(use: (value: V, key: K) => void): void {
    if (this.#value !== undefined) use(this.#value, this.#key as K);
    this.#rest?.forEach(use);
  }
}
