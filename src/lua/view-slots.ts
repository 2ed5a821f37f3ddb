import type { KeyNames } from "./key-names.ts";
import { AT, KEY } from "./registry-keys.ts";
import { REGISTRY, T_NIL } from "./raw.ts";
import type { LuaThread, RawLua } from "./raw.ts";
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
  /** Interned key strings, by address, that the table of reads has. */
  readonly keys: number[];
}

/** The slots of one state. */
export class ViewSlots {
  readonly #raw: RawLua;
  readonly #names: KeyNames;
  /** Pushes a new metatable and its table of reads, in this order. */
  readonly #make: (L: LuaThread) => void;
  readonly #byReads = new Map<number, ViewSlot>();
  readonly #free: ViewSlot[] = [];
  #count = 0;

  constructor(raw: RawLua, names: KeyNames, make: (L: LuaThread) => void) {
    this.#raw = raw;
    this.#names = names;
    this.#make = make;
  }

  /** A slot for one more part of a session; undefined when it has had its share. */
  take(L: LuaThread, session: ViewSession): ViewSlot | undefined {
    if (!session.remembers || session.nodes.length >= PER_SESSION) return undefined;
    return this.#free.pop() ?? this.#create(L);
  }

  /** The part whose table of reads is at an index. */
  at(L: LuaThread, index: number): ViewSlot | undefined {
    return this.#byReads.get(this.#raw.lua_topointer(L, index));
  }

  /** Remember a read: the table of reads is at 1, the key at 2, the value on top. */
  keep(L: LuaThread, slot: ViewSlot): void {
    const raw = this.#raw;
    const key = this.#names.interned(L, 2);
    if (key === undefined || raw.lua_type(L, -1) === T_NIL) return;
    raw.lua_pushvalue(L, 2);
    raw.lua_pushvalue(L, -2);
    raw.lua_rawset(L, 1);
    slot.keys.push(key);
  }

  /** Forget one read, before its field is written: the key is at 2. From within a host function. */
  forget(L: LuaThread, slot: ViewSlot): void {
    if (slot.keys.length === 0) return;
    const raw = this.#raw;
    raw.lua_rawgetp(L, AT.viewReads, slot.id);
    raw.lua_pushvalue(L, 2);
    raw.lua_pushnil(L);
    raw.lua_rawset(L, -3);
    raw.lua_settop(L, -2);
  }

  /** Forget all reads. */
  clear(L: LuaThread, slot: ViewSlot): void {
    if (slot.keys.length === 0) return;
    const raw = this.#raw;
    raw.lua_rawgetp(L, REGISTRY, KEY.viewReads);
    raw.lua_rawgetp(L, -1, slot.id);
    raw.lua_rawgetp(L, REGISTRY, KEY.names);
    for (const key of slot.keys) {
      raw.lua_rawgetp(L, -1, key);
      raw.lua_pushnil(L);
      raw.lua_rawset(L, -4);
    }
    raw.lua_settop(L, -4);
    slot.keys.length = 0;
  }

  /** Give a slot back. */
  release(L: LuaThread, slot: ViewSlot): void {
    this.clear(L, slot);
    slot.node = undefined;
    this.#free.push(slot);
  }

  #create(L: LuaThread): ViewSlot {
    const raw = this.#raw;
    const top = raw.lua_gettop(L);
    const id = ++this.#count;
    raw.lua_checkstack(L, 12);
    this.#make(L);
    const slot: ViewSlot = { id, node: undefined, keys: [] };
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
