import { isProxy } from "node:util/types";
import {
  ACCESSOR,
  isContainer,
  isPlainObject,
  isUnreadable,
  jsonPointer,
  MAX_JSON_DEPTH,
  ownData,
  refusesUnreadable,
  setOwn,
  shown,
} from "../../core/index.ts";
import type { Container, Edit, HookContext, Json, JsonObject } from "../../core/index.ts";
import { BLOCK } from "./combined-calls.ts";
import type { ViewKey, ViewNode, ViewSession } from "./context-view.ts";
import { hostValue, isLaterPart, isList, keyWritten, shownHost, viewPath } from "./context-view.ts";
import type { LuaReader } from "./lua-reader.ts";
import { NotConvertible, tooDeep } from "./not-convertible.ts";
import { type LuaThread, T_LIGHTUSERDATA, T_NIL, T_STRING } from "./raw.ts";
import type { LuaState } from "./state.ts";

/**
 * What a hook wrote to its context, as a list of edits. Parts that were moved, or that the script's own tables refer
 * to, are taken in their current state.
 * @throws NotConvertible when something it wrote has no JSON form; the message has the path
 */
export function collectEdits(state: LuaState, session: ViewSession, reader: LuaReader): Edit[] {
  const edits: Edit[] = [];
  if (session.dirty && session.root) new Collector(state, reader).collect(session.root, [], edits);
  return edits;
}

/** A copy of a part of a context in its current state, including nested edits. */
export function currentValue(
  state: LuaState,
  node: ViewNode,
  reader: LuaReader,
  depth: number,
): Json {
  return new Collector(state, reader).current(node, depth, "copy");
}

/**
 * Point a session's views at the context after its edits (or at the previous one when they were dropped): written
 * values are removed from the Lua tables, and replaced parts are detached.
 */
export function rebase(state: LuaState, session: ViewSession, ctx: HookContext): void {
  if (session.ctx === ctx && !session.dirty) return;
  session.ctx = ctx;
  session.dirty = false;
  state.views.forgetCached();
  if (!session.root) return;
  session.root.source = ctx;
  rebaseNode(state, session.root, ctx as unknown as ViewNode["base"]);
}

class Collector {
  readonly #state: LuaState;
  readonly #reader: LuaReader;

  constructor(state: LuaState, reader: LuaReader) {
    this.#state = state;
    this.#reader = reader;
  }

  /** The edits of a part that is still in its place. */
  collect(node: ViewNode, path: readonly ViewKey[], edits: Edit[]): void {
    const depth = path.length - 1;
    if (node.written && this.#mustReplace(node)) {
      edits.push({ path, value: this.current(node, depth, "share") });
      return;
    }
    node.written?.forEach((key) => {
      if (this.#isInPlace(node, key)) return;
      const value = this.#written(node, key, depth);
      if (isChange(node, key, value)) edits.push({ path: [...path, hostKey(node, key)], value });
    });
    node.children?.forEach((child, key) => {
      if (!node.written?.has(key) || this.#isInPlace(node, key)) {
        this.collect(child, [...path, hostKey(node, key)], edits);
      }
    });
  }

  /**
   * A part in its current state.
   * @param depth levels above it
   * @param untouched whether unwritten parts are shared with the host, or copied and checked because the value leaves
   * its place
   */
  current(node: ViewNode, depth: number, untouched: "share" | "copy"): Json {
    const path = viewPath(node);
    if (!isDirty(node)) {
      return untouched === "share"
        ? (node.source as Json)
        : new DetachedCopy(path, this.#reader, node.session).whole(node.base, depth);
    }
    // A part that was put inside itself would never end.
    if (depth >= MAX_JSON_DEPTH) throw tooDeep(path);
    const written = new Map<ViewKey, Json | undefined>();
    let names = false;
    let positions = false;
    for (const key of node.written ?? []) {
      const value = this.#written(node, key, depth);
      written.set(key, value);
      if (value === undefined) continue;
      if (typeof key === "string") names = true;
      else positions = true;
    }
    const list = isList(node.base);
    if (!(list ? positions : names) && keepsAny(node, written)) {
      if (list) positions = true;
      else names = true;
    }
    if (names && positions) {
      throw new NotConvertible(`${path} has both string keys and list indices`);
    }
    const field = (key: ViewKey): Json | undefined => {
      const under = keyWritten(node, key);
      return written.has(under) ? written.get(under) : this.#unwritten(node, key, depth, untouched);
    };
    // A part that lost all its fields takes the kind of what was written into it, like any table.
    const asList = names || positions ? positions : list;
    return asList
      ? this.#list(node, written, path, field)
      : this.#object(node, written, path, field);
  }

  #list(node: ViewNode, written: Written, path: string, field: Field): Json[] {
    let length = isList(node.base) ? node.base.length : 0;
    for (const [key, value] of written) {
      if (value === undefined || typeof key === "string") continue;
      if (key < 1)
        throw new NotConvertible(`${path} has a key that is neither a string nor a list index`);
      if (key > length) length = key;
    }
    while (length > 0 && written.has(length) && written.get(length) === undefined) length--;
    const list: Json[] = [];
    for (let at = 1; at <= length; at++) {
      const value = field(at);
      if (value === undefined) {
        throw new NotConvertible(`${path} is a list with a missing element at ${at}`);
      }
      this.#reader.spend(16, path);
      list.push(value);
    }
    return list;
  }

  #object(node: ViewNode, written: Written, path: string, field: Field): JsonObject {
    const object: JsonObject = {};
    const keys = isList(node.base) ? [] : Object.keys(node.base);
    for (const key of new Set([...keys, ...written.keys()])) {
      const value = field(key);
      this.#reader.spend(16, path);
      if (value !== undefined) setOwn(object, key as string, value);
    }
    return object;
  }

  /** A list whose length changed, or a part that changes kind, is replaced as a whole. */
  #mustReplace(node: ViewNode): boolean {
    const { base } = node;
    for (const key of node.written ?? []) {
      const isPosition = typeof key === "number";
      if (!isList(base)) {
        if (isPosition && this.#isWritten(node, key)) return true;
      } else {
        const inside = isPosition && key >= 1 && key <= base.length;
        if (this.#isWritten(node, key) !== inside) return true;
      }
    }
    return false;
  }

  /** Whether a key has the same part as before. */
  #isInPlace(node: ViewNode, key: ViewKey): boolean {
    const child = node.children?.get(key);
    if (!child) return false;
    return this.#fetch(
      node,
      key,
      (L) => this.#state.views.at(L, -1) === child,
      () => false,
    );
  }

  #unwritten(
    node: ViewNode,
    key: ViewKey,
    depth: number,
    untouched: "share" | "copy",
  ): Json | undefined {
    const child = node.children?.get(key);
    if (child) return this.current(child, depth + 1, untouched);
    if (untouched === "copy") {
      const copy = new DetachedCopy(viewPath(node, key), this.#reader, node.session);
      return copy.field(node.base, key, [], depth);
    }
    const value = hostValue(node.base, key);
    if (value === ACCESSOR) throw new NotConvertible(`${viewPath(node, key)} is an accessor`);
    return value as Json | undefined;
  }

  /** The value in the part's Lua table under a written key; undefined for nil. */
  #written(node: ViewNode, key: ViewKey, depth: number): Json | undefined {
    return this.#fetch(
      node,
      key,
      (L) => {
        const value = this.#reader.read(L, -1, viewPath(node, key), depth + 1);
        return this.#state.views.at(L, -1) ? value : withLists(value, hostValue(node.base, key));
      },
      (type) => this.#reader.fetched(type, viewPath(node, key)),
    );
  }

  #isWritten(node: ViewNode, key: ViewKey): boolean {
    return this.#fetch(
      node,
      key,
      () => true,
      (type) => type !== T_NIL,
    );
  }

  /**
   * Read the value in the part's Lua table under a key.
   * @param pushed for a table or similar value, on top of the stack
   * @param scalar for a value in the block of the combined calls, by its type
   */
  #fetch<T>(
    node: ViewNode,
    key: ViewKey,
    pushed: (L: LuaThread) => T,
    scalar: (type: number) => T,
  ): T {
    const { raw, main, text, vm } = this.#state;
    let type: number;
    if (typeof key === "number") {
      raw.HEAPF64[(vm.calls.block + BLOCK.number) >>> 3] = key;
      type = vm.calls.fetch(main, node.anchor, 0, 0);
    } else type = text.lend(key, (at, size) => vm.calls.fetch(main, node.anchor, at, size));
    if (type <= T_STRING && type !== T_LIGHTUSERDATA) return scalar(type);
    const top = raw.lua_gettop(main) - 1;
    try {
      return pushed(main);
    } finally {
      raw.lua_settop(main, top);
    }
  }
}

/**
 * A value that a script wrote, with lists where lists stood: a table without elements does not say what it is, so one
 * from which a hook filtered everything would become an object.
 * @param held the host's value in its place
 */
export function withLists<T extends Json | undefined>(value: T, held: unknown): T | Json {
  if (!isPlainObject(value) || typeof held !== "object" || held === null || isProxy(held))
    return value;
  const keys = Object.keys(value);
  if (Array.isArray(held)) return keys.length === 0 ? [] : value;
  for (const key of keys)
    setOwn(value, key, withLists(value[key] as Json, ownData(held as Container, key)));
  return value;
}

type Written = ReadonlyMap<ViewKey, Json | undefined>;
type Field = (key: ViewKey) => Json | undefined;

/** Whether any host value of a part is still there. */
function keepsAny(node: ViewNode, written: Written): boolean {
  const { base } = node;
  if (!isList(base)) return Object.keys(base).some((key) => !written.has(key));
  for (let at = 1; at <= base.length; at++) if (!written.has(at)) return true;
  return false;
}

/** Whether a written value differs from the host's. */
function isChange(node: ViewNode, key: ViewKey, value: Json | undefined): boolean {
  const held = hostValue(node.base, key);
  const isText = typeof value === "string" && typeof held === "object" && held !== null;
  const was = isText && !isProxy(held) && isLaterPart(held) ? held.shown() : held;
  if (typeof value === "object") return value !== null || was !== null;
  return !Object.is(typeof was === "object" ? was : shown(was), value);
}

/** A key in the host's form: list positions from 0. */
function hostKey(node: ViewNode, key: ViewKey): ViewKey {
  return typeof key === "number" && isList(node.base) ? key - 1 : key;
}

function rebaseNode(state: LuaState, node: ViewNode, base: ViewNode["base"]): void {
  node.written?.forEach((key) => node.children?.delete(key));
  state.views.clear(node);
  node.order = undefined;
  if (node.slot && node.base !== base) state.views.slots.clear(state.main, node.slot);
  node.base = base;
  node.children?.forEach((child, key) => {
    const value = hostValue(base, key);
    const seen = value === child.source ? child.base : seenOf(value);
    if (seen && isList(seen) === isList(child.base)) {
      child.source = value as object;
      rebaseNode(state, child, seen);
    } else node.children?.delete(key);
  });
}

/** The container that hooks see for a value, if it is one. */
function seenOf(value: unknown): ViewNode["base"] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const seen = shownHost(value);
  return isContainer(seen) ? seen : undefined;
}

function isDirty(node: ViewNode): boolean {
  if (node.written) return true;
  let isAnyDirty = false;
  node.children?.forEach((child) => {
    isAnyDirty ||= isDirty(child);
  });
  return isAnyDirty;
}

/**
 * A copy of the host's value of a part of a context, for a value that leaves its place. It is checked, since none of it
 * may have been read before. No code of the host runs. Throws NotConvertible.
 */
class DetachedCopy {
  readonly #path: string;
  readonly #reader: LuaReader;
  readonly #strict: boolean;

  /** @param path of the part in messages @param reader counts the size */
  constructor(path: string, reader: LuaReader, { strict }: ViewSession) {
    this.#path = path;
    this.#reader = reader;
    this.#strict = strict;
  }

  /** A whole part. @param depth levels above it */
  whole(base: ViewNode["base"], depth: number): Json {
    this.#expectDepth([], depth);
    return this.#container(base, [], depth);
  }

  /** The value under one key of a part; undefined when there is none. */
  field(base: ViewNode["base"], key: ViewKey, at: ViewKey[], depth: number): Json | undefined {
    at.push(key);
    const value = this.#value(hostValue(base, key), at, depth + 1);
    at.pop();
    return value;
  }

  #expectDepth(at: readonly ViewKey[], depth: number): void {
    if (depth >= MAX_JSON_DEPTH) this.#fail(at, `nested deeper than ${MAX_JSON_DEPTH} levels`);
  }

  #container(base: ViewNode["base"], at: ViewKey[], depth: number): Json {
    if (isList(base)) {
      const list: Json[] = [];
      for (let key = 1; key <= base.length; key++) {
        // A hole becomes null: leaving it out would shift what follows.
        list.push(this.field(base, key, at, depth) ?? null);
      }
      return list;
    }
    const copy: Record<string, Json> = {};
    for (const key of Object.keys(base)) {
      const value = this.field(base, key, at, depth);
      if (value !== undefined) setOwn(copy, key, value);
      this.#reader.spend(key.length, this.#path);
    }
    return copy;
  }

  #value(value: unknown, at: ViewKey[], depth: number): Json | undefined {
    const { spend, instead } = this.#reader;
    spend(16, this.#path);
    const seen = typeof value === "object" && value !== null ? shownHost(value) : shown(value);
    if (typeof seen === "string") spend(seen.length, this.#path);
    if (typeof seen !== "object" || seen === null) return seen;
    this.#expectDepth(at, depth);
    if (!isUnreadable(seen)) return this.#container(seen, at, depth);
    if (instead !== undefined) return instead;
    return refusesUnreadable(this.#strict, depth - 1) ? this.#fail(at, seen.what) : null;
  }

  #fail(at: readonly ViewKey[], what: string): never {
    throw new NotConvertible(`${this.#path}${jsonPointer(at)} is ${what}`);
  }
}
