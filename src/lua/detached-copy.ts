import { isProxy } from "node:util/types";
import { refusesUnreadable } from "../core/json-copy.ts";
import type { Json } from "../core/json.ts";
import { jsonPointer, MAX_JSON_DEPTH, setOwn } from "../core/json.ts";
import type { Container, Unreadable } from "../core/visible-value.ts";
import { isUnreadable, PROXY, shown, shownObject } from "../core/visible-value.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { ViewKey, ViewNode, ViewSession } from "./view-node.ts";
import { hostValue, isList } from "./view-node.ts";

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
