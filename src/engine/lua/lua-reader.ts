import { type Json, type JsonObject, MAX_JSON_DEPTH, setOwn } from "../../core/index.ts";
import { BLOCK } from "./combined-calls.ts";
import { NotConvertible, tooDeep } from "./not-convertible.ts";
import type { LuaThread } from "./raw.ts";
import {
  KEY,
  REGISTRY,
  T_BOOLEAN,
  T_FUNCTION,
  T_LIGHTUSERDATA,
  T_NIL,
  T_NUMBER,
  T_STRING,
  T_TABLE,
} from "./raw.ts";
import type { LuaState } from "./state.ts";
import { currentValue } from "./view-commit.ts";

/**
 * Reads Lua values as JSON: values without a lossless JSON form are rejected with their path. Metamethods are not
 * called. A reader serves one result; its size limit covers everything it reads.
 */
export class LuaReader {
  readonly #state: LuaState;
  readonly #mixed: boolean;
  readonly #lenient: boolean;
  /** Replaces host values that hooks cannot read. */
  readonly instead: Json | undefined;
  #bytesLeft: number;
  /** Enclosing tables, to tell a cycle from a shared table. */
  #open: Set<number> | undefined;

  /**
   * @param maxBytes maximum size of a result: strings and a fixed cost per value
   * @param how `mixed` reads a table with names and positions as an object, with positions as keys `"1"`, `"2"`;
   * `instead` replaces host values that hooks cannot read: without it, they are null or an error; `lenient` gives an
   * Error that says what a value is in place of one without a JSON form, for a schema to refuse with its place
   */
  constructor(
    state: LuaState,
    maxBytes: number,
    {
      mixed = false,
      lenient = false,
      instead,
    }: { mixed?: boolean; lenient?: boolean; instead?: Json } = {},
  ) {
    this.#state = state;
    this.#mixed = mixed;
    this.#lenient = lenient;
    this.instead = instead;
    this.#bytesLeft = maxBytes;
  }

  /**
   * The value at a stack index. nil is undefined: only the caller knows whether it may be missing.
   * @param path of the value in messages
   * @throws NotConvertible
   */
  read(L: LuaThread, index: number, path: string, depth = 0): Json | undefined {
    if (!this.#lenient) return this.#read(L, index, path, depth);
    try {
      return this.#read(L, index, path, depth);
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      const what = thrown.message.startsWith(path) ? thrown.message.slice(path.length + 1) : "";
      return new Error(what.replace(/^is /, "") || thrown.message) as unknown as Json;
    }
  }

  #read(L: LuaThread, index: number, path: string, depth: number): Json | undefined {
    const { raw } = this.#state;
    this.spend(16, path);
    switch (raw.lua_type(L, index)) {
      case T_NIL:
        return undefined;
      case T_BOOLEAN:
        return raw.lua_toboolean(L, index) !== 0;
      case T_NUMBER:
        return this.#number(L, index, path);
      case T_STRING:
        return this.#string(L, index, path);
      case T_TABLE:
        return this.#table(L, index, path, depth);
      case T_LIGHTUSERDATA:
        return null;
      case T_FUNCTION:
        throw new NotConvertible(`${path} is a function`);
      default:
        throw new NotConvertible(`${path} is a coroutine or userdata`);
    }
  }

  /** As `read`, for a value fetched by a combined call: nil, a boolean, a number or a string. */
  fetched(type: number, path: string): Json | undefined {
    const { raw, text, vm } = this.#state;
    this.spend(16, path);
    const { block } = vm.calls;
    const a = raw.HEAPU32[(block + BLOCK.a) >>> 2] as number;
    switch (type) {
      case T_BOOLEAN:
        return a !== 0;
      case T_NUMBER: {
        const number = raw.HEAPF64[(block + BLOCK.number) >>> 3] as number;
        return exact(number, path, () => {
          const at = (block + BLOCK.long) >>> 2;
          const high = BigInt(raw.HEAP32[at + 1] as number);
          return a === 0 ? undefined : (high << 32n) | BigInt(raw.HEAPU32[at] as number);
        });
      }
      case T_STRING:
        this.spend(a, path);
        return utf8(text.decode(raw.HEAPU32[(block + BLOCK.b) >>> 2] as number, a), path);
      default:
        return undefined;
    }
  }

  #number(L: LuaThread, index: number, path: string): number {
    const { raw } = this.#state;
    return exact(raw.lua_tonumberx(L, index, 0), path, () =>
      raw.lua_isinteger(L, index) ? raw.lua_tointegerx(L, index, 0) : undefined,
    );
  }

  #string(L: LuaThread, index: number, path: string): string {
    this.spend(Number(this.#state.raw.lua_rawlen(L, index)), path);
    return utf8(this.#state.text.read(L, index), path);
  }

  #table(L: LuaThread, index: number, path: string, depth: number): Json {
    const { raw, views } = this.#state;
    const view = views.at(L, index);
    if (view) return currentValue(this.#state, view, this, depth);
    if (views.isDead(L, index)) {
      throw new NotConvertible(`${path} is a part of a context whose call has ended`);
    }
    const table = raw.lua_topointer(L, index);
    const open = (this.#open ??= new Set());
    if (open.has(table)) throw new NotConvertible(`${path} is a circular reference`);
    if (depth >= MAX_JSON_DEPTH) throw tooDeep(path);
    if (raw.lua_checkstack(L, 8) === 0) throw tooDeep(path);
    open.add(table);
    const top = raw.lua_gettop(L);
    try {
      return this.#entries(L, index < 0 ? top + index + 1 : index, path, depth);
    } finally {
      raw.lua_settop(L, top);
      open.delete(table);
    }
  }

  #entries(L: LuaThread, table: number, path: string, depth: number): Json {
    const { raw, text } = this.#state;
    const named: [string, Json][] = [];
    const placed = new Map<number, Json>();
    raw.lua_pushnil(L);
    while (raw.lua_next(L, table) !== 0) {
      const type = raw.lua_type(L, -2);
      if (type === T_STRING) {
        // A number would be converted to a string in place, and break the traversal.
        const key = text.read(L, -2);
        if (key === undefined)
          throw new NotConvertible(`${path} has a key that is not valid UTF-8`);
        this.spend(key.length, path);
        const value = this.read(L, -1, `${path}/${key}`, depth + 1);
        if (value !== undefined) named.push([key, value]);
      } else {
        const at = type === T_NUMBER ? raw.lua_tonumberx(L, -2, 0) : NaN;
        if (!Number.isSafeInteger(at) || at < 1) {
          throw new NotConvertible(`${path} has a key that is neither a string nor a list index`);
        }
        const value = this.read(L, -1, `${path}/${at - 1}`, depth + 1);
        if (value !== undefined) placed.set(at, value);
      }
      raw.lua_settop(L, -2);
    }
    if (named.length > 0 && placed.size > 0) {
      if (this.#mixed) {
        return objectOf([
          ...named,
          ...Array.from(placed, ([at, v]): [string, Json] => [`${at}`, v]),
        ]);
      }
      throw new NotConvertible(`${path} has both string keys and list indices`);
    }
    if (placed.size > 0) return listOf(placed, path);
    if (named.length === 0 && this.#isMarkedList(L, table)) return [];
    return objectOf(named);
  }

  #isMarkedList(L: LuaThread, table: number): boolean {
    const { raw } = this.#state;
    if (raw.lua_getmetatable(L, table) === 0) return false;
    raw.lua_rawgetp(L, REGISTRY, KEY.arrayMeta);
    raw.lua_rawgetp(L, REGISTRY, KEY.wholeLineMeta);
    const marked = raw.lua_rawequal(L, -2, -3) !== 0 || raw.lua_rawequal(L, -1, -3) !== 0;
    raw.lua_settop(L, -4);
    return marked;
  }

  /**
   * Count what was read.
   * @throws NotConvertible when the total exceeds the limit
   */
  readonly spend = (bytes: number, path: string): void => {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new NotConvertible(`${path} is beyond the size limit`);
    this.#state.limits.spend(1 + bytes / 256);
  };
}

/**
 * @param integer returns the number if Lua has it as an integer
 * @throws NotConvertible for a value that JSON cannot represent exactly
 */
function exact(number: number, path: string, integer: () => bigint | undefined): number {
  if (!Number.isFinite(number)) throw new NotConvertible(`${path} is ${number}`);
  if (Number.isSafeInteger(number)) return number;
  // The double next to a large integer does not determine the integer.
  const whole = integer();
  const limit = 1n << 53n;
  if (whole === undefined || whole === limit || whole === -limit) return number;
  throw new NotConvertible(`${path} is the integer ${whole}, which is beyond 2^53`);
}

function utf8(text: string | undefined, path: string): string {
  if (text === undefined) throw new NotConvertible(`${path} is not valid UTF-8`);
  return text;
}

function listOf(placed: ReadonlyMap<number, Json>, path: string): Json[] {
  const list: Json[] = [];
  for (let at = 1; at <= placed.size; at++) {
    const value = placed.get(at);
    if (value === undefined)
      throw new NotConvertible(`${path} is a list with a missing element at ${at}`);
    list.push(value);
  }
  return list;
}

/** Sorted by name: Lua's own order differs from run to run. */
function objectOf(named: [string, Json][]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of named.sort(([a], [b]) => (a < b ? -1 : 1))) setOwn(object, key, value);
  return object;
}
