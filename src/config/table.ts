import { getOwn, isPlainObject } from "../core/json.ts";

/** A TOML table or an object of a program: whatever has keys and is not a list, a date or a class. */
export type Table = Readonly<Record<string, unknown>>;

/** True for what TOML calls a table. */
export function isTable(value: unknown): value is Table {
  return isPlainObject(value);
}

/** The value of an own key, or undefined: keys of a prototype are not configuration. */
export function valueOf(table: unknown, key: string): unknown {
  return isTable(table) ? getOwn(table, key) : undefined;
}

/** The value at a path of own keys, or undefined. */
export function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce(valueOf, table);
}
