import type { HookStatus, TraceEntry } from "../core/outcome.ts";
import { printable, renderTable } from "./table.ts";

/** A trace as a table: one line per hook. */
export function traceTable(trace: readonly TraceEntry[]): string {
  return renderTable(
    ["hook", "status", "action", "ms", "source", "changed"],
    trace.map((entry) => [
      entry.id,
      statusText(entry),
      entry.action ?? "",
      entry.duration_ms === undefined ? "" : entry.duration_ms.toFixed(2),
      entry.source ? `${entry.source.file}:${entry.source.line}` : "",
      [
        entry.changed?.join(" ") ?? (entry.status === "ran" ? "" : printable(entry.reason ?? "")),
        droppedText(entry),
      ]
        .filter(Boolean)
        .join(" "),
    ]),
  );
}

/** The hooks of a trace that did something, or were to. */
export function thoseThatActed(trace: readonly TraceEntry[]): TraceEntry[] {
  const acted: readonly HookStatus[] = ["ran", "failed", "timed_out"];
  return trace.filter(({ status }) => acted.includes(status));
}

/** What does not count of what a hook returned, since the command line could not be read; empty when all does. */
export function droppedText({ dropped = [] }: TraceEntry): string {
  return dropped.length === 0 ? "" : `dropped: ${printable(dropped.join(", "))}`;
}

function statusText({ status, failing, unreadable }: TraceEntry): string {
  const note = unreadable === undefined ? failing : "unreadable";
  return note === undefined ? status : `${status} (${note})`;
}
