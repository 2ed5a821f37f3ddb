import { namesIn } from "../../machine/index.ts";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { HostName } from "../../core/index.ts";
import { HOSTS } from "../../formats/index.ts";

/** Whose settings: one person's in all projects, or everybody's in one project. */
export type OwnScope = "user" | "project";

/** The same, or everybody's on one machine. */
export type Scope = OwnScope | "machine";

export const SCOPES: readonly OwnScope[] = ["user", "project"];

/** The variable in which an agent finds the token of the HTTP side. */
export const TOKEN_VARIABLE = "ORCS_HTTP_TOKEN";

/** Where settings are searched. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project, absolute. */
  readonly project: string;
  /** The machine. Default: this one. */
  readonly machine?: Machine | undefined;
}

/** A machine, as far as settings for all its users are concerned. */
export interface Machine {
  /** The folder that contains all its files. */
  readonly root: string;
  /** The id of its administrator. */
  readonly owner: number;
  readonly platform: NodeJS.Platform;
}

/** The machine of a place. */
export function machineOf({ machine }: Pick<SettingsPlace, "machine">): Machine {
  return machine ?? { root: "/", owner: 0, platform: process.platform };
}

/** The places of the current user's settings, and of the current project. */
export function placeHere(): SettingsPlace {
  return { env: process.env, home: homedir(), project: process.cwd() };
}

/** The folder of an agent's settings, absolute; it may not exist. */
export function settingsFolder(host: HostName, scope: OwnScope, place: SettingsPlace): string {
  const { folder, inProject, settingsVariable: variable } = HOSTS[host];
  if (scope === "project") return join(place.project, inProject?.folder ?? folder);
  const named = variable === undefined ? undefined : place.env[variable];
  return named === undefined || named === ""
    ? join(place.home, folder)
    : resolve(place.project, named);
}

/** The file in which hooks are installed, absolute; it may not exist. */
export function settingsPath(host: HostName, scope: OwnScope, place: SettingsPlace): string {
  return join(settingsFolder(host, scope, place), HOSTS[host].file);
}

/** The file in which hooks are installed for all users; undefined if the agent has none here. */
export function machineSettingsPath(host: HostName, place: SettingsPlace): string | undefined {
  return machineSettingsPaths(host, place)[0];
}

/** All files that may contain hooks, absolute, the one in which they are installed first; the others may not exist. */
export function settingsPaths(host: HostName, scope: Scope, place: SettingsPlace): string[] {
  if (scope === "machine") return machineSettingsPaths(host, place);
  const own = settingsPath(host, scope, place);
  const folder = settingsFolder(host, scope, place);
  const siblings = HOSTS[host].readsFolder ? jsonFilesIn(dirname(own)) : [];
  const others = otherNames(host, scope).map((name) => join(folder, name));
  return [...new Set([own, ...siblings, ...others])];
}

function machineSettingsPaths(host: HostName, place: SettingsPlace): string[] {
  const { root, platform } = machineOf(place);
  const { machine } = HOSTS[host];
  if (!machine || (platform !== "linux" && platform !== "darwin")) return [];
  const folder = join(root, machine.folder[platform]);
  const own = join(folder, machine.file);
  const siblings = dirname(own) === folder ? [] : jsonFilesIn(dirname(own));
  return [...new Set([own, ...siblings, ...machine.others.map((name) => join(folder, name))])];
}

/** Names of the other files in a settings folder. */
export function otherNames(host: HostName, scope: OwnScope): readonly string[] {
  const { others, inProject } = HOSTS[host];
  return scope === "project" ? (inProject?.others ?? others) : others;
}

function jsonFilesIn(folder: string): string[] {
  const names = namesIn(folder).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => join(folder, name));
}
