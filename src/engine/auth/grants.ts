import { GRANT_KINDS, OrcsError, quotedBeginning, readExactWords } from "../../core/index.ts";
import type { ExactWord, GrantKind, Grants } from "../../core/index.ts";

/** A grant. */
export interface GivenGrant {
  readonly pattern: string;
  readonly kind: GrantKind;
}

/** Grants with the same words. */
interface Entry {
  /** As first written. */
  readonly pattern: string;
  readonly words: readonly string[];
  /** Number of grants; always 1 for a persistent one. */
  count: number;
}

/**
 * Grants by the first words of a command: `git status` covers `git status -s`, but not `git statusx` nor `git status;
 * rm x`. Words are compared as the shell would pass them on. A word that the shell may replace (such as a glob) matches
 * no word, so it must come after the granted words.
 */
export class GrantBook implements Grants {
  readonly #above: GrantBook | undefined;
  readonly #entries: Readonly<Record<GrantKind, Map<string, Entry>>> = {
    persistent: new Map(),
    one_time: new Map(),
  };

  /** @param above a book whose grants apply here as well */
  constructor(above?: GrantBook) {
    this.#above = above;
  }

  covers(command: string): boolean {
    const words = readExactWords(command);
    return words !== undefined && GRANT_KINDS.some((kind) => this.#find(kind, words) !== undefined);
  }

  /**
   * Use a grant that covers a command: a persistent one of this book or one above it, otherwise a one-time one, first
   * of this book, with the most words.
   * @returns whether there was one
   */
  use(command: string): boolean {
    const words = readExactWords(command);
    if (words === undefined) return false;
    if (this.#find("persistent", words)) return true;
    const found = this.#find("one_time", words);
    if (found === undefined) return false;
    found.entry.count--;
    if (found.entry.count === 0) found.book.#entries.one_time.delete(keyOf(found.entry.words));
    return true;
  }

  /** @throws OrcsError ORCS6012 when the pattern is not a plain prefix of words */
  add(pattern: string, kind: GrantKind): void {
    const words = patternWords(pattern);
    const key = keyOf(words);
    const entry = this.#entries[kind].get(key);
    if (entry === undefined) this.#entries[kind].set(key, { pattern, words, count: 1 });
    else if (kind === "one_time") entry.count++;
  }

  below(): GrantBook {
    return new GrantBook(this);
  }

  /** The grants of this book only, the persistent ones first. */
  list(): readonly GivenGrant[] {
    return GRANT_KINDS.flatMap((kind) =>
      [...this.#entries[kind].values()].flatMap(({ pattern, count }) =>
        Array.from({ length: count }, () => ({ pattern, kind })),
      ),
    );
  }

  #find(
    kind: GrantKind,
    words: readonly ExactWord[],
  ): { readonly book: GrantBook; readonly entry: Entry } | undefined {
    const entry = longest(this.#entries[kind].values(), words);
    if (entry !== undefined) return { book: this, entry };
    return this.#above === undefined ? undefined : this.#above.#find(kind, words);
  }
}

function longest(entries: Iterable<Entry>, words: readonly ExactWord[]): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) {
    if (entry.words.length > (found?.words.length ?? 0) && begins(words, entry.words))
      found = entry;
  }
  return found;
}

function begins(words: readonly ExactWord[], prefix: readonly string[]): boolean {
  return prefix.every((text, at) => {
    const word = words[at];
    return word !== undefined && word.literal && word.text === text;
  });
}

function patternWords(pattern: string): readonly string[] {
  const words = readExactWords(pattern);
  if (words === undefined) {
    throw noPrefix(
      pattern,
      "it must be one plain command, without operators, $ or unclosed quotes",
    );
  }
  const odd = words.find((word) => !word.literal);
  if (odd !== undefined) {
    throw noPrefix(pattern, `${quotedBeginning(odd.text)} may have a special meaning in a shell`);
  }
  return words.map((word) => word.text);
}

function noPrefix(pattern: string, why: string): OrcsError {
  return new OrcsError("ORCS6012", `invalid grant ${quotedBeginning(pattern)}: ${why}`, {
    pattern,
  });
}

/** No word contains a NUL. */
function keyOf(words: readonly string[]): string {
  return words.join("\0");
}
