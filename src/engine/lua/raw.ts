/** Address in the VM's memory. */
export type Ptr = number;
/** Address of a `lua_State`: a state's main thread or one of its coroutines. */
export type LuaThread = Ptr;

/** Status codes of the C API. */
export const LUA_OK = 0;
export const LUA_YIELD = 1;

/** Types of the C API. */
export const T_NIL = 0;
export const T_BOOLEAN = 1;
export const T_LIGHTUSERDATA = 2;
export const T_NUMBER = 3;
export const T_STRING = 4;
export const T_TABLE = 5;
export const T_FUNCTION = 6;
export const T_NONE = -1;

/** Pseudo-index of the registry: `-LUAI_MAXSTACK - 1000`. */
export const REGISTRY = -1_001_000;
export const LUA_MASKCALL = 1;
export const LUA_MASKLINE = 4;
export const LUA_MASKCOUNT = 8;

/** Offsets in a `lua_State` of the number of instructions between two count hooks, and until the next one. */
export const HOOK_COUNT = { every: 104, left: 108 } as const;

/** Units of `units_left` that a counted call of C code costs. */
export const CALL_UNITS = 256;

/** An export that the build does not have: the count of C code's work (scripts/generate/vm/count-calls.ts). */
export interface CallCount {
  readonly units_left: { value: number };
}

/**
 * The part of the Lua 5.4 C API that is used, as exported by the WebAssembly build: numbers and pointers. Names and
 * parameters are those of the Lua 5.4 manual; `lua_Integer` is a BigInt.
 */
export interface LuaExports {
  malloc(size: number): Ptr;
  realloc(ptr: Ptr, size: number): Ptr;
  free(ptr: Ptr): void;
  lua_newstate(alloc: Ptr, ud: number): LuaThread;
  luaL_newstate(): LuaThread;
  lua_close(L: LuaThread): void;
  lua_newthread(L: LuaThread): LuaThread;
  lua_resume(L: LuaThread, from: LuaThread, nargs: number, nresults: Ptr): number;
  lua_yieldk(L: LuaThread, nresults: number, ctx: number, k: Ptr): number;
  lua_isyieldable(L: LuaThread): number;
  lua_sethook(L: LuaThread, hook: Ptr, mask: number, count: number): void;
  lua_gethookcount(L: LuaThread): number;
  lua_pcallk(
    L: LuaThread,
    nargs: number,
    nresults: number,
    msgh: number,
    ctx: number,
    k: Ptr,
  ): number;
  lua_error(L: LuaThread): number;
  luaL_where(L: LuaThread, level: number): void;
  luaL_setfuncs(L: LuaThread, list: Ptr, upvalues: number): void;
  lua_load(L: LuaThread, reader: Ptr, data: number, name: Ptr, mode: Ptr): number;
  lua_dump(L: LuaThread, writer: Ptr, data: number, strip: number): number;
  lua_checkstack(L: LuaThread, n: number): number;
  lua_gettop(L: LuaThread): number;
  lua_settop(L: LuaThread, index: number): void;
  lua_pushvalue(L: LuaThread, index: number): void;
  lua_rotate(L: LuaThread, index: number, n: number): void;
  lua_xmove(from: LuaThread, to: LuaThread, n: number): void;
  lua_concat(L: LuaThread, n: number): void;
  lua_type(L: LuaThread, index: number): number;
  lua_isinteger(L: LuaThread, index: number): number;
  lua_toboolean(L: LuaThread, index: number): number;
  lua_tonumberx(L: LuaThread, index: number, isnum: Ptr): number;
  lua_tointegerx(L: LuaThread, index: number, isnum: Ptr): bigint;
  lua_tolstring(L: LuaThread, index: number, len: Ptr): Ptr;
  lua_topointer(L: LuaThread, index: number): Ptr;
  lua_rawlen(L: LuaThread, index: number): bigint;
  lua_rawequal(L: LuaThread, a: number, b: number): number;
  lua_next(L: LuaThread, index: number): number;
  lua_pushnil(L: LuaThread): void;
  lua_pushboolean(L: LuaThread, value: number): void;
  lua_pushnumber(L: LuaThread, value: number): void;
  lua_pushinteger(L: LuaThread, value: bigint): void;
  lua_pushlstring(L: LuaThread, ptr: Ptr, len: number): Ptr;
  lua_pushlightuserdata(L: LuaThread, ptr: Ptr): void;
  lua_pushcclosure(L: LuaThread, fn: Ptr, upvalues: number): void;
  lua_createtable(L: LuaThread, array: number, hash: number): void;
  lua_rawget(L: LuaThread, index: number): number;
  lua_rawset(L: LuaThread, index: number): void;
  lua_rawgeti(L: LuaThread, index: number, n: bigint): number;
  lua_rawseti(L: LuaThread, index: number, n: bigint): void;
  lua_rawgetp(L: LuaThread, index: number, p: number): number;
  lua_rawsetp(L: LuaThread, index: number, p: number): void;
  lua_getmetatable(L: LuaThread, index: number): number;
  lua_setmetatable(L: LuaThread, index: number): number;
  lua_setglobal(L: LuaThread, name: Ptr): void;
  lua_setupvalue(L: LuaThread, function_: number, n: number): Ptr;
  lua_getlocal(L: LuaThread, ar: Ptr, n: number): Ptr;
  lua_getupvalue(L: LuaThread, function_: number, n: number): Ptr;
  lua_getstack(L: LuaThread, level: number, ar: Ptr): number;
  lua_getinfo(L: LuaThread, what: Ptr, ar: Ptr): number;
  lua_copy(L: LuaThread, from: number, to: number): void;
  lua_gettable(L: LuaThread, index: number): number;
  lua_setfield(L: LuaThread, index: number, name: Ptr): void;
  luaopen_base(L: LuaThread): number;
  luaopen_string(L: LuaThread): number;
  luaopen_table(L: LuaThread): number;
  luaopen_math(L: LuaThread): number;
  luaopen_utf8(L: LuaThread): number;
  luaopen_coroutine(L: LuaThread): number;
}

/**
 * Types of the functions that the VM calls, as in emscripten: result, then parameters, `v` (nothing) or `i` (32 bits).
 */
export type Signature = "vi" | "vii" | "ii" | "iiii" | "iiiii";

/** The C API with the host's additions. */
export interface RawLua extends LuaExports, CallCount {
  /** Called by the VM while `units_left` is below zero; must set it. */
  onCallsCounted: (L: LuaThread) => void;
  /** Memory as bytes and words. Replaced whenever memory grows: read it again after anything that may allocate. */
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF64: Float64Array;
  /** Give JavaScript functions addresses that follow one another; returns the first. */
  addFunctions(list: readonly ((...args: number[]) => number | void)[], signature: Signature): Ptr;
  /** Run a task that adds functions and calls none: what it adds is compiled as one, which saves milliseconds. */
  together<T>(task: () => T): T;
  /** Add functions of a linked module to the function table, as `addFunctions` does. */
  place(list: readonly unknown[]): Ptr;
  /**
   * Instantiate a module that calls the C API (imports of `lua`) and host functions (`host`) on the VM's memory;
   * returns its exports.
   * @param block the value of its import `env.block`
   */
  link(
    module: WebAssembly.Module,
    host: Readonly<Record<string, unknown>>,
    block: Ptr,
  ): Readonly<Record<string, unknown>>;
  /**
   * The C stack pointer. An exception of the host skips the epilogues of C frames, so it must be restored after one.
   */
  stackSave(): number;
  stackRestore(pointer: number): void;
}

/** Keys of a state's registry for `lua_rawgetp`: small integers in place of pointers. */
export const KEY = {
  /** Tables of context views, by address: kept alive while their dispatch runs. */
  views: 1,
  /** Metatable of context views. */
  viewMeta: 2,
  /** Key strings with remembered names. */
  names: 3,
  /** Handlers, by slot. */
  handlers: 4,
  /** Coroutines in use, by address: a waiting one without an anchor would be collected. */
  threads: 5,
  /** Metatable that marks a table as a list, even if empty. */
  arrayMeta: 6,
  /** Metatables of parts with a slot, and their tables of reads, by the slot's number. */
  viewMetas: 8,
  viewReads: 9,
  /** Metatable of the tables of reads. */
  readsMeta: 10,
  /** The string that replaces the name `__mode`. */
  noMode: 11,
  /** Metatable of the list of commands of a completely read line. */
  wholeLineMeta: 12,
  /** The prelude's function that runs handlers one after the other. */
  drive: 7,
  /** The prelude's function that makes a text of an error value. */
  failed: 15,
  /** The prelude's function that creates globals for an inline handler. */
  environment: 14,
  /** Contents of read-only tables. */
  readOnly: 13,
} as const;

/** Tables that every host function has as upvalues, in this order: one step to reach, where the registry takes four. */
export const UPVALUES = [
  KEY.views,
  KEY.viewMeta,
  KEY.handlers,
  KEY.viewMetas,
  KEY.viewReads,
] as const;

/** Pseudo-indices of those upvalues while a host function runs. */
export const AT = {
  views: REGISTRY - 1,
  viewMeta: REGISTRY - 2,
  handlers: REGISTRY - 3,
  viewMetas: REGISTRY - 4,
  viewReads: REGISTRY - 5,
} as const;
