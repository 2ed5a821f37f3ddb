import type { Hook } from "../../core/hook.ts";
import type { UsedPoint } from "./wanted-events.ts";

/** The points that hooks are on. */
export function usedBy(
  hooks: Iterable<Pick<Hook, "id" | "point" | "timeoutMs" | "async">>,
): UsedPoint[] {
  const points = new Map<string, UsedPoint>();
  for (const { id, point, timeoutMs, async } of hooks) {
    const { hooks: before = [], longestMs = 0 } = points.get(point.name) ?? {};
    points.set(point.name, {
      point: point.name,
      hooks: [...before, id],
      // Nobody waits for those that are asynchronous.
      longestMs: Math.max(longestMs, async ? 0 : timeoutMs),
    });
  }
  return [...points.values()];
}
