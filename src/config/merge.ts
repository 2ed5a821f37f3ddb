import type { PointSpec } from "../core/points.ts";
import type { HookEntry } from "./hook-entry.ts";

type Identified = Pick<HookEntry, "id" | "rank">;

/**
 * Hooks of two layers, lower first. A hook of the upper one takes the place of a lower one with its id
 * (which is removed; the new one stands where it was added); the others are appended. Source: ADR-002 §6.3.
 * What was found in a project cannot replace what was not, and is ignored.
 */
export function mergeHooks<Entry extends Identified>(
  lower: readonly Entry[],
  upper: readonly Entry[],
): { hooks: Entry[]; ignored: Entry[] } {
  const standing = new Map(lower.map((hook) => [hook.id, hook]));
  const ignored: Entry[] = [];
  for (const hook of upper) {
    const old = standing.get(hook.id);
    if (old !== undefined && old.rank < hook.rank) {
      ignored.push(hook);
      continue;
    }
    // Deleting first moves the id to the end.
    standing.delete(hook.id);
    standing.set(hook.id, hook);
  }
  return { hooks: [...standing.values()], ignored };
}

/**
 * The hooks that an agent's `override` leaves: the global ones at its points are dropped. One whose
 * script states the point stays, with the points noted.
 *
 * @param rank of the configuration with the override: one found in a project drops only what was found there.
 */
export function dropOverridden(
  hooks: readonly HookEntry[],
  points: readonly PointSpec[],
  rank: 0 | 1,
): HookEntry[] {
  const left: HookEntry[] = [];
  for (const hook of hooks) {
    if (hook.rank < rank || hook.agent !== undefined) left.push(hook);
    else if (hook.point === undefined)
      left.push({ ...hook, droppedPoints: [...new Set([...hook.droppedPoints, ...points])] });
    else if (!points.includes(hook.point)) left.push(hook);
  }
  return left;
}
