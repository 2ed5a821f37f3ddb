import { LuaArguments } from "./arguments.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import type { HostCall } from "./task.ts";
import { LuaArgumentError } from "./vm.ts";
import type { HostFunction } from "./vm.ts";

/** A function of `orcs`: reads its arguments, returns how many results it pushed. */
export type ApiFunction = (args: LuaArguments, state: LuaState, L: LuaThread) => number;

/**
 * Functions of `orcs` as the VM calls them.
 * @param table by name; `state_get` is shown as `state.get`
 * @param maxValueBytes most that one argument may hold
 */
export function hostFunctions(
  table: Readonly<Record<string, ApiFunction>>,
  maxValueBytes: number,
): Record<string, HostFunction> {
  const wrapped: Record<string, HostFunction> = {};
  for (const [name, fn] of Object.entries(table)) {
    const shown = name.replace(/^state_/, "state.");
    wrapped[name] = (state, L) => {
      // Many of these do a lot for one instruction.
      state.limits.check();
      return fn(new LuaArguments(state, L, shown, maxValueBytes), state, L);
    };
  }
  return wrapped;
}

/** Yield until the host has answered; only the handler's own coroutine can. */
export function wait(state: LuaState, L: LuaThread, name: string, call: HostCall): number {
  const task = state.current;
  if (!task?.scope) {
    throw new LuaArgumentError(`orcs.${name} cannot be called while a script is loaded`);
  }
  if (task.thread !== L || state.raw.lua_isyieldable(L) === 0) {
    throw new LuaArgumentError(
      `orcs.${name} cannot wait here: not in a coroutine of the script's own, a gsub callback or a sort comparator`,
    );
  }
  task.pending = call;
  return state.raw.lua_yieldk(L, 0, 0, 0);
}
