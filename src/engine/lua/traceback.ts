import type { LuaFrame } from "../../core/index.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";

/** Offsets in `lua_Debug` (Lua 5.4, 32-bit), in bytes. */
const NAME = 4;
const WHAT = 12;
const SOURCE = 16;
const SOURCE_LENGTH = 20;
const CURRENT_LINE = 24;
const FIRST_LINE = 28;
const LAST_LINE = 32;
const SIZE = 112;

/** Offset in a `lua_State` of the current call, and offsets in a call, with a bit of its status. */
const CALL = 20;
const PREVIOUS = 8;
const WANTED = 32;
/** Offset of its code in a Lua function. */
const CODE = 12;
const TAIL_CALL = 1 << (16 + 5);

/** Maximum number of calls that a traceback lists, and that are examined for it. */
const MOST_FRAMES = 20;
const MOST_LEVELS = 200;
/** More active calls than code that works has, and fewer than fit into a state. */
const DEEP = 5000;
/** Chunk name of the package's own Lua. */
const OWN = "=orcs";

interface LinePlace {
  readonly name: string;
  readonly line: number;
  /** 0 for the main function of a chunk. */
  readonly first: number;
  readonly last: number;
}

/** Reads the active calls of a thread that runs, or that an error has stopped. */
export class CallStack {
  readonly #raw: RawLua;
  readonly #whatAt: Ptr;
  readonly #debug: Ptr;

  constructor(raw: RawLua) {
    this.#raw = raw;
    const what = Buffer.from("Sln\0");
    this.#debug = raw.malloc(SIZE + what.length);
    this.#whatAt = this.#debug + SIZE;
    raw.HEAPU8.set(what, this.#whatAt);
  }

  /**
   * Whether the function that called the running host function was itself called as a statement, and not by a `return`.
   */
  isStatement(L: LuaThread): boolean {
    const { HEAPU32: words } = this.#raw;
    const own = words[(L + CALL) >>> 2] ?? 0;
    const caller = words[(own + PREVIOUS) >>> 2] ?? 0;
    // Number of wanted results in the lower half, then the status.
    const wanted = words[(caller + WANTED) >>> 2] ?? 0;
    return (wanted & 0xffff) === 0 && (wanted & TAIL_CALL) === 0;
  }

  /** The active calls of a thread, the innermost first; without C functions and the package's own Lua. */
  frames(L: LuaThread): LuaFrame[] {
    const frames: LuaFrame[] = [];
    for (let level = 0; level < MOST_LEVELS && frames.length < MOST_FRAMES; level++) {
      if (this.#raw.lua_getstack(L, level, this.#debug) === 0) break;
      const { name, line } = this.at(L, this.#debug);
      if (line < 1 || name === OWN) continue;
      const called = this.#calledAs();
      frames.push({ file: name.replace(/^[@=]/, ""), line, ...(called && { function: called }) });
    }
    return frames;
  }

  /** Whether a thread has thousands of active calls, as a recursion without an end. */
  isDeep(L: LuaThread): boolean {
    return this.#raw.lua_getstack(L, DEEP, this.#debug) !== 0;
  }

  /**
   * One call.
   * @param event its `lua_Debug`, for example the argument of a VM hook
   * @returns the chunk name in Lua's form (`@file`), the line, -1 if there is none, and the first and last of its
   *   function
   */
  at(L: LuaThread, event: Ptr): LinePlace {
    const raw = this.#raw;
    raw.lua_getinfo(L, this.#whatAt, event);
    const { HEAP32, HEAPU8, HEAPU32 } = raw;
    const at = HEAPU32[(event + SOURCE) >> 2] ?? 0;
    const length = HEAPU32[(event + SOURCE_LENGTH) >> 2] ?? 0;
    return {
      name: Buffer.from(HEAPU8.subarray(at, at + length)).toString(),
      line: HEAP32[(event + CURRENT_LINE) >> 2] ?? -1,
      first: HEAP32[(event + FIRST_LINE) >> 2] ?? 0,
      last: HEAP32[(event + LAST_LINE) >> 2] ?? 0,
    };
  }

  /** The address of the running call. */
  callOf(L: LuaThread): Ptr {
    return this.#raw.HEAPU32[(L + CALL) >>> 2] ?? 0;
  }

  /** A number for the line of a line event, as long as nothing is compiled. Much quicker than `at`. */
  placeOf(L: LuaThread, event: Ptr): number {
    const { HEAPU32: words } = this.#raw;
    const stack = words[this.callOf(L) >>> 2] ?? 0;
    const code = words[((words[stack >>> 2] ?? 0) + CODE) >>> 2] ?? 0;
    return code * 2 ** 21 + (words[(event + CURRENT_LINE) >>> 2] ?? 0);
  }

  /** The name by which the last read function was called; undefined when Lua does not know it. */
  #calledAs(): string | undefined {
    const { HEAPU32 } = this.#raw;
    const what = zeroTerminated(this.#raw, HEAPU32[(this.#debug + WHAT) >> 2]);
    if (what === "main") return "main chunk";
    return zeroTerminated(this.#raw, HEAPU32[(this.#debug + NAME) >> 2]);
  }
}

/** The place of the innermost of some calls, to begin a message with. */
export function placeText([at]: readonly LuaFrame[] = []): string {
  return at ? `${at.file}:${at.line}: ` : "";
}

/** A text of C; undefined at no address. */
export function zeroTerminated({ HEAPU8 }: RawLua, at = 0): string | undefined {
  return at === 0 ? undefined : Buffer.from(HEAPU8.subarray(at, HEAPU8.indexOf(0, at))).toString();
}
