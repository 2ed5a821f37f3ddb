import type { Edit } from "../core/hook.ts";
import type { HookContext } from "../core/context.ts";
import { copyObject, MAX_JSON_DEPTH, setOwn } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { NotConvertible, tooDeep } from "./not-convertible.ts";
import type { LuaReader } from "./lua-reader.ts";
import { KEY } from "./registry-keys.ts";
import { REGISTRY, T_NIL } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { hostValue, isList, viewPath } from "./view-node.ts";
import type { ViewKey, ViewNode, ViewSession } from "./view-node.ts";

/**
 * What a hook wrote to its context, as a journal of host paths. Parts that were moved elsewhere, or
 * that own tables refer to, are taken as they are now.
 * @throws NotConvertible when something it wrote has no JSON form; the message names the path
 */
export function collectEdits(state: LuaState, session: ViewSession, reader: LuaReader): Edit[] {
  const edits: Edit[] = [];
  if (session.dirty && session.root) new Collector(state, reader).collect(session.root, [], edits);
  return edits;
}

/** A part of a context as it is now, its edits and those below it included. */
export function currentValue(
  state: LuaState,
  node: ViewNode,
  reader: LuaReader,
  depth: number,
): Json {
  return new Collector(state, reader).current(node, depth);
}

/**
 * Point a session's views at the context that came of its edits (or at the old one when they were
 * dropped): what was written leaves the Lua tables, parts that were replaced are cut loose.
 */
export function rebase(state: LuaState, session: ViewSession, ctx: HookContext): void {
  if (session.ctx === ctx && !session.dirty) return;
  session.ctx = ctx;
  session.dirty = false;
  if (session.root) rebaseNode(state, session.root, ctx as unknown as ViewNode["base"]);
}

class Collector {
  readonly #state: LuaState;
  readonly #reader: LuaReader;

  constructor(state: LuaState, reader: LuaReader) {
    this.#state = state;
    this.#reader = reader;
  }

  collect(node: ViewNode, path: readonly ViewKey[], edits: Edit[]): void {
    if (node.written && this.#mustReplace(node)) {
      edits.push({ path, value: this.current(node, path.length) });
      return;
    }
    for (const key of node.written ?? []) {
      const at = isList(node.base) ? (key as number) - 1 : key;
      edits.push({ path: [...path, at], value: this.#written(node, key, path.length) });
    }
    for (const [key, child] of node.children ?? []) {
      if (!node.written?.has(key)) {
        this.collect(child, [...path, isList(node.base) ? (key as number) - 1 : key], edits);
      }
    }
  }

  current(node: ViewNode, depth: number): Json {
    if (!isDirty(node)) return node.base as Json;
    // A part that was put inside itself goes on for ever.
    if (depth > MAX_JSON_DEPTH) throw tooDeep(viewPath(node));
    if (!isEmpty(node)) {
      return isList(node.base) ? this.#currentList(node, depth) : this.#currentObject(node, depth);
    }
    // What was empty takes the kind of what was written into it.
    const kept = [...(node.written ?? [])].filter((key) => this.#isWritten(node, key));
    const becomesList = kept.length === 0 ? isList(node.base) : kept.every(isPosition);
    return becomesList ? this.#currentList(node, depth) : this.#currentObject(node, depth);
  }

  #currentObject(node: ViewNode, depth: number): Json {
    const copy = isList(node.base) ? {} : copyObject(node.base as Record<string, Json>);
    for (const key of node.written ?? []) {
      const value = this.#written(node, key, depth);
      if (value === undefined) delete copy[key as string];
      else if (typeof key === "number") throw mixed(node);
      else setOwn(copy, key, value);
    }
    for (const [key, child] of node.children ?? []) {
      if (!node.written?.has(key)) setOwn(copy, key as string, this.current(child, depth + 1));
    }
    return copy;
  }

  #currentList(node: ViewNode, depth: number): Json {
    const list: Json[] = isList(node.base) ? [...(node.base as Json[])] : [];
    const removed = new Set<number>();
    for (const key of node.written ?? []) {
      const value = this.#written(node, key, depth);
      if (value === undefined) removed.add(key as number);
      else if (typeof key === "string" || key < 1) throw mixed(node);
      else list[key - 1] = value;
    }
    while (list.length > 0 && removed.has(list.length)) list.length--;
    for (let at = 1; at <= list.length; at++) {
      if (removed.has(at) || !(at - 1 in list)) {
        throw new NotConvertible(`${viewPath(node)} is a list with a hole at ${at}`);
      }
    }
    for (const [key, child] of node.children ?? []) {
      const at = (key as number) - 1;
      if (!node.written?.has(key) && at < list.length) list[at] = this.current(child, depth + 1);
    }
    return list;
  }

  /** A list whose length changed, or a part that changes kind, is one edit as a whole. */
  #mustReplace(node: ViewNode): boolean {
    const { base } = node;
    for (const key of node.written ?? []) {
      if (!isList(base)) {
        if (typeof key === "number") return true;
      } else if (typeof key === "string" || key < 1 || key > base.length) return true;
      else if (!this.#isWritten(node, key)) return true;
    }
    return false;
  }

  /** What the part's Lua table holds under a written key; undefined for nil. */
  #written(node: ViewNode, key: ViewKey, depth: number): Json | undefined {
    return this.#withWritten(node, key, (L, type) =>
      type === T_NIL ? undefined : this.#reader.read(L, -1, viewPath(node, key), depth + 1),
    );
  }

  #isWritten(node: ViewNode, key: ViewKey): boolean {
    return this.#withWritten(node, key, (_, type) => type !== T_NIL);
  }

  #withWritten<T>(node: ViewNode, key: ViewKey, use: (L: LuaThread, type: number) => T): T {
    const { raw, main, views } = this.#state;
    const top = raw.lua_gettop(main);
    raw.lua_checkstack(main, 8);
    raw.lua_rawgetp(main, REGISTRY, KEY.views);
    raw.lua_rawgetp(main, -1, node.table);
    views.pushKey(main, key);
    const type = raw.lua_rawget(main, -2);
    try {
      return use(main, type);
    } finally {
      raw.lua_settop(main, top);
    }
  }
}

function rebaseNode(state: LuaState, node: ViewNode, base: ViewNode["base"]): void {
  const { raw, main, views } = state;
  if (node.written) {
    for (const key of node.written) {
      node.children?.delete(key);
      raw.lua_checkstack(main, 6);
      raw.lua_rawgetp(main, REGISTRY, KEY.views);
      raw.lua_rawgetp(main, -1, node.table);
      views.pushKey(main, key);
      raw.lua_pushnil(main);
      raw.lua_rawset(main, -3);
      raw.lua_settop(main, -3);
    }
    node.written = undefined;
  }
  node.order = undefined;
  node.base = base;
  for (const [key, child] of node.children ?? []) {
    const found = hostValue(base, key);
    const value = typeof found === "object" ? found.value : undefined;
    const sameKind =
      typeof value === "object" && value !== null && Array.isArray(value) === isList(child.base);
    if (sameKind) rebaseNode(state, child, value as ViewNode["base"]);
    else node.children?.delete(key);
  }
}

function isDirty(node: ViewNode): boolean {
  if (node.written) return true;
  for (const [key, child] of node.children ?? []) {
    if (!(node.written as Set<ViewKey> | undefined)?.has(key) && isDirty(child)) return true;
  }
  return false;
}

function isEmpty(node: ViewNode): boolean {
  return isList(node.base) ? node.base.length === 0 : Object.keys(node.base).length === 0;
}

function isPosition(key: ViewKey): boolean {
  return typeof key === "number";
}

function mixed(node: ViewNode): NotConvertible {
  return new NotConvertible(`${viewPath(node)} has both names and positions as keys`);
}
