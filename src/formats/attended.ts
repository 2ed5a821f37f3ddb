import type { HostName } from "../core/index.ts";
import type { AgentProcess } from "./host-protocol.ts";
import { HOSTS } from "./hosts.ts";

/**
 * Whether an agent has a user who can answer: its events do not say so.
 * @param processes those that the hook's process comes from, the nearest first
 */
export function hasUser(host: HostName, processes: Iterable<AgentProcess>): boolean {
  const { program, packageFolder: folder, attended = [], headless } = HOSTS[host];
  const is = (word = ""): boolean => {
    const [base = "", ...folders] = word.split(/[/\\]/).reverse();
    return (
      base.replace(/\.\w+$/, "") === program || (folder !== undefined && folders.includes(folder))
    );
  };
  for (const { args, hasTerminal } of processes) {
    const script = args.findIndex((arg, i) => i > 0 && !arg.startsWith("-"));
    if (!is(args[0]) && !is(args[script])) continue;
    const given = args.slice(is(args[0]) ? 1 : script + 1);
    if (given.some((arg) => isOption(arg, attended))) return true;
    return hasTerminal && !given.some((arg) => isOption(arg, headless));
  }
  return false;
}

function isOption(arg: string, names: readonly string[]): boolean {
  return names.some((name) => arg === name || arg.startsWith(`${name}=`));
}
