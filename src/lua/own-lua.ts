import { readFileSync } from "node:fs";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";

/**
 * A piece of the package's own Lua. It is compiled for the first state of a VM; the states after it load
 * the bytecode of that, which takes a fifth of the time. Bytecode from anywhere else is never loaded.
 */
export class OwnLua {
  readonly #text: Uint8Array;
  #bytecode: Uint8Array | undefined;

  /** @param text of the file, or of what is made of the package's own tables */
  constructor(text: Uint8Array | string) {
    this.#text = typeof text === "string" ? new Uint8Array(Buffer.from(text)) : text;
  }

  /** @param name file in the package's folder `lua` */
  static file(name: string): OwnLua {
    return new OwnLua(readFileSync(new URL(`../../lua/${name}`, import.meta.url)));
  }

  /** Leave its function on the stack of `L`. */
  push(state: LuaState, L: LuaThread): void {
    if (this.#bytecode) {
      state.compile(L, this.#bytecode, "=orcs", "b");
      return;
    }
    state.compile(L, this.#text, "=orcs");
    this.#bytecode = state.vm.dump(L);
  }
}
