import type { ByteSet, ByteSets } from "./byte-sets.ts";
import { disjoint, SET_SIZE, SUBJECT_END } from "./byte-sets.ts";
import type { CaptureKind, Item } from "./parse.ts";
import { parsePattern } from "./parse.ts";

/** A compiled pattern. */
export interface CompiledPattern {
  /** The pattern's bytes, which identify it in the cache. */
  readonly source: Uint8Array;
  readonly anchored: boolean;
  /** Whether the pattern is plain text (Lua's `nospecials`). */
  readonly plain: boolean;
  readonly code: Int32Array;
  readonly sets: Uint8Array;
  readonly literals: Uint8Array;
  /** Offset in `sets` of the set of bytes that a match can start with. */
  readonly first: number;
  readonly captures: readonly CaptureKind[];
  readonly mistake: string;
}

/** Bytes that make a pattern more than plain text. */
const SPECIALS: ReadonlySet<number> = new Set(Buffer.from("^$*+?.([%-"));

/**
 * Compiles a pattern.
 * @param source the bytes; kept, so they must be a copy
 * @param anchors whether a leading `^` is an anchor (everywhere but in gmatch)
 * @param sets creates the sets
 * @param tick called often, may throw
 */
export function compilePattern(
  source: Uint8Array,
  anchors: boolean,
  sets: ByteSets,
  tick: () => void,
): CompiledPattern {
  const anchored = anchors && source[0] === 94;
  const { items, captures } = parsePattern(source, anchored ? 1 : 0, sets, tick);
  const writer = new ProgramWriter(items, sets);
  for (let index = items.length - 1; index >= 0; index--) {
    tick();
    writer.prepend(items[index]!, index);
  }
  return {
    source,
    anchored,
    plain: isPlain(source, 0, source.length, tick),
    captures,
    ...writer.finish(),
  };
}

/** Whether a pattern is plain text (Lua's `nospecials`). */
export function isPlain(memory: Uint8Array, from: number, to: number, tick: () => void): boolean {
  for (let at = from; at < to; at++) {
    if (SPECIALS.has(memory[at]!)) return false;
    if ((at & 15) === 0) tick();
  }
  return true;
}

/** Lua's MAXCCALLS: maximum recursion depth of its matcher before "pattern too complex". */
export const MAX_DEPTH = 200;

/** Items between two `spend` instructions. */
const ITEMS_PER_SPEND = 16;

/**
 * Writes a program from its end to its start: what an item can leave out depends on what follows.
 * Three things make it faster than interpreting the pattern at every position, without changing what matches: a
 * repetition tries its continuation only at bytes that the continuation can start with; if such a byte cannot be a
 * repeated one, or the continuation always succeeds, there is a single place to try and no backtracking; and plain
 * bytes are compared in one go.
 */
class ProgramWriter {
  readonly #instructions: [op: number, a: number, b: number, c: number][] = [[OP.matched, 0, 0, 0]];
  readonly #sets: ByteSets;
  /** Offsets of the sets in use, in the order of their first use. */
  readonly #offsets = new Map<ByteSet, number>();
  readonly #literals: number[] = [];
  /** Whether Lua's own matcher could recurse too deep here: then its steps are counted one by one. */
  readonly #deep: boolean;
  /** The bytes that the instructions written so far can start with. */
  #first: ByteSet;
  /** Whether the instructions written so far always succeed. */
  #certain = true;
  #mistake = "";

  constructor(items: readonly Item[], sets: ByteSets) {
    this.#sets = sets;
    const branches = items.filter(
      (item) => item.kind !== "single" || item.repeat !== "once",
    ).length;
    this.#deep = branches + 1 >= MAX_DEPTH;
    this.#first = this.#sets.anything;
  }

  prepend(item: Item, index: number): void {
    switch (item.kind) {
      case "single":
        this.#prependSingle(item);
        break;
      case "open":
      case "close":
      case "position":
        this.#prependCapture(item.kind, item.capture);
        break;
      case "back_reference":
        this.#write(OP.back_reference, item.capture);
        this.#follow(this.#sets.anything, false);
        break;
      case "balance":
        this.#write(OP.balance, item.open, item.close);
        this.#follow(this.#sets.one(item.open), false);
        break;
      case "frontier":
        this.#write(OP.frontier, this.#place(item.set));
        this.#follow(atFrontier(item.set, this.#first), false);
        break;
      case "end":
        this.#write(OP.end);
        this.#follow(this.#sets.one(SUBJECT_END), false);
        break;
      case "never":
        this.#write(OP.never);
        this.#follow(this.#sets.nothing, false);
        break;
      case "mistake":
        this.#write(OP.mistake);
        this.#mistake = item.message;
        this.#follow(this.#sets.anything, false);
        break;
    }
    if (index % ITEMS_PER_SPEND === ITEMS_PER_SPEND - 1) this.#write(OP.spend, ITEMS_PER_SPEND);
  }

  finish(): Pick<CompiledPattern, "code" | "sets" | "literals" | "first" | "mistake"> {
    const first = this.#place(this.#first);
    const sets = new Uint8Array(this.#offsets.size * SET_SIZE);
    for (const [set, offset] of this.#offsets) sets.set(set, offset);
    const code = new Int32Array(4 * this.#instructions.length);
    let at = code.length;
    for (const [op, a, b, c] of this.#instructions) {
      at -= 4;
      code[at] = op;
      // Literals were collected from the last to the first; their offsets so far count from the other end.
      code[at + 1] = op === OP.literal ? this.#literals.length - a : a;
      code[at + 2] = b;
      code[at + 3] = c;
    }
    const literals = new Uint8Array(this.#literals.toReversed());
    return { code, sets, literals, first, mistake: this.#mistake };
  }

  #prependSingle({ set, byte, repeat }: Item & { kind: "single" }): void {
    if (repeat === "once") {
      this.#prependOnce(set, byte);
      return this.#follow(set, false);
    }
    const one = !this.#deep && (this.#certain || disjoint(set, this.#first));
    const first = this.#deep ? this.#sets.anything : this.#first;
    switch (repeat) {
      case "?":
        this.#write(one ? OP.optional_possessive : OP.optional, this.#place(set));
        break;
      case "*":
      case "+": {
        const least = repeat === "+" ? 1 : 0;
        if (one) this.#write(OP.possessive, this.#place(set), 0, least);
        else this.#write(OP.greedy, this.#place(set), this.#place(first), least);
        if (repeat === "+") return this.#follow(set, false);
        break;
      }
      case "-":
        // A continuation that always succeeds does so before the first repetition.
        if (this.#certain && !this.#deep) return;
        if (one) this.#write(OP.possessive, this.#place(set));
        else if (set === this.#sets.anyByte && !this.#deep) {
          this.#write(OP.lazy_any, this.#place(first));
        } else this.#write(OP.lazy, this.#place(set), this.#place(first));
        break;
    }
    this.#follow(this.#sets.union(set, this.#first), this.#certain);
  }

  #prependOnce(set: ByteSet, byte: number): void {
    if (byte < 0) {
      if (set === this.#sets.anyByte) this.#write(OP.any);
      else this.#write(OP.set, this.#place(set));
      return;
    }
    const next = this.#instructions.at(-1)!;
    this.#literals.push(byte);
    if (next[0] === OP.literal) {
      next[1]++;
      next[2]++;
    } else if (next[0] === OP.byte) {
      this.#instructions.pop();
      this.#write(OP.literal, this.#literals.length, 2);
    } else {
      this.#write(OP.byte, byte);
    }
  }

  #prependCapture(kind: "open" | "close" | "position", capture: number): void {
    // Succeeds whenever its continuation does, so #first and #certain do not change.
    if (this.#deep) this.#write(OP.deeper);
    this.#write(kind === "close" ? OP.close : OP.open, capture);
  }

  #follow(first: ByteSet, certain: boolean): void {
    this.#first = first;
    this.#certain = certain;
  }

  #write(op: number, a = 0, b = 0, c = 0): void {
    this.#instructions.push([op, a, b, c]);
  }

  #place(set: ByteSet): number {
    let offset = this.#offsets.get(set);
    if (offset === undefined) {
      offset = this.#offsets.size * SET_SIZE;
      this.#offsets.set(set, offset);
    }
    return offset;
  }
}

/** A frontier tests the byte that its continuation starts with; the subject's end counts as NUL. */
function atFrontier(set: ByteSet, first: ByteSet): ByteSet {
  const both = first.slice();
  for (let byte = 0; byte < SUBJECT_END; byte++) both[byte]! &= set[byte]!;
  both[SUBJECT_END]! &= set[0]!;
  return both;
}

/**
 * The instructions of a program: four numbers each, the operation and up to three operands. `set` is an offset into
 * `CompiledPattern.sets`; `first` is the set of bytes that the continuation can start with. matcher.ts repeats the
 * numbers, because a switch over literals is fast.
 */
export const OP = {
  /** The pattern has matched. */
  matched: 0,
  /** byte */
  byte: 1,
  /** set */
  set: 2,
  /** Any byte. */
  any: 3,
  /** offset in literals, length; never longer than the distance between two `spend`. */
  literal: 4,
  /** The end of the subject. */
  end: 5,
  /** capture */
  open: 6,
  /** capture */
  close: 7,
  /** set, first, minimum count: as many as possible, then fewer. */
  greedy: 8,
  /** set, -, minimum count: as many as there are; fewer cannot succeed. */
  possessive: 9,
  /** set, first: as few as possible, then more. */
  lazy: 10,
  /** set: zero or one. */
  optional: 11,
  /** set: one if present; zero cannot succeed then. */
  optional_possessive: 12,
  /** capture */
  back_reference: 13,
  /** opening byte, closing byte */
  balance: 14,
  /** set */
  frontier: 15,
  /** Never matches. */
  never: 16,
  /** Raises the error in the pattern, `CompiledPattern.mistake`. */
  mistake: 17,
  /** count: charges for a long run of instructions without a branch. */
  spend: 18,
  /** Recursion depth grows by one, as Lua's does at captures; only in programs that may get too deep. */
  deeper: 19,
  /** first: any bytes, as few as possible. By far the most common lazy item. */
  lazy_any: 20,
} as const;
