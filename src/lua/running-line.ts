import type { LuaThread, Ptr, RawLua } from "./raw.ts";

/** Where what stands in `lua_Debug` (Lua 5.4, 32-bit), in bytes. */
const SOURCE = 16;
const SOURCE_LENGTH = 20;
const CURRENT_LINE = 24;

/** Reads which line of which chunk runs, in a hook of the VM's. */
export class RunningLine {
  readonly #raw: RawLua;
  readonly #what = Buffer.from("Sl\0");
  #whatAt: Ptr | undefined;

  constructor(raw: RawLua) {
    this.#raw = raw;
  }

  /**
   * @param event the `lua_Debug` that the hook was given
   * @returns the name of the chunk as Lua has it (`@file`), and the line; -1 where there is none
   */
  at(L: LuaThread, event: Ptr): { readonly name: string; readonly line: number } {
    const raw = this.#raw;
    if (this.#whatAt === undefined) {
      this.#whatAt = raw.malloc(this.#what.length);
      raw.HEAPU8.set(this.#what, this.#whatAt);
    }
    raw.lua_getinfo(L, this.#whatAt, event);
    const at = raw.HEAPU32[(event + SOURCE) >> 2] ?? 0;
    const length = raw.HEAPU32[(event + SOURCE_LENGTH) >> 2] ?? 0;
    const line = raw.HEAP32[(event + CURRENT_LINE) >> 2] ?? -1;
    return { name: Buffer.from(raw.HEAPU8.subarray(at, at + length)).toString(), line };
  }
}
