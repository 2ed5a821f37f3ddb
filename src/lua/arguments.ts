import type { Json, JsonObject } from "../core/json.ts";
import { isPlainObject } from "../core/json.ts";
import { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import { T_NIL, T_NONE, T_NUMBER, T_STRING } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { LuaArgumentError } from "./vm.ts";

/** Reads the arguments of one call of a host function; mistakes name the function and the position. */
export class LuaArguments {
  readonly state: LuaState;
  readonly L: LuaThread;
  readonly #name: string;
  readonly #maxBytes: number;

  constructor(state: LuaState, L: LuaThread, name: string, maxBytes: number) {
    this.state = state;
    this.L = L;
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  isMissing(index: number): boolean {
    const type = this.type(index);
    return type === T_NIL || type === T_NONE;
  }

  type(index: number): number {
    return this.state.raw.lua_type(this.L, index);
  }

  string(index: number): string {
    if (this.type(index) !== T_STRING) throw this.wrong(index, "a string");
    const text = this.state.text.read(this.L, index);
    if (text === undefined) throw this.wrong(index, "a string in UTF-8");
    return text;
  }

  /** A string, or a number as Lua writes it. */
  printable(index: number): string {
    const type = this.type(index);
    if (type !== T_STRING && type !== T_NUMBER) throw this.wrong(index, "a string");
    // On a copy, for reading a number as a string changes it in place.
    const { raw, text } = this.state;
    raw.lua_pushvalue(this.L, index);
    const read = text.readLossy(this.L, -1, 16_384);
    raw.lua_settop(this.L, -2);
    return read;
  }

  bytes(index: number): Uint8Array {
    if (this.type(index) !== T_STRING) throw this.wrong(index, "a string");
    return this.state.text.bytes(this.L, index);
  }

  number(index: number): number {
    if (this.type(index) !== T_NUMBER) throw this.wrong(index, "a number");
    const number = this.state.raw.lua_tonumberx(this.L, index, 0);
    if (!Number.isFinite(number)) throw this.wrong(index, "a finite number");
    return number;
  }

  /** @param instead stands where hooks cannot look into what the host gave */
  json(index: number, instead?: Json): Json | undefined {
    if (this.isMissing(index)) return undefined;
    try {
      const how = instead === undefined ? {} : { instead };
      return new LuaReader(this.state, this.#maxBytes, how).read(this.L, index, "the value");
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      throw new LuaArgumentError(`orcs.${this.#name}: argument ${index}: ${thrown.message}`);
    }
  }

  object(index: number): JsonObject {
    const value = this.json(index);
    if (!isPlainObject(value)) throw this.wrong(index, "a table with names as keys");
    return value;
  }

  wrong(index: number, expected: string): LuaArgumentError {
    return new LuaArgumentError(`orcs.${this.#name}: argument ${index} must be ${expected}`);
  }
}
