import pc from "picocolors";
import type { TraceEntry } from "../core/outcome.ts";
import type { EngineEvents } from "../registry/events.ts";
import { printable, renderTable, shortened } from "./table.ts";
import { thoseThatActed } from "./trace-table.ts";

/** Every tool call with the hooks that ran on it, a line each. */
export function callTable(calls: readonly EngineEvents["called"][]): string {
  const rows = calls.flatMap((call, i) => {
    const { outcome } = call;
    const hooks = thoseThatActed(outcome.outcomes.flatMap(({ trace = [] }) => trace));
    const refusing =
      outcome.action === "abort" ? hooks.findLastIndex(({ id }) => id === outcome.hook) : -1;
    const name = `${i + 1} ${call.tool} ${shortened(printable(argumentText(call.args)), 44)}`;
    const ms = call.duration_ms.toFixed(1);
    if (hooks.length === 0) return [[name, "", "", ms]];
    return hooks.map((hook, n) => {
      const refusal = n === refusing && "reason" in outcome ? outcome.reason : undefined;
      return [n === 0 ? name : "", hook.id, didText(hook, refusal), n === 0 ? ms : ""];
    });
  });
  return renderTable(["call", "hook", "what it did", "ms"], rows);
}

function argumentText(args: Readonly<Record<string, unknown>>): string {
  const [first] = Object.values(args);
  return typeof first === "string" ? first : JSON.stringify(args);
}

/** @param refusal why its call was refused on account of it */
function didText(entry: TraceEntry, refusal: string | undefined): string {
  const { action = "", status, reason, changed } = entry;
  const why = reason === undefined ? "" : `: ${printable(reason)}`;
  const cut = (text: string): string => shortened(text, 60);
  if (status !== "ran") return pc.red(cut(`${status}${why}`));
  if (action === "abort") return pc.red(cut(`abort${why}`));
  // It let the call through to somebody who did not: `ask` and `defer`.
  if (action === "continue" && refusal !== undefined) {
    return pc.red(cut(`refused, ${printable(refusal)}`));
  }
  if (changed) return pc.yellow(cut(`${action}, changed ${changed.join(" ")}`));
  return action === "continue" ? action : pc.yellow(cut(`${action}${why}`));
}
