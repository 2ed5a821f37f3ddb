import type { Command } from "commander";
import { HOST_NAMES, OrcsError, tracebackLines } from "../core/index.ts";
import type {
  Injection,
  JsonObject,
  Mismatch,
  Outcome,
  TraceChange,
  TraceEntry,
} from "../core/index.ts";
import { LineSteps, outcomeJson } from "../engine/index.ts";
import type { DispatchOptions, HookSteps, LineStep, Orcs } from "../engine/index.ts";
import { HOSTS } from "../formats/index.ts";
import { eventAddress, eventPayload, readPayload } from "./event-arguments.ts";
import { CONFIG, EXIT, noteMissingProject } from "./options.ts";
import { openOrcs } from "./open-orcs.ts";
import {
  doingOf,
  droppedText,
  headline,
  outcomeColor,
  redactedView,
  traceTable,
} from "./outcome-text.ts";
import { printEither } from "./output.ts";
import { type Palette, paletteFor } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { printable, renderTable, shortened } from "./table.ts";

interface EventVerb {
  /** What `--json` prints. */
  readonly json: string;
  /** The end of the example. */
  readonly example?: string;
  readonly how?: DispatchOptions;
  /** Makes what records the lines that run. */
  readonly lines?: () => LineSteps;
  readonly describe: (outcome: Outcome, shown: EventText) => string;
}

/** Options that name an event. */
export const EVENT_OPTIONS = {
  input: value("<file>", "read the payload as JSON from this file; - reads stdin", {
    short: "i",
  }),
  event: value(
    "<record:n>",
    "read event N of a record of orcs, as numbered by orcs replay --list",
    {
      conflicts: ["host", "input"],
    },
  ),
  component: value(
    "<fql>",
    "the component that makes the call, written namespace::name[/child][#instance]",
  ),
  host: value("<name>", "read an event of this coding agent as it sends it, from stdin or -i", {
    choices: HOST_NAMES,
  }),
  config: CONFIG,
};

/** How an outcome is shown. */
interface EventText {
  readonly colors: Palette;
  readonly point: string;
  /** What the call does, in words. */
  readonly does: string | undefined;
  /** What lines did, by hook; redacted. */
  readonly steps: Readonly<Record<string, HookSteps>>;
}

/** `orcs eval` and `orcs eval --explain`: one event from the command line, and what its hooks did. */
function eventVerb(
  name: "eval" | "eval --explain" | "eval --steps",
  { json, example = "", how = {}, lines: recorder, describe }: EventVerb,
): () => Command {
  return verbCommand(name, {
    options: {
      ...EVENT_OPTIONS,
      json: flag(json),
      fail: flag("exit with 1 when the operation is denied"),
    },
    help: `Example:\n  orcs ${name} tool.pre_execute tool=exec command="git push --force"${example}`,
    run: async (options, point: string | undefined, words: string[]) => {
      noteMissingProject(options.config);
      const lines = recorder?.();
      const orcs = await openOrcs(options.config, { lines });
      try {
        const { point: resolved, payload, address } = await eventOf(orcs, options, point, words);
        const outcome = await orcs.dispatch(resolved, payload, { ...address, ...how });
        const shown = redactedView(orcs, outcome);
        const does = doingOf(orcs, payload);
        const colors = paletteFor(process.stdout);
        const steps = redactedView(orcs, Object.fromEntries(lines?.hooks ?? []));
        const document = { ...outcomeJson(shown), ...does?.json, ...(lines && { steps }) };
        printEither(options.json, document, () =>
          describe(shown, { colors, point: resolved, does: does?.text, steps }),
        );
        if (options.fail === true && outcome.action === "abort") process.exitCode = EXIT.findings;
      } finally {
        await orcs.close();
      }
    },
  });
}

/** A dispatch that a verb makes. */
interface ToDispatch {
  readonly point: string;
  readonly payload: JsonObject;
  readonly address: DispatchOptions;
}

/**
 * The event that a command line names: one of a record, one as an agent sends it, or one that is written there.
 * @throws OrcsError ORCS1011, ORCS5001, ORCS7001, ORCS8007
 */
export async function eventOf(
  { points }: Orcs,
  { event, host, input, component }: OptionsOf<typeof EVENT_OPTIONS>,
  point: string | undefined,
  words: readonly string[],
): Promise<ToDispatch> {
  if (event !== undefined) return recordedEvent(event);
  if (host !== undefined) {
    const protocol = await HOSTS[host].load();
    // Behind --host, a word is the file.
    const sent = protocol.decode(readPayload(input ?? point ?? "-"));
    const { component: own, child } = sent;
    return { ...sent, address: { component: own, child, ...eventAddress(component) } };
  }
  if (point === undefined) {
    throw new OrcsError("ORCS5001", "it needs a hook point, or --host or --event");
  }
  const name = points.resolve(point)?.name ?? point;
  const written = eventPayload(name, words, input);
  // As an agent that works here: guards judge relative paths, and read the scripts that a line runs.
  const isHere = name.startsWith("tool.") && !("cwd" in written) && !("sandbox_root" in written);
  const payload = isHere ? { ...written, cwd: process.cwd() } : written;
  return { point: name, payload, address: eventAddress(component) };
}

/** @param place `RECORD:N` @throws OrcsError ORCS5001, ORCS8007 */
async function recordedEvent(place: string): Promise<ToDispatch> {
  const [, file = "", wanted] = /^(.+):([1-9]\d*)$/s.exec(place) ?? [];
  if (wanted === undefined) throw new OrcsError("ORCS5001", `${place} is not RECORD:N`, { place });
  const { recordedEvents } = await import("../workbench/index.ts");
  for (const { number, event } of recordedEvents(file)) {
    if (number !== Number(wanted)) continue;
    const { point, payload, component, child, instance, channel, principal, metadata } = event;
    return {
      point,
      payload,
      address: { component, child, instance, channel, principal, metadata },
    };
  }
  throw new OrcsError("ORCS5001", `${file} has no event ${wanted}: see orcs replay --list ${file}`);
}

/** `orcs eval`: run the hooks of one point on one event, and show their results. */
export const evalCommand = eventVerb("eval", {
  json: "print the outcome as JSON",
  example: " --json",
  describe: described,
});

function described(outcome: Outcome, { colors, does }: EventText): string {
  const { ctx, inject, trace = [] } = outcome;
  const lines = [headline(outcome, colors)];
  if (does !== undefined) lines.push(`it ${does}`);
  if (trace.length > 0) lines.push("", traceTable(trace, colors));
  // Where one stands says nothing.
  const { cwd, ...others } = ctx.payload;
  const shown = cwd === process.cwd() ? others : ctx.payload;
  lines.push("", `payload   ${JSON.stringify(shown)}`);
  if (Object.keys(ctx.metadata).length > 0) lines.push(`metadata  ${JSON.stringify(ctx.metadata)}`);
  for (const text of inject) lines.push(`inject    ${injected(text)}`);
  return lines.join("\n");
}

function injected(text: Injection): string {
  if (typeof text === "string") return printable(text);
  return `${printable(text.content)} (as ${text.strategy})`;
}

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

/** `orcs eval --steps`: what each line of the hooks did for one event. */
export const stepsCommand = eventVerb("eval --steps", {
  json: "print the outcome as JSON, with the lines of each hook and the last ones that it ran",
  lines: () => new LineSteps(true),
  describe: stepped,
});

function stepped(outcome: Outcome, { colors, steps }: EventText): string {
  const blocks = [headline(outcome, colors)];
  for (const entry of outcome.trace ?? []) {
    const of = steps[entry.id];
    if (!of) continue;
    const { status, action, reason } = entry;
    const said = [action ?? status, ...(reason === undefined ? [] : [printable(reason)])];
    const lines = [`${entry.id}: ${outcomeColor(entry, colors)(said.join(": "))}`];
    blocks.push([...lines, ...linesText(of, status !== "ran")].join("\n"));
  }
  if (blocks.length === 1) blocks.push("no hook in Lua ran");
  return blocks.join("\n\n");
}

function linesText({ lines, last }: HookSteps, hasFailed: boolean): string[] {
  const tables = [...new Set(lines.map(({ file }) => file))].map((file) => {
    const rows = lines.filter((step) => step.file === file).map(cells);
    return renderTable(["line", "ran", "µs", printable(file), "values"], rows);
  });
  if (!hasFailed) return tables;
  const ran = last.map(
    ({ file, line, source }) => `  ${file}:${line}: ${printable(source.trim())}`,
  );
  return [...tables, "the last lines that it ran:", ...ran];
}

function cells(step: LineStep): string[] {
  const { line, ran, us, source } = step;
  const figures = ran === 0 ? ["", ""] : [String(ran), us.toFixed(1)];
  return [String(line), ...figures, printable(source), valuesText(step)];
}

const MOST_CHARS = 60;

function valuesText({ read, wrote }: LineStep): string {
  const text =
    (how: string) =>
    ([name, value]: [string, string]) =>
      `${name} ${how} ${shortened(printable(value), MOST_CHARS)}`;
  return [...Object.entries(read).map(text("=")), ...Object.entries(wrote).map(text("←"))].join(
    ", ",
  );
}
