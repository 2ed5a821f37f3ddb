import { HashGuard } from "./hash-guard.ts";
import type { LuaLimits } from "./limits.ts";
import { T_STRING } from "./raw.ts";
import type { Ptr, RawLua } from "./raw.ts";

/** A block of this size takes long enough to fill that it is looked at. */
export const LARGE = 32_768;
const HUGE = 1 << 20;
/** An instance has less. */
const MOST_CAP = 2 ** 32 - 1;

/** What the VM knows of a state's memory, in words of its own: their offsets in bytes, and of what they are. */
export const MEMORY_LAYOUT = { used: 0, cap: 4, enforced: 8, bytes: 12 } as const;

/**
 * A state's memory: counted, and capped while Lua runs. The cap is off outside of it, because an
 * allocation refused there has no protected call to fail in and would abort the whole VM.
 *
 * What is small and fits is counted and handed out in WebAssembly (`allocate` of `combined-calls.ts`), by the
 * same rule.
 */
export class LuaMemory {
  readonly #raw: RawLua;
  /** Most that may be in use while Lua runs, in bytes. */
  readonly cap: number;
  readonly #limits: LuaLimits;
  readonly #hugeString: () => void;
  readonly #hashes: HashGuard;
  /** Of what the VM knows: the `ud` of `lua_newstate`. */
  readonly at: Ptr;

  /** @param hugeString told of strings that single instructions take long on */
  constructor(raw: RawLua, cap: number, limits: LuaLimits, hugeString: () => void) {
    this.#raw = raw;
    this.cap = cap;
    this.#limits = limits;
    this.#hugeString = hugeString;
    this.#hashes = new HashGuard(raw);
    this.at = raw.malloc(MEMORY_LAYOUT.bytes);
    if (this.at === 0) throw new Error("the Lua VM is out of memory");
    this.used = 0;
    raw.HEAPU32[(this.at + MEMORY_LAYOUT.cap) >>> 2] = Math.min(cap, MOST_CAP);
    this.enforced = false;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.used) >>> 2] as number;
  }

  set used(bytes: number) {
    this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.used) >>> 2] = bytes;
  }

  get enforced(): boolean {
    return this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.enforced) >>> 2] !== 0;
  }

  set enforced(enforced: boolean) {
    this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.enforced) >>> 2] = enforced ? 1 : 0;
  }

  /** The state is gone. */
  close(): void {
    this.#raw.free(this.at);
  }

  /**
   * `lua_Alloc`: for a new block `osize` is the kind of object, not a size.
   *
   * Looks at the clock for large strings, because what fills one (`upper`, `rep`, `..`) is a loop in C,
   * and for refused ones, because each makes Lua collect all its garbage before it gives up. A string is
   * made when nothing else hangs loose, so that an exception leaves no more behind than Lua's own error
   * does; the parts of a table are not.
   */
  allocate(ptr: Ptr, osize: number, nsize: number): Ptr {
    const old = ptr === 0 ? 0 : osize;
    if (nsize === 0) {
      if (ptr !== 0) this.#raw.free(ptr);
      if (old >= LARGE) this.#hashes.delete(ptr);
      this.used -= old;
      return 0;
    }
    const nodes = nsize >= LARGE && ptr === 0 ? this.#hashes.nodesOf(nsize) : 0;
    const grown = nsize - old;
    if (this.enforced && grown > 0) {
      const fits = this.used + grown <= this.cap;
      if (ptr === 0 && osize === T_STRING && (!fits || grown >= LARGE)) {
        this.#limits.check();
        if (grown >= HUGE) this.#hugeString();
      }
      if (!fits || (nodes > 0 && this.#hashes.refuses(nodes))) return 0;
    }
    const block = ptr === 0 ? this.#raw.malloc(nsize) : this.#raw.realloc(ptr, nsize);
    if (block === 0) return 0;
    if (nodes > 0) this.#hashes.add(block, nodes);
    this.used += grown;
    return block;
  }
}
