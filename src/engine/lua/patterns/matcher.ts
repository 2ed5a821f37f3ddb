import { SUBJECT_END } from "./byte-sets.ts";
import type { CompiledPattern } from "./compile.ts";
import { MAX_DEPTH } from "./compile.ts";
import { MAX_CAPTURES } from "./parse.ts";

/** Steps between two checks: 20 µs at about 4 ns a step. */
const STEPS_PER_CHECK = 5_000;

/** Bytes of a simple loop (a scan, a copy) without a check: also about 20 µs. */
export const BYTES_PER_STRETCH = 16_384;

/** Bytes of such a loop in the time of one step, as a power of two. */
const BYTES_PER_STEP_LOG2 = 2;

/**
 * Counts the steps of matching and calls `check` every few microseconds, which throws to end it.
 * The count continues from call to call: a thousand short calls are checked like one long one. `left` is public because
 * the innermost loops count by themselves.
 */
export class PatternBudget {
  /** Steps left until the next check; code that makes it negative calls {@link refill}. */
  left = STEPS_PER_CHECK;
  readonly #check: () => void;

  constructor(check: () => void) {
    this.#check = check;
  }

  /** Counts some steps. */
  spend(steps: number): void {
    if ((this.left -= steps) < 0) this.refill();
  }

  /** Counts the bytes of a simple loop or of a copy. */
  spendBytes(bytes: number): void {
    if ((this.left -= bytes >> BYTES_PER_STEP_LOG2) < 0) this.refill();
  }

  /** Runs the check and starts the next stretch. */
  refill(): void {
    this.left = STEPS_PER_CHECK;
    this.#check();
  }
}

/** A closer match is found faster by a loop than by a native call. */
const NEAR = 200;
/** Longest part of a needle for the native search, whose worst case is a product. */
const NATIVE_NEEDLE = 32;

/**
 * The first position in the subject, from `from` to `to`, of the needle of `length` bytes at `needle`, or -1; an empty
 * needle matches everywhere.
 * The time is linear in both lengths for any content, and no stretch without a check is long: a loop searches nearby, a
 * native search the rest in bounded windows, and a needle whose start occurs too often without the rest (the attack on
 * C's version) is searched with the two-way algorithm.
 */
export function findPlain(
  memory: Uint8Array,
  from: number,
  to: number,
  needle: number,
  length: number,
  budget: PatternBudget,
): number {
  budget.spend(1);
  if (length === 0) return from;
  const last = to - length;
  const near = Math.min(last, from + NEAR);
  const byte = memory[needle]!;
  for (let at = from; at <= near; at++) {
    at = nextByte(memory, byte, at, near);
    if (sameBytes(memory, at, needle, length, budget) === length) return at;
  }
  return near === last ? -1 : findFar(memory, near + 1, to, needle, length, budget);
}

/** The next position of a byte, or `last`. Four at a time: the loop itself costs as much as a comparison. */
function nextByte(memory: Uint8Array, byte: number, at: number, last: number): number {
  while (
    at + 3 < last &&
    memory[at] !== byte &&
    memory[at + 1] !== byte &&
    memory[at + 2] !== byte &&
    memory[at + 3] !== byte
  ) {
    at += 4;
  }
  while (at < last && memory[at] !== byte) at++;
  return at;
}

/** Searches the start of the needle in one window of the subject after the other. */
function findFar(
  memory: Uint8Array,
  from: number,
  to: number,
  needle: number,
  length: number,
  budget: PatternBudget,
): number {
  const head = Math.min(length, NATIVE_NEEDLE);
  const piece = memory.subarray(needle, needle + head);
  const last = to - length;
  let compared = 0;
  let at = from;
  while (at <= last) {
    const windowEnd = Math.min(last + head, at + BYTES_PER_STRETCH);
    const window = Buffer.from(memory.buffer, memory.byteOffset + at, windowEnd - at);
    budget.spendBytes(windowEnd - at);
    for (let offset = 0; ; offset++) {
      offset = window.indexOf(piece, offset);
      if (offset < 0) break;
      const same = sameBytes(memory, at + offset, needle, length, budget);
      if (same === length) return at + offset;
      compared += same;
      if (compared > 4 * (at + offset - from) + NEAR) {
        return findTwoWay(memory, at + offset + 1, to, needle, length, budget);
      }
    }
    at = windowEnd - head + 1;
  }
  return -1;
}

/** Number of bytes of the needle that match at a position. */
function sameBytes(
  memory: Uint8Array,
  at: number,
  needle: number,
  length: number,
  budget: PatternBudget,
): number {
  let same = 0;
  while (same < length && memory[at + same] === memory[needle + same]) {
    if ((++same & STRETCH_MASK) === 0) budget.spendBytes(BYTES_PER_STRETCH);
  }
  budget.spendBytes(same & STRETCH_MASK);
  return same;
}

/** Crochemore and Perrin's two-way search: linear time, no table. */
export function findTwoWay(
  memory: Uint8Array,
  from: number,
  to: number,
  needle: number,
  length: number,
  budget: PatternBudget,
): number {
  const one = maximalSuffix(memory, needle, length, false, budget);
  const other = maximalSuffix(memory, needle, length, true, budget);
  const { start: cut, period: suffixPeriod } = one.start >= other.start ? one : other;
  const at = (index: number): number => memory[needle + index]!;
  let periodic = cut <= suffixPeriod && cut + suffixPeriod <= length;
  for (let index = 0; periodic && index < cut; index++) {
    periodic = at(index) === at(index + suffixPeriod);
    if ((index & STRETCH_MASK) === STRETCH_MASK) budget.spendBytes(BYTES_PER_STRETCH);
  }
  const period = periodic ? suffixPeriod : Math.max(cut, length - cut) + 1;
  // Length of the needle's start that is known to match after a shift by its period.
  let known = 0;
  for (let place = from; place <= to - length;) {
    let right = Math.max(cut, known);
    while (right < length && at(right) === memory[place + right]) {
      if ((++right & STRETCH_MASK) === 0) budget.spendBytes(BYTES_PER_STRETCH);
    }
    budget.spend(1);
    if (right < length) {
      place += right - cut + 1;
      known = 0;
      continue;
    }
    let left = cut - 1;
    while (left >= known && at(left) === memory[place + left]) {
      if ((left-- & STRETCH_MASK) === 0) budget.spendBytes(BYTES_PER_STRETCH);
    }
    if (left < known) return place;
    place += period;
    known = periodic ? length - period : 0;
  }
  return -1;
}

/** Start and period of the needle's maximal suffix, in the order of bytes or the reverse order. */
function maximalSuffix(
  memory: Uint8Array,
  needle: number,
  length: number,
  reverse: boolean,
  budget: PatternBudget,
): { start: number; period: number } {
  let start = 0;
  let period = 1;
  let candidate = 1;
  let offset = 0;
  while (candidate + offset < length) {
    budget.spend(1);
    const a = memory[needle + candidate + offset]!;
    const b = memory[needle + start + offset]!;
    if (a === b) {
      if (offset + 1 === period) {
        candidate += period;
        offset = 0;
      } else offset++;
    } else if (a < b !== reverse) {
      candidate += offset + 1;
      offset = 0;
      period = candidate - start;
    } else {
      start = candidate++;
      offset = 0;
      period = 1;
    }
  }
  return { start, period };
}

/** For loops that charge the budget once per full stretch. */
const STRETCH_MASK = BYTES_PER_STRETCH - 1;

/** What the matcher needs from its host. */
interface MatcherHost {
  readonly budget: PatternBudget;
  /** Raises a Lua error. */
  raise(message: string): never;
}

/**
 * Runs compiled patterns over a range of bytes.
 * After a match, `captures` has a start and an end for every capture of the program (for a position capture only the
 * start is meaningful). It is overwritten by the next match.
 */
export class Matcher {
  readonly captures = new Int32Array(2 * MAX_CAPTURES);
  /** The end of the last match. */
  end = 0;
  readonly #host: MatcherHost;
  readonly #budget: PatternBudget;
  #memory: Uint8Array = new Uint8Array(0);
  /** Start and end of the subject in memory. */
  from = 0;
  #to = 0;
  #program!: CompiledPattern;
  #code: Int32Array = new Int32Array(0);
  #sets: Uint8Array = new Uint8Array(0);

  constructor(host: MatcherHost) {
    this.#host = host;
    this.#budget = host.budget;
  }

  /** Sets the input of the next calls of {@link search}. */
  prepare(program: CompiledPattern, memory: Uint8Array, from: number, to: number): void {
    this.#program = program;
    this.#code = program.code;
    this.#sets = program.sets;
    this.#memory = memory;
    this.from = from;
    this.#to = to;
  }

  /**
   * The start of the first match at or after `at`, or -1; its end is then in {@link end}. An anchored pattern can match
   * only at `at`.
   */
  search(at: number): number {
    if (this.#program.anchored) return (this.end = this.#run(0, at, 1)) < 0 ? -1 : at;
    for (; at <= this.#to; at++) {
      at = this.#nextCandidate(at);
      if (at < 0) return -1;
      if ((this.end = this.#run(0, at, 1)) >= 0) return at;
    }
    return -1;
  }

  /** The first position at or after `at` where the pattern can match, at most the end; -1 if none. */
  #nextCandidate(at: number): number {
    const memory = this.#memory;
    const sets = this.#sets;
    const first = this.#program.first;
    const to = this.#to;
    for (;;) {
      const stop = Math.min(to, at + BYTES_PER_STRETCH);
      const start = at;
      while (at < stop && sets[first + memory[at]!] === 0) at++;
      this.#budget.spendBytes(at - start);
      if (at < stop) return at;
      if (at === to) return sets[first + SUBJECT_END] === 1 ? at : -1;
    }
  }

  #run(pc: number, at: number, depth: number): number {
    const budget = this.#budget;
    if (--budget.left < 0) budget.refill();
    if (depth > MAX_DEPTH) this.#host.raise("pattern too complex");
    const memory = this.#memory;
    const code = this.#code;
    const sets = this.#sets;
    const to = this.#to;
    for (;;) {
      switch (code[pc]!) {
        case 0: // matched
          return at;
        case 1: // byte
          if (at >= to || memory[at] !== code[pc + 1]) return -1;
          at++;
          break;
        case 2: // set
          if (at >= to || sets[code[pc + 1]! + memory[at]!] === 0) return -1;
          at++;
          break;
        case 3: // any
          if (at >= to) return -1;
          at++;
          break;
        case 4: {
          // literal
          const literals = this.#program.literals;
          const offset = code[pc + 1]!;
          const length = code[pc + 2]!;
          if (to - at < length) return -1;
          for (let index = 0; index < length; index++) {
            if (memory[at + index] !== literals[offset + index]) return -1;
          }
          at += length;
          break;
        }
        case 5: // end
          if (at !== to) return -1;
          break;
        case 6: // open
          this.captures[code[pc + 1]! << 1] = at;
          break;
        case 7: // close
          this.captures[(code[pc + 1]! << 1) + 1] = at;
          break;
        case 8: {
          // greedy
          const most = this.#scan(code[pc + 1]!, at);
          const least = at + code[pc + 3]!;
          if (most < least) return -1;
          if (most === at) break;
          const first = code[pc + 2]!;
          for (let tried = most; tried >= least; tried--) {
            if (sets[first + (tried < to ? memory[tried]! : SUBJECT_END)] === 1) {
              const end = this.#run(pc + 4, tried, depth + 1);
              if (end >= 0) return end;
            }
            if (((most - tried) & STRETCH_MASK) === STRETCH_MASK)
              budget.spendBytes(BYTES_PER_STRETCH);
          }
          return -1;
        }
        case 9: {
          // possessive
          const set = code[pc + 1]!;
          const least = at + code[pc + 3]!;
          at = this.#scan(set, at);
          if (at < least) return -1;
          break;
        }
        case 10: {
          // lazy
          const set = code[pc + 1]!;
          if (at >= to || sets[set + memory[at]!] === 0) break;
          const first = code[pc + 2]!;
          const start = at;
          for (;;) {
            if (sets[first + (at < to ? memory[at]! : SUBJECT_END)] === 1) {
              const end = this.#run(pc + 4, at, depth + 1);
              if (end >= 0) return end;
            }
            if (at >= to || sets[set + memory[at]!] === 0) break;
            at++;
            if (((at - start) & STRETCH_MASK) === 0) budget.spendBytes(BYTES_PER_STRETCH);
          }
          budget.spendBytes((at - start) & STRETCH_MASK);
          return -1;
        }
        case 11: // optional
          if (at < to && sets[code[pc + 1]! + memory[at]!] === 1) {
            const end = this.#run(pc + 4, at + 1, depth + 1);
            if (end >= 0) return end;
          }
          break;
        case 12: // optional_possessive
          if (at < to && sets[code[pc + 1]! + memory[at]!] === 1) at++;
          break;
        case 13: // back_reference
          at = this.#backReference(code[pc + 1]!, at);
          if (at < 0) return -1;
          break;
        case 14: // balance
          at = this.#balance(code[pc + 1]!, code[pc + 2]!, at);
          if (at < 0) return -1;
          break;
        case 15: {
          // frontier
          const set = code[pc + 1]!;
          const before = at === this.from ? 0 : memory[at - 1]!;
          const after = at < to ? memory[at]! : 0;
          if (sets[set + before] === 1 || sets[set + after] === 0) return -1;
          break;
        }
        case 16: // never
          return -1;
        case 17: // mistake
          this.#host.raise(this.#program.mistake);
          break;
        case 18: // spend
          budget.spend(code[pc + 1]!);
          break;
        case 19: // deeper
          if (++depth > MAX_DEPTH) this.#host.raise("pattern too complex");
          break;
        case 20: {
          // lazy_any
          const first = code[pc + 1]!;
          for (;;) {
            const stop = Math.min(to, at + BYTES_PER_STRETCH);
            const start = at;
            while (at < stop && sets[first + memory[at]!] === 0) at++;
            budget.spendBytes(at - start);
            if (at < stop || (at === to && sets[first + SUBJECT_END] === 1)) {
              const end = this.#run(pc + 4, at, depth + 1);
              if (end >= 0) return end;
              at++;
            }
            if (at > to || (at === to && sets[first + SUBJECT_END] === 0)) return -1;
          }
        }
      }
      pc += 4;
    }
  }

  /** The first position from `at` on whose byte is not in a set. */
  #scan(set: number, at: number): number {
    const memory = this.#memory;
    const sets = this.#sets;
    const to = this.#to;
    for (;;) {
      const stop = Math.min(to, at + BYTES_PER_STRETCH);
      const start = at;
      while (at < stop && sets[set + memory[at]!] === 1) at++;
      this.#budget.spendBytes(at - start);
      if (at < stop || at === to) return at;
    }
  }

  #backReference(capture: number, at: number): number {
    const memory = this.#memory;
    const start = this.captures[capture << 1]!;
    const length = this.captures[(capture << 1) + 1]! - start;
    if (this.#to - at < length) return -1;
    for (let index = 0; index < length; index++) {
      if (memory[start + index] !== memory[at + index]) {
        this.#budget.spendBytes(index & STRETCH_MASK);
        return -1;
      }
      if ((index & STRETCH_MASK) === STRETCH_MASK) this.#budget.spendBytes(BYTES_PER_STRETCH);
    }
    this.#budget.spendBytes(length & STRETCH_MASK);
    return at + length;
  }

  #balance(open: number, close: number, at: number): number {
    const memory = this.#memory;
    const to = this.#to;
    if (at >= to || memory[at] !== open) return -1;
    const start = at;
    let depth = 1;
    while (++at < to) {
      const byte = memory[at];
      // The order matters when both are the same byte: then it closes.
      if (byte === close) {
        if (--depth === 0) break;
      } else if (byte === open) depth++;
      if (((at - start) & STRETCH_MASK) === 0) this.#budget.spendBytes(BYTES_PER_STRETCH);
    }
    this.#budget.spendBytes((at - start) & STRETCH_MASK);
    return at < to ? at + 1 : -1;
  }
}
