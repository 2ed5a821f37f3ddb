import { existsSync } from "node:fs";
import { AGENT_NAMES, HOST_NAMES, OrcsError, PLUGIN_AGENT_NAMES } from "../core/index.ts";
import type { AgentName } from "../core/index.ts";
import { userStateDir } from "../machine/index.ts";
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
import { flag, value } from "./verb-command.ts";

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
  const found = [
    ...HOST_NAMES.filter((name) => existsSync(settingsFolder(name, "user", place))),
    ...PLUGIN_AGENT_NAMES.filter((name) => existsSync(pluginFolder(name, "user", place))),
  ];
  if (found.length > 0) return found;
  const why = `no coding agent was found: name one with --host: ${AGENT_NAMES.join(", ")}`;
  throw new OrcsError("ORCS5001", why);
}

/** The context of an installation. @param programs other commands that start orcs */
export function installAround(
  programs: readonly string[],
  { machine = false }: ScopeOptions = {},
): InstallContext {
  const place = placeHere();
  if (machine) return { place, records: machineRecordsFolder(place), programs };
  const http = readHttpEndpoint(httpEndpointFile(userStateDir(place)));
  return { place, records: recordsFolder(place), programs, http };
}
