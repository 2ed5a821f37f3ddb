import { isPlainObject, type Json, MAX_JSON_DEPTH } from "../../core/index.ts";
import { KEY, type LuaThread, REGISTRY } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { LuaArgumentError } from "./vm.ts";

/**
 * Push a JSON value completely, as Lua tables that belong to the script: for results of tools, options and decoded
 * JSON. Lists are marked, so that an empty one stays a list.
 * @param nulls whether `null` in an object becomes `orcs.null`, or is left out (nil). Lists keep their nulls in both
 * cases: leaving one out would shift what follows.
 * @throws LuaArgumentError beyond a depth of 32 or the size limit
 */
export function pushJson(
  state: LuaState,
  L: LuaThread,
  value: Json | undefined,
  nulls: "keep" | "drop",
): void {
  new LuaWriter(state, L, nulls).push(value === null && nulls === "drop" ? undefined : value, 0);
}

/** Maximum number of fields that an object is preallocated for. */
const MOST_ROOM = 16;

class LuaWriter {
  readonly #state: LuaState;
  readonly #L: LuaThread;
  readonly #dropNulls: boolean;
  #bytesLeft: number;

  constructor(state: LuaState, L: LuaThread, nulls: "keep" | "drop") {
    this.#state = state;
    this.#L = L;
    this.#dropNulls = nulls === "drop";
    this.#bytesLeft = state.memory.cap;
  }

  push(value: Json | undefined, depth: number): void {
    const { raw } = this.#state;
    this.#spend(16);
    if (value === undefined) raw.lua_pushnil(this.#L);
    else if (value === null) raw.lua_pushlightuserdata(this.#L, 0);
    else if (typeof value === "object") this.#table(value, depth);
    else {
      if (typeof value === "string") this.#spend(value.length);
      if (this.#state.pushScalar(this.#L, value)) return;
      throw new LuaArgumentError(`the value contains a ${typeof value}`);
    }
  }

  #table(value: Json[] | { [key: string]: Json }, depth: number): void {
    const { raw } = this.#state;
    if (depth >= MAX_JSON_DEPTH || raw.lua_checkstack(this.#L, 8) === 0) {
      throw new LuaArgumentError(`the value is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    if (Array.isArray(value)) this.#list(value, depth);
    else if (isPlainObject(value)) this.#object(value, depth);
    else throw new LuaArgumentError("the value contains an instance of a class");
  }

  #list(list: readonly Json[], depth: number): void {
    const { raw } = this.#state;
    const L = this.#L;
    this.#spend(16 * list.length);
    raw.lua_createtable(L, list.length, 0);
    list.forEach((item, i) => {
      this.push(item, depth + 1);
      raw.lua_rawseti(L, -2, BigInt(i + 1));
    });
    raw.lua_rawgetp(L, REGISTRY, KEY.arrayMeta);
    raw.lua_setmetatable(L, -2);
  }

  #object(object: { readonly [key: string]: Json }, depth: number): void {
    const { raw, text } = this.#state;
    const L = this.#L;
    const entries = Object.entries(object);
    // Preallocation halves the cost of a small object.
    const room = Math.min(entries.length, MOST_ROOM);
    this.#spend(16 * room);
    raw.lua_createtable(L, 0, room);
    for (const [key, item] of entries) {
      if (item === undefined || (item === null && this.#dropNulls)) continue;
      this.#spend(key.length);
      text.push(L, key);
      this.push(item, depth + 1);
      raw.lua_rawset(L, -3);
    }
  }

  /** Within a state's limit: outside of Lua its own allocator rejects nothing. */
  #spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) {
      throw new LuaArgumentError("the value exceeds the script's memory limit");
    }
    this.#state.limits.spend(1);
  }
}
