import { startsWord } from "./extents.ts";

/** Where the prefix stands: at the beginning of a word, or anywhere. */
const AT_WORDS = 1;
const ANYWHERE = 2;
/** The lower bits of a character: enough for most others to be passed over. */
const BITS = 5;
const LOW = (1 << BITS) - 1;
/** Number of characters by which a place is passed over. */
const HEAD = 3;

/** What a prefix is found for. */
interface Prefixed {
  readonly begins: readonly string[];
  readonly anywhere: boolean;
}

/**
 * Tells in one step for each character whether one of hundreds of prefixes can begin there. A regular expression of as
 * many alternatives tries them one by one.
 */
export class Prefixes {
  /** By the lower bits of three characters: where prefixes with this beginning may stand, or 0. */
  readonly #places = new Uint8Array(1 << (BITS * HEAD));
  /** By the same bits: the prefixes, the longest first. */
  readonly #begins = new Map<number, string[]>();

  constructor(kinds: readonly Prefixed[]) {
    for (const { begins, anywhere } of kinds) {
      for (const begin of begins) {
        for (const head of headsOf(begin)) this.#add(head, begin, anywhere ? ANYWHERE : AT_WORDS);
      }
    }
    for (const begins of this.#begins.values()) begins.sort((a, b) => b.length - a.length);
  }

  #add(head: number, begin: string, place: number): void {
    this.#places[head] = (this.#places[head] ?? 0) | place;
    const others = this.#begins.get(head) ?? [];
    if (!others.includes(begin)) this.#begins.set(head, [...others, begin]);
  }

  /**
   * Whether a prefix can begin at an index.
   * @param head the lower bits of the three characters there, from `headWith`
   */
  mayBegin(head: number, text: string, at: number): boolean {
    const places = this.#places[head];
    return places !== 0 && (places !== AT_WORDS || startsWord(text, at));
  }

  /** The longest prefix at an index that ends before another one. */
  at(text: string, head: number, from: number, to: number): string | undefined {
    for (const begin of this.#begins.get(head) ?? []) {
      if (from + begin.length <= to && text.startsWith(begin, from)) return begin;
    }
    return undefined;
  }
}

/** The lower bits of the last three characters, after one more: start with 0. */
export function headWith(head: number, code: number): number {
  return ((head << BITS) | (code & LOW)) & ((1 << (BITS * HEAD)) - 1);
}

/** A prefix that is shorter than a head has one for each character that can follow. */
function headsOf(begin: string): number[] {
  let heads = [0];
  for (let at = 0; at < HEAD; at++) {
    const codes =
      at < begin.length ? [begin.charCodeAt(at)] : Array.from({ length: LOW + 1 }, (_, i) => i);
    heads = heads.flatMap((head) => codes.map((code) => headWith(head, code)));
  }
  return heads;
}
