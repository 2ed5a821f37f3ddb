import { REGISTRY } from "./raw.ts";
import type { LuaThread, Ptr } from "./raw.ts";
import { UPVALUES } from "./registry-keys.ts";
import type { LuaState } from "./state.ts";
import type { HostFunction } from "./vm.ts";

/** Set host functions, or C functions by their address, with the upvalues that all of them have, as fields of the table on top of a stack. */
export function setFunctions(
  state: LuaState,
  L: LuaThread,
  functions: Readonly<Record<string, HostFunction | Ptr>>,
): void {
  const { raw, text, vm } = state;
  for (const [name, fn] of Object.entries(functions)) {
    text.push(L, name);
    for (const key of UPVALUES) raw.lua_rawgetp(L, REGISTRY, key);
    const pointer = typeof fn === "number" ? fn : vm.pointerTo(fn);
    raw.lua_pushcclosure(L, pointer, UPVALUES.length);
    raw.lua_rawset(L, -3);
  }
}
