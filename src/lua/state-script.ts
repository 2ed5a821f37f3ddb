import type { JsonObject } from "../core/json.ts";
import type { LuaSource, LuaTestTable } from "./ports.ts";

/** A hook as a script states it, its handler kept in a slot. */
export interface StatedInLua {
  readonly slot: number;
  readonly fields: JsonObject;
  /** Where the handler begins. */
  readonly line: number;
  readonly tests?: readonly LuaTestTable[];
}

/** What a state's host functions ask of the script it was made for. */
export interface StateScript {
  /** Where its modules are found. */
  readonly source: Pick<LuaSource, "findModule" | "roots">;
  /** Stands before each key of `orcs.state`. */
  readonly stateSpace: string;
  /** Whether the tests of hooks are read. */
  readonly readsTests: boolean;
  /** A hook was stated: a name in shorthand or a table, the handler already kept in a slot. */
  define(spec: StatedInLua): string;
  undefine(id: string): boolean;
  /** A slot for a handler. */
  nextSlot(): number;
  /** A module was loaded from this file. */
  required(file: string): void;
}
