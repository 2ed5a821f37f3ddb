import type { Ptr } from "../raw.ts";
import type { CompiledPattern } from "./compile.ts";
import type { PatternEngine } from "./pattern-engine.ts";
import type { PatternBudget, PatternVm } from "./pattern-vm.ts";
import { BYTES_PER_STRETCH } from "./pattern-vm.ts";

const ESCAPE = 37;
/** Linear memory that results of string replacements are built in, before they get a userdata. */
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

/** Stack slot of the replacement, and of what the result is built in. */
const REPLACEMENT = 3;
const RESULT = 5;

/**
 * Adds the text from `copied` to `start` and then what replaces the match from `start` to `end`;
 * if the match stays as it is, nothing, and returns false.
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
      // The commonest outcome by far, so it comes before all that a replacement needs.
      lua.lua_pushvalue(L, 1);
      vm.pushInteger(L, 0);
      return 2;
    }

    const textual = type === TYPE_NUMBER || type === TYPE_STRING;
    lua.lua_settop(L, RESULT);
    // A function or a table may call gsub again, and must not find its scratch memory in use.
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
        // What was called may have used the matcher, and the result may have made memory grow.
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

/** Replacement by a string, in which `%0` to `%9` stand for the match and its captures. */
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

/** Where the next `%` stands, or the end. */
function nextEscape(memory: Uint8Array, at: Ptr, end: Ptr, budget: PatternBudget): Ptr {
  while (at < end && memory[at] !== ESCAPE) {
    if ((++at & (BYTES_PER_STRETCH - 1)) === 0) budget.spendBytes(BYTES_PER_STRETCH);
  }
  return at;
}

/** Replacement by what a function returns for the captures, or what a table holds for the first. */
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

/** How many bytes a native copy does in the time a loop looks at one, as a power of two. */
const BYTES_PER_COPIED_LOG2 = 4;

/** Linear memory that a buffer may start in. */
interface Scratch {
  readonly pointer: Ptr;
  readonly size: number;
}

const LARGEST = 0x7fff_ffff;
/** Copies shorter than this are done faster by a loop than by a native call. */
const NATIVE_FROM = 48;

/**
 * The text a gsub call builds.
 *
 * It lives in scratch memory first, then in a userdata at a slot of the Lua stack: so the state's
 * own allocator counts it, its limit ends it with Lua's own error, and whatever is thrown, nothing
 * has to be freed.
 */
class ResultBuffer {
  readonly #vm: PatternVm;
  readonly #budget: PatternBudget;
  readonly #L: Ptr;
  readonly #slot: number;
  #pointer: Ptr;
  #capacity: number;
  #length = 0;

  /** @param slot index on the Lua stack that this buffer may overwrite */
  constructor(vm: PatternVm, budget: PatternBudget, L: Ptr, slot: number, scratch: Scratch) {
    this.#vm = vm;
    this.#budget = budget;
    this.#L = L;
    this.#slot = slot;
    this.#pointer = scratch.pointer;
    this.#capacity = scratch.size;
  }

  /** Adds the bytes from `from` to `to`, which must be in linear memory and anchored. */
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
    // Only now may the old one go.
    lua.lua_copy(this.#L, -1, this.#slot);
    lua.lua_settop(this.#L, -2);
    this.#pointer = pointer;
    this.#capacity = capacity;
  }
}
