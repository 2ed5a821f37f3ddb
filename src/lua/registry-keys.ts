import { REGISTRY } from "./raw.ts";

/** Keys of a state's registry, used with `lua_rawgetp`: small integers stand for pointers. */
export const KEY = {
  /** Tables of context views, by address: keeps them alive while their dispatch runs. */
  views: 1,
  /** Metatable of context views. */
  viewMeta: 2,
  /** Key strings whose names are remembered. */
  names: 3,
  /** Handlers, by slot. */
  handlers: 4,
  /** Coroutines in use, by address: one that is not anchored would be collected while it waits. */
  threads: 5,
  /** Metatable that marks a table as a list, also when it is empty. */
  arrayMeta: 6,
  /** Metatables of parts with a slot, by the slot's number, and what was read of them. */
  viewMetas: 8,
  viewReads: 9,
  /** Metatable of the tables of reads. */
  readsMeta: 10,
  /** The string that stands for the name `__mode`. */
  noMode: 11,
  /** Metatable of the list of commands of a line that was read whole. */
  wholeLineMeta: 12,
  /** The function of the prelude that runs handlers one after the other. */
  drive: 7,
  /** The function of the prelude that makes globals for an inline handler. */
  environment: 14,
  /** What tables hold that cannot be written to. */
  readOnly: 13,
} as const;

/** Tables that every host function has as upvalues, in this order: reached in one step, where the registry takes four. */
export const UPVALUES = [
  KEY.views,
  KEY.viewMeta,
  KEY.handlers,
  KEY.viewMetas,
  KEY.viewReads,
] as const;

/** Pseudo-indices of those upvalues while a host function runs. */
export const AT = {
  views: REGISTRY - 1,
  viewMeta: REGISTRY - 2,
  handlers: REGISTRY - 3,
  viewMetas: REGISTRY - 4,
  viewReads: REGISTRY - 5,
} as const;
