import { outcomeDifference } from "../../audit/record/compared-outcomes.ts";
import type { OutcomeDifference } from "../../audit/record/compared-outcomes.ts";
import type { RecordedEvent, RecordedOutcome } from "../../audit/record/format.ts";
import { isSameText } from "../../core/same-json.ts";
import type { SameText } from "../../core/same-json.ts";
import type { NotCompared } from "./not-compared.ts";
import type { Replayed, ReplaySet } from "./replay-set.ts";

/** What comparing an event comes to: that nothing differs, that something does, or that it cannot be said. */
export type Compared =
  | undefined
  | { readonly notCompared: NotCompared }
  | { readonly difference: OutcomeDifference };

/** What is known of how an event was recorded. */
export interface Recorded {
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
