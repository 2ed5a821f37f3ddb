/**
 * The bytes that one item of a pattern accepts: a table with a 1 for every byte in the set.
 * Entry 256 is the end of the subject. No class contains it; the sets of bytes that a continuation can start with (see
 * compile.ts) use it. Sets are shared and must not be modified after creation.
 */
export type ByteSet = Uint8Array;

/** Length of a {@link ByteSet}: the 256 bytes and the end of the subject. */
export const SET_SIZE = 257;
/** Index in a {@link ByteSet} of the end of the subject. */
export const SUBJECT_END = 256;

const ESCAPE = 37; // %
const CARET = 94;
const DASH = 45;

/** Creates sets, and reuses common ones: equal sets are the same object. */
export class ByteSets {
  /** The empty set. */
  readonly nothing: ByteSet = new Uint8Array(SET_SIZE);
  /** Every byte: the item `.`. */
  readonly anyByte: ByteSet = new Uint8Array(SET_SIZE).fill(1, 0, SUBJECT_END);
  /** Every byte and the end of the subject. */
  readonly anything: ByteSet = new Uint8Array(SET_SIZE).fill(1);
  readonly #one: (ByteSet | undefined)[] = [];
  readonly #escaped: (ByteSet | undefined)[] = [];

  /** The set of one byte, or of {@link SUBJECT_END}. */
  one(byte: number): ByteSet {
    return (this.#one[byte] ??= new Uint8Array(SET_SIZE).fill(1, byte, byte + 1));
  }

  /**
   * The set for `%x`, as defined by `match_class` of lstrlib.c in the C locale: bytes above 127 are in no class, an
   * upper case letter is the complement of the class, any other byte stands for itself.
   */
  escaped(letter: number): ByteSet {
    return (this.#escaped[letter] ??= this.#makeEscaped(letter));
  }

  /**
   * The set between `[` at `from` and `]` at `to` of a pattern, as `matchbracketclass` reads it.
   * `to` is the result of {@link findSetEnd}, minus one.
   */
  bracket(pattern: Uint8Array, from: number, to: number): ByteSet {
    const set = new Uint8Array(SET_SIZE);
    const complement = pattern[from + 1] === CARET;
    let at = complement ? from + 1 : from;
    while (++at < to) {
      const byte = pattern[at]!;
      if (byte === ESCAPE) {
        at++;
        addMembers(set, this.escaped(pattern[at]!));
      } else if (pattern[at + 1] === DASH && at + 2 < to) {
        at += 2;
        set.fill(1, byte, Math.max(byte, pattern[at]! + 1));
      } else {
        set[byte] = 1;
      }
    }
    if (complement) for (let byte = 0; byte < SUBJECT_END; byte++) set[byte]! ^= 1;
    return set;
  }

  /** The union of two sets. */
  union(one: ByteSet, other: ByteSet): ByteSet {
    if (one === this.anything || other === this.anything) return this.anything;
    const sum = one.slice();
    addMembers(sum, other);
    return sum;
  }

  #makeEscaped(letter: number): ByteSet {
    const lower = letter >= 65 && letter <= 90 ? letter + 32 : letter;
    const belongs = classTest(lower);
    if (belongs === undefined) return this.one(letter);
    const complement = lower !== letter;
    const set = new Uint8Array(SET_SIZE);
    for (let byte = 0; byte < SUBJECT_END; byte++) {
      if ((byte < 128 && belongs(byte)) !== complement) set[byte] = 1;
    }
    return set;
  }
}

/** Index after the `]` that closes the set opened at `from`, or -1 when there is none. */
export function findSetEnd(pattern: Uint8Array, from: number): number {
  const end = pattern.length;
  let at = from + 1;
  if (pattern[at] === CARET) at++;
  do {
    if (at >= end) return -1;
    // The first byte is always a member: in `[]]` it is the `]`.
    if (pattern[at++] === ESCAPE && at < end) at++;
  } while (pattern[at] !== 93);
  return at + 1;
}

/** Whether two sets have no byte in common (the end of the subject is not a byte). */
export function disjoint(one: ByteSet, other: ByteSet): boolean {
  for (let byte = 0; byte < SUBJECT_END; byte++) {
    if (one[byte] === 1 && other[byte] === 1) return false;
  }
  return true;
}

function addMembers(set: ByteSet, other: ByteSet): void {
  for (let byte = 0; byte < SET_SIZE; byte++) set[byte]! |= other[byte]!;
}

function classTest(lower: number): ((byte: number) => boolean) | undefined {
  switch (String.fromCharCode(lower)) {
    case "a":
      return isLetter;
    case "c":
      return (c) => c < 32 || c === 127;
    case "d":
      return isDigit;
    case "g":
      return isPrinted;
    case "l":
      return (c) => c >= 97 && c <= 122;
    case "p":
      return (c) => isPrinted(c) && !isLetter(c) && !isDigit(c);
    case "s":
      return (c) => c === 32 || (c >= 9 && c <= 13);
    case "u":
      return (c) => c >= 65 && c <= 90;
    case "w":
      return (c) => isLetter(c) || isDigit(c);
    case "x":
      return (c) => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
    case "z": // Deprecated, but still supported in 5.4.
      return (c) => c === 0;
    default:
      return undefined;
  }
}

function isLetter(c: number): boolean {
  return (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

function isPrinted(c: number): boolean {
  return c > 32 && c < 127;
}
