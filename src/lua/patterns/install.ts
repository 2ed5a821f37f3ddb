import type { Ptr, RawLua } from "../raw.ts";
import { isPlain } from "./compile.ts";
import { findPlain } from "./matcher.ts";
import { gsubFunction, PatternEngine, startOffset } from "./pattern-engine.ts";
import { PatternVm } from "./pattern-vm.ts";

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

/** The pattern functions of a module: C functions, the same for all of its states. */
export interface PatternFunctions {
  readonly pointers: Readonly<Record<PatternFunctionName, Ptr>>;
  /** Puts the functions into the global `string` of a state, which its string metatable uses. */
  mount(L: Ptr): void;
}

/**
 * Adds interruptible versions of find, match, gmatch and gsub to a module. Call once per module: its allocations (five
 * slots of the function table, 65 KB) are permanent.
 */
export function installPatterns(module: RawLua, options: PatternOptions): PatternFunctions {
  const vm = new PatternVm(module);
  const engine = new PatternEngine(vm, options.check);
  const add = (fn: (L: Ptr) => number): Ptr => module.addFunction(fn, "ii");
  const pointers = {
    find: add(findFunction(engine)),
    match: add(matchFunction(engine)),
    gmatch: add(gmatchFunction(engine, add(gmatchStep(engine)))),
    gsub: add(gsubFunction(engine)),
  };
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
/** Words of the iterator's state, by index. */
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
