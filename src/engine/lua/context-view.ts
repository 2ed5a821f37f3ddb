import { isProxy } from "node:util/types";
import {
  isPlainObject,
  isUnreadable,
  MAX_JSON_DEPTH,
  ownData,
  pairIn,
  pointerPart,
  PROXY,
  refusesUnreadable,
  shown,
  shownObject,
} from "../../core/index.ts";
import type { Container, HookContext, Unreadable } from "../../core/index.ts";
import { BLOCK, CACHED, type CombinedCalls, KEEP, PUSH } from "./combined-calls.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import {
  AT,
  KEY,
  REGISTRY,
  T_FUNCTION,
  T_NIL,
  T_NUMBER,
  T_STRING,
  T_TABLE,
  UPVALUES,
} from "./raw.ts";
import type { LuaState } from "./state.ts";
import { type HostFunction, LuaArgumentError } from "./vm.ts";

/** A key of a context part as Lua has it: a string, or an integer (list positions count from 1). */
export type ViewKey = string | number;

/**
 * A part of a context that a script has reached. Its Lua table contains only what the script wrote there; everything
 * else is read from `base` on demand.
 */
export interface ViewNode {
  readonly session: ViewSession;
  /** The host's value as hooks read it; replaced when a hook's edits are committed. */
  base: Container;
  /** The host's own object, which `base` is or was converted from. */
  source: object;
  /** Address of the Lua table. For a new part it is known once the VM has created it. */
  table: number;
  /**
   * Number under which the table is kept alive. Numbers are reused, so that the table of anchors does not grow and
   * shrink with each dispatch.
   */
  readonly anchor: number;
  /** The slot of its remembered reads, if any. */
  readonly slot: ViewSlot | undefined;
  /** Distance from the context's root. */
  readonly depth: number;
  /** Where it was first reached, for messages. */
  readonly parent: ViewNode | undefined;
  readonly key: ViewKey;
  /** Keys written since the last commit; their values (nil for removed ones) are in the Lua table. */
  written: Set<ViewKey> | undefined;
  /** Parts reached through this one, by their key in `base`. */
  children: SmallMap<ViewKey, ViewNode> | undefined;
  /** The last known end of a list that was written to. */
  end: number | undefined;
  /** The keys of a running traversal; for a list, those after the host's items. */
  order: ViewKey[] | undefined;
  /** The position of the traversal in `order`. */
  at: number;
}

/** The views of one dispatch in one state; unusable after its end. */
export interface ViewSession {
  ctx: HookContext;
  root: ViewNode | undefined;
  readonly nodes: ViewNode[];
  /** Whether reads are remembered for the hooks that follow; for a single hook it costs more than it gains. */
  readonly remembers: boolean;
  /** Whether reading a value that hooks cannot read is an error at any depth: at pre points. */
  readonly strict: boolean;
  /** Whether anything was written since the last commit. */
  dirty: boolean;
}

/** The path of a part in messages: `ctx/payload/args`. */
export function viewPath(node: ViewNode, key?: ViewKey): string {
  let path = key === undefined ? "" : pointerPart(key);
  for (let at = node; at.parent; at = at.parent) path = pointerPart(at.key) + path;
  return `ctx${path}`;
}

/** The error of using a context after its dispatch has ended. */
function ended(): LuaArgumentError {
  return new LuaArgumentError(
    "this context belongs to a call that has ended; copy the values you need while the hook runs",
  );
}

/** @throws LuaArgumentError for a key that no context can have */
function writable(key: ViewKey | undefined): ViewKey {
  if (key !== undefined) return key;
  throw new LuaArgumentError("a key of the context must be a string or a list index");
}

/** Whether a part is a list on the host's side. */
export function isList(base: Container): base is readonly unknown[] {
  return Array.isArray(base);
}

/** The host's value under a key, before conversion; undefined if there is none. Own data properties only. */
export function hostValue(base: Container, key: ViewKey): unknown {
  if (!isList(base)) return typeof key === "string" ? ownData(base, key) : undefined;
  if (typeof key !== "number" || key < 1 || key > base.length) return undefined;
  return ownData(base, key - 1);
}

/**
 * A map that stores its first entry inline: most parts of a context are left through one key, and a Map for that costs
 * more than its content.
 */
export class SmallMap<K, V> {
  #key: K | undefined;
  #value: V | undefined;
  #rest: Map<K, V> | undefined;

  get(key: K): V | undefined {
    return this.#value !== undefined && key === this.#key ? this.#value : this.#rest?.get(key);
  }

  set(key: K, value: V): void {
    if (this.#value === undefined ? !this.#rest?.has(key) : key === this.#key) {
      this.#key = key;
      this.#value = value;
    } else (this.#rest ??= new Map()).set(key, value);
  }

  delete(key: K): void {
    if (this.#value !== undefined && key === this.#key) this.#value = undefined;
    else this.#rest?.delete(key);
  }

  /** As for a Map; deleting the current entry is allowed. */
  forEach(use: (value: V, key: K) => void): void {
    if (this.#value !== undefined) use(this.#value, this.#key as K);
    this.#rest?.forEach(use);
  }
}

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
    this.slots = new ViewSlots(state);
  }

  /** Begin a dispatch: push the driver, the handler in a slot, and a new table for its context. */
  enter(
    L: LuaThread,
    handler: number,
    { ctx, remembers, strict }: Pick<ViewSession, "ctx" | "remembers" | "strict">,
  ): ViewSession {
    const nodes: ViewNode[] = [];
    const session: ViewSession = { ctx, root: undefined, nodes, remembers, strict, dirty: false };
    const base = ctx as unknown as ViewNode["base"];
    const slot = this.slots.take(L, session);
    const anchor = this.#anchor();
    const table = this.#calls.enter(L, handler, anchor, slot?.id ?? 0);
    session.root = this.#node(session, base, base, undefined, "", slot, anchor);
    session.root.table = table;
    this.#live.add(session.root);
    return session;
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
      // A small table without writes may stay anchored until its number is reused. All others are disposed of:
      // otherwise a script that kept the table could still read what a failed hook wrote.
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
    const written = keyWritten(node, key);
    // What was written under the other key of a pair must not be remembered.
    if (written !== key && node.written?.has(written)) return this.#otherName(L, node, written);
    const code = this.#field(L, node, key);
    if (name === undefined || code === PUSH.nil) return code;
    if (reads) {
      reads.hasReads = true;
      return code | KEEP;
    }
    return code === PUSH.part || code === PUSH.newPart ? code | CACHED : code;
  }

  /** Write the value at index 3 under the key at index 2 to the part whose table is at index 1. */
  assign(L: LuaThread, table: Ptr, kind: number, at: Ptr): void {
    const node = this.find(table);
    if (!node) throw ended();
    const name = kind === T_STRING ? this.#state.names.known(at) : undefined;
    this.write(L, node, name ?? writable(this.#key(L, kind)));
  }

  /** Push the field of a part whose Lua table does not have the key; within a host function. */
  pushField(L: LuaThread, node: ViewNode, key: ViewKey): void {
    this.settle();
    const written = keyWritten(node, key);
    if (written !== key && node.written?.has(written)) this.#otherName(L, node, written);
    else this.#calls.push(L, this.#field(L, node, key));
  }

  /** Push what the script wrote under the other key of a pair. */
  #otherName(L: LuaThread, node: ViewNode, key: ViewKey): number {
    this.#calls.push(L, this.#code(PUSH.part, node.anchor));
    this.pushKey(L, key);
    this.#raw.lua_rawget(L, -2);
    this.#raw.lua_rotate(L, -2, 1);
    this.#raw.lua_settop(L, -2);
    return PUSH.done;
  }

  /** Store the value on top of the stack under the key at 2; the part's table is at 1. */
  write(L: LuaThread, node: ViewNode, key: ViewKey): void {
    const pair = pairOf(node, key);
    if (pair) return this.#writePair(L, node, pair[1]);
    if (node.slot) this.slots.forget(L, node.slot);
    this.#written(L, node, key);
  }

  /** Of a pair, only one key is ever in the Lua table. Otherwise Lua itself would serve a later write of the other. */
  #writePair(L: LuaThread, node: ViewNode, key: string): void {
    if (node.slot) this.slots.clear(L, node.slot);
    this.pushKey(L, key);
    this.#raw.lua_copy(L, -1, 2);
    this.#raw.lua_settop(L, -2);
    this.#written(L, node, key);
  }

  #written(L: LuaThread, node: ViewNode, key: ViewKey): void {
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

  /** An anchor number that no live part uses. */
  #anchor(): number {
    return this.#anchors.pop() ?? ++this.#anchorCount;
  }
}

/** The pair that a key belongs to, in the payload. */
function pairOf(
  { depth, key: place, base }: ViewNode,
  key: ViewKey,
): readonly [string, string] | undefined {
  if (depth !== 1 || place !== "payload") return undefined;
  return pairIn(key, (name) => hostValue(base, name) !== undefined);
}

/** The key under which the Lua table of a part has what was written under a key: of a pair, always the same one. */
export function keyWritten(node: ViewNode, key: ViewKey): ViewKey {
  return (node.written && pairOf(node, key)?.[1]) ?? key;
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
interface ViewSlot {
  readonly id: number;
  node: ViewNode | undefined;
  /** Whether the table of reads may contain any. */
  hasReads: boolean;
}

/** The slots of one state. */
class ViewSlots {
  readonly #state: LuaState;
  readonly #calls: CombinedCalls;
  readonly #byReads = new Map<number, ViewSlot>();
  readonly #free: ViewSlot[] = [];
  #count = 0;

  constructor(state: LuaState) {
    this.#state = state;
    this.#calls = state.vm.calls;
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
    const { raw } = this.#state;
    const top = raw.lua_gettop(L);
    const id = ++this.#count;
    raw.lua_checkstack(L, 12);
    pushSlotTables(this.#state, L);
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

/** What Lua sees of a host object. Runs none of its code, not even the traps of a Proxy. */
export function shownHost(value: object): ReturnType<typeof shownObject> {
  if (isProxy(value)) return PROXY;
  return isLaterPart(value) ? value.shown() : shownObject(value);
}

/** A value read from a part of a context; never missing. */
export type ReadPart = Container | string | Unreadable;

/**
 * A part of a context that has not been sent to the worker thread yet: it is requested when it is read. Once it has
 * arrived, this object keeps its place, so that parts can be compared by identity.
 */
export class LaterPart {
  readonly #ask: () => void;
  #part: ReadPart | undefined;

  /** @param ask requests it, or throws */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  arrive(part: ReadPart): void {
    this.#part = part;
  }

  /** What has arrived, if anything. */
  get arrived(): ReadPart | undefined {
    return this.#part;
  }

  /** @throws Error when it cannot be sent */
  shown(): ReadPart {
    if (this.#part === undefined) this.#ask();
    if (this.#part === undefined) throw new Error("the call of this context has ended");
    return this.#part;
  }
}

/**
 * Whether an object (not a Proxy) is a LaterPart. Not with instanceof, which would call a Proxy in the prototype chain.
 */
export function isLaterPart(value: object): value is LaterPart {
  return Object.getPrototypeOf(value) === LaterPart.prototype;
}

/** Metamethods of context views besides `__index` and `__newindex`, which are combined calls. */
export const VIEW_METAMETHODS: Readonly<Record<"__len" | "__pairs", HostFunction>> = {
  __len(state, L) {
    state.raw.lua_pushinteger(L, BigInt(lengthOf(state, L, live(state, L))));
    return 1;
  },
  __pairs(state, L) {
    live(state, L);
    for (const at of Object.values(AT)) state.raw.lua_pushvalue(L, at);
    state.raw.lua_pushcclosure(L, state.vm.pointerTo(nextOf), UPVALUES.length);
    state.raw.lua_pushvalue(L, 1);
    state.raw.lua_pushnil(L);
    return 3;
  },
};

/** Push the tables of a slot: a metatable for the part's table, and its table of reads. */
function pushSlotTables(state: LuaState, L: LuaThread): void {
  const { raw, text, vm } = state;
  raw.lua_createtable(L, 0, 5);
  const functions = { __newindex: vm.calls.newindex, ...VIEW_METAMETHODS };
  (vm.slotFunctions ??= vm.functionSetter(functions))(L);
  raw.lua_pushboolean(L, 0);
  raw.lua_setfield(L, -2, text.constant("__metatable"));
  raw.lua_createtable(L, 0, 4);
  raw.lua_rawgetp(L, REGISTRY, KEY.readsMeta);
  raw.lua_setmetatable(L, -2);
  raw.lua_pushvalue(L, -1);
  raw.lua_setfield(L, -3, text.constant("__index"));
}

/** Library functions that bypass metamethods, and so must handle views themselves. */
export const VIEW_LIBRARY: Readonly<Record<string, HostFunction>> = {
  next: nextOf,
  rawget(state, L) {
    const { raw, views } = state;
    expectTable(state, L, "rawget");
    raw.lua_settop(L, 2);
    const node = nodeOf(state, L);
    if (!node) openReadOnly(state, L);
    raw.lua_pushvalue(L, 2);
    if (raw.lua_rawget(L, 1) !== T_NIL || !node) return 1;
    const key = views.key(L, 2);
    if (key !== undefined) views.pushField(L, node, key);
    return 1;
  },
  rawset(state, L) {
    const { raw, views } = state;
    expectTable(state, L, "rawset");
    raw.lua_settop(L, 3);
    const node = nodeOf(state, L);
    if (node) views.write(L, node, writable(views.key(L, 2)));
    else if (openReadOnly(state, L)) throw new LuaArgumentError("rawset: the table is read-only");
    else raw.lua_rawset(L, 1);
    raw.lua_settop(L, 1);
    return 1;
  },
  rawlen(state, L) {
    const { raw } = state;
    const isString = raw.lua_type(L, 1) === T_STRING;
    if (!isString) expectTable(state, L, "rawlen");
    const node = isString ? undefined : nodeOf(state, L);
    const length = node ? lengthOf(state, L, node) : Number(raw.lua_rawlen(L, 1));
    raw.lua_pushinteger(L, BigInt(length));
    return 1;
  },
};

function nextOf(state: LuaState, L: LuaThread): number {
  const { raw, views } = state;
  expectTable(state, L, "next");
  raw.lua_settop(L, 2);
  const node = nodeOf(state, L);
  if (!node) {
    openReadOnly(state, L);
    if (raw.lua_next(L, 1) !== 0) return 2;
    raw.lua_pushnil(L);
    return 1;
  }
  const key = views.key(L, 2);
  if (key === undefined && raw.lua_type(L, 2) !== T_NIL) {
    throw new LuaArgumentError("invalid key to 'next'");
  }
  const next = keyAfter(state, L, node, key);
  if (next === undefined) {
    raw.lua_pushnil(L);
    return 1;
  }
  pushEntry(state, L, node, next);
  return 2;
}

/** Replace a read-only table at index 1 by its content; returns whether it was one. */
function openReadOnly({ raw }: LuaState, L: LuaThread): boolean {
  if (raw.lua_getmetatable(L, 1) === 0) return false;
  const top = raw.lua_gettop(L) - 1;
  raw.lua_rawgetp(L, REGISTRY, KEY.readOnly);
  raw.lua_pushvalue(L, 1);
  const isReadOnly = raw.lua_rawget(L, -2) !== T_NIL;
  if (isReadOnly) raw.lua_copy(L, -1, 1);
  raw.lua_settop(L, top);
  return isReadOnly;
}

function pushEntry(state: LuaState, L: LuaThread, node: ViewNode, key: ViewKey): void {
  const { raw, views } = state;
  views.pushKey(L, key);
  raw.lua_pushvalue(L, -1);
  if (raw.lua_rawget(L, 1) !== T_NIL) return;
  raw.lua_settop(L, -2);
  views.pushField(L, node, key);
}

/** The part of the table at index 1; its dispatch must still be running. */
function live(state: LuaState, L: LuaThread): ViewNode {
  const node = state.views.at(L, 1);
  if (node) return node;
  throw ended();
}

/** The part of the table at index 1; undefined for a table that never was a part of a context. */
function nodeOf(state: LuaState, L: LuaThread): ViewNode | undefined {
  const node = state.views.at(L, 1);
  if (!node && state.views.isDead(L, 1)) throw ended();
  return node;
}

function expectTable(state: LuaState, L: LuaThread, name: string): void {
  const type = state.raw.lua_type(L, 1);
  if (type !== T_TABLE) {
    const got = type === T_FUNCTION ? "a function" : type <= T_NIL ? "nothing" : "another type";
    throw new LuaArgumentError(`bad argument #1 to '${name}' (table expected, got ${got})`);
  }
}

// In what follows, a part's Lua table is at index 1.

/** `#`: a list's length including nulls, with elements written past its end or removed there. */
function lengthOf(state: LuaState, L: LuaThread, node: ViewNode): number {
  const { base, written } = node;
  if (!isList(base)) return Number(state.raw.lua_rawlen(L, 1));
  if (!written) return base.length;
  const has = (at: number): boolean =>
    written.has(at) ? rawHas(state, L, at) : at >= 1 && at <= base.length;
  // From the last known end: emptying a list from its end must not walk it each time.
  let end = node.end ?? base.length;
  while (end > 0 && !has(end)) end--;
  while (has(end + 1)) end++;
  node.end = end;
  return end;
}

/**
 * The key after `key` (undefined: the first) with a value other than nil; undefined at the end.
 * @throws LuaArgumentError when there is no such key
 */
function keyAfter(
  state: LuaState,
  L: LuaThread,
  node: ViewNode,
  key: ViewKey | undefined,
): ViewKey | undefined {
  const { limits } = state;
  const length = isList(node.base) ? node.base.length : 0;
  let from = key;
  if (from === undefined || isWithin(from, length)) {
    for (let at = (from ?? 0) + 1; at <= length; at++) {
      if (isPresent(state, L, node, at)) return at;
      limits.spend(1);
    }
    from = undefined;
  }
  if (from === undefined || !node.order) {
    node.order = keysOf(node, length);
    node.at = -1;
    limits.spend(node.order.length);
  }
  const { order } = node;
  if (from !== undefined && order[node.at] !== from) {
    node.at = order.indexOf(from);
    if (node.at < 0) throw new LuaArgumentError("invalid key to 'next'");
    limits.spend(node.at / 16);
  }
  while (++node.at < order.length) {
    const next = order[node.at] as ViewKey;
    if (isPresent(state, L, node, next)) return next;
    limits.spend(1);
  }
  node.order = undefined;
  return undefined;
}

/** Keys in the order of a traversal, without the first `length` positions. */
function keysOf({ base, written = new Set() }: ViewNode, length: number): ViewKey[] {
  const keys: ViewKey[] = isList(base) ? [] : Object.keys(base);
  const known = new Set(keys);
  for (const key of written) if (!known.has(key) && !isWithin(key, length)) keys.push(key);
  return keys;
}

function isPresent(state: LuaState, L: LuaThread, node: ViewNode, key: ViewKey): boolean {
  const written = keyWritten(node, key);
  if (node.written?.has(written)) return rawHas(state, L, written);
  const value = hostValue(node.base, key);
  const seen = typeof value === "object" && value !== null ? shownHost(value) : shown(value);
  // An unreadable value is null or an error; reading it decides.
  if (isUnreadable(seen)) return refusesUnreadable(node.session.strict, node.depth);
  return seen !== undefined && seen !== null;
}

function rawHas({ raw, views }: LuaState, L: LuaThread, key: ViewKey): boolean {
  views.pushKey(L, key);
  const type = raw.lua_rawget(L, 1);
  raw.lua_settop(L, -2);
  return type !== T_NIL;
}

function isWithin(key: ViewKey, length: number): key is number {
  return typeof key === "number" && key >= 1 && key <= length;
}
