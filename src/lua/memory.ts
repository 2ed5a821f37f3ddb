import type { LuaLimits } from "./limits.ts";
import type { Ptr, RawLua } from "./raw.ts";
import { T_STRING } from "./raw.ts";

/** A block of this size, in bytes, takes long enough to fill that the clock is checked. */
export const LARGE = 32_768;
const HUGE = 1 << 20;
/** An instance has less. */
const MOST_CAP = 2 ** 32 - 1;

/** The VM's record of a state's memory: offsets of its words, in bytes, and its size. */
export const MEMORY_LAYOUT = { used: 0, cap: 4, enforced: 8, bytes: 12 } as const;

/**
 * A state's memory: counted, and capped while Lua runs. The cap is off outside of Lua: an allocation rejected there has
 * no protected call to fail in, and would abort the whole VM.
 * Small blocks that fit are counted and allocated in WebAssembly (`allocate` of `combined-calls.ts`), by the same rule.
 */
export class LuaMemory {
  readonly #raw: RawLua;
  /** Maximum in use while Lua runs, in bytes. */
  readonly cap: number;
  readonly #limits: LuaLimits;
  readonly #hugeString: () => void;
  readonly #hashes: HashCollisionGuard;
  /** Address of the VM's record: the `ud` of `lua_newstate`. */
  readonly at: Ptr;

  /** @param hugeString called for strings that single instructions take long on */
  constructor(raw: RawLua, cap: number, limits: LuaLimits, hugeString: () => void) {
    this.#raw = raw;
    this.cap = cap;
    this.#limits = limits;
    this.#hugeString = hugeString;
    this.#hashes = new HashCollisionGuard(raw);
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

  /** The state was closed. */
  close(): void {
    this.#raw.free(this.at);
  }

  /**
   * `lua_Alloc`: for a new block `osize` is the kind of object, not a size.
   * Checks the clock for large strings, because they are filled by loops in C (`upper`, `rep`, `..`), and for rejected
   * blocks, because Lua then collects all its garbage before it gives up. When a string is created, no other block is
   * unattached, so an exception leaks no more than Lua's own error; that is not true for the parts of a table.
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

/** Size of a node of a table's hash part in this build (32 bits): value, type, type of the key, next, key. */
const NODE_BYTES = 24;
const KEY_TYPE = 9;
const KEY_VALUE = 16;
const INTEGER = 0x03;
const FLOAT = 0x13;
/** Hash parts with fewer nodes take less than a millisecond however their keys collide. */
const SMALL = 1 << 11;
/** Maximum number of steps for moving keys into a larger hash part: some 50 ms. */
const MOST_STEPS = 1 << 24;

/**
 * Rejects hash parts whose numeric keys were chosen to collide. When a table grows, Lua moves all its keys into a
 * larger hash part in one step that no limit can interrupt. Multiples of 2^n − 1, harmless in a smaller part, all
 * collide in one with 2^n nodes: with 130,000 of them that takes half a minute. (Strings are safe: their hash has a
 * random seed.)
 * The allocator does not know which table asks, so all large hash parts are examined.
 */
class HashCollisionGuard {
  readonly #raw: RawLua;
  /** Nodes of large hash parts, by address. */
  readonly #parts = new Map<Ptr, number>();

  constructor(raw: RawLua) {
    this.#raw = raw;
  }

  /** The number of nodes in a block of this size, if it is a large hash part; otherwise 0. */
  nodesOf(bytes: number): number {
    const nodes = bytes / NODE_BYTES;
    return nodes >= SMALL && Number.isInteger(nodes) && (nodes & (nodes - 1)) === 0 ? nodes : 0;
  }

  /** Whether the keys of some table would collide in a hash part with `nodes`. */
  refuses(nodes: number): boolean {
    for (const [part, size] of this.#parts) {
      if (this.#steps(part, size, nodes) > MOST_STEPS) return true;
    }
    return false;
  }

  add(part: Ptr, nodes: number): void {
    this.#parts.set(part, nodes);
  }

  delete(part: Ptr): void {
    if (this.#parts.size > 0) this.#parts.delete(part);
  }

  /**
   * The number of steps for moving the numeric keys of one hash part into another: each key passes those already there.
   */
  #steps(part: Ptr, size: number, nodes: number): number {
    const { HEAPU8: bytes, HEAPU32: words } = this.#raw;
    const modulus = nodes - 1;
    const chains = new Uint32Array(nodes);
    let steps = 0;
    for (let node = part; node < part + size * NODE_BYTES; node += NODE_BYTES) {
      const type = bytes[node + KEY_TYPE];
      if (type !== INTEGER && type !== FLOAT) continue;
      const low = words[(node + KEY_VALUE) >>> 2] as number;
      const high = words[(node + KEY_VALUE + 4) >>> 2] as number;
      const hash =
        type === INTEGER ? remainder(high, low, modulus) : floatHash(high, low) % modulus;
      steps += chains[hash] as number;
      chains[hash] = (chains[hash] as number) + 1;
    }
    return steps;
  }
}

/** An unsigned 64-bit integer modulo a number below 2^20. */
function remainder(high: number, low: number, modulus: number): number {
  return (high * (2 ** 32 % modulus) + low) % modulus;
}

/** `l_hashfloat`: mantissa and exponent, as from `frexp`, in 31 bits. */
function floatHash(high: number, low: number): number {
  const exponent = (high >>> 20) & 0x7ff;
  if (exponent === 0 || exponent === 0x7ff) return 0;
  const mantissa = 0.5 + ((high & 0xfffff) * 2 ** 32 + low) / 2 ** 53;
  const scaled = Math.trunc((high >>> 31 ? -mantissa : mantissa) * 2 ** 31);
  const sum = (exponent - 1022 + scaled) >>> 0;
  return sum <= 0x7fff_ffff ? sum : ~sum >>> 0;
}
