import type { PatternBudget } from "./budget.ts";
import type { PatternVm } from "./pattern-vm.ts";
import type { Ptr } from "../raw.ts";

/** How many bytes a native copy does in the time a loop looks at one, as a power of two. */
const BYTES_PER_COPIED_LOG2 = 4;

/** Linear memory that a buffer may start in. */
export interface Scratch {
  readonly pointer: Ptr;
  readonly size: number;
}

const LARGEST = 0x7fff_ffff;
/** Copies shorter than this are done faster by a loop than by a native call. */
const NATIVE_FROM = 48;

/**
 * The text a gsub call builds.
 *
 * It lives in scratch memory first, then in a userdata at a slot of the Lua stack: so the state's
 * own allocator counts it, its limit ends it with Lua's own error, and whatever is thrown, nothing
 * has to be freed.
 */
export class ResultBuffer {
  readonly #vm: PatternVm;
  readonly #budget: PatternBudget;
  readonly #L: Ptr;
  readonly #slot: number;
  #pointer: Ptr;
  #capacity: number;
  #length = 0;

  /** @param slot index on the Lua stack that this buffer may overwrite */
  constructor(vm: PatternVm, budget: PatternBudget, L: Ptr, slot: number, scratch: Scratch) {
    this.#vm = vm;
    this.#budget = budget;
    this.#L = L;
    this.#slot = slot;
    this.#pointer = scratch.pointer;
    this.#capacity = scratch.size;
  }

  /** Adds the bytes from `from` to `to`, which must be in linear memory and anchored. */
  append(from: Ptr, to: Ptr): void {
    const added = to - from;
    if (this.#length + added > this.#capacity) this.#grow(added);
    const { memory } = this.#vm;
    let target = this.#pointer + this.#length;
    this.#length += added;
    if (added < NATIVE_FROM) {
      while (from < to) memory[target++] = memory[from++]!;
    } else {
      memory.copyWithin(target, from, to);
      this.#budget.spendBytes(added >> BYTES_PER_COPIED_LOG2);
    }
  }

  /** Adds an ASCII text. */
  appendText(text: string): void {
    if (this.#length + text.length > this.#capacity) this.#grow(text.length);
    this.#vm.memory.set(Buffer.from(text, "latin1"), this.#pointer + this.#length);
    this.#length += text.length;
  }

  /** Pushes the text as a Lua string. */
  push(): void {
    this.#vm.lua.lua_pushlstring(this.#L, this.#pointer, this.#length);
  }

  #grow(added: number): void {
    const { lua } = this.#vm;
    const needed = this.#length + added;
    if (needed > LARGEST) this.#vm.raise(this.#L, "buffer too large");
    const capacity = Math.min(LARGEST, Math.max(2 * this.#capacity, needed, 512));
    const pointer = lua.lua_newuserdatauv(this.#L, capacity, 0);
    this.#vm.memory.copyWithin(pointer, this.#pointer, this.#pointer + this.#length);
    // Only now may the old one go.
    lua.lua_copy(this.#L, -1, this.#slot);
    lua.lua_settop(this.#L, -2);
    this.#pointer = pointer;
    this.#capacity = capacity;
  }
}
