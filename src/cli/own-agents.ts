import { existsSync } from "node:fs";
import { type InstallContext, pluginFolder, settingsFolder } from "../agents/index.ts";
import { type AgentName, HOST_NAMES, isPluginAgent, PLUGIN_AGENT_NAMES } from "../core/index.ts";
import { HOSTS, PLUGIN_AGENTS } from "../formats/index.ts";
import { defaultUserDir, programOnPath } from "../machine/index.ts";
import { installAround } from "./install-options.ts";
import { selfCommand } from "./self-command.ts";

/** All agents in which orcs can be installed. */
export const ALL_AGENTS: readonly AgentName[] = [...HOST_NAMES, ...PLUGIN_AGENT_NAMES];

/** The name of an agent in texts. */
export function labelOf(agent: AgentName): string {
  return (isPluginAgent(agent) ? PLUGIN_AGENTS[agent] : HOSTS[agent]).label;
}

/** The user's own settings, and as the project the folder of the user's own configuration: no other one is looked at. */
export function ownAround(): InstallContext {
  const around = installAround([selfCommand().script]);
  return { ...around, place: { ...around.place, project: defaultUserDir() } };
}

/** The agents with a folder of settings, or a program on the `PATH`. */
export function agentsHere({ place }: InstallContext): readonly AgentName[] {
  return ALL_AGENTS.filter((agent) => {
    const folder = isPluginAgent(agent)
      ? pluginFolder(agent, "user", place)
      : settingsFolder(agent, "user", place);
    const { program } = isPluginAgent(agent) ? PLUGIN_AGENTS[agent] : HOSTS[agent];
    return existsSync(folder) || programOnPath(program, place.env["PATH"]) !== undefined;
  });
}
