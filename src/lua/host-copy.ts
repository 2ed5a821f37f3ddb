import { types } from "node:util";
import { isPlainObject, jsonPointer, MAX_JSON_DEPTH, setOwn } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { NotConvertible } from "./not-convertible.ts";
import { Unreadable } from "./unreadable.ts";
import { hostValue, isList } from "./view-node.ts";
import type { ViewKey, ViewNode } from "./view-node.ts";

/** Counts what a copy comes to; throws when it is too much. */
export type Spend = (bytes: number, path: string) => void;

/**
 * A copy of what the host holds in a part of a context, for a value that leaves its place: checked,
 * since nothing in it may have been read yet. No code of the host runs.
 *
 * @param path how the part is named in messages
 * @param depth levels above it
 * @throws NotConvertible
 */
export function copyHost(base: ViewNode["base"], path: string, depth: number, spend: Spend): Json {
  return new HostCopy(path, spend).container(base, [], depth);
}

/** As `copyHost` for the value under one key of a part; undefined when there is none. */
export function copyHostField(
  base: ViewNode["base"],
  key: ViewKey,
  path: string,
  depth: number,
  spend: Spend,
): Json | undefined {
  return new HostCopy(path, spend).field(base, key, [], depth);
}

/** Why a host's object cannot be read, or undefined for a list or a plain object. Runs none of its code. */
export function unreadable(value: object): string | undefined {
  if (types.isProxy(value)) return "a Proxy";
  // Not with instanceof, which would ask a Proxy among the prototypes.
  if (Object.getPrototypeOf(value) === Unreadable.prototype) return (value as Unreadable).what;
  if (Array.isArray(value) || isPlainObject(value)) return undefined;
  return `an instance of ${className(value) ?? "a class"}`;
}

function className(value: object): string | undefined {
  const proto: unknown = Object.getPrototypeOf(value);
  const made = typeof proto === "object" ? dataOf(proto, "constructor") : undefined;
  const name = typeof made === "function" ? dataOf(made, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** An own property that is plain data. */
function dataOf(from: object | null, key: string): unknown {
  if (from === null || types.isProxy(from)) return undefined;
  return Object.getOwnPropertyDescriptor(from, key)?.value;
}

class HostCopy {
  readonly #path: string;
  readonly #spend: Spend;

  constructor(path: string, spend: Spend) {
    this.#path = path;
    this.#spend = spend;
  }

  container(base: ViewNode["base"], at: ViewKey[], depth: number): Json {
    if (depth >= MAX_JSON_DEPTH) this.#fail(at, `nested deeper than ${MAX_JSON_DEPTH} levels`);
    if (isList(base)) {
      const list: Json[] = [];
      for (let key = 1; key <= base.length; key++) {
        const value = this.field(base, key, at, depth);
        if (value === undefined) this.#fail([...at, key], "missing in a list");
        list.push(value);
      }
      return list;
    }
    const copy: Record<string, Json> = {};
    for (const key of Object.keys(base)) {
      const value = this.field(base, key, at, depth);
      if (value !== undefined) setOwn(copy, key, value);
      this.#spend(key.length, this.#path);
    }
    return copy;
  }

  field(base: ViewNode["base"], key: ViewKey, at: ViewKey[], depth: number): Json | undefined {
    const found = hostValue(base, key);
    if (found === undefined) return undefined;
    at.push(key);
    if (found === "accessor") this.#fail(at, "an accessor");
    const value = this.#value(found.value, at, depth + 1);
    at.pop();
    return value;
  }

  #value(value: unknown, at: ViewKey[], depth: number): Json | undefined {
    this.#spend(16, this.#path);
    switch (typeof value) {
      case "undefined":
      case "boolean":
        return value;
      case "string":
        this.#spend(value.length, this.#path);
        return value;
      case "number":
        return Number.isFinite(value) ? value : this.#fail(at, String(value));
      case "object": {
        if (value === null) return null;
        const why = unreadable(value);
        return why === undefined
          ? this.container(value as ViewNode["base"], at, depth)
          : this.#fail(at, why);
      }
      default:
        return this.#fail(at, `a ${typeof value}`);
    }
  }

  #fail(at: readonly ViewKey[], what: string): never {
    throw new NotConvertible(`${this.#path}${jsonPointer(at)} is ${what}`);
  }
}
