import { readLog, shadowReport, WOULD } from "../records/index.ts";
import type { LogLine, ShadowExample, ShadowReport, ShadowSelection } from "../records/index.ts";
import { isPlainObject, type Json, OrcsError } from "../core/index.ts";
import { printEither } from "./output.ts";
import { safe } from "./audit-lines.ts";

/** Print what hooks with the mode `audit` or `warn` would have done. */
export function report(dir: string, options: ShadowSelection & { readonly json?: boolean }): void {
  let read = 0;
  const counted = (function* (): Generator<LogLine> {
    for (const line of readLog(dir)) {
      read++;
      yield line;
    }
  })();
  const reports = shadowReport(counted, options);
  if (read === 0) throw noLog(dir);
  printEither(options.json, reports, () => textOf(reports));
}

/** The error when there is no log. */
export function noLog(dir: string): OrcsError {
  const why = `there is no audit log in ${dir}: nothing was written there yet`;
  return new OrcsError("ORCS8006", why);
}

/** Longest shown text, in characters. */
const MOST = 120;

/** What each hook would have done, with examples. */
export function textOf(reports: readonly ShadowReport[]): string {
  if (reports.length === 0) return "no hook with the mode audit or warn would have done anything";
  return reports.map(textOfHook).join("\n\n");
}

function textOfHook(of: ShadowReport): string {
  const { hook, mode, point, source, entries, would, failed, sessions, anyway, examples } = of;
  const counts = WOULD.filter((each) => would[each] > 0).map((each) => `${each} ${would[each]}`);
  const where = source === undefined ? "" : `, ${safe(source, MOST)}`;
  const more = [
    ...(sessions > 0 ? [`in ${sessions} session${sessions === 1 ? "" : "s"}`] : []),
    ...(anyway > 0 ? [`${anyway} refused anyway`] : []),
    ...(failed > 0 ? [`failed ${failed}`] : []),
  ];
  return [
    `${safe(hook, MOST)}  (${mode}, ${safe(point, MOST)}${where})`,
    `  ${entries} entries: would ${counts.length > 0 ? counts.join(", ") : "do nothing"}` +
      (more.length > 0 ? `; ${more.join("; ")}` : ""),
    ...examples.map(exampleLine),
    `  promote: ${safe(of.promote, MOST)}`,
  ].join("\n");
}

function exampleLine({ time, tool, subject, would, reason, changes }: ShadowExample): string {
  const about = [tool, subject].filter((text) => text !== undefined && text !== "");
  const why = reason ?? (changes.length > 0 ? changes.map(changeText).join(", ") : "");
  const shown = about.map((text) => safe(text, MOST)).join("  ");
  return `  ${safe(time, MOST)}  ${shown}  ${would.join(", ")}${why === "" ? "" : `: ${safe(why, MOST)}`}`;
}

function changeText(change: Json): string {
  if (typeof change === "string") return change;
  if (!isPlainObject(change)) return JSON.stringify(change);
  const { op, path, value } = change;
  const place = typeof path === "string" ? path : "";
  return op === "remove" ? `without ${place}` : `${place} = ${JSON.stringify(value)}`;
}
