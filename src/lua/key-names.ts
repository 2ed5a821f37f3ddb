import type { LuaText } from "./lua-text.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { REGISTRY } from "./raw.ts";

/** How many names are remembered; field names of contexts are few. */
const MOST = 1024;
/** Longest string that Lua interns: only those have one address per content. */
const INTERNED = 40;

/**
 * JavaScript names of Lua string keys, by the address of the interned string. A remembered string is
 * anchored in the registry: its address cannot be given to another one.
 */
export class KeyNames {
  readonly #raw: RawLua;
  readonly #text: LuaText;
  readonly #names = new Map<number, string>();
  readonly #lengthAt: number;
  readonly #anchor: number;

  /** @param anchor registry key of a table that keeps the strings alive */
  constructor(raw: RawLua, text: LuaText, out: number, anchor: number) {
    this.#raw = raw;
    this.#text = text;
    this.#lengthAt = out;
    this.#anchor = anchor;
  }

  /** The string at an address if it is a remembered one: then the address is as good as its content. */
  known(ptr: Ptr): string | undefined {
    return this.#names.get(ptr);
  }

  /** The string at a stack index; undefined when it is not UTF-8. The value there must be a string. */
  read(L: LuaThread, index: number): string | undefined {
    const ptr = this.#raw.lua_tolstring(L, index, this.#lengthAt);
    const known = this.#names.get(ptr);
    if (known !== undefined) return known;
    const length = this.#raw.HEAPU32[this.#lengthAt >>> 2] as number;
    const name = this.#text.decode(ptr, length);
    if (name !== undefined && length <= INTERNED && this.#names.size < MOST) {
      const at = this.#raw.lua_gettop(L);
      const from = index < 0 ? at + index + 1 : index;
      this.#raw.lua_checkstack(L, 3);
      this.#raw.lua_rawgetp(L, REGISTRY, this.#anchor);
      this.#raw.lua_pushvalue(L, from);
      this.#raw.lua_rawsetp(L, -2, ptr);
      this.#raw.lua_settop(L, at);
      this.#names.set(ptr, name);
    }
    return name;
  }
}
