import { isProxy } from "node:util/types";
import type { HookContext } from "../core/context.ts";
import type { Json } from "../core/json.ts";
import { jsonPointer, MAX_JSON_DEPTH, pointerPart, setOwn } from "../core/json.ts";
import type { Container, Unreadable } from "../core/visible-value.ts";
import {
  isUnreadable,
  ownData,
  PROXY,
  refusesUnreadable,
  shown,
  shownObject,
} from "../core/visible-value.ts";
import type { ViewSlot } from "./context-view.ts";
import { NotConvertible } from "./not-convertible.ts";
import { LuaArgumentError } from "./vm.ts";

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
export function ended(): LuaArgumentError {
  return new LuaArgumentError(
    "this context belongs to a call that has ended; copy the values you need while the hook runs",
  );
}

/** @throws LuaArgumentError for a key that no context can have */
export function writable(key: ViewKey | undefined): ViewKey {
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

/** Counts the size of a copy; throws when it is too large. */
type Spend = (bytes: number, path: string) => void;

/** Options of a copy. */
export interface CopyOptions {
  /** The session of its context. */
  readonly session: Pick<ViewSession, "strict">;
  readonly spend: Spend;
  /** Replaces values that hooks cannot read; without it, they are null or an error. */
  readonly instead?: Json | undefined;
}

/**
 * A copy of the host's value of a part of a context, for a value that leaves its place. It is checked, since none of it
 * may have been read before. No code of the host runs.
 * @param path of the part in messages
 * @param depth levels above it
 * @throws NotConvertible
 */
export function detachedCopy(
  base: ViewNode["base"],
  path: string,
  depth: number,
  options: CopyOptions,
): Json {
  const copy = new DetachedCopy(path, options);
  copy.expectDepth([], depth);
  return copy.container(base, [], depth);
}

/** As `detachedCopy`, for the value under one key of a part; undefined when there is none. */
export function detachedField(
  base: ViewNode["base"],
  key: ViewKey,
  path: string,
  depth: number,
  options: CopyOptions,
): Json | undefined {
  return new DetachedCopy(path, options).field(base, key, [], depth);
}

/** What Lua sees of a host object. Runs none of its code, not even the traps of a Proxy. */
export function shownHost(value: object): ReturnType<typeof shownObject> {
  if (isProxy(value)) return PROXY;
  return isLaterPart(value) ? value.shown() : shownObject(value);
}

class DetachedCopy {
  readonly #path: string;
  readonly #options: CopyOptions;

  constructor(path: string, options: CopyOptions) {
    this.#path = path;
    this.#options = options;
  }

  expectDepth(at: readonly ViewKey[], depth: number): void {
    if (depth >= MAX_JSON_DEPTH) this.#fail(at, `nested deeper than ${MAX_JSON_DEPTH} levels`);
  }

  container(base: ViewNode["base"], at: ViewKey[], depth: number): Json {
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
      this.#options.spend(key.length, this.#path);
    }
    return copy;
  }

  field(base: ViewNode["base"], key: ViewKey, at: ViewKey[], depth: number): Json | undefined {
    at.push(key);
    const value = this.#value(hostValue(base, key), at, depth + 1);
    at.pop();
    return value;
  }

  #value(value: unknown, at: ViewKey[], depth: number): Json | undefined {
    const { spend } = this.#options;
    spend(16, this.#path);
    const seen = typeof value === "object" && value !== null ? shownHost(value) : shown(value);
    if (typeof seen === "string") spend(seen.length, this.#path);
    if (typeof seen !== "object" || seen === null) return seen;
    this.expectDepth(at, depth);
    if (!isUnreadable(seen)) return this.container(seen, at, depth);
    const { instead, session } = this.#options;
    if (instead !== undefined) return instead;
    return refusesUnreadable(session.strict, depth - 1) ? this.#fail(at, seen.what) : null;
  }

  #fail(at: readonly ViewKey[], what: string): never {
    throw new NotConvertible(`${this.#path}${jsonPointer(at)} is ${what}`);
  }
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
