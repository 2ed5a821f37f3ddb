import type { Ptr } from "../raw.ts";
import { PatternBudget } from "./pattern-vm.ts";
import { ByteSets } from "./byte-sets.ts";
import type { CompiledPattern } from "./compile.ts";
import { compilePattern } from "./compile.ts";
import { Matcher } from "./matcher.ts";
import type { PatternVm } from "./pattern-vm.ts";

/** Longer patterns raise "pattern too complex": their tables could take 85 times their length. */
const LONGEST_PATTERN = 65_536;
/** Stack slots a C function has without asking; find and gsub use a few themselves. */
const SURE_SLOTS = 12;

/** What the pattern functions of one module share: the matcher, the budget, the compiled patterns. */
export class PatternEngine {
  readonly vm: PatternVm;
  readonly budget: PatternBudget;
  readonly matcher: Matcher;
  readonly #patterns: PatternCache;
  /** For gmatch, where `^` is no anchor. */
  readonly #unanchored: PatternCache;
  readonly #tooManyCaptures: Ptr;
  /** The Lua thread whose call is being served: errors are raised there. */
  #L: Ptr = 0;

  constructor(vm: PatternVm, check: () => void) {
    this.vm = vm;
    this.budget = new PatternBudget(check);
    this.matcher = new Matcher({ budget: this.budget, raise: (message) => this.raise(message) });
    const sets = new ByteSets();
    this.#patterns = new PatternCache(true, sets, this.budget);
    this.#unanchored = new PatternCache(false, sets, this.budget);
    this.#tooManyCaptures = vm.cString("too many captures");
  }

  /** Readies the matcher for a subject and the pattern at a place in linear memory. */
  prepare(L: Ptr, pattern: Ptr, patternLength: number, from: Ptr, to: Ptr): CompiledPattern {
    return this.#ready(this.#patterns, L, pattern, patternLength, from, to);
  }

  /** The same for gmatch. */
  prepareUnanchored(
    L: Ptr,
    pattern: Ptr,
    patternLength: number,
    from: Ptr,
    to: Ptr,
  ): CompiledPattern {
    return this.#ready(this.#unanchored, L, pattern, patternLength, from, to);
  }

  /** Readies the matcher again, after Lua code has run that may have used it. */
  resume(L: Ptr, program: CompiledPattern, from: Ptr, to: Ptr): void {
    this.#L = L;
    this.matcher.prepare(program, this.vm.memory, from, to);
  }

  /**
   * Pushes the captures of the latest match, which began at `start` and ended at `end`; the whole
   * match if the pattern has none and `whole` is set. Returns how many.
   */
  pushCaptures(L: Ptr, program: CompiledPattern, start: Ptr, end: Ptr, whole: boolean): number {
    const count = program.captures.length;
    if (count === 0) {
      if (whole) this.vm.lua.lua_pushlstring(L, start, end - start);
      return whole ? 1 : 0;
    }
    if (count > SURE_SLOTS) this.vm.lua.luaL_checkstack(L, count, this.#tooManyCaptures);
    for (let index = 0; index < count; index++) this.pushCapture(L, program, index);
    return count;
  }

  /** Pushes a capture of the latest match. */
  pushCapture(L: Ptr, program: CompiledPattern, index: number): void {
    const start = this.matcher.captures[index << 1]!;
    switch (program.captures[index]!) {
      case "range": {
        const length = this.matcher.captures[(index << 1) + 1]! - start;
        this.budget.spendBytes(length >> 4);
        this.vm.lua.lua_pushlstring(L, start, length);
        break;
      }
      case "position":
        this.vm.pushInteger(L, start - this.matcher.from + 1);
        break;
      case "unfinished":
        this.raise("unfinished capture");
    }
  }

  /** Raises a Lua error in the call being served. */
  raise(message: string): never {
    return this.vm.raise(this.#L, message);
  }

  #ready(
    patterns: PatternCache,
    L: Ptr,
    pattern: Ptr,
    patternLength: number,
    from: Ptr,
    to: Ptr,
  ): CompiledPattern {
    this.#L = L;
    // So that an endless loop of calls that find nothing to do is counted, too.
    this.budget.spend(1);
    if (patternLength > LONGEST_PATTERN) this.raise("pattern too complex");
    const { memory } = this.vm;
    const program = patterns.get(memory, pattern, patternLength);
    this.matcher.prepare(program, memory, from, to);
    return program;
  }
}

/** Offset that the `init` argument of find, match and gmatch means (Lua's `posrelatI`, less one). */
export function startOffset(init: number, length: number): number {
  if (init > 0) return init - 1;
  if (init === 0 || init < -length) return 0;
  return length + init;
}

/** Slots of the table by address; a power of two. */
const SLOTS = 512;
/** What a program in that table may weigh, so that its size is bounded, too. */
const SLOT_CAPACITY = 8_000;
/** What the programs that are kept by content may weigh together, in bytes, and each of them. */
const CAPACITY = 4_000_000;
const ENTRY_CAPACITY = 500_000;
/** What an entry takes besides its tables, about. */
const ENTRY_WEIGHT = 500;

/** What compiling does per item, in steps of matching. */
const STEPS_PER_ITEM = 20;

interface Entry {
  readonly program: CompiledPattern;
  readonly weight: number;
}

/**
 * Compiled patterns by their bytes.
 *
 * Lua keeps one copy of a short string, and a pattern is mostly a literal, so the address says at
 * once which pattern it is likely to be; as strings are collected and addresses used again, the
 * bytes are compared all the same. Behind that is a bounded table by content.
 */
class PatternCache {
  readonly #slots: (CompiledPattern | undefined)[] = Array.from({ length: SLOTS });
  readonly #entries = new Map<string, Entry>();
  readonly #anchors: boolean;
  readonly #sets: ByteSets;
  readonly #budget: PatternBudget;
  #weight = 0;

  /** @param anchors whether a leading `^` is an anchor in these patterns */
  constructor(anchors: boolean, sets: ByteSets, budget: PatternBudget) {
    this.#anchors = anchors;
    this.#sets = sets;
    this.#budget = budget;
  }

  /** The program of the pattern of `length` bytes at `pointer`. */
  get(memory: Uint8Array, pointer: number, length: number): CompiledPattern {
    const slot = (pointer >>> 3) & (SLOTS - 1);
    const likely = this.#slots[slot];
    if (likely !== undefined && isAt(likely.source, memory, pointer, length)) return likely;
    const { program, weight } = this.#find(memory.slice(pointer, pointer + length));
    if (weight <= SLOT_CAPACITY) this.#slots[slot] = program;
    return program;
  }

  #find(source: Uint8Array): Entry {
    const key = Buffer.from(source.buffer).toString("latin1");
    const known = this.#entries.get(key);
    if (known !== undefined) {
      // A map is in the order of insertion: what is at its start was not asked for the longest.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const tick = (): void => this.#budget.spend(STEPS_PER_ITEM);
    const program = compilePattern(source, this.#anchors, this.#sets, tick);
    const tables = program.sets.length + program.code.byteLength;
    const entry = { program, weight: ENTRY_WEIGHT + tables + 3 * source.length };
    if (entry.weight <= ENTRY_CAPACITY) this.#keep(key, entry);
    return entry;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    for (const [oldest, { weight }] of this.#entries) {
      if (this.#weight <= CAPACITY) break;
      this.#entries.delete(oldest);
      this.#weight -= weight;
    }
  }
}

function isAt(source: Uint8Array, memory: Uint8Array, pointer: number, length: number): boolean {
  if (source.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (source[index] !== memory[pointer + index]) return false;
  }
  return true;
}
