import type { InstallContext } from "../agents/index.ts";
import { AGENT_NAMES, type AgentName } from "../core/index.ts";
import { AGENTS } from "../formats/index.ts";
import { defaultUserDir, programOnPath } from "../machine/index.ts";
import { hasUserFolder, installAround } from "./install-options.ts";

/** The name of an agent in texts. */
export function labelOf(agent: AgentName): string {
  return AGENTS[agent].label;
}

/**
 * The user's own settings, and as the project the folder of the user's own configuration: no other one is looked at.
 */
export function ownAround(): InstallContext {
  const around = installAround();
  return { ...around, place: { ...around.place, project: defaultUserDir() } };
}

/** The agents with a folder of settings, or a program on the `PATH`. */
export function agentsHere({ place }: InstallContext): readonly AgentName[] {
  return AGENT_NAMES.filter(
    (agent) =>
      hasUserFolder(agent, place) ||
      programOnPath(AGENTS[agent].program, place.env["PATH"]) !== undefined,
  );
}
