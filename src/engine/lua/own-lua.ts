import { readFileSync } from "node:fs";
import { ALLOWED_GLOBALS, lazyConstant, TOOLS } from "../../core/index.ts";
import { OWN_BYTECODE } from "./own-bytecode.ts";
import type { LuaThread } from "./raw.ts";
import { VERB_NAMES } from "./runtime-calls.ts";
import type { LuaState } from "./state.ts";

/**
 * A piece of the package's own Lua. In a checkout it is compiled for the first state of a process; later states, and all
 * states of the built package, load bytecode, which takes a fifth of the time: the parser need not even be compiled by
 * V8. Bytecode from anywhere else is never loaded.
 */
class OwnLua {
  readonly #text: () => Uint8Array;
  #bytecode: Uint8Array | undefined;

  constructor(text: () => Uint8Array, built: string | undefined) {
    this.#text = text;
    this.#bytecode = built === undefined ? undefined : Buffer.from(built, "base64");
  }

  /** Push its function on the stack of `L`. */
  push(state: LuaState, L: LuaThread): void {
    if (this.#bytecode) state.compile(L, this.#bytecode, "=orcs", "b");
    else this.#bytecode = this.compile(state, L);
  }

  /** Push its function as well, compiled from the text; returns the bytecode. */
  compile(state: LuaState, L: LuaThread): Uint8Array {
    state.compile(L, this.#text(), "=orcs");
    return state.vm.dump(L);
  }
}

/**
 * A chunk that maps the table of host functions to the names in `orcs`, and returns the allow-list. Loading it as
 * bytecode takes a fraction of the time of pushing the names.
 */
const NAMES_IN_LUA = `local host = ...
host.tools = ${listInLua(Object.keys(TOOLS))}
host.verbs = ${listInLua(VERB_NAMES)}
return { ${Object.entries(ALLOWED_GLOBALS)
  .map(([library, names]) => `${library} = ${listInLua(names)}`)
  .join(", ")} }`;

function listInLua(names: readonly string[]): string {
  return `{ ${names.map((name) => JSON.stringify(name)).join(", ")} }`;
}

const TEXTS = {
  bounded: () => file("bounded.lua"),
  prelude: () => file("prelude.lua"),
  names: () => new Uint8Array(Buffer.from(NAMES_IN_LUA)),
};

/** Names of the pieces. */
export type OwnName = keyof typeof TEXTS;

/** Each piece by its name. */
export const ownLua = lazyConstant((): Readonly<Record<OwnName, OwnLua>> => ({
  bounded: new OwnLua(TEXTS.bounded, OWN_BYTECODE.bounded),
  prelude: new OwnLua(TEXTS.prelude, OWN_BYTECODE.prelude),
  names: new OwnLua(TEXTS.names, OWN_BYTECODE.names),
}));

/** @param name in the package's folder `lua` */
function file(name: string): Uint8Array {
  return readFileSync(new URL(`../../../lua/${name}`, import.meta.url));
}
