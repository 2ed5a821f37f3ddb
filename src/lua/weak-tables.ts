import { KEY } from "./registry-keys.ts";
import { REGISTRY } from "./raw.ts";
import type { LuaState } from "./state.ts";

/** Metamethods in the order in which a state lists their names, as far as is needed to find the list. */
const NAMES = ["__index", "__newindex", "__gc", "__mode", "__len", "__eq"];
const MODE = NAMES.indexOf("__mode");
/** Bytes of a Lua string before its text, in this build (32 bits). */
const STRING_HEADER = 16;
/** Size of what `lua_newstate` allocates, of which the main thread is the first part: 864 bytes. */
const STATE_WORDS = 216;

/**
 * Take weak tables away: `__mode` means nothing in this state from now on, whenever it is set. Lua's
 * collector goes over all tables with weak keys again and again until nothing changes, in one piece that
 * no limit can interrupt: 60,000 of them, each holding the key of another in a bad order, took it more
 * than 20 s.
 *
 * A state lists the names of metamethods as pointers to strings. Here the one of `__mode` is led to a
 * string that no script knows.
 */
export function disableWeakTables({ raw, text, main }: LuaState): void {
  raw.lua_checkstack(main, NAMES.length + 1);
  const top = raw.lua_gettop(main);
  const pointers = NAMES.map((name) => {
    text.push(main, name);
    return raw.lua_tolstring(main, -1, 0) - STRING_HEADER;
  });
  text.push(main, globalThis.crypto.randomUUID());
  const unknown = raw.lua_tolstring(main, -1, 0) - STRING_HEADER;
  raw.lua_rawsetp(main, REGISTRY, KEY.noMode);
  raw.lua_settop(main, top);
  const words = raw.HEAPU32;
  for (let at = main >>> 2; at < (main >>> 2) + STATE_WORDS; at++) {
    if (!pointers.every((pointer, i) => words[at + i] === pointer)) continue;
    words[at + MODE] = unknown;
    return;
  }
  throw new Error("this build of Lua is not the one that the Lua layer is made for");
}
