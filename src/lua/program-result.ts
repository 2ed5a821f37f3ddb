import type { Json, JsonObject } from "../core/json.ts";
import { setOwn } from "../core/json.ts";
import type { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { LuaThread } from "./raw.ts";
import { T_FUNCTION, T_STRING, T_TABLE } from "./raw.ts";
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
  if (type === T_TABLE && holdsFunction(state, L)) return readFunctions(state, L, reader);
  return { value: reader.read(L, 1, RESULT) };
}

/** Whether the table at the bottom of a stack has a function among its values. */
function holdsFunction(state: LuaState, L: LuaThread): boolean {
  const { raw, limits } = state;
  raw.lua_pushnil(L);
  while (raw.lua_next(L, 1) !== 0) {
    limits.spend(1);
    if (raw.lua_type(L, -1) === T_FUNCTION) {
      raw.lua_settop(L, 1);
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

/** Sorted: Lua's own order differs from run to run. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
