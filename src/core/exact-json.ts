import type { Json } from "./json.ts";

/** Integers that a double cannot hold, by the key that they are under and what is read in their place. */
export type Integers = ReadonlyMap<string, string>;

/** A parsed text. */
export interface ExactJson {
  /** With such integers as texts. */
  readonly value: Json;
  /** Undefined if there are none. */
  readonly integers: Integers | undefined;
}

const MAY_BE_LONG = /\d{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const INTEGER = /^-?[1-9]\d{15,}$/;

/** As `JSON.parse`, without loss: an integer beyond 2^53 is a text, also in JSON within a text. @throws SyntaxError */
export function parseExact(text: string): ExactJson {
  const plain = JSON.parse(text) as Json;
  if (!MAY_BE_LONG.test(text)) return { value: plain, integers: undefined };
  const integers = new Map<string, string>();
  // What nobody can guess marks them.
  const mark = globalThis.crypto.randomUUID();
  const marked = text.replaceAll(TOKEN, (token) => (isLong(token) ? `"${mark}${token}"` : token));
  const value = JSON.parse(marked, (key, item: unknown) => {
    if (typeof item !== "string") return item;
    if (!item.startsWith(mark)) {
      for (const [name, token] of integersIn(item)) integers.set(name, token);
      return item;
    }
    const token = item.slice(mark.length);
    integers.set(integerName(key, token), token).set(integerName(key, Number(token)), token);
    return token;
  }) as Json;
  return integers.size === 0 ? { value: plain, integers: undefined } : { value, integers };
}

/** Those of a text within a JSON text. */
function integersIn(text: string): Integers {
  try {
    const isJson = /^\s*[{[]/.test(text) && MAY_BE_LONG.test(text);
    return (isJson ? parseExact(text).integers : undefined) ?? new Map();
  } catch {
    return new Map();
  }
}

/** The integers of a text. Of one that is not JSON, none. */
export function integersOf(text: string): Integers | undefined {
  return MAY_BE_LONG.test(text) ? integersIn(`[${text}]`) : undefined;
}

/**
 * As `JSON.stringify`, with the integers of the text that a value comes from as they were there, if nobody has changed
 * them.
 */
export function stringifyExact(
  value: unknown,
  integers: Integers | undefined,
  indent?: number,
): string {
  if (integers === undefined || integers.size === 0) return JSON.stringify(value, null, indent);
  const mark = globalThis.crypto.randomUUID();
  const text = JSON.stringify(
    value,
    (key, item: unknown) => {
      const token =
        typeof item === "string" || typeof item === "number"
          ? integers.get(integerName(key, item))
          : undefined;
      return token === undefined ? item : mark + token;
    },
    indent,
  );
  return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

function isLong(token: string): boolean {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}

/** The name of an integer: its key, and what is read in its place. */
export function integerName(key: string, item: string | number): string {
  return `${key}\0${typeof item} ${item}`;
}
