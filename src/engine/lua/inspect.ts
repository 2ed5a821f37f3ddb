import { isPlainObject, type Json } from "../../core/index.ts";
import { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { LuaThread } from "./raw.ts";
import {
  T_BOOLEAN,
  T_FUNCTION,
  T_LIGHTUSERDATA,
  T_NIL,
  T_NUMBER,
  T_STRING,
  T_TABLE,
} from "./raw.ts";
import type { LuaState } from "./state.ts";

/** Maximum length of the text, in characters; longer ones are truncated. */
const MOST_CHARS = 4096;
const MOST_DEPTH = 8;
/** Maximum amount of context data that is read for it, in bytes. */
const MOST_BYTES = 1 << 20;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A value in Lua's notation: `{ 1, 2, name = "x" }`, names sorted. For people: values that are too deep, too long or
 * not data appear in angle brackets. Metamethods are not called, so no code of the script runs.
 */
export function inspect(state: LuaState, L: LuaThread, index: number): string {
  const { raw } = state;
  const top = raw.lua_gettop(L);
  const text = new Inspector(state, L).value(index < 0 ? top + index + 1 : index, 0);
  raw.lua_settop(L, top);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

/** A string as it is, anything else as in `inspect`. */
export function printable(state: LuaState, L: LuaThread, index: number): string {
  if (state.raw.lua_type(L, index) !== T_STRING) return inspect(state, L, index);
  return state.text.readLossy(L, index, 16_384);
}

class Inspector {
  readonly #state: LuaState;
  readonly #L: LuaThread;
  /** Enclosing tables, to detect a cycle. */
  readonly #open = new Set<number>();
  #left = MOST_CHARS;

  constructor(state: LuaState, L: LuaThread) {
    this.#state = state;
    this.#L = L;
  }

  /** @param index absolute stack index */
  value(index: number, depth: number): string {
    const text = this.#text(index, depth);
    this.#left -= text.length;
    return text;
  }

  #text(index: number, depth: number): string {
    const { raw, text } = this.#state;
    const L = this.#L;
    switch (raw.lua_type(L, index)) {
      case T_NIL:
        return "nil";
      case T_BOOLEAN:
        return String(raw.lua_toboolean(L, index) !== 0);
      case T_NUMBER:
        return numberText(this.#state, L, index);
      case T_STRING:
        return JSON.stringify(text.readLossy(L, index, MOST_CHARS));
      case T_LIGHTUSERDATA:
        return "orcs.null";
      case T_FUNCTION:
        return "<function>";
      case T_TABLE:
        return this.#table(index, depth);
      default:
        return "<coroutine>";
    }
  }

  #table(index: number, depth: number): string {
    const { raw, views } = this.#state;
    const L = this.#L;
    if (views.isDead(L, index)) return "<part of a context whose call has ended>";
    if (views.at(L, index)) return this.#view(index);
    const table = raw.lua_topointer(L, index);
    if (this.#open.has(table)) return "<cycle>";
    if (depth >= MOST_DEPTH || raw.lua_checkstack(L, 8) === 0) return "{…}";
    this.#open.add(table);
    const placed: string[] = [];
    const named: [string, string][] = [];
    raw.lua_pushnil(L);
    while (raw.lua_next(L, index) !== 0) {
      this.#state.limits.spend(8);
      const top = raw.lua_gettop(L);
      const value = this.value(top, depth + 1);
      if (this.#isNext(top - 1, placed.length + 1)) placed.push(value);
      else named.push([this.#key(top - 1, depth), value]);
      raw.lua_settop(L, top - 1);
      if (this.#left > 0) continue;
      named.push(["…", ""]);
      raw.lua_settop(L, top - 2);
      break;
    }
    this.#open.delete(table);
    return braces(placed.concat(entries(named)));
  }

  /** A part of the context, whose fields are on the host's side. */
  #view(index: number): string {
    try {
      const reader = new LuaReader(this.#state, MOST_BYTES, { instead: "<no data>" });
      return jsonText(reader.read(this.#L, index, "the value") ?? null);
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      return `<${thrown.message}>`;
    }
  }

  #isNext(index: number, position: number): boolean {
    const { raw } = this.#state;
    return (
      raw.lua_type(this.#L, index) === T_NUMBER && raw.lua_tonumberx(this.#L, index, 0) === position
    );
  }

  #key(index: number, depth: number): string {
    const { raw, text } = this.#state;
    if (raw.lua_type(this.#L, index) === T_STRING) return keyText(text.readLossy(this.#L, index));
    return `[${this.value(index, depth + 1)}]`;
  }
}

function numberText({ raw, text }: LuaState, L: LuaThread, index: number): string {
  // On a copy: reading a number as a string changes it in place.
  raw.lua_pushvalue(L, index);
  const written = text.readLossy(L, -1);
  raw.lua_settop(L, -2);
  return written;
}

function jsonText(value: Json): string {
  if (value === null) return "orcs.null";
  if (Array.isArray(value)) return braces(value.map(jsonText));
  if (!isPlainObject(value)) return JSON.stringify(value);
  return braces(entries(Object.entries(value).map(([key, v]) => [keyText(key), jsonText(v)])));
}

function keyText(key: string): string {
  return NAME.test(key) ? key : `[${JSON.stringify(key)}]`;
}

function entries(named: [string, string][]): string[] {
  named.sort(([a], [b]) => (a === "…" ? 1 : b === "…" || a < b ? -1 : 1));
  return named.map(([key, value]) => (key === "…" ? key : `${key} = ${value}`));
}

function braces(parts: readonly string[]): string {
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
