import { existsSync } from "node:fs";
import { type InstallContext, pluginFolder, settingsFolder } from "../agents/index.ts";
import { AGENT_NAMES, type AgentName, isPluginAgent } from "../core/index.ts";
import { AGENTS } from "../formats/index.ts";
import { defaultUserDir, programOnPath } from "../machine/index.ts";
import { installAround } from "./install-options.ts";
import { selfCommand } from "./self-command.ts";

/** The name of an agent in texts. */
export function labelOf(agent: AgentName): string {
  return AGENTS[agent].label;
}

/**
 * The user's own settings, and as the project the folder of the user's own configuration: no other one is looked at.
 */
export function ownAround(): InstallContext {
  const around = installAround([selfCommand().script]);
  return { ...around, place: { ...around.place, project: defaultUserDir() } };
}

/** The agents with a folder of settings, or a program on the `PATH`. */
export function agentsHere({ place }: InstallContext): readonly AgentName[] {
  return AGENT_NAMES.filter((agent) => {
    const folder = isPluginAgent(agent)
      ? pluginFolder(agent, "user", place)
      : settingsFolder(agent, "user", place);
    return (
      existsSync(folder) || programOnPath(AGENTS[agent].program, place.env["PATH"]) !== undefined
    );
  });
}
