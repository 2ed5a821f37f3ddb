import type { HookContext } from "../core/context.ts";
import type { OutcomeAction } from "../core/outcome.ts";
import type { PointSpec } from "../core/points.ts";

/** Whether a dispatch is nested deeper than hooks may be. */
export function isTooDeep(ctx: HookContext): boolean {
  return ctx.depth >= ctx.max_depth;
}

/** What becomes of it. Deep recursion must not be a way round a guard: a pre point refuses, others are skipped. */
export function tooDeep(
  point: PointSpec,
  ctx: HookContext,
): { readonly end: OutcomeAction; readonly reason: string } {
  const reason = `hooks are nested ${ctx.depth} deep, the limit is ${ctx.max_depth}`;
  const end: OutcomeAction =
    point.phase === "pre"
      ? { action: "abort", reason, hook: "orcs:max_depth" }
      : { action: "continue" };
  return { end, reason };
}
