import type { Injection, Outcome } from "../core/index.ts";
import { type EventText, eventVerb } from "./event-verb.ts";
import { headline, traceTable } from "./outcome-text.ts";
import { printable } from "./table.ts";

/** `orcs eval`: run the hooks of one point on one event, and show their results. */
export const evalCommand = eventVerb("eval", {
  json: "print the outcome as JSON",
  example: " --json",
  describe,
});

function describe(outcome: Outcome, { colors, does }: EventText): string {
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
