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

/** The hooks of each point, in order. Immutable: a change makes a new snapshot that shares the other points. */
export type Snapshot = ReadonlyMap<string, readonly Entry[]>;

/** The snapshot of a set of entries. */
export function snapshotOf(entries: Iterable<Entry>): Snapshot {
  const points = new Map<string, Entry[]>();
  for (const entry of entries) {
    const list = points.get(entry.hook.point.name);
    if (list) list.push(entry);
    else points.set(entry.hook.point.name, [entry]);
  }
  for (const list of points.values()) list.sort(byOrder);
  return points;
}

/** The same snapshot with one point's hooks replaced. */
export function withPoint(snapshot: Snapshot, point: string, entries: readonly Entry[]): Snapshot {
  const next = new Map(snapshot);
  if (entries.length === 0) next.delete(point);
  else next.set(point, entries);
  return next;
}
