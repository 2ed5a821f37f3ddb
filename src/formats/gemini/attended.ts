import type { AgentProcess } from "../host-protocol.ts";

/** Options with which Gemini CLI asks its user in any case: in its terminal, or through the editor that runs it. */
const ATTENDED = ["-i", "--prompt-interactive", "--acp", "--experimental-acp"];
/** Options with which it asks nobody. */
const HEADLESS = ["-p", "--prompt"];

/**
 * Whether Gemini CLI has a user who can answer. Without one it waits for an answer for ever, and its events do not say
 * so. Source: its code (0.61: `interactive` in config.ts, isHeadlessMode), except for `CI=true` in a terminal.
 * @param processes those that the hook's process comes from, the nearest first
 */
export function hasUser(processes: Iterable<AgentProcess>): boolean {
  for (const { args, hasTerminal } of processes) {
    const script = args.findIndex((arg, i) => i > 0 && !arg.startsWith("-"));
    const isAgent = isGemini(args[0]) || isGemini(args[script]);
    if (!isAgent) continue;
    const given = isGemini(args[0]) ? args.slice(1) : args.slice(script + 1);
    if (given.some((arg) => isOption(arg, ATTENDED))) return true;
    return hasTerminal && !given.some((arg) => isOption(arg, HEADLESS));
  }
  return false;
}

function isGemini(program = ""): boolean {
  return /(?:^|[/\\])gemini(?:\.\w+)?$|[/\\]gemini-cli[/\\][^ ]*$/.test(program);
}

function isOption(arg: string, names: readonly string[]): boolean {
  return names.some((name) => arg === name || arg.startsWith(`${name}=`));
}
