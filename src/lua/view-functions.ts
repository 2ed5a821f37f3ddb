import { isUnreadable, refusesUnreadable, shown } from "../core/visible-value.ts";
import type { LuaThread } from "./raw.ts";
import { AT, KEY, REGISTRY, T_FUNCTION, T_NIL, T_STRING, T_TABLE, UPVALUES } from "./raw.ts";
import { setFunctions } from "./set-functions.ts";
import type { LuaState } from "./state.ts";
import type { ViewKey, ViewNode } from "./view-node.ts";
import { ended, hostValue, isList, shownHost, writable } from "./view-node.ts";
import type { HostFunction } from "./vm.ts";
import { LuaArgumentError } from "./vm.ts";

/** Metamethods of context views besides `__index` and `__newindex`, which are combined calls. */
export const VIEW_METAMETHODS: Readonly<Record<"__len" | "__pairs", HostFunction>> = {
  __len(state, L) {
    state.raw.lua_pushinteger(L, BigInt(lengthOf(state, L, live(state, L), 1)));
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
export function pushSlotTables(state: LuaState, L: LuaThread): void {
  const { raw, text } = state;
  raw.lua_createtable(L, 0, 5);
  setFunctions(state, L, { __newindex: state.vm.calls.newindex, ...VIEW_METAMETHODS });
  text.push(L, "__metatable");
  raw.lua_pushboolean(L, 0);
  raw.lua_rawset(L, -3);
  raw.lua_createtable(L, 0, 4);
  raw.lua_rawgetp(L, REGISTRY, KEY.readsMeta);
  raw.lua_setmetatable(L, -2);
  text.push(L, "__index");
  raw.lua_pushvalue(L, -2);
  raw.lua_rawset(L, -4);
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
    const length = node ? lengthOf(state, L, node, 1) : Number(raw.lua_rawlen(L, 1));
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
  const next = keyAfter(state, L, node, key, 1);
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

/**
 * `#`: a list's length including nulls, with elements written past its end or removed there.
 * @param table stack index of the part's Lua table
 */
function lengthOf(state: LuaState, L: LuaThread, node: ViewNode, table: number): number {
  const { base, written } = node;
  if (!isList(base)) return Number(state.raw.lua_rawlen(L, table));
  if (!written) return base.length;
  const has = (at: number): boolean =>
    written.has(at) ? rawHas(state, L, table, at) : at >= 1 && at <= base.length;
  // From the last known end: emptying a list from its end must not walk it each time.
  let end = node.end ?? base.length;
  while (end > 0 && !has(end)) end--;
  while (has(end + 1)) end++;
  node.end = end;
  return end;
}

/**
 * The key after `key` (undefined: the first) with a value other than nil; undefined at the end.
 * @param table stack index of the part's Lua table
 * @throws LuaArgumentError when there is no such key
 */
function keyAfter(
  state: LuaState,
  L: LuaThread,
  node: ViewNode,
  key: ViewKey | undefined,
  table: number,
): ViewKey | undefined {
  const { limits } = state;
  const length = isList(node.base) ? node.base.length : 0;
  let from = key;
  if (from === undefined || isWithin(from, length)) {
    for (let at = (from ?? 0) + 1; at <= length; at++) {
      if (isPresent(state, L, node, at, table)) return at;
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
    if (isPresent(state, L, node, next, table)) return next;
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

function isPresent(
  state: LuaState,
  L: LuaThread,
  node: ViewNode,
  key: ViewKey,
  table: number,
): boolean {
  if (node.written?.has(key)) return rawHas(state, L, table, key);
  const value = hostValue(node.base, key);
  const seen = typeof value === "object" && value !== null ? shownHost(value) : shown(value);
  // An unreadable value is null or an error; reading it decides.
  if (isUnreadable(seen)) return refusesUnreadable(node.session.strict, node.depth);
  return seen !== undefined && seen !== null;
}

function rawHas(state: LuaState, L: LuaThread, table: number, key: ViewKey): boolean {
  const { raw, views } = state;
  views.pushKey(L, key);
  const type = raw.lua_rawget(L, table);
  raw.lua_settop(L, -2);
  return type !== T_NIL;
}

function isWithin(key: ViewKey, length: number): key is number {
  return typeof key === "number" && key >= 1 && key <= length;
}
