import type { COMPARED, RecordedOutcome, ShadowReport } from "../../records/index.ts";
import type { SourcePlace } from "../../core/index.ts";

/** A hook and its place, if known. */
export interface PlacedHook {
  readonly hook: string;
  readonly source?: SourcePlace;
}

/** The result of an event on one side. */
export interface ReplaySide {
  readonly outcome: RecordedOutcome;
  /** The hook that acted or decided. */
  readonly by?: PlacedHook;
  /** The hooks that changed the payload; a record does not contain this. */
  readonly changed_by?: readonly PlacedHook[];
}

/** An event with a different result. */
export interface ReplayDifference {
  /** Counted from 1. */
  readonly event: number;
  readonly point: string;
  readonly component: string;
  readonly tool?: string;
  /** What it is about: the command, the path, … */
  readonly subject?: string;
  readonly differs: readonly (typeof COMPARED)[number][];
  /** Secrets were redacted in the payload, which hooks may have decided by. */
  readonly masked?: true;
  readonly was: ReplaySide;
  readonly is: ReplaySide;
}

/** The result of a replay. */
export interface ReplaySummary {
  readonly events: number;
  readonly differ: number;
  /** Number of events that could not be compared, by reason. */
  readonly not_compared: Partial<Readonly<Record<NotCompared, number>>>;
  /** What hooks in shadow, and those that only warn, would have done. */
  readonly unenforced: readonly ShadowReport[];
  readonly seconds: number;
}

/** Why an event is not compared, and what that means. */
export const NOT_COMPARED = {
  not_json: "contain values that JSON cannot represent",
  refused: "have a point that this engine does not know",
  calls: "call tools that were not recorded",
  outside: "were decided by commands, webhooks or modules, which run with --outside only",
  masked: "may differ because secrets are masked in the record",
  late: "timed out",
} as const;

export type NotCompared = keyof typeof NOT_COMPARED;
