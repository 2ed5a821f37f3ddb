import type { LuaExports, Ptr, RawLua } from "../raw.ts";

/** Integers up to here are cached as bigints: creating one costs more than the call that takes it. */
const KEPT_INTEGERS = 16_384;
/** Size of the block for lengths written by Lua, and for error messages. */
const BLOCK_SIZE = 256;
const MESSAGE_OFFSET = 16;

/**
 * The module as the pattern functions use it: its memory, its functions, and common helpers.
 * `memory` must be read again after every call into Lua that may allocate.
 */
export class PatternVm {
  readonly lua: LuaExports;
  /** Where `lua_tolstring` and similar functions write a length. */
  readonly lengthAt: Ptr;
  readonly #module: RawLua;
  readonly #integers: bigint[] = [];
  #memory: Uint8Array;
  #words: Uint32Array;

  constructor(module: RawLua) {
    this.lua = module;
    this.lengthAt = module.malloc(BLOCK_SIZE);
    this.#module = module;
    this.#memory = module.HEAPU8;
    this.#words = module.HEAPU32;
  }

  /** The bytes of linear memory. */
  get memory(): Uint8Array {
    // When memory grows, the old buffer is detached and its views have length 0.
    if (this.#memory.length === 0) this.#memory = this.#module.HEAPU8;
    return this.#memory;
  }

  /** The words of linear memory. */
  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = this.#module.HEAPU32;
    return this.#words;
  }

  /** The last length written to {@link lengthAt}. */
  get length(): number {
    return this.words[this.lengthAt >> 2]!;
  }

  /** An integer argument, or `fallback` if it is nil or missing. */
  optionalInteger(L: Ptr, argument: number, fallback: number): number {
    // The number is right for every valid argument, at a third of a bigint's cost; 0 may mean none.
    const number = this.lua.lua_tonumberx(L, argument, 0);
    if (number !== 0 && Number.isSafeInteger(number)) return number;
    return this.lua.lua_type(L, argument) <= 0
      ? fallback
      : Number(this.lua.luaL_checkinteger(L, argument));
  }

  pushInteger(L: Ptr, value: number): void {
    this.lua.lua_pushinteger(L, value < KEPT_INTEGERS ? this.#kept(value) : BigInt(value));
  }

  /** Raises a Lua error with the caller's position, as `luaL_error` does. */
  raise(L: Ptr, message: string): never {
    this.lua.luaL_where(L, 1);
    const at = this.lengthAt + MESSAGE_OFFSET;
    this.memory.set(Buffer.from(message, "latin1"), at);
    this.lua.lua_pushlstring(L, at, message.length);
    this.lua.lua_concat(L, 2);
    this.lua.lua_error(L);
    throw new Error("lua_error has returned");
  }

  /** A copy of a text in linear memory, NUL-terminated, which lives as long as the module. */
  cString(text: string): Ptr {
    const bytes = Buffer.from(`${text}\0`, "latin1");
    const pointer = this.#module.malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  /** Linear memory that lives as long as the module. */
  allocate(size: number): Ptr {
    return this.#module.malloc(size);
  }

  #kept(value: number): bigint {
    while (this.#integers.length <= value) this.#integers.push(BigInt(this.#integers.length));
    return this.#integers[value]!;
  }
}

/** Steps between two checks: 20 µs at about 4 ns a step. */
const STEPS_PER_CHECK = 5_000;
/** Bytes of a simple loop (a scan, a copy) without a check: also about 20 µs. */
export const BYTES_PER_STRETCH = 16_384;
/** Bytes of such a loop in the time of one step, as a power of two. */
const BYTES_PER_STEP_LOG2 = 2;

/**
 * Counts the steps of matching and calls `check` every few microseconds, which throws to end it.
 * The count continues from call to call: a thousand short calls are checked like one long one. `left` is public because
 * the innermost loops count by themselves.
 */
export class PatternBudget {
  /** Steps left until the next check; code that makes it negative calls {@link refill}. */
  left = STEPS_PER_CHECK;
  readonly #check: () => void;

  constructor(check: () => void) {
    this.#check = check;
  }

  /** Counts some steps. */
  spend(steps: number): void {
    if ((this.left -= steps) < 0) this.refill();
  }

  /** Counts the bytes of a simple loop or of a copy. */
  spendBytes(bytes: number): void {
    if ((this.left -= bytes >> BYTES_PER_STEP_LOG2) < 0) this.refill();
  }

  /** Runs the check and starts the next stretch. */
  refill(): void {
    this.left = STEPS_PER_CHECK;
    this.#check();
  }
}
