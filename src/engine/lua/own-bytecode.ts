import type { OwnName } from "./own-lua.ts";

/**
 * The package's own Lua as bytecode, in Base64. Empty here, so that a checkout runs the texts of `lua/`; in the built
 * package, `scripts/compile-lua.js` puts another file in the place of this one. What is code cannot be exchanged in a
 * folder of data.
 */
export const OWN_BYTECODE: Readonly<Partial<Record<OwnName, string>>> = {};
