import {
  type COMPARED,
  outcomeDifference,
  type OutcomeDifference,
  type RecordedEvent,
  type RecordedOutcome,
  type ShadowReport,
} from "../../records/index.ts";
import { isSameText, type SameText, type SourcePlace, subjectOf } from "../../core/index.ts";
import type { Replayed, ReplaySet } from "./replay-set.ts";

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

/** The result of comparing an event: no difference, a difference, or not comparable. */
export type Compared =
  | undefined
  | { readonly notCompared: NotCompared }
  | { readonly difference: OutcomeDifference };

/** How an event was recorded. */
interface Recorded {
  readonly sameText: SameText;
  /** Whether secrets were redacted in its payload. */
  isMasked(event: RecordedEvent): boolean;
}

/** Compare a recorded event with its replay. */
export function comparedWithRecord(
  event: RecordedEvent,
  is: Replayed,
  set: ReplaySet,
  recorded: Recorded,
): Compared {
  const { outcome: was, failures = [] } = event;
  const { hook } = was;
  if (is.unrecorded.length > 0) return { notCompared: "calls" };
  if (hook !== undefined && set.outside.some(({ id }) => id === hook)) {
    return { notCompared: "outside" };
  }
  const difference = outcomeDifference(was, is.outcome, recorded.sameText);
  if (!difference) return undefined;
  const wasLate = failures.some((failed) => failed.hook === hook && LATE.includes(failed.kind));
  if (wasLate || isLate(is)) return { notCompared: "late" };
  // Hooks that were not run may have made changes that are not recorded.
  if (is.wouldLeave && difference.lostChanges) return { notCompared: "outside" };
  const stillThere = hook === undefined || set.runs(hook);
  if (!difference.gained && stillThere && recorded.isMasked(event)) {
    return { notCompared: "masked" };
  }
  return { difference };
}

/** Compare the results of an event in two sets. */
export function comparedSets(was: Replayed, is: Replayed): Compared {
  if (was.unrecorded.length + is.unrecorded.length > 0) return { notCompared: "calls" };
  const difference = outcomeDifference(was.outcome, is.outcome, isSameText);
  if (!difference) return undefined;
  return isLate(was) || isLate(is) ? { notCompared: "late" } : { difference };
}

const LATE: readonly string[] = ["timeout", "killed"];

/** Whether the result depends on how busy the machine was. */
function isLate({ late, outcome: { hook } }: Replayed & { outcome: RecordedOutcome }): boolean {
  return late.some((id) => id === hook);
}

/** The report about an event with a different result. */
export function differenceOf(
  number: number,
  { point, component, payload }: RecordedEvent,
  differs: OutcomeDifference["keys"],
  sides: { readonly was: ReplaySide; readonly is: ReplaySide; readonly masked: boolean },
): ReplayDifference {
  const { was, is, masked } = sides;
  const { tool_name: tool } = payload;
  const subject = subjectOf(payload);
  return {
    event: number,
    point,
    component,
    ...(typeof tool === "string" && { tool }),
    ...(subject !== undefined && { subject }),
    differs,
    ...(masked && { masked }),
    was,
    is,
  };
}

/** A hook with its place; its file is shown as that of its set. */
export function placedHook(
  hook: string,
  source: SourcePlace | undefined,
  shownAs: (file: string) => string = (file) => file,
): PlacedHook {
  return { hook, ...(source && { source: { ...source, file: shownAs(source.file) } }) };
}
