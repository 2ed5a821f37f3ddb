import type { Caller, HookContext } from "./context.ts";
import type { Action } from "./actions.ts";
import type { Hook, HookFailure } from "./hook.ts";
import type { HookStatus, Outcome, TraceChange } from "./outcome.ts";
import type { PointSpec } from "./points.ts";

/** Which dispatches an audit log keeps, from the fewest to the most. */
export const AUDIT_LEVELS = ["off", "decisions", "all"] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** When written data is synced to disk, from the weakest guarantee to the strongest. */
export const FSYNC_POLICIES = ["never", "interval", "always"] as const;
export type FsyncPolicy = (typeof FSYNC_POLICIES)[number];

/** A completed dispatch, as it is passed to the audit log. */
export interface SettledDispatch {
  readonly point: PointSpec;
  /** The context before any hook. */
  readonly began: HookContext;
  readonly caller: Caller;
  /** The outcome; its `ctx` is the context after the hooks. */
  readonly outcome: Outcome;
  readonly failures: readonly HookFailed[];
  /** Hooks that changed the payload, with JSON Pointers of what they changed. */
  readonly changed: readonly HookChanged[];
  /** What hooks with the mode `warn` would have done. */
  readonly warned?: readonly HookWarned[] | undefined;
  /** The hook that ended the chain or made the decision, if known. */
  readonly by: Hook | undefined;
  /** The hook that stopped the chain, so that later hooks did not run. */
  readonly stoppedBy?: Hook | undefined;
  readonly duration_ms: number;
  /** True for an asynchronous hook, which runs in its own chain: its result was ignored. */
  readonly async?: true | undefined;
}

export interface HookFailed {
  readonly hook: Hook;
  readonly failure: HookFailure;
}

export interface HookChanged {
  readonly hook: Hook;
  readonly paths: readonly string[];
}

export interface HookWarned extends HookChanged {
  readonly action: Action;
}

/** The run of a hook with the mode `audit`, after its dispatch. Its own texts and values are masked. */
export interface ShadowRun {
  readonly hook: Hook;
  /** The context that the hook saw: a copy. */
  readonly ctx: HookContext;
  readonly caller: Caller;
  /** The outcome of the dispatch, which the hook had no part in. */
  readonly enforced: Pick<Outcome, "action"> & {
    readonly decision?: string;
    readonly hook?: string;
  };
  readonly status: HookStatus;
  /** What it returned; undefined if it failed or did not run. */
  readonly action: Action | undefined;
  /** The reason of its decision, or why it failed. */
  readonly reason: string | undefined;
  /** Its changes, from the root of the context. */
  readonly changes: readonly TraceChange[];
  readonly failure: HookFailure | undefined;
  readonly duration_ms: number;
  /** What its code called that has effects outside of it, and whether that took place. */
  readonly effects: readonly ShadowEffect[];
}

/** A call of a hook with the mode `audit`. */
export interface ShadowEffect {
  /** Such as `exec`, `webhook` or `emit_event`. */
  readonly call: string;
  /** Whether it took place, because the hook has `shadow_effects`. */
  readonly ran: boolean;
}

/** Writes dispatches to the log before their result is returned. */
export interface DispatchLog {
  /** Whether it also wants dispatches in which no hook decided, changed anything or failed. */
  readonly all: boolean;
  /**
   * Called before the outcome of a dispatch is returned.
   * @returns undefined when the outcome need not wait; otherwise a promise of the outcome to return, which differs if
   *   the dispatch could not be logged. Never rejects.
   */
  take(settled: SettledDispatch): Promise<Outcome> | undefined;
  /** Called after the run of a hook with the mode `audit`. */
  shadow?(run: ShadowRun): void;
}
