import { type Injection, QUIET } from "../core/index.ts";
import { NOT_COMPARED, replay } from "../workbench/index.ts";
import type {
  NotCompared,
  PlacedHook,
  ReplayDifference,
  ReplaySide,
  ReplaySummary,
  SetOptions,
} from "../workbench/index.ts";
import { printable, shortened } from "./table.ts";
import { printEither, tellOfOrcs } from "./output.ts";

/** Maximum length of a shown value, in characters. */
const LONG = 200;

/** An event with a different result, in a few lines. */
export function differenceText(difference: ReplayDifference): string {
  const { event, point, component, tool, subject, masked, was, is } = difference;
  const about = [tool, subject].filter((part) => part !== undefined).map((part) => shown(part));
  const notes = masked ? ["(secrets are masked)"] : [];
  const head = [`event ${event}`, point, component, ...about, ...notes].join("  ");
  return [head, `  was  ${sideText(was)}`, `  is   ${sideText(is)}`].join("\n");
}

/** The number of events, and a summary of the results. */
export function summaryText(summary: ReplaySummary): string {
  const { events, differ, not_compared, seconds } = summary;
  const left = Object.entries(not_compared) as [NotCompared, number][];
  const total = left.reduce((sum, [, count]) => sum + count, 0);
  const speed = seconds > 0 ? Math.round(events / seconds) : 0;
  const line = `${events} events, ${differ} differ, ${total} not compared; ${speed} per second`;
  const why = left.map(([reason, count]) => `  ${count} ${NOT_COMPARED[reason]}`);
  return [line, ...why].join("\n");
}

function sideText({ outcome, by, changed_by = [] }: ReplaySide): string {
  const { action, decision, reason, result, delay_ms, inject = [], edits } = outcome;
  const what = decision === undefined ? action : `${action}, ${decision}`;
  const lines = [
    `${what}${by ? ` by ${hookText(by)}` : ""}${reason === undefined ? "" : `: ${shown(reason)}`}`,
  ];
  if (result !== undefined) lines.push(`result ${value(result)}`);
  if (delay_ms !== undefined) lines.push(`after ${delay_ms} ms`);
  for (const { path, value: after } of edits) {
    lines.push(after === undefined ? `${shown(path)} removed` : `${shown(path)} = ${value(after)}`);
  }
  if (changed_by.length > 0) lines.push(`changed by ${changed_by.map(hookText).join(", ")}`);
  for (const text of inject) lines.push(`inject ${injected(text)}`);
  return lines.join("\n       ");
}

function hookText({ hook, source }: PlacedHook): string {
  const place = source === undefined ? "" : ` (${shown(source.file)}:${source.line})`;
  return `${printable(hook)}${place}`;
}

function injected(text: Injection): string {
  return typeof text === "string" ? shown(text) : `${shown(text.content)} (as ${text.strategy})`;
}

function value(json: unknown): string {
  return shown(JSON.stringify(json));
}

function shown(text: string): string {
  return printable(shortened(text, LONG));
}

/** Two sets of hooks, and the record to run through both. */
interface ReplayedSets {
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
