import type { Hook } from "../core/hook.ts";

/** A hook in a registry. Replaced, never changed, so that a chain keeps what it started with. */
export interface Entry {
  readonly hook: Hook;
  readonly enabled: boolean;
  /** Component that registered it, if any. */
  readonly owner: string | undefined;
  /** Order of registration, for ties. */
  readonly order: number;
  /**
   * Whether a hook with `once` has begun; the one thing that reaches dispatches in flight, and shared by
   * all versions of an entry, so that once is once.
   */
  readonly use: { spent: boolean };
}

/** The order in which hooks run: rank, then ascending priority, then order of registration. */
export function byOrder(a: Entry, b: Entry): number {
  return a.hook.rank - b.hook.rank || a.hook.priority - b.hook.priority || a.order - b.order;
}

/** The hooks of a point as a dispatch begins with them, in the order in which they run. Never changed. */
export interface Snapshot {
  readonly all: readonly Entry[];
  /** Those of all that a tool of the payload's name does not rule out. */
  readonly offered: readonly Entry[];
}
