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
 * One part of a context that a script has reached. The Lua table that stands for it holds nothing but
 * what the script wrote there; everything else is read from `base` when it is asked for.
 */
export interface ViewNode {
  readonly session: ViewSession;
  /** What the host holds, as hooks read it; replaced when a hook's edits are committed. */
  base: Container;
  /** The host's own object, which `base` is or was converted from. */
  source: object;
  /** Address of the Lua table. Of a new part it is known when the VM has made it. */
  table: number;
  /**
   * Number under which the table is kept alive. Numbers come back, so that the table of tables does not
   * grow and shrink with each dispatch.
   */
  readonly anchor: number;
  /** Where its reads are remembered, if they are. */
  readonly slot: ViewSlot | undefined;
  /** Steps from the context's root. */
  readonly depth: number;
  /** Where it was reached first, for messages. */
  readonly parent: ViewNode | undefined;
  readonly key: ViewKey;
  /** Keys written since the last commit; the values, or nil for removed ones, are in the Lua table. */
  written: Set<ViewKey> | undefined;
  /** Parts reached through this one, by the key in `base`. */
  children: SmallMap<ViewKey, ViewNode> | undefined;
  /** Where a list's end was found last, once it was written to. */
  end: number | undefined;
  /** Order of a traversal under way; of a list, what comes after its host's items. */
  order: ViewKey[] | undefined;
  /** Where in `order` the traversal stands. */
  at: number;
}

/** The views of one dispatch in one state; dead when it has ended. */
export interface ViewSession {
  ctx: HookContext;
  root: ViewNode | undefined;
  readonly nodes: ViewNode[];
  /** Whether what is read is remembered for the hooks that follow; one hook alone pays more than it gains. */
  readonly remembers: boolean;
  /** Whether it is an error to read what hooks cannot look into, wherever it stands: in front of an operation. */
  readonly strict: boolean;
  /** Whether anything was written since the last commit. */
  dirty: boolean;
}

/** How a part is named in messages: `ctx/payload/args`. */
export function viewPath(node: ViewNode, key?: ViewKey): string {
  let path = key === undefined ? "" : pointerPart(key);
  for (let at = node; at.parent; at = at.parent) path = pointerPart(at.key) + path;
  return `ctx${path}`;
}

/** What a script is told that touches a part of a context whose dispatch has ended. */
export function ended(): LuaArgumentError {
  return new LuaArgumentError(
    "this context belongs to a call that has ended; copy the values you need while the hook runs",
  );
}

/** @throws LuaArgumentError for a key that no context can hold */
export function writable(key: ViewKey | undefined): ViewKey {
  if (key !== undefined) return key;
  throw new LuaArgumentError("a key of the context must be a string or a list index");
}

/** Whether a part is a list on the host's side. */
export function isList(base: Container): base is readonly unknown[] {
  return Array.isArray(base);
}

/** What the host holds under a key, before it is shown: undefined where there is nothing. Own data only. */
export function hostValue(base: Container, key: ViewKey): unknown {
  if (!isList(base)) return typeof key === "string" ? ownData(base, key) : undefined;
  if (typeof key !== "number" || key < 1 || key > base.length) return undefined;
  return ownData(base, key - 1);
}

/**
 * A map that holds its first entry itself: most parts of a context are left through one key, and a Map
 * for that costs more than what it holds.
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

  /** As a Map's; deleting the entry at hand is fine. */
  forEach(use: (value: V, key: K) => void): void {
    if (this.#value !== undefined) use(this.#value, this.#key as K);
    this.#rest?.forEach(use);
  }
}

/** Counts what a copy comes to; throws when it is too much. */
type Spend = (bytes: number, path: string) => void;

/** How a copy is made. */
export interface CopyOptions {
  /** Whose context it is of. */
  readonly session: Pick<ViewSession, "strict">;
  readonly spend: Spend;
  /** Stands where hooks cannot look; without it, null does, or it is an error. */
  readonly instead?: Json | undefined;
}

/**
 * A copy of what the host holds in a part of a context, for a value that leaves its place: checked,
 * since nothing in it may have been read yet. No code of the host runs.
 *
 * @param path how the part is named in messages
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

/** As `copyHost` for the value under one key of a part; undefined when there is none. */
export function detachedField(
  base: ViewNode["base"],
  key: ViewKey,
  path: string,
  depth: number,
  options: CopyOptions,
): Json | undefined {
  return new DetachedCopy(path, options).field(base, key, [], depth);
}

/** What Lua sees of a host's object. Runs none of its code: not the traps of a Proxy either. */
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
        // A hole, too: leaving it out would shift what comes after it.
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

/** What is read of a part of a context: it is never nothing. */
export type ReadPart = Container | string | Unreadable;

/**
 * Stands for a part of a context that has not crossed to the worker thread: it is asked for when somebody looks into
 * it. Once there it stays what its place holds, so that parts are told apart by it.
 */
export class LaterPart {
  readonly #ask: () => void;
  #part: ReadPart | undefined;

  /** @param ask has it arrive, or throws */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  arrive(part: ReadPart): void {
    this.#part = part;
  }

  /** What has arrived, if it has. */
  get arrived(): ReadPart | undefined {
    return this.#part;
  }

  /** @throws Error when it cannot cross */
  shown(): ReadPart {
    if (this.#part === undefined) this.#ask();
    if (this.#part === undefined) throw new Error("the call of this context has ended");
    return this.#part;
  }
}

/** Whether an object that is no Proxy is one. Not with instanceof, which would ask a Proxy among the prototypes. */
export function isLaterPart(value: object): value is LaterPart {
  return Object.getPrototypeOf(value) === LaterPart.prototype;
}
