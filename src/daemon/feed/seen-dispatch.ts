import type { DispatchIds } from "../../core/index.ts";
import type { RecordedEvent } from "../../records/index.ts";
import type { HookStep, ShadowStep } from "../../engine/index.ts";

/**
 * A hook in a dispatch: the event `hook`, or `shadow` for one with the mode `audit`, without what the dispatch says
 * already.
 */
export type SeenStep = Omit<HookStep, keyof DispatchIds | "point"> &
  Partial<Pick<ShadowStep, "inject" | "result" | "effects">> & {
    /** What it logged. */
    readonly logs?: readonly string[];
  };

/**
 * A dispatch as a reader of the feed gets it: as recorded, with its ids and what became of each hook. Secrets are
 * masked.
 */
export interface SeenDispatch extends RecordedEvent, DispatchIds {
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
  /** In the order of the chain, also those that did not run. */
  readonly hooks: readonly SeenStep[];
}

/** The run of an asynchronous hook or of one in shadow, which ends after its dispatch. */
export interface LateStep {
  readonly dispatch_id: string;
  readonly late: SeenStep;
}

/**
 * A dispatch that passed: no hook decided, changed or refused anything, and none failed. For a reader that asks for the
 * rest when somebody looks at it.
 */
export interface BriefDispatch extends DispatchIds {
  readonly brief: true;
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
  readonly point: string;
  readonly component: string;
  readonly tool_name?: string;
  /** What it is about, such as the command; cut off. */
  readonly subject?: string;
  readonly duration_ms: number;
}

/** What a feed tells, in the order in which it ended. */
export type FeedItem = SeenDispatch | BriefDispatch | LateStep;

export function isLate(item: FeedItem): item is LateStep {
  return "late" in item;
}

export function isBrief(item: FeedItem): item is BriefDispatch {
  return "brief" in item;
}
