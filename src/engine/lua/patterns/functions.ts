import type { LuaExports, Ptr, RawLua } from "../raw.ts";
import { ByteSets } from "./byte-sets.ts";
import type { CompiledPattern } from "./compile.ts";
import { compilePattern, isPlain } from "./compile.ts";
import { BYTES_PER_STRETCH, Matcher, PatternBudget, findPlain } from "./matcher.ts";

/** Options of {@link installPatterns}. */
interface PatternOptions {
  /**
   * Called every few microseconds of matching. An exception ends the call and passes through Lua to its caller, past
   * every `pcall`; the state must then be discarded.
   */
  readonly check: () => void;
}

/** The names of the functions in Lua's `string`. */
type PatternFunctionName = "find" | "match" | "gmatch" | "gsub";

/** The pattern functions of a module, as C functions that all of its states share. */
export interface PatternFunctions {
  readonly pointers: Readonly<Record<PatternFunctionName, Ptr>>;
  /** Sets the functions in the global `string` of a state, which is also the `__index` of strings. */
  mount(L: Ptr): void;
}

/**
 * Adds interruptible versions of find, match, gmatch and gsub to a module. Call once per module: its allocations (five
 * slots of the function table, 65 KB) are permanent.
 */
export function installPatterns(module: RawLua, options: PatternOptions): PatternFunctions {
  const vm = new PatternVm(module);
  const engine = new PatternEngine(vm, options.check);
  const step = module.addFunctions([gmatchStep(engine)], "ii");
  const functions = {
    find: findFunction(engine),
    match: matchFunction(engine),
    gmatch: gmatchFunction(engine, step),
    gsub: gsubFunction(engine),
  };
  const first = module.addFunctions(Object.values(functions), "ii");
  const pointers = { find: first, match: first + 1, gmatch: first + 2, gsub: first + 3 };
  const names = Object.entries(pointers).map(
    ([name, pointer]) => [vm.cString(name), pointer] as const,
  );
  const library = vm.cString("string");
  const { lua } = vm;
  return {
    pointers,
    mount(L) {
      lua.lua_getglobal(L, library);
      for (const [name, pointer] of names) {
        lua.lua_pushcclosure(L, pointer, 0);
        lua.lua_setfield(L, -2, name);
      }
      lua.lua_settop(L, -2);
    },
  };
}

/** Longer needles are scanned for special characters without compiling them. */
const LONG_NEEDLE = 1_000;

/** `string.find` as a C function. */
function findFunction(engine: PatternEngine): (L: Ptr) => number {
  const { vm, matcher, budget } = engine;
  const { lua } = vm;

  const plainFind = (
    L: Ptr,
    text: Ptr,
    from: Ptr,
    to: Ptr,
    needle: Ptr,
    length: number,
  ): number => {
    const found = findPlain(vm.memory, from, to, needle, length, budget);
    if (found < 0) return pushNil(L);
    vm.pushInteger(L, found - text + 1);
    vm.pushInteger(L, found - text + length);
    return 2;
  };

  const tick = (): void => budget.spend(8);

  const pushNil = (L: Ptr): number => {
    lua.lua_pushnil(L);
    return 1;
  };

  return (L) => {
    const text = lua.luaL_checklstring(L, 1, vm.lengthAt);
    const to = text + vm.length;
    const pattern = lua.luaL_checklstring(L, 2, vm.lengthAt);
    const { length } = vm;
    let from = text;
    if (lua.lua_gettop(L) > 2) {
      from += startOffset(vm.optionalInteger(L, 3, 1), to - text);
      if (from > to) return pushNil(L);
      if (lua.lua_toboolean(L, 4) !== 0) return plainFind(L, text, from, to, pattern, length);
    }
    if (length > LONG_NEEDLE && isPlain(vm.memory, pattern, pattern + length, tick)) {
      return plainFind(L, text, from, to, pattern, length);
    }
    const program = engine.prepare(L, pattern, length, text, to);
    if (program.plain) return plainFind(L, text, from, to, pattern, length);
    const start = matcher.search(from);
    if (start < 0) return pushNil(L);
    vm.pushInteger(L, start - text + 1);
    vm.pushInteger(L, matcher.end - text);
    return 2 + engine.pushCaptures(L, program, start, matcher.end, false);
  };
}

/** `string.match` as a C function. */
function matchFunction(engine: PatternEngine): (L: Ptr) => number {
  const { vm, matcher } = engine;
  const { lua } = vm;
  return (L) => {
    const text = lua.luaL_checklstring(L, 1, vm.lengthAt);
    const to = text + vm.length;
    const pattern = lua.luaL_checklstring(L, 2, vm.lengthAt);
    const { length } = vm;
    let from = text;
    if (lua.lua_gettop(L) > 2) from += startOffset(vm.optionalInteger(L, 3, 1), to - text);
    if (from <= to) {
      const program = engine.prepare(L, pattern, length, text, to);
      const start = matcher.search(from);
      if (start >= 0) return engine.pushCaptures(L, program, start, matcher.end, true);
    }
    lua.lua_pushnil(L);
    return 1;
  };
}

/** Pseudo-index of the first upvalue of a C function, minus one: LUA_REGISTRYINDEX. */
const UPVALUES = -1_001_000;

/** Word indices in the iterator's state. */
const TEXT = 0;

const TEXT_END = 1;

const PATTERN = 2;

const PATTERN_LENGTH = 3;

/** The next position. */
const NEXT = 4;

/** The end of the last match, 0 for none: an empty match there would be the same one again. */
const LAST_END = 5;

const STATE_WORDS = 6;

/** The iterator that gmatch returns, as a C function with three upvalues: text, pattern, state. */
function gmatchStep(engine: PatternEngine): (L: Ptr) => number {
  const { vm, matcher } = engine;
  const { lua } = vm;
  return (L) => {
    const state = lua.lua_touserdata(L, UPVALUES - 3) >> 2;
    const { words } = vm;
    const from = words[state + TEXT]!;
    const to = words[state + TEXT_END]!;
    const lastEnd = words[state + LAST_END]!;
    let at = words[state + NEXT]!;
    const pattern = words[state + PATTERN]!;
    const program = engine.prepareUnanchored(L, pattern, words[state + PATTERN_LENGTH]!, from, to);
    while (at <= to) {
      const start = matcher.search(at);
      if (start < 0) return 0;
      const { end } = matcher;
      if (end !== lastEnd) {
        words[state + NEXT] = end;
        words[state + LAST_END] = end;
        return engine.pushCaptures(L, program, start, end, true);
      }
      at = start + 1;
    }
    return 0;
  };
}

/**
 * `string.gmatch` as a C function.
 * @param step the C function of {@link gmatchStep}
 */
function gmatchFunction(engine: PatternEngine, step: Ptr): (L: Ptr) => number {
  const { vm } = engine;
  const { lua } = vm;
  return (L) => {
    const text = lua.luaL_checklstring(L, 1, vm.lengthAt);
    const textLength = vm.length;
    const pattern = lua.luaL_checklstring(L, 2, vm.lengthAt);
    const patternLength = vm.length;
    const offset = startOffset(vm.optionalInteger(L, 3, 1), textLength);
    // The strings stay on the closure: the state has their addresses.
    lua.lua_settop(L, 2);
    const state = lua.lua_newuserdatauv(L, STATE_WORDS * 4, 0) >> 2;
    const { words } = vm;
    words[state + TEXT] = text;
    words[state + TEXT_END] = text + textLength;
    words[state + PATTERN] = pattern;
    words[state + PATTERN_LENGTH] = patternLength;
    words[state + NEXT] = text + Math.min(offset, textLength + 1);
    words[state + LAST_END] = 0;
    lua.lua_pushcclosure(L, step, 3);
    return 1;
  };
}

/** Longer patterns raise "pattern too complex": their tables could take 85 times their length. */
const LONGEST_PATTERN = 65_536;

/** Stack slots that a C function has without asking; find and gsub use a few themselves. */
const SURE_SLOTS = 12;

/** Shared by the pattern functions of a module: the matcher, the budget, the compiled patterns. */
class PatternEngine {
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

  /** As `prepare`, for gmatch. */
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
function startOffset(init: number, length: number): number {
  if (init > 0) return init - 1;
  if (init === 0 || init < -length) return 0;
  return length + init;
}

/** Slots of the cache by address; a power of two. */
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
function gsubFunction(engine: PatternEngine): (L: Ptr) => number {
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
        // The same empty match again: skip it.
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

/** Integers up to here are cached as bigints: creating one costs more than the call that takes it. */
const KEPT_INTEGERS = 16_384;

/** Size of the block for lengths written by Lua, and for error messages. */
const BLOCK_SIZE = 256;

const MESSAGE_OFFSET = 16;

/**
 * The module as the pattern functions use it: its memory, its functions, and common helpers.
 * `memory` must be read again after every call into Lua that may allocate.
 */
class PatternVm {
  readonly lua: LuaExports;
  /** Where `lua_tolstring` and similar functions write a length. */
  readonly lengthAt: Ptr;
  readonly #module: RawLua;
  readonly #integers: bigint[] = [];
  #memory: Uint8Array;
  #words: Uint32Array;

  constructor(module: RawLua) {
    this.lua = module;
    this.lengthAt = module.malloc(BLOCK_SIZE);
    this.#module = module;
    this.#memory = module.HEAPU8;
    this.#words = module.HEAPU32;
  }

  /** The bytes of linear memory. */
  get memory(): Uint8Array {
    // When memory grows, the old buffer is detached and its views have length 0.
    if (this.#memory.length === 0) this.#memory = this.#module.HEAPU8;
    return this.#memory;
  }

  /** The words of linear memory. */
  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = this.#module.HEAPU32;
    return this.#words;
  }

  /** The last length written to {@link lengthAt}. */
  get length(): number {
    return this.words[this.lengthAt >> 2]!;
  }

  /** An integer argument, or `fallback` if it is nil or missing. */
  optionalInteger(L: Ptr, argument: number, fallback: number): number {
    // The number is right for every valid argument, at a third of a bigint's cost; 0 may mean none.
    const number = this.lua.lua_tonumberx(L, argument, 0);
    if (number !== 0 && Number.isSafeInteger(number)) return number;
    return this.lua.lua_type(L, argument) <= 0
      ? fallback
      : Number(this.lua.luaL_checkinteger(L, argument));
  }

  pushInteger(L: Ptr, value: number): void {
    this.lua.lua_pushinteger(L, value < KEPT_INTEGERS ? this.#kept(value) : BigInt(value));
  }

  /** Raises a Lua error with the caller's position, as `luaL_error` does. */
  raise(L: Ptr, message: string): never {
    this.lua.luaL_where(L, 1);
    const at = this.lengthAt + MESSAGE_OFFSET;
    this.memory.set(Buffer.from(message, "latin1"), at);
    this.lua.lua_pushlstring(L, at, message.length);
    this.lua.lua_concat(L, 2);
    this.lua.lua_error(L);
    throw new Error("lua_error has returned");
  }

  /** A copy of a text in linear memory, NUL-terminated, which lives as long as the module. */
  cString(text: string): Ptr {
    const bytes = Buffer.from(`${text}\0`, "latin1");
    const pointer = this.#module.malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  /** Linear memory that lives as long as the module. */
  allocate(size: number): Ptr {
    return this.#module.malloc(size);
  }

  #kept(value: number): bigint {
    while (this.#integers.length <= value) this.#integers.push(BigInt(this.#integers.length));
    return this.#integers[value]!;
  }
}
