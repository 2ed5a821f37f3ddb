import type { HookContext } from "../core/context.ts";
import { isPlainObject, MAX_JSON_DEPTH } from "../core/json.ts";
import { isUnreadable, refusesUnreadable, shown } from "../core/visible-value.ts";
import type { CombinedCalls } from "./combined-calls.ts";
import { BLOCK, CACHED, KEEP, PUSH } from "./combined-calls.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { KEY, REGISTRY, T_NUMBER, T_STRING } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { pushSlotTables } from "./view-functions.ts";
import type { ViewKey, ViewNode, ViewSession } from "./view-node.ts";
import { ended, hostValue, shownHost, SmallMap, viewPath, writable } from "./view-node.ts";
import { LuaArgumentError } from "./vm.ts";

/** Maximum number of anchored tables of ended dispatches. */
const KEPT_TABLES = 16;

/**
 * The contexts that a state's scripts can see: lazy copy-on-write tables. A read converts only the field that is read.
 * A write stays in the Lua table, where Lua itself serves later reads and changes of it, and the written key is
 * recorded. So an alias of a table that the script assigned keeps working, and nothing needs to be compared when the
 * hook returns.
 */
export class ContextViews {
  readonly #state: LuaState;
  readonly #raw: RawLua;
  readonly #calls: CombinedCalls;
  /** Offset of the block of combined calls, in words. */
  readonly #words: number;
  readonly #maxStringBytes: number;
  readonly #live = new ViewCache();
  readonly #anchors: number[] = [];
  #anchorCount = 0;
  /** A part whose table the VM is creating, or has created since the last call of the host. */
  #pending: ViewNode | undefined;
  /** Slots in which reads are remembered. */
  readonly slots: ViewSlots;

  /** @param maxStringBytes maximum length of a host string that can be read */
  constructor(state: LuaState, maxStringBytes: number) {
    this.#state = state;
    this.#raw = state.raw;
    this.#calls = state.vm.calls;
    this.#words = state.vm.calls.block >>> 2;
    this.#maxStringBytes = maxStringBytes;
    this.slots = new ViewSlots(state.raw, state.vm.calls, (L) => pushSlotTables(state, L));
  }

  /**
   * Begin a dispatch.
   * @param strict whether reading a value that hooks cannot read is an error at any depth
   */
  open(ctx: HookContext, remembers: boolean, strict: boolean): ViewSession {
    return { ctx, root: undefined, nodes: [], remembers, strict, dirty: false };
  }

  /** Push the driver, the handler in a slot, and a new table for the session's context. */
  enter(L: LuaThread, session: ViewSession, handler: number): void {
    const base = session.ctx as unknown as ViewNode["base"];
    const slot = this.slots.take(L, session);
    const anchor = this.#anchor();
    const table = this.#calls.enter(L, handler, anchor, slot?.id ?? 0);
    session.root = this.#node(session, base, base, undefined, "", slot, anchor);
    session.root.table = table;
    this.#live.add(session.root);
  }

  /** Record the table that the VM has created for a part, if any. */
  settle(): void {
    const node = this.#pending;
    if (!node) return;
    this.#pending = undefined;
    node.table = this.#raw.HEAPU32[this.#words + BLOCK.table / 4] as number;
    if (node.table !== 0) this.#live.add(node);
    else this.#withdraw(node);
  }

  /** There was no memory for its table: remove the part again. */
  #withdraw(node: ViewNode): void {
    node.parent?.children?.delete(node.key);
    // No other part can have been reached since.
    node.session.nodes.pop();
    if (node.slot) this.slots.release(node.slot);
    this.#anchors.push(node.anchor);
  }

  /** End a dispatch: its views can no longer be used. */
  close(session: ViewSession): void {
    this.settle();
    const { nodes } = session;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as ViewNode;
      this.#live.remove(node);
      // A small table without writes may stay anchored until its number is reused. Otherwise a script that kept the
      // table could still read what a failed hook wrote.
      const { written, slot, anchor } = node;
      if (written || slot || i >= KEPT_TABLES) {
        this.#calls.dispose(this.#state.main, anchor, slot?.id ?? 0, written ? 1 : 0);
        if (slot) this.slots.release(slot);
      }
      this.#anchors.push(anchor);
    }
    session.root = undefined;
    this.forgetCached();
  }

  /** The part of a live context whose table is at an index. */
  at(L: LuaThread, index: number): ViewNode | undefined {
    return this.find(this.#state.raw.lua_topointer(L, index));
  }

  /** The part of a live context whose table is at an address. */
  find(table: Ptr): ViewNode | undefined {
    this.settle();
    return this.#live.get(table);
  }

  /** Whether the table at an index belonged to a dispatch that has ended. */
  isDead(L: LuaThread, index: number): boolean {
    const { raw } = this.#state;
    if (raw.lua_getmetatable(L, index) === 0) return false;
    raw.lua_rawgetp(L, REGISTRY, KEY.viewMeta);
    const isView = raw.lua_rawequal(L, -1, -2) !== 0;
    raw.lua_settop(L, -3);
    return isView && this.at(L, index) === undefined;
  }

  /** Remove what was written to a part from its Lua table. */
  clear(node: ViewNode): void {
    if (!node.written) return;
    this.#calls.empty(this.#state.main, node.anchor);
    node.written = undefined;
    node.end = undefined;
  }

  /**
   * The combined call's result for a part's field, see `CombinedHost.index`.
   * @throws LuaArgumentError for a part of an ended dispatch, and for values that hooks cannot read
   */
  index(L: LuaThread, table: Ptr, kind: number, at: Ptr): number {
    let node = this.find(table);
    let reads: ViewSlot | undefined;
    if (!node) {
      reads = this.slots.at(table);
      node = reads?.node;
      if (!node) throw ended();
    }
    const name = kind === T_STRING ? this.#state.names.known(at) : undefined;
    const key = name ?? this.#key(L, kind);
    if (key === undefined) return PUSH.nil;
    const code = this.#field(L, node, key);
    if (name === undefined || code === PUSH.nil) return code;
    if (reads) {
      reads.hasReads = true;
      return code | KEEP;
    }
    return code === PUSH.part || code === PUSH.newPart ? code | CACHED : code;
  }

  /** Write the value at 3 under the key at 2 to the part whose table is at 1. */
  assign(L: LuaThread, table: Ptr, kind: number, at: Ptr): void {
    const node = this.find(table);
    if (!node) throw ended();
    const name = kind === T_STRING ? this.#state.names.known(at) : undefined;
    this.write(L, node, name ?? writable(this.#key(L, kind)));
  }

  /** Push the field of a part whose Lua table does not have the key; within a host function. */
  pushField(L: LuaThread, node: ViewNode, key: ViewKey): void {
    this.settle();
    this.#calls.push(L, this.#field(L, node, key));
  }

  /** Store the value on top of the stack under the key at 2; the part's table is at 1. */
  write(L: LuaThread, node: ViewNode, key: ViewKey): void {
    if (node.slot) this.slots.forget(L, node.slot);
    // The table first: without memory for it, nothing was written.
    this.#raw.lua_rawset(L, 1);
    (node.written ??= new Set()).add(key);
    node.session.dirty = true;
    this.forgetCached();
  }

  /** Make the VM ask again for the fields of parts. */
  forgetCached(): void {
    const words = this.#raw.HEAPU32;
    const at = this.#words + BLOCK.epoch / 4;
    words[at] = (words[at] as number) + 1;
  }

  /** The key at an index, or undefined for one that no context can have. */
  key(L: LuaThread, index: number): ViewKey | undefined {
    const { raw, names } = this.#state;
    const type = raw.lua_type(L, index);
    if (type === T_STRING) return names.read(L, index);
    return type === T_NUMBER ? position(raw.lua_tonumberx(L, index, 0)) : undefined;
  }

  /** As `key`, for the key at 2 in a combined call, which has already read a number. */
  #key(L: LuaThread, kind: number): ViewKey | undefined {
    if (kind === T_STRING) return this.#state.names.read(L, 2);
    if (kind !== T_NUMBER) return undefined;
    return position(this.#raw.HEAPF64[(this.#words * 4 + BLOCK.number) / 8] as number);
  }

  /** Push a key in Lua's form. */
  pushKey(L: LuaThread, key: ViewKey): void {
    const { raw, text } = this.#state;
    if (typeof key === "string") text.push(L, key);
    else raw.lua_pushinteger(L, BigInt(key));
  }

  /** The push code for a field. */
  #field(L: LuaThread, node: ViewNode, key: ViewKey): number {
    if (node.written?.has(key)) return PUSH.nil;
    const child = node.children?.get(key);
    if (child) return this.#code(PUSH.part, child.anchor);
    return this.#hostValue(L, node, key, hostValue(node.base, key));
  }

  #hostValue(L: LuaThread, node: ViewNode, key: ViewKey, value: unknown): number {
    switch (typeof value) {
      case "object":
        return value === null ? PUSH.nil : this.#object(L, node, key, value);
      case "string":
        return this.#text(L, node, key, value);
      case "boolean":
        return this.#code(PUSH.boolean, value ? 1 : 0);
      case "number":
        if ((value | 0) === value && !Object.is(value, -0)) return this.#code(PUSH.integer, value);
        break;
      case "undefined":
        return PUSH.nil;
      default:
    }
    return this.#state.pushScalar(L, shown(value)) ? PUSH.done : PUSH.nil;
  }

  #text(L: LuaThread, node: ViewNode, key: ViewKey, value: string): number {
    const { text } = this.#state;
    const size = text.writeShort(value);
    if (size >= 0) return this.#code(PUSH.text, size, text.scratch);
    if (value.length > this.#maxStringBytes) {
      throw new LuaArgumentError(
        `${viewPath(node, key)} is a string of ${value.length} characters, which is beyond the size limit`,
      );
    }
    this.#state.pushScalar(L, value);
    return PUSH.done;
  }

  #object(L: LuaThread, node: ViewNode, key: ViewKey, value: object): number {
    const seen = shownHost(value);
    if (typeof seen !== "object" || seen === null) return this.#hostValue(L, node, key, seen);
    if (node.depth >= MAX_JSON_DEPTH) {
      throw new LuaArgumentError(
        `${viewPath(node, key).slice(0, 200)} is nested deeper than ${MAX_JSON_DEPTH} levels`,
      );
    }
    // `isUnreadable` alone takes longer than all the rest.
    if (!isPlainObject(seen) && isUnreadable(seen)) {
      if (!refusesUnreadable(node.session.strict, node.depth)) return PUSH.nil;
      throw new LuaArgumentError(
        `${viewPath(node, key)} is ${seen.what}, which a hook cannot read`,
      );
    }
    const slot = this.slots.take(L, node.session);
    const child = this.#node(node.session, seen, value, node, key, slot, this.#anchor());
    (node.children ??= new SmallMap()).set(key, child);
    this.#pending = child;
    this.#raw.HEAPU32[this.#words + BLOCK.table / 4] = 0;
    return this.#code(PUSH.newPart, child.anchor, slot?.id ?? 0);
  }

  #code(code: number, a: number, b = 0): number {
    const words = this.#raw.HEAPU32;
    words[this.#words + BLOCK.a / 4] = a;
    words[this.#words + BLOCK.b / 4] = b;
    return code;
  }

  #node(
    session: ViewSession,
    base: ViewNode["base"],
    source: object,
    parent: ViewNode | undefined,
    key: ViewKey,
    slot: ViewSlot | undefined,
    anchor: number,
  ): ViewNode {
    const node: ViewNode = {
      session,
      base,
      source,
      table: 0,
      anchor,
      slot,
      depth: parent ? parent.depth + 1 : 0,
      parent,
      key,
      written: undefined,
      children: undefined,
      end: undefined,
      order: undefined,
      at: -1,
    };
    if (slot) slot.node = node;
    session.nodes.push(node);
    return node;
  }

  /** A number that no live part has. */
  #anchor(): number {
    return this.#anchors.pop() ?? ++this.#anchorCount;
  }
}

/** A number as a key: a whole float means the same position. */
function position(number: number): number | undefined {
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Number of parts per dispatch that get a slot; a script that walks thousands of parts reads each only once. */
const PER_SESSION = 32;

/**
 * Behind one part of a context: a metatable whose `__index` is a table of earlier reads. Lua itself finds a field that
 * was read before, without calling the host. A write still finds the part's own table empty, so it is noticed. Slots
 * are reused for other parts; scripts never see their tables.
 */
export interface ViewSlot {
  readonly id: number;
  node: ViewNode | undefined;
  /** Whether the table of reads may contain any. */
  hasReads: boolean;
}

/** The slots of one state. */
class ViewSlots {
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

  /** A slot for another part of a session; undefined when the session has used its share. */
  take(L: LuaThread, session: ViewSession): ViewSlot | undefined {
    if (!session.remembers || session.nodes.length >= PER_SESSION) return undefined;
    return this.#free.pop() ?? this.#create(L);
  }

  /** The slot whose table of reads is at an address. */
  at(table: Ptr): ViewSlot | undefined {
    return this.#byReads.get(table);
  }

  /** Drop one read before its field is written: the key is at 2. Within a host function. */
  forget(L: LuaThread, slot: ViewSlot): void {
    if (slot.hasReads) this.#calls.forgetRead(L, slot.id);
  }

  /** Drop all reads. */
  clear(L: LuaThread, slot: ViewSlot): void {
    if (!slot.hasReads) return;
    this.#calls.forgetReads(L, slot.id);
    slot.hasReads = false;
  }

  /** Return a slot whose reads were dropped. */
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

/** Number of parts that are searched linearly; above it, a Map is faster in spite of its cost. */
const FEW = 16;

/**
 * The live parts of contexts in a state, by the address of their table. Most dispatches reach a handful; a Map with
 * constant additions and removals would rehash every few of them.
 */
export class ViewCache {
  readonly #few: (ViewNode | undefined)[] = [];
  #count = 0;
  #many: Map<number, ViewNode> | undefined;

  get(table: number): ViewNode | undefined {
    if (this.#many) return this.#many.get(table);
    // The newest first: a script mostly reads what it has just reached.
    for (let i = this.#count - 1; i >= 0; i--) {
      const node = this.#few[i];
      if (node?.table === table) return node;
    }
    return undefined;
  }

  add(node: ViewNode): void {
    if (!this.#many && this.#count < FEW) {
      this.#few[this.#count++] = node;
      return;
    }
    this.#many ??= this.#spread();
    this.#many.set(node.table, node);
  }

  remove(node: ViewNode): void {
    if (this.#many) {
      this.#many.delete(node.table);
      if (this.#many.size === 0) this.#many = undefined;
      return;
    }
    const at = this.#few.indexOf(node);
    if (at < 0) return;
    this.#few[at] = this.#few[--this.#count];
    this.#few[this.#count] = undefined;
  }

  #spread(): Map<number, ViewNode> {
    const many = new Map<number, ViewNode>();
    for (const node of this.#few) if (node) many.set(node.table, node);
    this.#few.length = this.#count = 0;
    return many;
  }
}
