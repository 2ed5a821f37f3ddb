import { activeLines } from "./active-lines.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";

/** Lines of one file: those with code, and which of them ran. */
export interface FileLines {
  /** In order. */
  readonly active: readonly number[];
  readonly ran: ReadonlySet<number>;
}

/** `event` of a hook that is called for a line; where what stands in `lua_Debug` (Lua 5.4, 32-bit), in bytes. */
const LINE_EVENT = 2;
const SOURCE = 16;
const SOURCE_LENGTH = 20;
const CURRENT_LINE = 24;

/** Which lines of the scripts of a VM run. The lines with code are those of their bytecode. */
export class LineCoverage {
  readonly #files = new Map<string, { active: readonly number[]; ran: Set<number> }>();
  readonly #what = Buffer.from("Sl\0");
  #whatAt: Ptr | undefined;

  /** By name of the chunk, which for scripts is that of their file. */
  get files(): ReadonlyMap<string, FileLines> {
    return this.#files;
  }

  /**
   * A chunk was compiled.
   * @param name as Lua has it: `@file`; others are not followed
   */
  compiled(name: string, dump: () => Uint8Array): void {
    if (!name.startsWith("@") || this.#files.has(name.slice(1))) return;
    this.#files.set(name.slice(1), { active: activeLines(dump()), ran: new Set() });
  }

  /** Take the event of a hook that is one of a line; whether it was. */
  took(raw: RawLua, L: LuaThread, event: Ptr): boolean {
    if (raw.HEAP32[event >> 2] !== LINE_EVENT) return false;
    if (this.#whatAt === undefined) {
      this.#whatAt = raw.malloc(this.#what.length);
      raw.HEAPU8.set(this.#what, this.#whatAt);
    }
    raw.lua_getinfo(L, this.#whatAt, event);
    const at = raw.HEAPU32[(event + SOURCE) >> 2] ?? 0;
    const length = raw.HEAPU32[(event + SOURCE_LENGTH) >> 2] ?? 0;
    const line = raw.HEAP32[(event + CURRENT_LINE) >> 2] ?? -1;
    const name = Buffer.from(raw.HEAPU8.subarray(at, at + length)).toString();
    this.#files.get(name.slice(1))?.ran.add(line);
    return true;
  }
}
