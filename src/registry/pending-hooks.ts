import type { PointSpec } from "../core/points.ts";

/** Hooks that are not loaded yet: those of a project, which run after all others. */
export interface PendingHooks {
  /** Whether any of them may be at a point. */
  at(point: PointSpec): boolean;
  /** Whether what is done at a point must not go on when they cannot be loaded. */
  refusesAt(point: PointSpec): boolean;
  /** Whether they could not be loaded when that was tried last. */
  readonly failed: boolean;
  /** Resolves once they are registered. @throws OrcsError that says why they cannot be */
  ready(): Promise<void>;
}
