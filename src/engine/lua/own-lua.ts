import { readFileSync } from "node:fs";
import { ALLOWED_GLOBALS, lazyConstant, RUNTIME_VERBS, TOOLS } from "../../core/index.ts";
import { sha256 } from "../../machine/index.ts";
import { OWN_BYTECODE, SHIPPED_BYTECODE, type ShippedBytecode } from "./own-bytecode.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";

/**
 * A piece of the package's own Lua. In a checkout it is compiled for the first state of a process; later states, and
 * all states of the built package, load bytecode, which takes a fifth of the time: the parser need not even be compiled
 * by V8. Bytecode from anywhere else is never loaded.
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
host.verbs = ${listInLua(Object.keys(RUNTIME_VERBS))}
return { ${Object.entries(ALLOWED_GLOBALS)
  .map(([library, names]) => `${library} = ${listInLua(names)}`)
  .join(", ")} }`;

function listInLua(names: readonly string[]): string {
  return `{ ${names.map((name) => JSON.stringify(name)).join(", ")} }`;
}

const TEXTS = {
  prelude: () => file("prelude.lua"),
  names: () => new Uint8Array(Buffer.from(NAMES_IN_LUA)),
};

/** Names of the pieces. */
export type OwnName = keyof typeof TEXTS;

/** Each piece by its name. */
export const ownLua = lazyConstant((): Readonly<Record<OwnName, OwnLua>> => ({
  prelude: new OwnLua(TEXTS.prelude, OWN_BYTECODE.prelude),
  names: new OwnLua(TEXTS.names, OWN_BYTECODE.names),
}));

/** The beginning of a dump before the name of its source, which is `@`. */
const DUMP_HEADER = 32;
const DUMPED_NAME = 2;
const LAST_SEVEN_BITS = 0x80;

/** In the built package; nothing when the file is another one. */
const shipped = lazyConstant(() => {
  const file = readFileSync(new URL("compiled.bin", import.meta.url));
  const { digest, places } = SHIPPED_BYTECODE as ShippedBytecode;
  return { file, places: sha256(file) === digest ? places : {} };
});

/**
 * Bytecode of a hook or module that is shipped, exactly as it is; undefined for any other text. It was compiled with
 * the package, and its digest is in the code: in another file, nothing is loaded as bytecode.
 * @param name of the chunk, in Lua's form
 */
export function shippedBytecode(text: Uint8Array, name: string): Uint8Array | undefined {
  if (!SHIPPED_BYTECODE?.sizes.includes(text.length)) return undefined;
  const { file, places } = shipped();
  const [from, size] = places[sha256(text)] ?? [];
  if (from === undefined || size === undefined) return undefined;
  const source = Buffer.from(name);
  // Lua writes lengths in groups of seven bits, and adds one.
  const length = [((source.length + 1) & 0x7f) | LAST_SEVEN_BITS];
  for (let rest = (source.length + 1) >>> 7; rest > 0; rest >>>= 7) length.unshift(rest & 0x7f);
  return Buffer.concat([
    file.subarray(from, from + DUMP_HEADER),
    Uint8Array.from(length),
    source,
    file.subarray(from + DUMP_HEADER + DUMPED_NAME, from + size),
  ]);
}

/** @param name in the package's folder `lua` */
function file(name: string): Uint8Array {
  return readFileSync(new URL(`../../../lua/${name}`, import.meta.url));
}
