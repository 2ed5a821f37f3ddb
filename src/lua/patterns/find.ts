import type { Ptr } from "../raw.ts";
import { startOffset, type PatternEngine } from "./pattern-engine.ts";
import { findPlain } from "./plain-search.ts";
import { isPlain } from "./program.ts";

/** Needles longer than this are looked through for special characters without compiling them. */
const LONG_NEEDLE = 1_000;

/** `string.find` as a C function. */
export function findFunction(engine: PatternEngine): (L: Ptr) => number {
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
export function matchFunction(engine: PatternEngine): (L: Ptr) => number {
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
