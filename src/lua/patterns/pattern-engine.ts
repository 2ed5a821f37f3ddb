import { ByteSets } from "./byte-sets.ts";
import { PatternBudget } from "./budget.ts";
import type { Ptr } from "../raw.ts";
import type { PatternVm } from "./pattern-vm.ts";
import { Matcher } from "./matcher.ts";
import { PatternCache } from "./pattern-cache.ts";
import type { Program } from "./program.ts";

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
  prepare(L: Ptr, pattern: Ptr, patternLength: number, from: Ptr, to: Ptr): Program {
    return this.#ready(this.#patterns, L, pattern, patternLength, from, to);
  }

  /** The same for gmatch. */
  prepareUnanchored(L: Ptr, pattern: Ptr, patternLength: number, from: Ptr, to: Ptr): Program {
    return this.#ready(this.#unanchored, L, pattern, patternLength, from, to);
  }

  /** Readies the matcher again, after Lua code has run that may have used it. */
  resume(L: Ptr, program: Program, from: Ptr, to: Ptr): void {
    this.#L = L;
    this.matcher.prepare(program, this.vm.memory, from, to);
  }

  /**
   * Pushes the captures of the latest match, which began at `start` and ended at `end`; the whole
   * match if the pattern has none and `whole` is set. Returns how many.
   */
  pushCaptures(L: Ptr, program: Program, start: Ptr, end: Ptr, whole: boolean): number {
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
  pushCapture(L: Ptr, program: Program, index: number): void {
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
  ): Program {
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
