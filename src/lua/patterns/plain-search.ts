import { BYTES_PER_STRETCH, type PatternBudget } from "./pattern-vm.ts";

/** For loops that count a stretch whenever one is full. */
const STRETCH_MASK = BYTES_PER_STRETCH - 1;
/** What is nearer than this is found faster by a loop than by a native call. */
const NEAR = 200;
/** The longest piece of a needle that is handed to the native search, whose worst case is a product. */
const NATIVE_NEEDLE = 32;

/**
 * The first place in the subject, from `from` to `to`, where the needle of `length` bytes at `needle`
 * stands, or -1; an empty needle stands everywhere.
 *
 * Time is linear in both lengths whatever they hold, and no stretch without a check is long: a loop
 * looks at what is near, a native search at the rest in bounded windows, and a needle whose start is
 * found too often without the rest (the attack on C's version) goes to the two-way algorithm.
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

/** Where the byte stands next, or `last`. Four at a time: the loop itself costs as much as a look. */
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

/** Looks for the start of the needle, one window of the subject after the other. */
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

/** How many bytes of the needle stand at a place. */
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
  // How much of the needle's start is known to match, after a shift by its period.
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

/** Start and period of the needle's largest suffix, by the order of bytes or the reverse one. */
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
