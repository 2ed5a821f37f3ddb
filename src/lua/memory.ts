import type { Ptr, RawLua } from "./raw.ts";

/**
 * A state's memory: counted, and capped while Lua runs. The cap is off outside of it, because an
 * allocation refused there has no protected call to fail in and would abort the whole VM.
 */
export class LuaMemory {
  readonly #raw: RawLua;
  readonly #cap: number;
  /** Bytes in use. */
  used = 0;
  enforced = false;

  constructor(raw: RawLua, cap: number) {
    this.#raw = raw;
    this.#cap = cap;
  }

  /** `lua_Alloc`: for a new block `osize` is the kind of object, not a size. */
  allocate(ptr: Ptr, osize: number, nsize: number): Ptr {
    const old = ptr === 0 ? 0 : osize;
    if (nsize === 0) {
      if (ptr !== 0) this.#raw.free(ptr);
      this.used -= old;
      return 0;
    }
    const grown = nsize - old;
    if (this.enforced && grown > 0 && this.used + grown > this.#cap) return 0;
    const block = ptr === 0 ? this.#raw.malloc(nsize) : this.#raw.realloc(ptr, nsize);
    if (block !== 0) this.used += grown;
    return block;
  }
}
