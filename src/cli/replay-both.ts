import { QUIET } from "../core/index.ts";
import { replay, type ReplaySummary, type SetOptions } from "../workbench/index.ts";
import { printEither, tellOfOrcs } from "./output.ts";
import { differenceText, summaryText } from "./replay-text.ts";

/** Two sets of hooks, and the record to run through both. */
export interface ReplayedSets {
  readonly record: string;
  readonly set: SetOptions;
  /** Default: the recorded decisions. */
  readonly against: SetOptions | undefined;
}

/**
 * Print the recorded events that two sets of hooks decide differently, each as it is found, and a summary. Nothing
 * outside of the sets runs: neither commands nor webhooks.
 * @throws OrcsError ORCS8007 for the record, ORCS1015 for a set that does not load
 */
export async function printFlips(
  { record, set, against }: ReplayedSets,
  json: boolean,
): Promise<ReplaySummary> {
  // What hooks log is dropped, since it could be repeated for each event.
  const summary = await replay({
    file: record,
    set: { ...set, logger: QUIET },
    against: against && { ...against, logger: QUIET },
    outside: false,
    differs: (difference) => printEither(json, difference, () => `\n${differenceText(difference)}`),
    note: tellOfOrcs,
  });
  const { events, differ, not_compared } = summary;
  printEither(json, { events, differ, not_compared }, () => `\n${summaryText(summary)}`);
  return summary;
}
