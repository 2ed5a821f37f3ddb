import { existsSync } from "node:fs";
import { AGENT_NAMES, type AgentName, OrcsError, isPluginAgent } from "../core/index.ts";
import { defaultUserDir, programOnPath, userStateDir } from "../machine/index.ts";
import {
  httpEndpointFile,
  machineRecordsFolder,
  placeHere,
  pluginFolder,
  readHttpEndpoint,
  recordsFolder,
  settingsFolder,
} from "../agents/index.ts";
import type { InstallContext, OwnScope, SettingsPlace } from "../agents/index.ts";
import { selfCommand } from "./self-command.ts";
import { flag, value } from "./verb-command.ts";
import { AGENTS } from "../formats/index.ts";

/** An agent, or all agents found on this machine. */
export type HostChoice = AgentName | "all";

/** Which settings a verb is about. */
export interface ScopeOptions {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly machine?: boolean;
}

/** Needed, unless another option stands for it. */
export const HOST = value("<name>", "the coding agent; all: every agent found on this machine", {
  choices: [...AGENT_NAMES, "all"] as readonly HostChoice[],
});

/** The agent of a verb. @throws OrcsError ORCS5001 when none is named */
export function neededHost(verb: string, host: HostChoice | undefined): HostChoice {
  if (host !== undefined) return host;
  const why = `${verb} needs --host, one of ${[...AGENT_NAMES, "all"].join(", ")}`;
  throw new OrcsError("ORCS5001", why);
}

/**
 * `--user`, `--project` and `--machine`.
 * @param otherwise description of the first
 * @param conflicts options that have no meaning with the last
 */
export function scopeOptions(otherwise: string, conflicts: readonly string[]) {
  return {
    user: flag(`your own settings, which apply to every project; ${otherwise}`, {
      conflicts: ["project"],
    }),
    project: flag(
      "the project's settings in the working directory, which apply to everybody who works there",
    ),
    machine: flag(
      "the settings of this machine, which apply to all its users; only root can change them",
      { conflicts: ["user", "project", ...conflicts] },
    ),
  };
}

export function scopeOf({ user = false, project = false }: ScopeOptions): OwnScope | undefined {
  if (user) return "user";
  return project ? "project" : undefined;
}

/** @throws OrcsError ORCS5001 when `all` finds none */
export function hostsOf(host: HostChoice, place: SettingsPlace): readonly AgentName[] {
  if (host !== "all") return [host];
  const found = AGENT_NAMES.filter((name) => hasUserFolder(name, place));
  if (found.length > 0) return found;
  const why = `no coding agent was found: name one with --host: ${AGENT_NAMES.join(", ")}`;
  throw new OrcsError("ORCS5001", why);
}

/** Whether an agent has a folder of settings of the user. */
function hasUserFolder(agent: AgentName, place: SettingsPlace): boolean {
  return existsSync(
    isPluginAgent(agent)
      ? pluginFolder(agent, "user", place)
      : settingsFolder(agent, "user", place),
  );
}

/** The context of an installation. @param command another one that starts orcs */
export function installAround(
  { machine = false }: ScopeOptions = {},
  command?: string,
): InstallContext {
  const place = placeHere();
  const { script } = selfCommand();
  const programs = command === undefined ? [script] : [script, command];
  if (machine) return { place, records: machineRecordsFolder(place), programs };
  const http = readHttpEndpoint(httpEndpointFile(userStateDir(place)));
  return { place, records: recordsFolder(place), programs, http };
}

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
