import { Command } from "commander";
import type { Injection, Outcome } from "../core/index.ts";
import { outcomeJson } from "../engine/index.ts";
import { eventAddress, eventPayload } from "./event-arguments.ts";
import { openOrcs } from "./open-orcs.ts";
import { configOption, EXIT } from "./options.ts";
import { doingOf, headline, redactedView, traceTable } from "./outcome-text.ts";
import { printable } from "./table.ts";
import type { Palette } from "./terminal.ts";
import { paletteFor } from "./terminal.ts";
import { verbCommand } from "./verb-texts.ts";

interface EvalOptions {
  input?: string;
  component?: string;
  config?: string;
  json?: boolean;
  fail?: boolean;
}

/** `orcs eval`: run the hooks of one point on one event, and show their results. */
export function evalCommand(): Command {
  return verbCommand("eval")
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
    .option("--json", "print the outcome as JSON")
    .option("--fail", "exit with 1 when the operation is denied")
    .addHelpText(
      "after",
      '\nExample:\n  orcs eval tool.pre_execute tool=exec command="git push --force" --json',
    )
    .action(runEval);
}

async function runEval(point: string, words: string[], options: EvalOptions): Promise<void> {
  const orcs = await openOrcs(options.config);
  try {
    const spec = orcs.points.resolve(point);
    const payload = eventPayload(spec?.name ?? point, words, options.input);
    const outcome = await orcs.dispatch(point, payload, eventAddress(options.component));
    const shown = redactedView(orcs, outcome);
    const does = doingOf(orcs, payload);
    const text =
      options.json === true
        ? JSON.stringify({ ...outcomeJson(shown), ...does?.json })
        : describe(shown, does?.text, paletteFor(process.stdout));
    process.stdout.write(`${text}\n`);
    if (options.fail === true && outcome.action === "abort") process.exitCode = EXIT.findings;
  } finally {
    await orcs.close();
  }
}

function describe(outcome: Outcome, does: string | undefined, colors: Palette): string {
  const { ctx, inject, trace = [] } = outcome;
  const lines = [headline(outcome, colors)];
  if (does !== undefined) lines.push(`it ${does}`);
  if (trace.length > 0) lines.push("", traceTable(trace, colors));
  lines.push("", `payload   ${JSON.stringify(ctx.payload)}`);
  if (Object.keys(ctx.metadata).length > 0) lines.push(`metadata  ${JSON.stringify(ctx.metadata)}`);
  for (const text of inject) lines.push(`inject    ${injected(text)}`);
  return lines.join("\n");
}

function injected(text: Injection): string {
  if (typeof text === "string") return printable(text);
  return `${printable(text.content)} (as ${text.strategy})`;
}
