import { isPlainObject, MAX_JSON_DEPTH } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { KEY } from "./registry-keys.ts";
import { REGISTRY } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { LuaArgumentError } from "./vm.ts";

/**
 * Push a JSON value as Lua tables of the script's own, whole: for answers of tools, options and decoded
 * JSON. Lists are marked as such, so that an empty one stays one.
 *
 * @param nulls whether `null` inside becomes `orcs.null`, or is left out (nil)
 * @throws LuaArgumentError beyond a depth of 32
 */
export function pushJson(
  state: LuaState,
  L: LuaThread,
  value: Json | undefined,
  nulls: "keep" | "drop",
  depth = 0,
): void {
  const { raw } = state;
  if (value === undefined || (value === null && nulls === "drop")) raw.lua_pushnil(L);
  else if (value === null) raw.lua_pushlightuserdata(L, 0);
  else if (typeof value !== "object") state.pushScalar(L, value);
  else pushTable(state, L, value, nulls, depth);
}

function pushTable(
  state: LuaState,
  L: LuaThread,
  value: Json[] | { [key: string]: Json },
  nulls: "keep" | "drop",
  depth: number,
): void {
  const { raw, text } = state;
  if (depth >= MAX_JSON_DEPTH || raw.lua_checkstack(L, 8) === 0) {
    throw new LuaArgumentError(`the value is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    raw.lua_createtable(L, value.length, 0);
    value.forEach((item, i) => {
      // A list keeps its nulls in either case: leaving one out would shift what comes after it.
      pushJson(state, L, item, "keep", depth + 1);
      raw.lua_rawseti(L, -2, BigInt(i + 1));
    });
    raw.lua_rawgetp(L, REGISTRY, KEY.arrayMeta);
    raw.lua_setmetatable(L, -2);
    return;
  }
  if (!isPlainObject(value)) throw new LuaArgumentError("the value is an instance of a class");
  raw.lua_createtable(L, 0, 0);
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || (item === null && nulls === "drop")) continue;
    text.push(L, key);
    pushJson(state, L, item, nulls, depth + 1);
    raw.lua_rawset(L, -3);
  }
}
