/** An object that is made key by key: with spreads, where a key is there or not, it takes many times as long. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
