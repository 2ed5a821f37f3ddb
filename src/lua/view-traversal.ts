import { isUnreadable, shown } from "../core/shown.ts";
import { refusesUnreadable } from "../core/to-json.ts";
import { shownHost } from "./host-copy.ts";
import { T_NIL } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { hostValue, isList } from "./view-node.ts";
import type { ViewKey, ViewNode } from "./view-node.ts";
import { LuaArgumentError } from "./vm.ts";

/**
 * `#`: a list's length, nulls counted, with what was written past its end or removed there.
 * @param table stack index of the part's Lua table
 */
export function lengthOf(state: LuaState, L: LuaThread, node: ViewNode, table: number): number {
  const { base, written } = node;
  if (!isList(base)) return Number(state.raw.lua_rawlen(L, table));
  if (!written) return base.length;
  const has = (at: number): boolean =>
    written.has(at) ? rawHas(state, L, table, at) : at >= 1 && at <= base.length;
  // From where the end was last: a list that is emptied from its end is not walked anew each time.
  let end = node.end ?? base.length;
  while (end > 0 && !has(end)) end--;
  while (has(end + 1)) end++;
  node.end = end;
  return end;
}

/**
 * The key after `key` (undefined: the first) whose value is not nil; undefined at the end.
 * @param table stack index of the part's Lua table
 * @throws LuaArgumentError when there is no such key
 */
export function keyAfter(
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
  // What cannot be read is either null or an error, which is for the read to say.
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
