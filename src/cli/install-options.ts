import { existsSync } from "node:fs";
import { Option } from "commander";
import { OrcsError } from "../core/errors.ts";
import { HOST_NAMES, PLUGIN_AGENT_NAMES } from "../core/hosts.ts";
import type { AgentName } from "../core/hosts.ts";
import { userStateDir } from "../machine/files/user-folders.ts";
import { readHttpEndpoint, httpEndpointFile } from "../agents/http-endpoint.ts";
import { placeHere, settingsFolder } from "../agents/install/settings-places.ts";
import type { OwnScope, SettingsPlace } from "../agents/install/settings-places.ts";
import { machineRecordsFolder, recordsFolder } from "../agents/install/install-record.ts";
import type { InstallContext } from "../agents/install/plan.ts";
import { pluginFolder } from "../agents/install/plugin-file.ts";

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
