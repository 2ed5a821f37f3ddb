import type { LuaLimits } from "./limits.ts";
import type { Ptr, RawLua } from "./raw.ts";
import { T_STRING } from "./raw.ts";

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
  readonly #hashes: HashCollisionGuard;
  /** Of what the VM knows: the `ud` of `lua_newstate`. */
  readonly at: Ptr;

  /** @param hugeString told of strings that single instructions take long on */
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

/** A node of a table's hash part, in this build (32 bits): value, type, type of the key, next, key. */
const NODE_BYTES = 24;
const KEY_TYPE = 9;
const KEY_VALUE = 16;
const INTEGER = 0x03;
const FLOAT = 0x13;
/** Hash parts of fewer nodes are done in a millisecond however their keys collide. */
const SMALL = 1 << 11;
/** Steps that putting the keys into a larger hash part may take: some 50 ms. */
const MOST_STEPS = 1 << 24;

/**
 * Refuses hash parts whose numbers were chosen to collide. When a table grows, Lua puts all its keys
 * into a larger hash part in one piece that no limit can interrupt, and multiples of 2^n − 1, harmless
 * in a smaller part, all go to one place of one with 2^n nodes: with 130,000 of them that takes half a
 * minute. (Strings are safe: their hash depends on a seed.)
 *
 * Which table asks for memory is not to be seen, so all large hash parts are looked at.
 */
class HashCollisionGuard {
  readonly #raw: RawLua;
  /** Nodes of large hash parts, by address. */
  readonly #parts = new Map<Ptr, number>();

  constructor(raw: RawLua) {
    this.#raw = raw;
  }

  /** How many nodes a block of this size is for, when it is a large hash part; else 0. */
  nodesOf(bytes: number): number {
    const nodes = bytes / NODE_BYTES;
    return nodes >= SMALL && Number.isInteger(nodes) && (nodes & (nodes - 1)) === 0 ? nodes : 0;
  }

  /** Whether the keys of some table would collide in a hash part of `nodes`. */
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

  /** What it takes to put the numbers of one hash part into another: each passes those that are there. */
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

/** A 64-bit integer, taken as unsigned, modulo a number below 2^20. */
function remainder(high: number, low: number, modulus: number): number {
  return (high * (2 ** 32 % modulus) + low) % modulus;
}

/** `l_hashfloat`: mantissa and exponent, as `frexp` has them, in 31 bits. */
function floatHash(high: number, low: number): number {
  const exponent = (high >>> 20) & 0x7ff;
  if (exponent === 0 || exponent === 0x7ff) return 0;
  const mantissa = 0.5 + ((high & 0xfffff) * 2 ** 32 + low) / 2 ** 53;
  const scaled = Math.trunc((high >>> 31 ? -mantissa : mantissa) * 2 ** 31);
  const sum = (exponent - 1022 + scaled) >>> 0;
  return sum <= 0x7fff_ffff ? sum : ~sum >>> 0;
}
