import { type HookSteps, type LineStep, LineSteps } from "../engine/index.ts";
import type { Outcome } from "../core/index.ts";
import { type EventText, eventVerb } from "./event-verb.ts";
import { headline, outcomeColor } from "./outcome-text.ts";
import { printable, renderTable, shortened } from "./table.ts";

/** `orcs eval --steps`: what each line of the hooks did for one event. */
export const stepsCommand = eventVerb("eval --steps", {
  json: "print the outcome as JSON, with the lines of each hook and the last ones that it ran",
  lines: () => new LineSteps(true),
  describe,
});

function describe(outcome: Outcome, { colors, steps }: EventText): string {
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
