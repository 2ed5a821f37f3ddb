import { tracebackLines } from "../core/index.ts";
import type { Mismatch, Outcome, TraceChange, TraceEntry } from "../core/index.ts";
import { type EventText, eventVerb } from "./event-verb.ts";
import { droppedText, headline, outcomeColor } from "./outcome-text.ts";
import { printable, shortened } from "./table.ts";
import type { Palette } from "./terminal.ts";

/** `orcs eval --explain`: the whole chain for one event, hook by hook. */
export const explainCommand = eventVerb("eval --explain", {
  json: "print the outcome as JSON, including the values that hooks changed",
  how: { trace: "values" },
  describe: explained,
});

/** The chain as text: a line for each hook, followed by its changes. */
function explained(outcome: Outcome, { colors, point, does }: EventText): string {
  const { trace = [] } = outcome;
  const lines = [`${point}: ${headline(outcome, colors)}`];
  if (does !== undefined) lines.push(`it ${does}`);
  if (trace.length === 0) return [...lines, "", "no hooks at this point"].join("\n");
  const idWidth = Math.max(...trace.map(({ id }) => id.length));
  const verdicts = trace.map(verdictText);
  const verdictWidth = Math.min(60, Math.max(...verdicts.map((text) => text.length)));
  lines.push("");
  trace.forEach((entry, i) => {
    const { id, source, duration_ms, changes = [] } = entry;
    const time = duration_ms === undefined ? "" : `${duration_ms.toFixed(2)} ms`;
    const place = source ? `${source.file}:${source.line}` : "";
    const text = shortened(verdicts[i] ?? "", 60).padEnd(verdictWidth);
    const row = `${String(i + 1).padStart(3)}  ${id.padEnd(idWidth)}  ${outcomeColor(entry, colors)(text)}  ${time.padStart(10)}  ${colors.dim(place)}`;
    lines.push(row.trimEnd());
    if (entry.unreadable !== undefined) {
      lines.push(
        `       ran because this command line cannot be read: ${printable(entry.unreadable)}`,
      );
    }
    if (entry.unsure !== undefined) lines.push(`       ran because ${printable(entry.unsure)}`);
    const dropped = droppedText(entry);
    if (dropped !== "") lines.push(`       ${colors.yellow(dropped)}`);
    const { mismatch, traceback = [] } = entry;
    if (mismatch) lines.push(`       ${mismatchText(entry.failing ?? "match", mismatch)}`);
    lines.push(...tracebackLines(traceback).map((each) => `     ${each}`));
    for (const change of changes) lines.push(`       ${changeText(change, colors)}`);
  });
  return lines.join("\n");
}

/** Such as ``tool: `Exec` does not match `exec`; did you mean `exec`?`` */
function mismatchText(key: string, { pattern, value, nearest }: Mismatch): string {
  const wanted = `does not match ${quoted(pattern)}`;
  const has =
    value === undefined ? `the event has no value, which ${wanted}` : `${quoted(value)} ${wanted}`;
  return `${key}: ${has}${nearest === undefined ? "" : `; did you mean ${quoted(nearest)}?`}`;
}

function quoted(value: unknown): string {
  return `\`${typeof value === "string" ? shortened(printable(value), 100) : valueText(value)}\``;
}

function verdictText({ status, action, reason, failing }: TraceEntry): string {
  const why = reason === undefined ? "" : `: ${printable(reason)}`;
  switch (status) {
    case "ran":
      return `${action}${why}`;
    case "not_matched":
      return `not matched: ${failing}`;
    case "not_reached":
      return "not reached";
    case "timed_out":
      return `timed out${why}`;
    default:
      return `${status}${why}`;
  }
}

function changeText({ path, before, after }: TraceChange, { green, red }: Palette): string {
  const was = before === undefined ? undefined : red(valueText(before));
  const is = after === undefined ? undefined : green(valueText(after));
  if (was === undefined) return `+ ${path} = ${is}`;
  return is === undefined ? `- ${path} (was ${was})` : `~ ${path}: ${was} → ${is}`;
}

function valueText(value: unknown): string {
  return shortened(printable(JSON.stringify(value) ?? "undefined"), 100);
}
