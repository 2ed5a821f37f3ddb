import type { OwnName } from "./own-lua.ts";

/**
 * The package's own Lua as bytecode, in Base64. Empty here, so that a checkout runs the texts of `lua/`; in the built
 * package, `scripts/compile-lua.js` puts another file in the place of this one. What is code cannot be exchanged in a
 * folder of data.
 */
export const OWN_BYTECODE: Readonly<Partial<Record<OwnName, string>>> = {};

/** Bytecode of shipped hooks and modules, in the file `compiled.bin` beside this one. */
export const SHIPPED_BYTECODE: ShippedBytecode | undefined = undefined as
  | ShippedBytecode
  | undefined;

/** Digests are SHA-256. */
export interface ShippedBytecode {
  /** Of the whole file. */
  readonly digest: string;
  /** By the digests of the texts: where the bytecode begins, and its length. */
  readonly places: Readonly<Record<string, readonly [from: number, size: number]>>;
  /** Lengths of the texts, so that others need no digest. */
  readonly sizes: readonly number[];
}
