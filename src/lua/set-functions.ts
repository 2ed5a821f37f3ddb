import { REGISTRY } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import { UPVALUES } from "./registry-keys.ts";
import type { LuaState } from "./state.ts";
import type { HostFunction } from "./vm.ts";

/** Set host functions, with the upvalues that all of them have, as fields of the table on top of a stack. */
export function setFunctions(
  state: LuaState,
  L: LuaThread,
  functions: Readonly<Record<string, HostFunction>>,
): void {
  const { raw, text, vm } = state;
  for (const [name, fn] of Object.entries(functions)) {
    text.push(L, name);
    for (const key of UPVALUES) raw.lua_rawgetp(L, REGISTRY, key);
    raw.lua_pushcclosure(L, vm.pointerTo(fn), UPVALUES.length);
    raw.lua_rawset(L, -3);
  }
}
