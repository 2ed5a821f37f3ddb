import { AGENT_NAMES, COMMON_VARIABLES, HOST_NAMES, TRACE_VARIABLES } from "../core/index.ts";
import type { AgentName, HostName, PluginAgentName } from "../core/index.ts";
import type { HostSpec, PluginAgentSpec, SettingsSpec } from "./agent-spec.ts";
import { CLAUDE_CODE } from "./claude-code/agent.ts";
import { CODEX_AGENT } from "./codex/agent.ts";
import { COPILOT_AGENT } from "./copilot/agent.ts";
import { CURSOR_AGENT } from "./cursor/agent.ts";
import { GEMINI_AGENT } from "./gemini/agent.ts";
import type { AgentProcess } from "./host-protocol.ts";
import { OPENCODE_AGENT } from "./opencode/agent.ts";
import { QWEN_AGENT } from "./qwen/agent.ts";

/** The coding agents with hooks of their own. */
export const HOSTS: Readonly<Record<HostName, HostSpec>> = {
  "claude-code": CLAUDE_CODE,
  codex: CODEX_AGENT,
  gemini: GEMINI_AGENT,
  cursor: CURSOR_AGENT,
  copilot: COPILOT_AGENT,
  qwen: QWEN_AGENT,
};

/** How the settings of all of them are read: some read those of others, so no key is of one agent alone. */
export const ALL_SETTINGS: readonly SettingsSpec[] = Object.values(HOSTS).map(
  ({ settings }) => settings,
);

/** Keys with which agents switch off hooks. */
export const SWITCHES = ALL_SETTINGS.flatMap(({ switches = [] }) => switches);

/** Those that load orcs as a plugin. */
export const PLUGIN_AGENTS: Readonly<Record<PluginAgentName, PluginAgentSpec>> = {
  opencode: OPENCODE_AGENT,
};

/** All of them. */
export const AGENTS = { ...HOSTS, ...PLUGIN_AGENTS };

/** Variables of its hooks, for a probe. */
export function probeVariables(host: HostName, project: string): Readonly<Record<string, string>> {
  const valueOf = (name: string): string => {
    if (/_(?:PROJECT_DIR|CWD)$/.test(name)) return project;
    return name.endsWith("_SESSION_ID") ? "orcs-doctor" : "";
  };
  return Object.fromEntries(HOSTS[host].commandVariables.map((name) => [name, valueOf(name)]));
}

/** Variables with which any of the agents names its project. */
export const PROJECT_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].projectVariable ?? [],
);

/** Variables with which any of the agents names its settings folder. */
export const SETTINGS_VARIABLES: readonly string[] = HOST_NAMES.flatMap(
  (host) => HOSTS[host].settingsVariable ?? [],
);

/** The variables that every event carries, if they are set. */
export const CARRIED_VARIABLES: readonly string[] = [
  ...new Set([
    ...COMMON_VARIABLES,
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    ...PROJECT_VARIABLES,
    ...SETTINGS_VARIABLES,
    ...HOST_NAMES.flatMap((host) => {
      const { agentVariables, commandVariables, hookVariables = [] } = HOSTS[host];
      return [...agentVariables, ...commandVariables, ...hookVariables];
    }),
    ...Object.values(TRACE_VARIABLES),
  ]),
];

/** Those of them that mean the same at each event of a session; the others are set for one event. */
export const SESSION_VARIABLES: readonly string[] = CARRIED_VARIABLES.filter(
  (name) => !["CLAUDE_ENV_FILE", ...Object.values<string>(TRACE_VARIABLES)].includes(name),
);

/** The coding agent whose tool has started a process with this environment, and the variable that reveals it. */
export function agentAround(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly agent: AgentName; readonly variable: string } | undefined {
  for (const agent of AGENT_NAMES) {
    const { agentVariables } = AGENTS[agent];
    const variable = agentVariables.find((name) => (environment[name] ?? "") !== "");
    if (variable !== undefined) return { agent, variable };
  }
  return undefined;
}

/** An environment without the variables that reveal an agent's tool. */
export function withoutAgents(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(HOST_NAMES.flatMap((host) => HOSTS[host].agentVariables));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}

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
