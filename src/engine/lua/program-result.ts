import { type Json, type JsonObject, setOwn } from "../../core/index.ts";
import type { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import { type LuaThread, T_FUNCTION, T_STRING, T_TABLE } from "./raw.ts";
import { toolMethod } from "./ports.ts";
import { keepHandler } from "./script-functions.ts";
import type { LuaState } from "./state.ts";

/** What a program returned: a value, or functions, each kept in a slot. */
export type ProgramOutput = { readonly value: Json | undefined } | ReturnedFunctions;

export interface ReturnedFunctions {
  /** Values beside them. */
  readonly fields: JsonObject;
  readonly slots: ReadonlyMap<string, number>;
}

/** The name of a bare function. */
const BARE = "run";
const RESULT = "the script's result";
/** The key of a table of functions: the tools of a component. */
const TOOLS = "tools";

/**
 * Read the first value that a program returned. A table with a function among its values is a table of functions;
 * metamethods are not called.
 * @throws NotConvertible
 */
export function readProgramResult(state: LuaState, L: LuaThread, reader: LuaReader): ProgramOutput {
  const { raw } = state;
  if (raw.lua_gettop(L) === 0) return { value: undefined };
  raw.lua_settop(L, 1);
  raw.lua_checkstack(L, 8);
  const type = raw.lua_type(L, 1);
  if (type === T_FUNCTION) {
    return { fields: {}, slots: new Map([[BARE, keepHandler(state, L, 1).slot]]) };
  }
  if (type === T_TABLE && holdsFunction(state, L, 1)) return readFunctions(state, L, reader);
  return { value: reader.read(L, 1, RESULT) };
}

/** Whether the table at an absolute index has a function among its values. */
function holdsFunction(state: LuaState, L: LuaThread, at: number): boolean {
  const { raw, limits } = state;
  const top = raw.lua_gettop(L);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, at) !== 0) {
    limits.spend(1);
    if (raw.lua_type(L, -1) === T_FUNCTION) {
      raw.lua_settop(L, top);
      return true;
    }
    raw.lua_settop(L, -2);
  }
  return false;
}

function readFunctions(state: LuaState, L: LuaThread, reader: LuaReader): ReturnedFunctions {
  const { raw, text } = state;
  const fields: [string, Json][] = [];
  const slots: [string, number][] = [];
  raw.lua_pushnil(L);
  while (raw.lua_next(L, 1) !== 0) {
    // A number would be converted to a string in place, and break the traversal.
    const key = raw.lua_type(L, -2) === T_STRING ? text.read(L, -2) : undefined;
    if (key === undefined) {
      throw new NotConvertible(`${RESULT} contains functions and a key that is not a string`);
    }
    reader.spend(key.length, RESULT);
    if (raw.lua_type(L, -1) === T_FUNCTION) {
      slots.push([key, keepHandler(state, L, raw.lua_gettop(L)).slot]);
    } else if (key === TOOLS && isTableOfFunctions(state, L)) {
      slots.push(...readTools(state, L, reader));
    } else {
      const value = reader.read(L, -1, `${RESULT}/${key}`, 1);
      if (value !== undefined) fields.push([key, value]);
    }
    raw.lua_settop(L, -2);
  }
  const read: JsonObject = {};
  for (const [key, value] of fields.sort(byName)) setOwn(read, key, value);
  return { fields: read, slots: new Map(slots.sort(byName)) };
}

function isTableOfFunctions(state: LuaState, L: LuaThread): boolean {
  return state.raw.lua_type(L, -1) === T_TABLE && holdsFunction(state, L, state.raw.lua_gettop(L));
}

/**
 * The functions of the table on top, each as `tools.NAME`.
 * @throws NotConvertible when it holds anything else
 */
function readTools(state: LuaState, L: LuaThread, reader: LuaReader): [string, number][] {
  const { raw, text } = state;
  const slots: [string, number][] = [];
  const at = raw.lua_gettop(L);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, at) !== 0) {
    const name = raw.lua_type(L, -2) === T_STRING ? text.read(L, -2) : undefined;
    if (name === undefined || raw.lua_type(L, -1) !== T_FUNCTION) {
      throw new NotConvertible(`${RESULT}/${TOOLS} must be a table of functions by name`);
    }
    reader.spend(name.length, RESULT);
    slots.push([toolMethod(name), keepHandler(state, L, raw.lua_gettop(L)).slot]);
    raw.lua_settop(L, -2);
  }
  return slots;
}

/** Sorted: Lua's own order differs from run to run. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
