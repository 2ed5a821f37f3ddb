import type { Ptr } from "../raw.ts";
import { startOffset, type PatternEngine } from "./pattern-engine.ts";

/** Pseudo-index of the first upvalue of a C function, less one: LUA_REGISTRYINDEX. */
const UPVALUES = -1_001_000;
/** Words of the iterator's state, by index. */
const TEXT = 0;
const TEXT_END = 1;
const PATTERN = 2;
const PATTERN_LENGTH = 3;
/** Where to go on. */
const NEXT = 4;
/** Where the last match ended, 0 for none: an empty match there would be the same one again. */
const LAST_END = 5;
const STATE_WORDS = 6;

/** The iterator that gmatch returns, as a C function with three upvalues: text, pattern, state. */
export function gmatchStep(engine: PatternEngine): (L: Ptr) => number {
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
export function gmatchFunction(engine: PatternEngine, step: Ptr): (L: Ptr) => number {
  const { vm } = engine;
  const { lua } = vm;
  return (L) => {
    const text = lua.luaL_checklstring(L, 1, vm.lengthAt);
    const textLength = vm.length;
    const pattern = lua.luaL_checklstring(L, 2, vm.lengthAt);
    const patternLength = vm.length;
    const offset = startOffset(vm.optionalInteger(L, 3, 1), textLength);
    // The strings stay on the closure: the state holds their addresses.
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
