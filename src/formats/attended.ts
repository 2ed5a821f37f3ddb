import type { HostName } from "../core/index.ts";
import type { AgentProcess } from "./host-protocol.ts";

/** How an agent's own process is recognized, and what its arguments say of its user. */
interface Attendance {
  readonly program: string;
  /** The folder of its package, which its script is below. */
  readonly folder?: string;
  /** Arguments with which it asks its user in any case: in its terminal, or through the editor that runs it. */
  readonly attended?: readonly string[];
  /** Arguments with which it asks nobody. */
  readonly headless: readonly string[];
}

/** Source: their `--help`; of Gemini CLI its code (0.61: `interactive` in config.ts), but for `CI=true` in a terminal. */
const ATTENDANCE: Readonly<Record<HostName, Attendance>> = {
  "claude-code": { program: "claude", folder: "claude-code", headless: ["-p", "--print"] },
  codex: { program: "codex", headless: ["exec", "e"] },
  gemini: {
    program: "gemini",
    folder: "gemini-cli",
    attended: ["-i", "--prompt-interactive", "--acp", "--experimental-acp"],
    headless: ["-p", "--prompt"],
  },
  cursor: { program: "cursor-agent", headless: ["-p", "--print"] },
  copilot: { program: "copilot", headless: ["-p", "--prompt"] },
  qwen: {
    program: "qwen",
    folder: "qwen-code",
    attended: ["-i", "--prompt-interactive", "--acp", "--experimental-acp"],
    headless: ["-p", "--prompt"],
  },
};

/**
 * Whether an agent has a user who can answer: its events do not say so.
 * @param processes those that the hook's process comes from, the nearest first
 */
export function hasUser(host: HostName, processes: Iterable<AgentProcess>): boolean {
  const { program, folder, attended = [], headless } = ATTENDANCE[host];
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
