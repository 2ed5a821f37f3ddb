import type { Json } from "./json.ts";

/** A parsed text. */
export interface ExactJson {
  /** With integers that a double cannot hold as texts. */
  readonly value: Json;
  /** Of these integers; undefined if there are none. */
  readonly numbers: NumberTokens | undefined;
}

const MAY_BE_LONG = /\d{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** Other numbers are always written in one way. */
const UNUSUAL = /\d{16}|\d[.eE]|-0/;
const INTEGER = /^-?[1-9]\d{15,}$/;

/** As `JSON.parse`, without loss: an integer beyond 2^53 is a text, also in JSON within a text. @throws SyntaxError */
export function parseExact(text: string): ExactJson {
  const plain = JSON.parse(text) as Json;
  if (!MAY_BE_LONG.test(text)) return { value: plain, numbers: undefined };
  const { value, tokens } = withTokens(text, isLong);
  if (tokens.size === 0) return { value: plain, numbers: undefined };
  return { value, numbers: new NumberTokens([], tokens) };
}

/** By the key that a number is under and what is read in its place; empty if it is written in several ways. */
type Tokens = ReadonlyMap<string, string>;

/** How the numbers of texts are written there. Most answers have none: it is read when the first is asked for. */
export class NumberTokens {
  readonly #texts: readonly string[];
  #tokens: Tokens | undefined;

  constructor(texts: readonly string[], tokens?: Tokens) {
    this.#texts = texts;
    this.#tokens = tokens;
  }

  /** Whether any may be written unlike `JSON.stringify` does it. */
  get isNeeded(): boolean {
    return this.#tokens !== undefined || this.#texts.some((text) => UNUSUAL.test(text));
  }

  /** @param item what is read in its place */
  of(key: string, item: string | number): string | undefined {
    this.#tokens ??= new Map(this.#texts.flatMap((text) => [...tokensIn(text, () => true)]));
    return this.#tokens.get(nameOf(key, item)) || undefined;
  }
}

/** The numbers of texts, a later one before an earlier one. Of one that is no list or object, none. */
export function numbersOf(...texts: readonly string[]): NumberTokens {
  return new NumberTokens(texts);
}

/**
 * As `JSON.stringify`, with the numbers of the text that a value comes from as they were written there, if nobody has
 * changed them.
 */
export function stringifyExact(
  value: unknown,
  numbers: NumberTokens | undefined,
  indent?: number,
): string {
  if (!numbers?.isNeeded) return JSON.stringify(value, null, indent);
  const mark = globalThis.crypto.randomUUID();
  let isMarked = false;
  const text = JSON.stringify(
    value,
    (key, item: unknown) => {
      const mayBe = typeof item === "number" || (typeof item === "string" && INTEGER.test(item));
      const token = mayBe ? numbers.of(key, item) : undefined;
      if (token === undefined) return item;
      isMarked = true;
      return mark + token;
    },
    indent,
  );
  return isMarked ? text.replaceAll(new RegExp(`"${mark}(-?[\\d.eE+-]+)"`, "g"), "$1") : text;
}

/** A text with numbers that a double cannot hold as texts, and how those that are kept are written. */
function withTokens(
  text: string,
  isKept: (token: string) => boolean,
): { readonly value: Json; readonly tokens: Tokens } {
  const tokens = new Map<string, string>();
  const note = (name: string, token: string): void => {
    tokens.set(name, (tokens.get(name) ?? token) === token ? token : "");
  };
  // What nobody can guess marks them.
  const mark = globalThis.crypto.randomUUID();
  const marked = text.replaceAll(TOKEN, (token) =>
    !token.startsWith('"') && isKept(token) ? `"${mark}${token}"` : token,
  );
  const value = JSON.parse(marked, (key, item: unknown) => {
    if (typeof item !== "string") return item;
    if (!item.startsWith(mark)) {
      for (const [name, token] of tokensIn(item, isKept)) note(name, token);
      return item;
    }
    const token = item.slice(mark.length);
    note(nameOf(key, Number(token)), token);
    if (!isLong(token)) return Number(token);
    note(nameOf(key, token), token);
    return token;
  }) as Json;
  return { value, tokens };
}

/** Those of a text that may be JSON. */
function tokensIn(text: string, isKept: (token: string) => boolean): Tokens {
  try {
    if (/^\s*[{[]/.test(text) && /\d/.test(text)) {
      // A text that is none could become JSON by the marks.
      JSON.parse(text);
      return withTokens(text, isKept).tokens;
    }
  } catch {
    // It is not JSON.
  }
  return new Map();
}

function isLong(token: string): boolean {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}

/** The name of a number: its key, and what is read in its place. */
function nameOf(key: string, item: string | number): string {
  return `${key}\0${typeof item} ${item}`;
}
