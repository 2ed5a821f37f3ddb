import type { Outcome } from "../core/outcome.ts";

/** The outcome in the shape that `--json` and a service promise (design.md §8). */
export function outcomeJson(outcome: Outcome): Record<string, unknown> {
  const { ctx, inject, trace, ...action } = outcome;
  return {
    ...action,
    payload: ctx.payload,
    metadata: ctx.metadata,
    inject,
    trace: trace ?? [],
  };
}
