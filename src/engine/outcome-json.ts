import type { Outcome } from "../core/outcome.ts";

/** The outcome in the form of `--json` and of the service protocol (design.md §8). */
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
