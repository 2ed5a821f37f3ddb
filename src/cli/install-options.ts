import { existsSync } from "node:fs";
import { Option } from "commander";
import { HOST_NAMES, OrcsError, PLUGIN_AGENT_NAMES } from "../core/index.ts";
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

/** An agent, or all agents found on this machine. */
export type HostChoice = AgentName | "all";

/** The agents in which orcs can be installed. */
export const INSTALLABLE: readonly AgentName[] = [...HOST_NAMES, ...PLUGIN_AGENT_NAMES];

export interface ScopeOptions {
  user?: boolean;
  project?: boolean;
  machine?: boolean;
}

export function hostOption(): Option {
  return new Option(
    "--host <name>",
    "the coding agent; all: every agent found on this machine",
  ).choices([...INSTALLABLE, "all"]);
}

/** `--user` and `--project`. @param otherwise description of the first */
export function scopeOptions(otherwise: string): Option[] {
  return [
    new Option("--user", `your own settings, which apply to every project; ${otherwise}`).conflicts(
      "project",
    ),
    new Option(
      "--project",
      "the project's settings in the working directory, which apply to everybody who works there",
    ),
  ];
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
  throw new OrcsError(
    "ORCS5001",
    `no coding agent was found: name one with --host: ${INSTALLABLE.join(", ")}`,
  );
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
