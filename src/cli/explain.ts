import { Command } from "commander";
import { tracebackLines } from "../core/index.ts";
import type { Mismatch, Outcome, TraceChange, TraceEntry } from "../core/index.ts";
import { outcomeJson } from "../engine/index.ts";
import { eventAddress, eventPayload } from "./event-arguments.ts";
import { openOrcs } from "./open-orcs.ts";
import { configOption, EXIT } from "./options.ts";
import { doingOf, droppedText, headline, outcomeColor, redactedView } from "./outcome-text.ts";
import { printable, shortened } from "./table.ts";
import type { Palette } from "./terminal.ts";
import { paletteFor } from "./terminal.ts";
import { verbCommand } from "./verb-texts.ts";

interface ExplainOptions {
  input?: string;
  component?: string;
  config?: string;
  json?: boolean;
  fail?: boolean;
}

/** `orcs explain`: the whole chain for one event, hook by hook. */
export function explainCommand(): Command {
  return verbCommand("explain")
    .argument("<point>", "hook point or alias, such as tool.pre_execute")
    .argument(
      "[key=value...]",
      "keys of the payload: tool=NAME, session_id, agent_id, cwd, result; at tool points, any other key is an argument of the tool",
    )
    .option("-i, --input <file>", "read the payload as JSON from this file; - reads stdin")
    .option(
      "--component <fql>",
      "the component that makes the call, written namespace::name[/child][#instance]",
    )
    .addOption(configOption())
    .option("--json", "print the outcome as JSON, including the values that hooks changed")
    .option("--fail", "exit with 1 when the operation is denied")
    .addHelpText(
      "after",
      '\nExample:\n  orcs explain tool.pre_execute tool=exec command="git push --force"',
    )
    .action(runExplain);
}

async function runExplain(point: string, words: string[], options: ExplainOptions): Promise<void> {
  const orcs = await openOrcs(options.config);
  try {
    const spec = orcs.points.resolve(point);
    const payload = eventPayload(spec?.name ?? point, words, options.input);
    const address = eventAddress(options.component);
    const outcome = await orcs.dispatch(point, payload, { ...address, trace: "values" });
    const shown = redactedView(orcs, outcome);
    const does = doingOf(orcs, payload);
    const text =
      options.json === true
        ? JSON.stringify({ ...outcomeJson(shown), ...does?.json })
        : explained(spec?.name ?? point, shown, does?.text, paletteFor(process.stdout));
    process.stdout.write(`${text}\n`);
    if (options.fail === true && outcome.action === "abort") process.exitCode = EXIT.findings;
  } finally {
    await orcs.close();
  }
}

/** The chain as text: a line for each hook, followed by its changes. */
function explained(
  point: string,
  outcome: Outcome,
  does: string | undefined,
  colors: Palette,
): string {
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
