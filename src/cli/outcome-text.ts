import { effectTexts, tracebackLines } from "../core/index.ts";
import type {
  CallEffects,
  HookStatus,
  Json,
  JsonObject,
  Outcome,
  TraceEntry,
} from "../core/index.ts";
import type { Orcs } from "../engine/index.ts";
import { printable, renderTable } from "./table.ts";
import { type Palette, PLAIN } from "./terminal.ts";

/**
 * The colour of what a hook or a chain decided: red for denied and failed, yellow for what changes a call, dim for a
 * hook that did not run.
 */
export function outcomeColor(
  {
    status = "ran",
    action,
    decision,
  }: Partial<Pick<TraceEntry, "status">> & {
    readonly action?: string | undefined;
    readonly decision?: string | undefined;
  },
  { red, yellow, dim }: Palette,
): (text: string) => string {
  if (status === "failed" || status === "timed_out" || action === "abort") return red;
  if (status !== "ran") return dim;
  return action === "continue" && decision === undefined ? String : yellow;
}

/** What a chain returned, in one line. */
export function headline(outcome: Outcome, colors: Palette = PLAIN): string {
  return outcomeColor(outcome, colors)(headlineText(outcome));
}

function headlineText(outcome: Outcome): string {
  switch (outcome.action) {
    case "abort":
      return `abort by ${outcome.hook}: ${printable(outcome.reason)}`;
    case "skip":
      return `skip by ${outcome.hook}: ${JSON.stringify(outcome.result)}`;
    case "retry":
      return `retry by ${outcome.hook} after ${outcome.delay_ms} ms${outcome.reason === undefined ? "" : `: ${printable(outcome.reason)}`}`;
    case "continue": {
      const { decision, hook, reason } = outcome;
      if (decision === undefined) return "continue";
      return `continue, ${decision} by ${hook}${reason === undefined ? "" : `: ${printable(reason)}`}`;
    }
  }
}

/** A trace as a table, one line per hook, with a column of errors when there are any; then their tracebacks. */
export function traceTable(trace: readonly TraceEntry[], colors: Palette = PLAIN): string {
  const hasErrors = trace.some(({ status, reason }) => status !== "ran" && reason !== undefined);
  const table = renderTable(
    ["hook", "status", "action", "ms", "source", "changed", ...(hasErrors ? ["error"] : [])],
    trace.map((entry) => [
      entry.id,
      outcomeColor(entry, colors)(statusText(entry)),
      entry.action === undefined ? "" : outcomeColor(entry, colors)(entry.action),
      entry.duration_ms === undefined ? "" : entry.duration_ms.toFixed(2),
      entry.source ? `${entry.source.file}:${entry.source.line}` : "",
      [entry.changed?.join(" "), droppedText(entry)].filter(Boolean).join(" "),
      ...(hasErrors ? [entry.status === "ran" ? "" : printable(entry.reason ?? "")] : []),
    ]),
  );
  const tracebacks = trace
    .filter(({ traceback = [] }) => traceback.length > 1)
    .map(({ id, traceback }) => `traceback of ${id}\n${tracebackLines(traceback).join("\n")}`);
  return [table, ...tracebacks].join("\n\n");
}

/** The hooks of a trace that ran or should have run. */
export function thoseThatActed(trace: readonly TraceEntry[]): TraceEntry[] {
  const acted: readonly HookStatus[] = ["ran", "failed", "timed_out"];
  return trace.filter(({ status }) => acted.includes(status));
}

/**
 * The parts of a hook's result that are ignored because the command line could not be read; empty when there are none.
 */
export function droppedText({ dropped = [] }: TraceEntry): string {
  return dropped.length === 0 ? "" : `dropped: ${printable(dropped.join(", "))}`;
}

function statusText({ status, failing, unreadable, unsure }: TraceEntry): string {
  const note = unreadable !== undefined ? "unreadable" : unsure !== undefined ? "unsure" : failing;
  return note === undefined ? status : `${status} (${note})`;
}

/** What a call does, redacted: for people and for programs. Undefined for a point that is about no call. */
export interface Doing {
  readonly text: string;
  readonly json: CallEffects;
}

export function doingOf(orcs: Orcs, payload: JsonObject): Doing | undefined {
  const json = redactedView(orcs, orcs.effects(payload));
  const { cwd } = payload;
  const texts = effectTexts(json, typeof cwd === "string" ? cwd : orcs.settings.permissions.root);
  return texts.length === 0 ? undefined : { text: printable(texts.join(" · ")), json };
}

/** A redacted copy for display, as JSON. */
export function redactedView<Shown extends object>(orcs: Orcs, shown: Shown): Shown {
  return orcs.redact(JSON.parse(JSON.stringify(shown)) as Json) as Shown;
}
