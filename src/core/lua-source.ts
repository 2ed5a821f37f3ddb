import type { JsonObject } from "./json.ts";

/** A file found for `require`. */
export interface LuaModule {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** A piece of Lua to load. */
export interface LuaChunk {
  /** File that contains it, for messages. */
  readonly file: string;
  readonly code: string | Uint8Array;
  /** A whole script, or the handler of one hook: a function expression or its body. */
  readonly kind: "script" | "inline";
  /** Line of the file at which the code begins; default 1. */
  readonly line?: number;
}

/** The chunks that share a state. */
export interface LuaSource {
  /** Name for messages and logs. */
  readonly name: string;
  readonly chunks: readonly LuaChunk[];
  readonly options?: JsonObject;
  /** Folders of its `require`. */
  readonly roots: readonly string[];
  /** Finds modules instead of `LuaPorts.findModule`. Stays on the thread of the engine. */
  readonly findModule?: ((name: string) => LuaModule | undefined) | undefined;
  /** Prefix of its keys in `orcs.state`, which separates its values from those of others; default none. */
  readonly stateSpace?: string;
  /** Whether the machine enforces its hooks; default no. */
  readonly isEnforced?: boolean;
  /** Time limit of the first load, if lower than the general one, in milliseconds. */
  readonly loadMs?: number;
  /** Whether the `tests` of its hooks are read; default no. */
  readonly tests?: boolean;
}
