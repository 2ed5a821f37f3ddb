import { verdictFor } from "../core/actions.ts";
import type { Action } from "../core/actions.ts";
import type { PointSpec } from "../core/points.ts";

/** Why an action may not be answered at a point; undefined when it may. */
export function illegality(point: PointSpec, action: Action): string | undefined {
  const { name, phase } = point;
  if (verdictFor(point, action.action) === "fail") {
    return `answered ${action.action} at ${name}, a ${phase} point`;
  }
  if (action.action === "continue" && action.decision && phase !== "pre") {
    return `answered the decision ${action.decision} at ${name}, a ${phase} point; decisions belong to pre points`;
  }
  return undefined;
}
