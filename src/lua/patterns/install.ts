import { findFunction, matchFunction } from "./find.ts";
import { gmatchFunction, gmatchStep } from "./gmatch.ts";
import { gsubFunction } from "./gsub.ts";
import type { RawLua, Ptr } from "../raw.ts";
import { PatternVm } from "./pattern-vm.ts";
import { PatternEngine } from "./pattern-engine.ts";

/** Options of {@link installPatterns}. */
export interface PatternOptions {
  /**
   * Called every few microseconds of matching. What it throws ends the call and goes through Lua
   * to whoever entered it, past every `pcall`; the state must then be given up.
   */
  readonly check: () => void;
}

/** The names of the functions, as they are called in Lua's `string`. */
type PatternFunctionName = "find" | "match" | "gmatch" | "gsub";

/** The pattern functions of a module: C functions, the same for all of its states. */
export interface PatternFunctions {
  readonly pointers: Readonly<Record<PatternFunctionName, Ptr>>;
  /** Puts the functions into the global `string` of a state, which its string metatable uses. */
  mount(L: Ptr): void;
}

/**
 * Adds interruptible versions of find, match, gmatch and gsub to a module. To be called once per
 * module: what it allocates (five slots of the function table, 65 KB) stays for good.
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
