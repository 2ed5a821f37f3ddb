import { getOwn, isPlainObject } from "../core/index.ts";

/** A TOML table or an object of a program: anything with keys that is not a list, a date or an instance of a class. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a value is a table in TOML's sense. */
export function isTable(value: unknown): value is Table {
  return isPlainObject(value);
}

/** The value of an own key, or undefined: inherited keys are not configuration. */
export function valueOf(table: unknown, key: string): unknown {
  return isTable(table) ? getOwn(table, key) : undefined;
}

/** The value at a path of own keys, or undefined. */
export function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce(valueOf, table);
}

/** A copy of a value without the key at a path. */
export function withoutKey(value: unknown, [key, ...rest]: readonly (string | number)[]): unknown {
  if (key === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((each: unknown, i) => (i === key ? withoutKey(each, rest) : each));
  }
  if (!isTable(value)) return value;
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (name !== key) return [[name, each]];
    return rest.length === 0 ? [] : [[name, withoutKey(each, rest)]];
  });
  return Object.fromEntries(entries);
}
