import type { HookContext } from "../core/context.ts";
import { MAX_JSON_DEPTH } from "../core/json.ts";
import { isUnreadable, shown } from "../core/shown.ts";
import { refusesUnreadable } from "../core/to-json.ts";
import { shownHost } from "./host-copy.ts";
import { LiveNodes } from "./live-nodes.ts";
import { AT, KEY } from "./registry-keys.ts";
import { REGISTRY, T_NUMBER, T_STRING } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { LuaArgumentError } from "./vm.ts";
import { hostValue, viewPath } from "./view-node.ts";
import type { ViewKey, ViewNode, ViewSession } from "./view-node.ts";
import { pushSlotTables } from "./view-functions.ts";
import { SmallMap } from "./small-map.ts";
import { ViewSlots } from "./view-slots.ts";
import type { ViewSlot } from "./view-slots.ts";

/** Tables of a dispatch that has ended that stay anchored at most. */
const KEPT_TABLES = 16;

/**
 * The contexts that a state's scripts can see: lazy, copy-on-write tables. A read converts the one
 * field that is read; a write stays in the Lua table, where later reads and edits of it are Lua's own
 * business, and is known by its key; so an alias to a table the script put in keeps working, and
 * nothing is compared when the hook returns.
 */
export class ContextViews {
  readonly #state: LuaState;
  readonly #maxStringBytes: number;
  readonly #live = new LiveNodes();
  readonly #anchors: number[] = [];
  #anchorCount = 0;
  /** Where reads are remembered. */
  readonly slots: ViewSlots;

  /** @param maxStringBytes longest string of the host's that may be read */
  constructor(state: LuaState, maxStringBytes: number) {
    this.#state = state;
    this.#maxStringBytes = maxStringBytes;
    this.slots = new ViewSlots(state.raw, state.names, (L) => pushSlotTables(state, L));
  }

  /**
   * Begin a dispatch.
   * @param strict whether it is an error to read what hooks cannot look into, wherever it stands
   */
  open(ctx: HookContext, remembers: boolean, strict: boolean): ViewSession {
    return { ctx, root: undefined, nodes: [], remembers, strict, dirty: false };
  }

  /** Begin a session on a stack of the host's: make the table that stands for its context, and push it. */
  pushNewRoot(L: LuaThread, session: ViewSession): void {
    const { raw } = this.#state;
    const base = session.ctx as unknown as ViewNode["base"];
    const slot = this.slots.take(L, session);
    const anchor = this.#anchor();
    raw.lua_createtable(L, 0, 0);
    const table = raw.lua_topointer(L, -1);
    raw.lua_rawgetp(L, REGISTRY, slot ? KEY.viewMetas : KEY.viewMeta);
    if (slot) {
      raw.lua_rawgetp(L, -1, slot.id);
      raw.lua_rotate(L, -2, -1);
      raw.lua_settop(L, -2);
    }
    raw.lua_setmetatable(L, -2);
    raw.lua_rawgetp(L, REGISTRY, KEY.views);
    raw.lua_pushvalue(L, -2);
    raw.lua_rawsetp(L, -2, anchor);
    raw.lua_settop(L, -2);
    session.root = this.#node(session, base, base, table, undefined, "", slot, anchor);
  }

  /** Push the table that stands for a session's context, from within a host function. */
  pushRoot(L: LuaThread, session: ViewSession): void {
    if (session.root) this.#state.raw.lua_rawgetp(L, AT.views, session.root.anchor);
  }

  /** End a dispatch: its views are dead from now on. */
  close(session: ViewSession): void {
    const { nodes } = session;
    for (const [i, node] of nodes.entries()) {
      this.#live.remove(node);
      // A small table that nobody wrote to may stay anchored until its number is used again.
      if (node.written || node.slot || i >= KEPT_TABLES) this.#dispose(node);
      this.#anchors.push(node.anchor);
    }
    session.root = undefined;
  }

  /** Empty a table that a script may have kept, and let it go. */
  #dispose(node: ViewNode): void {
    const { raw, main } = this.#state;
    // What a failed hook wrote would stay readable.
    this.clear(node);
    raw.lua_checkstack(main, 12);
    raw.lua_rawgetp(main, REGISTRY, KEY.views);
    if (node.slot) {
      // The slot will serve another part, which the table must not show.
      raw.lua_rawgetp(main, -1, node.anchor);
      raw.lua_rawgetp(main, REGISTRY, KEY.viewMeta);
      raw.lua_setmetatable(main, -2);
      raw.lua_settop(main, -2);
      this.slots.release(main, node.slot);
    }
    raw.lua_pushnil(main);
    raw.lua_rawsetp(main, -2, node.anchor);
    raw.lua_settop(main, -2);
  }

  /** The part of a live context that the table at an index stands for. */
  at(L: LuaThread, index: number): ViewNode | undefined {
    return this.#live.get(this.#state.raw.lua_topointer(L, index));
  }

  /** Whether the table at an index stood for a part of a context whose dispatch has ended. */
  isDead(L: LuaThread, index: number): boolean {
    const { raw } = this.#state;
    if (raw.lua_getmetatable(L, index) === 0) return false;
    raw.lua_rawgetp(L, REGISTRY, KEY.viewMeta);
    const isView = raw.lua_rawequal(L, -1, -2) !== 0;
    raw.lua_settop(L, -3);
    return isView && this.at(L, index) === undefined;
  }

  /** Take what was written to a part out of its Lua table. */
  clear(node: ViewNode): void {
    const { raw, main } = this.#state;
    if (!node.written) return;
    raw.lua_checkstack(main, 6);
    raw.lua_rawgetp(main, REGISTRY, KEY.views);
    raw.lua_rawgetp(main, -1, node.anchor);
    for (const key of node.written) {
      this.pushKey(main, key);
      raw.lua_pushnil(main);
      raw.lua_rawset(main, -3);
    }
    raw.lua_settop(main, -3);
    node.written = undefined;
    node.end = undefined;
  }

  /** Push what a part holds under a key that its Lua table does not have. */
  pushField(L: LuaThread, node: ViewNode, key: ViewKey): void {
    if (node.written?.has(key)) {
      this.#state.raw.lua_pushnil(L);
      return;
    }
    const child = node.children?.get(key);
    if (child) {
      this.#state.raw.lua_rawgetp(L, AT.views, child.anchor);
      return;
    }
    this.#pushHostValue(L, node, key, hostValue(node.base, key));
  }

  /** Store the value on top of the stack under the key below it; the part's table is at `table`. */
  write(L: LuaThread, node: ViewNode, key: ViewKey, table: number): void {
    if (node.slot) this.slots.forget(L, node.slot);
    // First the table: when there is no memory for it, nothing was written.
    this.#state.raw.lua_rawset(L, table);
    (node.written ??= new Set()).add(key);
    node.session.dirty = true;
  }

  /** The key at an index, or undefined for one that no context can hold. */
  key(L: LuaThread, index: number): ViewKey | undefined {
    const { raw, names } = this.#state;
    const type = raw.lua_type(L, index);
    if (type === T_STRING) return names.read(L, index);
    if (type !== T_NUMBER) return undefined;
    const number = raw.lua_tonumberx(L, index, 0);
    return Number.isSafeInteger(number) ? number : undefined;
  }

  /** Push a key as Lua has it. */
  pushKey(L: LuaThread, key: ViewKey): void {
    const { raw, text } = this.#state;
    if (typeof key === "string") text.push(L, key);
    else raw.lua_pushinteger(L, BigInt(key));
  }

  #pushHostValue(L: LuaThread, node: ViewNode, key: ViewKey, value: unknown): void {
    if (value === null || value === undefined) this.#state.raw.lua_pushnil(L);
    else if (typeof value === "object") this.#pushObject(L, node, key, value);
    else this.#pushScalar(L, node, key, value);
  }

  #pushScalar(L: LuaThread, node: ViewNode, key: ViewKey, value: unknown): void {
    if (typeof value === "string" && value.length > this.#maxStringBytes) {
      throw new LuaArgumentError(
        `${viewPath(node, key)} is a string of ${value.length} characters, which is beyond the size limit`,
      );
    }
    if (!this.#state.pushScalar(L, shown(value))) this.#state.raw.lua_pushnil(L);
  }

  #pushObject(L: LuaThread, node: ViewNode, key: ViewKey, value: object): void {
    const seen = shownHost(value);
    if (typeof seen !== "object" || seen === null) {
      this.#pushHostValue(L, node, key, seen);
    } else if (node.depth >= MAX_JSON_DEPTH) {
      throw new LuaArgumentError(
        `${viewPath(node, key).slice(0, 200)} is nested deeper than ${MAX_JSON_DEPTH} levels`,
      );
    } else if (isUnreadable(seen)) {
      if (refusesUnreadable(node.session.strict, node.depth)) {
        throw new LuaArgumentError(
          `${viewPath(node, key)} is ${seen.what}, which a hook cannot read`,
        );
      }
      this.#state.raw.lua_pushnil(L);
    } else {
      const child = this.#create(L, node, seen, value, key);
      (node.children ??= new SmallMap()).set(key, child);
    }
  }

  /** Make a part's table, anchored and left on the stack; from within a host function. */
  #create(
    L: LuaThread,
    parent: ViewNode,
    base: ViewNode["base"],
    source: object,
    key: ViewKey,
  ): ViewNode {
    const { raw } = this.#state;
    const slot = this.slots.take(L, parent.session);
    const anchor = this.#anchor();
    raw.lua_createtable(L, 0, 0);
    const table = raw.lua_topointer(L, -1);
    if (slot) raw.lua_rawgetp(L, AT.viewMetas, slot.id);
    else raw.lua_pushvalue(L, AT.viewMeta);
    raw.lua_setmetatable(L, -2);
    raw.lua_pushvalue(L, -1);
    raw.lua_rawsetp(L, AT.views, anchor);
    return this.#node(parent.session, base, source, table, parent, key, slot, anchor);
  }

  #node(
    session: ViewSession,
    base: ViewNode["base"],
    source: object,
    table: number,
    parent: ViewNode | undefined,
    key: ViewKey,
    slot: ViewSlot | undefined,
    anchor: number,
  ): ViewNode {
    const node: ViewNode = {
      session,
      base,
      source,
      table,
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
    this.#live.add(node);
    session.nodes.push(node);
    return node;
  }

  /** A number that no live part has. */
  #anchor(): number {
    return this.#anchors.pop() ?? ++this.#anchorCount;
  }
}
