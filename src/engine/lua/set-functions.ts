import { type LuaThread, type Ptr, REGISTRY, UPVALUES } from "./raw.ts";
import type { LuaState } from "./state.ts";
import type { HostFunction, LuaVm } from "./vm.ts";

/** Size of a `luaL_Reg` in bytes: the address of a name, and that of a function. */
const REG_BYTES = 8;

/**
 * Host functions that every state of a VM gets: listed once in its memory, so that one call sets them all. Separate
 * calls took a tenth of a state's start time.
 */
export class FunctionList {
  readonly #list: Ptr;

  /** @param functions by name, C functions by their address; the list lives as long as the VM */
  constructor(vm: LuaVm, functions: Readonly<Record<string, HostFunction | Ptr>>) {
    const entries = Object.entries(functions);
    vm.addHost(Object.values(functions).filter((fn) => typeof fn === "function"));
    this.#list = vm.raw.malloc((entries.length + 1) * REG_BYTES);
    if (this.#list === 0) throw new Error("the Lua VM is out of memory");
    const pairs = entries.map(([name, fn]) => [vm.text.constant(name), addressOf(vm, fn)]);
    // An empty pair ends it.
    vm.raw.HEAPU32.set([...pairs.flat(), 0, 0], this.#list >>> 2);
  }

  /** Set them as fields of the table on top of a stack, with their shared upvalues. */
  set({ raw }: LuaState, L: LuaThread): void {
    raw.lua_checkstack(L, UPVALUES.length * 2);
    for (const key of UPVALUES) raw.lua_rawgetp(L, REGISTRY, key);
    raw.luaL_setfuncs(L, this.#list, UPVALUES.length);
  }
}

function addressOf(vm: LuaVm, fn: HostFunction | Ptr): Ptr {
  return typeof fn === "number" ? fn : vm.pointerTo(fn);
}
