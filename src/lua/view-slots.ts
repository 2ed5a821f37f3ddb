import type { CombinedCalls } from "./combined-calls.ts";
import { KEY } from "./registry-keys.ts";
import { REGISTRY } from "./raw.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import type { ViewNode, ViewSession } from "./view-node.ts";

/** Parts of one dispatch that get a slot; a script that walks thousands of parts reads each once anyway. */
const PER_SESSION = 32;

/**
 * Behind one part of a context: a metatable whose `__index` is a table of what was read there. A field
 * that was read is found by Lua itself from then on, without a call to the host; a write still finds
 * the part's own table empty, so it is noticed. Slots are used again for other parts: scripts never see
 * their tables.
 */
export interface ViewSlot {
  readonly id: number;
  node: ViewNode | undefined;
  /** Whether the table of reads may hold any. */
  hasReads: boolean;
}

/** The slots of one state. */
export class ViewSlots {
  readonly #raw: RawLua;
  readonly #calls: CombinedCalls;
  /** Pushes a new metatable and its table of reads, in this order. */
  readonly #make: (L: LuaThread) => void;
  readonly #byReads = new Map<number, ViewSlot>();
  readonly #free: ViewSlot[] = [];
  #count = 0;

  constructor(raw: RawLua, calls: CombinedCalls, make: (L: LuaThread) => void) {
    this.#raw = raw;
    this.#calls = calls;
    this.#make = make;
  }

  /** A slot for one more part of a session; undefined when it has had its share. */
  take(L: LuaThread, session: ViewSession): ViewSlot | undefined {
    if (!session.remembers || session.nodes.length >= PER_SESSION) return undefined;
    return this.#free.pop() ?? this.#create(L);
  }

  /** The slot whose table of reads is at an address. */
  at(table: Ptr): ViewSlot | undefined {
    return this.#byReads.get(table);
  }

  /** Forget one read, before its field is written: the key is at 2. From within a host function. */
  forget(L: LuaThread, slot: ViewSlot): void {
    if (slot.hasReads) this.#calls.forgetRead(L, slot.id);
  }

  /** Forget all reads. */
  clear(L: LuaThread, slot: ViewSlot): void {
    if (!slot.hasReads) return;
    this.#calls.forgetReads(L, slot.id);
    slot.hasReads = false;
  }

  /** Give a slot back whose reads were forgotten. */
  release(slot: ViewSlot): void {
    slot.hasReads = false;
    slot.node = undefined;
    this.#free.push(slot);
  }

  #create(L: LuaThread): ViewSlot {
    const raw = this.#raw;
    const top = raw.lua_gettop(L);
    const id = ++this.#count;
    raw.lua_checkstack(L, 12);
    this.#make(L);
    const slot: ViewSlot = { id, node: undefined, hasReads: false };
    this.#byReads.set(raw.lua_topointer(L, -1), slot);
    raw.lua_rawgetp(L, REGISTRY, KEY.viewReads);
    raw.lua_pushvalue(L, -2);
    raw.lua_rawsetp(L, -2, id);
    raw.lua_rawgetp(L, REGISTRY, KEY.viewMetas);
    raw.lua_pushvalue(L, -4);
    raw.lua_rawsetp(L, -2, id);
    raw.lua_settop(L, top);
    return slot;
  }
}
