import { lazyConstant } from "../../core/index.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { COMBINED_CALLS } from "./vm-code.ts";

/** What the host asks the VM to push. Operands are in the words of the block. */
export const PUSH = {
  /** Nothing: the host has pushed it. */
  done: 0,
  nil: 1,
  /** `a` bytes at `b`. */
  text: 2,
  /** `a`. */
  integer: 3,
  /** The boolean `a !== 0`. */
  boolean: 4,
  number: 5,
  /** The part whose table has the anchor `a`. */
  part: 6,
  /** A new part with the anchor `a`, and slot `b` if that is not 0; its address is stored in `table`. */
  newPart: 7,
} as const;
/** Added to one of these: keep the pushed value in the table of reads, which is the first argument. */
export const KEEP = 16;
/** Added to `part` or `newPart`: the key's address identifies its name, so the VM need not ask again. */
export const CACHED = 32;

/** Offsets in the shared block of memory, in bytes. */
export const BLOCK = {
  a: 0,
  b: 4,
  number: 8,
  /** An integer of 64 bits. */
  long: 16,
  /** Address of the table of a new part; 0 until it exists. */
  table: 24,
  /** The C stack pointer before a thread was resumed. */
  stack: 28,
  results: 32,
  /** Changed whenever cached values may be wrong. */
  epoch: 36,
  cache: 64,
} as const;
/** A power of two. */
export const CACHE_ENTRIES = 32;
/** Bytes of a cache entry: table, key, anchor and epoch. */
const CACHE_ENTRY = 16;
const BLOCK_BYTES = BLOCK.cache + CACHE_ENTRIES * CACHE_ENTRY;

/** The host's side of the combined calls. What it throws passes through the VM. */
export interface CombinedHost {
  /** Reads a field of a part: the key is at 2, `kind` is its type; `key` is the address of a string. */
  index(L: LuaThread, table: Ptr, kind: number, key: Ptr): number;
  /** Writes a field of a part: the value is at 3. */
  newindex(L: LuaThread, table: Ptr, kind: number, key: Ptr): void;
  /**
   * A handler has ended; its result is at 2, with type `kind` and, for a table, its address.
   * @returns the slot of the next handler, whose context has the anchor in `a`; 0 when there is none
   */
  step(L: LuaThread, succeeded: number, kind: number, table: Ptr): number;
  /** `lua_Alloc` for large and for rejected blocks. */
  allocate(ud: Ptr, ptr: Ptr, osize: number, nsize: number): Ptr;
}

/**
 * Operations that cross between JavaScript and WebAssembly often: written in WebAssembly (scripts/generate/vm), each
 * combines several calls of the C API. The C functions among them are in the function table.
 */
export interface CombinedCalls {
  /** Shared memory. */
  readonly block: Ptr;
  /** `__index` of parts of contexts and of tables of reads. */
  readonly index: Ptr;
  readonly newindex: Ptr;
  readonly step: Ptr;
  /** `lua_Alloc`: `ud` is the address of a `MEMORY_LAYOUT`. */
  readonly allocate: Ptr;
  /** Push the value of a `PUSH` code, within a host function; returns 1. */
  push(L: LuaThread, code: number): number;
  /**
   * Push driver, handler and a new root with the given anchor, and slot `meta` if that is not 0; returns its address.
   */
  enter(L: LuaThread, handler: number, anchor: number, meta: number): Ptr;
  /** `lua_resume`; the previous C stack pointer is in the block. */
  resume(L: LuaThread, nargs: number): number;
  /** Release the table of a part: it is emptied if it was written to, and the reads of its slot are dropped. */
  dispose(L: LuaThread, anchor: number, slot: number, written: number): void;
  /** Empty the table of a part. */
  empty(L: LuaThread, anchor: number): void;
  /** Empty the table of a slot's reads. */
  forgetReads(L: LuaThread, slot: number): void;
  /** Remove the key at 2 from a slot's table of reads, within a host function. */
  forgetRead(L: LuaThread, slot: number): void;
  /**
   * Read what the table of a part itself contains under a name or, with no bytes, at the position in `number`.
   * @returns the type. nil, booleans, numbers and strings are in the block: `a` (a boolean, or whether a number is an
   * integer), `number` and `long`, or `a` bytes at `b`; other values are pushed.
   */
  fetch(L: LuaThread, anchor: number, bytes: Ptr, size: number): number;
}

/** C functions, in the order of the function table; the others are called from JavaScript. */
const POINTERS = ["index", "newindex", "step", "allocate"] as const;

type Exports = Omit<CombinedCalls, "block" | (typeof POINTERS)[number]>;

/** Link the calls to a VM. */
export function combineCalls(raw: RawLua, host: CombinedHost): CombinedCalls {
  const block = raw.malloc(BLOCK_BYTES);
  raw.HEAPU8.fill(0, block, block + BLOCK_BYTES);
  // No empty entry has this epoch.
  raw.HEAPU32[(block + BLOCK.epoch) >>> 2] = 1;
  const functions = Object.fromEntries(
    Object.entries(host).map(([name, fn]) => [hostName(name), fn]),
  );
  const exports = raw.link(linkedModule(), functions, block);
  const first = raw.place(POINTERS.map((name) => exports[name]));
  const pointers = POINTERS.map((name, i) => [name, first + i]);
  return { ...(exports as unknown as Exports), ...Object.fromEntries(pointers), block };
}

const linkedModule = lazyConstant(
  () => new WebAssembly.Module(Buffer.from(COMBINED_CALLS, "base64")),
);

/** The import name of a host function. */
export function hostName(name: string): string {
  return `host_${name}`;
}
