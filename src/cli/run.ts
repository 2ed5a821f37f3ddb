import { Command } from "commander";
import pc from "picocolors";
import type { Outcome, TraceEntry } from "../core/outcome.ts";
import type { EngineEvents } from "../registry/events.ts";
import { askTerminal } from "./ask-terminal.ts";
import { configOption } from "./common-options.ts";
import { openOrcs } from "./open-orcs.ts";
import { printable, renderTable, shortened } from "./table.ts";

/** `orcs run`: run a Lua agent with its tool calls hooked, and show what the hooks did. */
export function runCommand(): Command {
  return new Command("run")
    .description("run a Lua script as an agent; its tool calls pass the hooks")
    .argument("<script.lua>", "the script")
    .addOption(configOption())
    .option("--json", "print one JSON line per tool call instead of the table")
    .addHelpText(
      "after",
      "\nCalls that a hook wants approved are asked about at the terminal; without one they are refused.",
    )
    .action(async (script: string, options: { config?: string; json?: boolean }) => {
      const calls: EngineEvents["called"][] = [];
      const orcs = await openOrcs(options.config, {
        askTerminal: askTerminal(process.stdin, process.stderr),
      });
      orcs.events.on("called", (call) => {
        calls.push(call);
        if (options.json === true) process.stdout.write(`${JSON.stringify(callJson(call))}\n`);
      });
      try {
        await orcs.run(script, { component: "lua::main" });
      } finally {
        await orcs.close();
        if (options.json !== true && calls.length > 0) {
          process.stdout.write(`\n${callTable(calls)}\n`);
        }
      }
    });
}

function callJson({ tool, args, outcome, duration_ms }: EngineEvents["called"]) {
  return {
    tool,
    args,
    action: outcome.action,
    ...("hook" in outcome && { hook: outcome.hook }),
    ...("reason" in outcome && { reason: outcome.reason }),
    hooks: ran(outcome.outcomes),
    duration_ms,
  };
}

/** Every call with the hooks that ran on it, a line each. */
function callTable(calls: readonly EngineEvents["called"][]): string {
  const rows = calls.flatMap((call, i) => {
    const { outcome } = call;
    const hooks = ran(outcome.outcomes);
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

function ran(outcomes: readonly Outcome[]): TraceEntry[] {
  const acted = new Set(["ran", "failed", "timed_out"]);
  return outcomes.flatMap(({ trace = [] }) => trace).filter(({ status }) => acted.has(status));
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
