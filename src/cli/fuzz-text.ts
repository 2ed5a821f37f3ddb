import { quoteWord, type TraceEntry } from "../core/index.ts";
import type { FuzzHole, FuzzReport } from "../workbench/index.ts";
import { printable } from "./table.ts";
import type { Palette } from "./terminal.ts";

/** A report as text: each hole, then the numbers. */
export function fuzzText(report: FuzzReport, colors: Palette): string {
  const blocks = report.holes.map((hole) => holeText(hole, colors));
  return [...blocks, summary(report, colors)].join("\n\n");
}

/** What limits the meaning of a report, one line each. */
export function fuzzNotes({ checkedBy, why = "", failed, failure = "" }: FuzzReport): string[] {
  const notes: string[] = [];
  if (checkedBy === "reader") {
    notes.push(`no line was run (${why}): orcs read them, and found nothing that it cannot read`);
  }
  if (failed > 0) {
    const [first = ""] = failure.split("\n");
    notes.push(`${failed} lines were stopped because a hook failed: ${printable(first)}`);
  }
  return notes;
}

function holeText({ line, ran, rules, hooks }: FuzzHole, { red }: Palette): string {
  const seen = hooks.map(hookText);
  const rows = [
    `ran    ${printable(ran.map(quoteWord).join(" "))}`,
    `rules  ${rules.length === 0 ? "none: this is the plain command" : rules.join(", ")}`,
    `hooks  ${seen.length === 0 ? "none" : seen.join("; ")}`,
    `try    orcs eval tool.pre_execute tool=exec command=${printable(quoteWord(line))}`,
  ];
  return [`${red("✗")} ${printable(line)}`, ...rows.map((row) => `    ${row}`)].join("\n");
}

function hookText({ id, status, failing, action }: TraceEntry): string {
  const why = failing === undefined ? "" : ` (${failing})`;
  const did =
    status === "ran" && action !== undefined ? `ran: ${action}` : status.replaceAll("_", " ");
  return `${id} ${did}${why}`;
}

function summary(report: FuzzReport, { green, red }: Palette): string {
  const { holes, spellings, stopped, passed, ran, seed } = report;
  const count = holes.length === 1 ? "1 hole" : `${holes.length} holes`;
  const shown = holes.length === 0 ? green(count) : red(count);
  return `${shown}: ${spellings} spellings, ${stopped} stopped, ${passed} passed, ${ran} of these ran it (seed ${seed})`;
}
