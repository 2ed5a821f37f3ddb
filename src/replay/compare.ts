import type { RecordedEvent, RecordedOutcome } from "../audit/record/format.ts";
import type { OutcomeDifference } from "../audit/record/outcome-difference.ts";
import { outcomeDifference } from "../audit/record/outcome-difference.ts";
import type { SourcePlace } from "../core/diagnostic.ts";
import type { JsonObject, SameText } from "../core/json.ts";
import { isPlainObject, isSameText } from "../core/json.ts";
import type { NotCompared, PlacedHook, ReplayDifference, ReplaySide } from "./replay-result.ts";
import type { Replayed, ReplaySet } from "./replay-set.ts";

/** What comparing an event comes to: that nothing differs, that something does, or that it cannot be said. */
export type Compared =
  | undefined
  | { readonly notCompared: NotCompared }
  | { readonly difference: OutcomeDifference };

/** What is known of how an event was recorded. */
interface Recorded {
  readonly sameText: SameText;
  /** Whether secrets were taken out of its payload. */
  isMasked(event: RecordedEvent): boolean;
}

/** An event as it was recorded, against what it came to when it happened again. */
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
  // Who changed what is not recorded: those not run may have.
  if (is.passedOver && difference.lostChanges) return { notCompared: "outside" };
  const stillThere = hook === undefined || set.runs(hook);
  if (!difference.gained && stillThere && recorded.isMasked(event)) {
    return { notCompared: "masked" };
  }
  return { difference };
}

/** What an event came to in one set, against what it came to in another. */
export function comparedSets(was: Replayed, is: Replayed): Compared {
  if (was.unrecorded.length + is.unrecorded.length > 0) return { notCompared: "calls" };
  const difference = outcomeDifference(was.outcome, is.outcome, isSameText);
  if (!difference) return undefined;
  return isLate(was) || isLate(is) ? { notCompared: "late" } : { difference };
}

const LATE: readonly string[] = ["timeout", "killed"];

/** Whether what it came to is owed to how busy the machine was. */
function isLate({ late, outcome: { hook } }: Replayed & { outcome: RecordedOutcome }): boolean {
  return late.some((id) => id === hook);
}

/** Keys that say what an event is about, in arguments and payloads, the most telling first. */
const SUBJECTS = [
  "command",
  "file_path",
  "path",
  "url",
  "pattern",
  "query",
  "prompt",
  "from",
  "operation",
  "event",
  "message",
] as const;

/** What is told of an event that came to something else. */
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

/** A hook with its place, its file shown as that of its set. */
export function placedHook(
  hook: string,
  source: SourcePlace | undefined,
  shownAs: (file: string) => string = (file) => file,
): PlacedHook {
  return { hook, ...(source && { source: { ...source, file: shownAs(source.file) } }) };
}

/** What an event is about, in its own words: the command, the path, … */
export function subjectOf(payload: JsonObject): string | undefined {
  const { args } = payload;
  for (const from of [isPlainObject(args) ? args : {}, payload]) {
    for (const key of SUBJECTS) {
      const value = Object.hasOwn(from, key) ? from[key] : undefined;
      if (typeof value === "string") return value;
    }
  }
  return undefined;
}
