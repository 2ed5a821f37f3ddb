import type { Ptr } from "../raw.ts";
import { ByteSets } from "./byte-sets.ts";
import type { CompiledPattern } from "./compile.ts";
import { compilePattern } from "./compile.ts";
import { Matcher } from "./matcher.ts";
import type { PatternVm } from "./pattern-vm.ts";
import { BYTES_PER_STRETCH, PatternBudget } from "./pattern-vm.ts";

/** Longer patterns raise "pattern too complex": their tables could take 85 times their length. */
const LONGEST_PATTERN = 65_536;
/** Stack slots that a C function has without asking; find and gsub use a few themselves. */
const SURE_SLOTS = 12;

/** Shared by the pattern functions of a module: the matcher, the budget, the compiled patterns. */
export class PatternEngine {
  readonly vm: PatternVm;
  readonly budget: PatternBudget;
  readonly matcher: Matcher;
  readonly #patterns: PatternCache;
  /** For gmatch, where `^` is not an anchor. */
  readonly #unanchored: PatternCache;
  readonly #tooManyCaptures: Ptr;
  /** The Lua thread of the current call: errors are raised there. */
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

  /** Prepares the matcher for a subject and a pattern in linear memory. */
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

  /** Prepares the matcher again, after Lua code has run that may have used it. */
  resume(L: Ptr, program: CompiledPattern, from: Ptr, to: Ptr): void {
    this.#L = L;
    this.matcher.prepare(program, this.vm.memory, from, to);
  }

  /**
   * Pushes the captures of the last match from `start` to `end`; the whole match if the pattern has no captures and
   * `whole` is set. Returns their number.
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

  /** Pushes a capture of the last match. */
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

  /** Raises a Lua error in the current call. */
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
    // An endless loop of calls without work must be counted as well.
    this.budget.spend(1);
    if (patternLength > LONGEST_PATTERN) this.raise("pattern too complex");
    const { memory } = this.vm;
    const program = patterns.get(memory, pattern, patternLength);
    this.matcher.prepare(program, memory, from, to);
    return program;
  }
}

/** The offset for the `init` argument of find, match and gmatch (Lua's `posrelatI`, minus one). */
export function startOffset(init: number, length: number): number {
  if (init > 0) return init - 1;
  if (init === 0 || init < -length) return 0;
  return length + init;
}

/** Slots of the table by address; a power of two. */
const SLOTS = 512;
/** Maximum weight of a program in that table, so that the table's size is bounded as well. */
const SLOT_CAPACITY = 8_000;
/** Maximum weight of the programs that are kept by content, together and each, in bytes. */
const CAPACITY = 4_000_000;
const ENTRY_CAPACITY = 500_000;
/** Approximate overhead of an entry besides its tables. */
const ENTRY_WEIGHT = 500;

/** Cost of compiling an item, in matching steps. */
const STEPS_PER_ITEM = 20;

interface Entry {
  readonly program: CompiledPattern;
  readonly weight: number;
}

/**
 * Compiled patterns by their bytes.
 * Lua keeps one copy of a short string, and a pattern is mostly a literal, so its address usually identifies it.
 * Strings are collected and addresses reused, so the bytes are compared anyway. Behind that is a bounded table by
 * content.
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
      // A Map is in insertion order: its first entry is the least recently used.
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

const ESCAPE = 37;
/** Linear memory for building results of string replacements before they get a userdata. */
const SCRATCH_SIZE = 65_536;
const NO_SCRATCH: Scratch = { pointer: 0, size: 0 };

const TYPE_NUMBER = 3;
const TYPE_STRING = 4;
const TYPE_TABLE = 5;
const TYPE_FUNCTION = 6;
/** Names of Lua's types, by their number. */
const TYPE_NAMES = [
  "nil",
  "boolean",
  "userdata",
  "number",
  "string",
  "table",
  "function",
  "userdata",
  "thread",
];

/** Stack slot of the replacement, and of the userdata of the result. */
const REPLACEMENT = 3;
const RESULT = 5;

/**
 * Adds the text from `copied` to `start`, and then the replacement of the match from `start` to `end`. If the match
 * stays as it is, adds nothing and returns false.
 */
type Replace = (program: CompiledPattern, copied: Ptr, start: Ptr, end: Ptr) => boolean;

/** `string.gsub` as a C function. */
export function gsubFunction(engine: PatternEngine): (L: Ptr) => number {
  const { vm, matcher, budget } = engine;
  const { lua } = vm;
  const expected = vm.cString("string/function/table");
  const scratch: Scratch = { pointer: vm.allocate(SCRATCH_SIZE), size: SCRATCH_SIZE };

  return (L) => {
    const text = lua.luaL_checklstring(L, 1, vm.lengthAt);
    const to = text + vm.length;
    const pattern = lua.luaL_checklstring(L, 2, vm.lengthAt);
    const patternLength = vm.length;
    const type = lua.lua_type(L, REPLACEMENT);
    const most = lua.lua_gettop(L) > 3 ? vm.optionalInteger(L, 4, Infinity) : Infinity;
    if (type < TYPE_NUMBER || type > TYPE_FUNCTION) lua.luaL_typeerror(L, REPLACEMENT, expected);
    const program = engine.prepare(L, pattern, patternLength, text, to);
    let start = most > 0 ? matcher.search(text) : -1;
    if (start < 0) {
      // By far the most common outcome, so it comes before everything that a replacement needs.
      lua.lua_pushvalue(L, 1);
      vm.pushInteger(L, 0);
      return 2;
    }

    const textual = type === TYPE_NUMBER || type === TYPE_STRING;
    lua.lua_settop(L, RESULT);
    // A function or a table can call gsub again, which must not find this scratch memory in use.
    const result = new ResultBuffer(vm, budget, L, RESULT, textual ? scratch : NO_SCRATCH);
    const replace = textual
      ? replaceByText(engine, L, result)
      : replaceByCall(engine, L, result, type === TYPE_TABLE);
    let count = 0;
    let changed = false;
    let copied = text;
    let lastEnd = -1;
    while (start >= 0) {
      const { end } = matcher;
      let next = end;
      if (end === lastEnd) {
        // The same empty match again.
        next = start + 1;
      } else {
        count++;
        lastEnd = end;
        if (replace(program, copied, start, end)) {
          copied = end;
          changed = true;
        }
        // The called code may have used the matcher, and building the result may have grown the memory.
        engine.resume(L, program, text, to);
      }
      if (program.anchored || count >= most) break;
      start = matcher.search(next);
    }
    if (changed) {
      result.append(copied, to);
      result.push();
    } else {
      lua.lua_pushvalue(L, 1);
    }
    budget.spendBytes(to - text);
    vm.pushInteger(L, count);
    return 2;
  };
}

/** Replacement by a string, in which `%0` to `%9` are the match and its captures. */
function replaceByText(engine: PatternEngine, L: Ptr, result: ResultBuffer): Replace {
  const { vm, matcher, budget } = engine;
  const replacement = vm.lua.lua_tolstring(L, REPLACEMENT, vm.lengthAt);
  const replacementEnd = replacement + vm.length;

  const appendCapture = (program: CompiledPattern, index: number, start: Ptr, end: Ptr): void => {
    const kind = program.captures[index];
    if (kind === undefined) {
      if (index !== 0) engine.raise(`invalid capture index %${index + 1}`);
      return result.append(start, end);
    }
    const captureStart = matcher.captures[index << 1]!;
    if (kind === "unfinished") engine.raise("unfinished capture");
    if (kind === "position") return result.appendText(`${captureStart - matcher.from + 1}`);
    result.append(captureStart, matcher.captures[(index << 1) + 1]!);
  };

  return (program, copied, start, end) => {
    result.append(copied, start);
    let done = replacement;
    for (;;) {
      const escape = nextEscape(vm.memory, done, replacementEnd, budget);
      result.append(done, escape);
      if (escape === replacementEnd) return true;
      budget.spend(1);
      const byte = escape + 1 < replacementEnd ? vm.memory[escape + 1]! : 0;
      done = escape + 2;
      if (byte === ESCAPE) result.append(escape, escape + 1);
      else if (byte === 48) result.append(start, end);
      else if (byte > 48 && byte <= 57) appendCapture(program, byte - 49, start, end);
      else engine.raise("invalid use of '%' in replacement string");
    }
  };
}

/** The position of the next `%`, or the end. */
function nextEscape(memory: Uint8Array, at: Ptr, end: Ptr, budget: PatternBudget): Ptr {
  while (at < end && memory[at] !== ESCAPE) {
    if ((++at & (BYTES_PER_STRETCH - 1)) === 0) budget.spendBytes(BYTES_PER_STRETCH);
  }
  return at;
}

/** Replacement by the result of a function of the captures, or by the value of a table for the first one. */
function replaceByCall(
  engine: PatternEngine,
  L: Ptr,
  result: ResultBuffer,
  table: boolean,
): Replace {
  const { vm } = engine;
  const { lua } = vm;
  return (program, copied, start, end) => {
    if (table) {
      if (program.captures.length === 0) lua.lua_pushlstring(L, start, end - start);
      else engine.pushCapture(L, program, 0);
      lua.lua_gettable(L, REPLACEMENT);
    } else {
      lua.lua_pushvalue(L, REPLACEMENT);
      const count = engine.pushCaptures(L, program, start, end, true);
      lua.lua_callk(L, count, 1, 0, 0);
    }
    const type = lua.lua_type(L, -1);
    const replaced = type === TYPE_STRING || type === TYPE_NUMBER;
    if (replaced) {
      const value = lua.lua_tolstring(L, -1, vm.lengthAt);
      const { length } = vm;
      result.append(copied, start);
      result.append(value, value + length);
    } else if (lua.lua_toboolean(L, -1) !== 0) {
      vm.raise(L, `invalid replacement value (a ${TYPE_NAMES[type]})`);
    }
    lua.lua_settop(L, RESULT);
    return replaced;
  };
}

/** Bytes of a native copy in the time of one loop iteration, as a power of two. */
const BYTES_PER_COPIED_LOG2 = 4;

/** Linear memory in which a buffer can start. */
interface Scratch {
  readonly pointer: Ptr;
  readonly size: number;
}

const LARGEST = 0x7fff_ffff;
/** Shorter copies are faster in a loop than in a native call. */
const NATIVE_FROM = 48;

/**
 * The result text of a gsub call.
 * It is built in scratch memory first, then in a userdata at a slot of the Lua stack. So the state's own allocator
 * counts it, its limit ends it with Lua's own error, and after an exception nothing has to be freed.
 */
class ResultBuffer {
  readonly #vm: PatternVm;
  readonly #budget: PatternBudget;
  readonly #L: Ptr;
  readonly #slot: number;
  #pointer: Ptr;
  #capacity: number;
  #length = 0;

  /** @param slot index on the Lua stack that this buffer can overwrite */
  constructor(vm: PatternVm, budget: PatternBudget, L: Ptr, slot: number, scratch: Scratch) {
    this.#vm = vm;
    this.#budget = budget;
    this.#L = L;
    this.#slot = slot;
    this.#pointer = scratch.pointer;
    this.#capacity = scratch.size;
  }

  /** Adds the bytes from `from` to `to`, which must be anchored in linear memory. */
  append(from: Ptr, to: Ptr): void {
    const added = to - from;
    if (this.#length + added > this.#capacity) this.#grow(added);
    const { memory } = this.#vm;
    let target = this.#pointer + this.#length;
    this.#length += added;
    if (added < NATIVE_FROM) {
      while (from < to) memory[target++] = memory[from++]!;
    } else {
      memory.copyWithin(target, from, to);
      this.#budget.spendBytes(added >> BYTES_PER_COPIED_LOG2);
    }
  }

  /** Adds an ASCII text. */
  appendText(text: string): void {
    if (this.#length + text.length > this.#capacity) this.#grow(text.length);
    this.#vm.memory.set(Buffer.from(text, "latin1"), this.#pointer + this.#length);
    this.#length += text.length;
  }

  /** Pushes the text as a Lua string. */
  push(): void {
    this.#vm.lua.lua_pushlstring(this.#L, this.#pointer, this.#length);
  }

  #grow(added: number): void {
    const { lua } = this.#vm;
    const needed = this.#length + added;
    if (needed > LARGEST) this.#vm.raise(this.#L, "buffer too large");
    const capacity = Math.min(LARGEST, Math.max(2 * this.#capacity, needed, 512));
    const pointer = lua.lua_newuserdatauv(this.#L, capacity, 0);
    this.#vm.memory.copyWithin(pointer, this.#pointer, this.#pointer + this.#length);
    // Only now the old one can be released.
    lua.lua_copy(this.#L, -1, this.#slot);
    lua.lua_settop(this.#L, -2);
    this.#pointer = pointer;
    this.#capacity = capacity;
  }
}
