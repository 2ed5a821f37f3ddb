import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import { HOSTS } from "../../protocols/hosts.ts";

/** Whose settings: one person's in all projects, or everybody's in one project. */
export type Scope = "user" | "project";

export const SCOPES: readonly Scope[] = ["user", "project"];

/** The variable in which an agent finds the token of the HTTP side. */
export const TOKEN_VARIABLE = "ORCS_HTTP_TOKEN";

/** Where settings are searched. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project, absolute. */
  readonly project: string;
}

/** The places of the current user's settings, and of the current project. */
export function placeHere(): SettingsPlace {
  return { env: process.env, home: homedir(), project: process.cwd() };
}

/** The folder of an agent's settings, absolute; it may not exist. */
export function settingsFolder(host: HostName, scope: Scope, place: SettingsPlace): string {
  const { folder, inProject, settingsVariable: variable } = HOSTS[host];
  if (scope === "project") return join(place.project, inProject?.folder ?? folder);
  const named = variable === undefined ? undefined : place.env[variable];
  return named === undefined || named === ""
    ? join(place.home, folder)
    : resolve(place.project, named);
}

/** The file in which hooks are installed, absolute; it may not exist. */
export function settingsPath(host: HostName, scope: Scope, place: SettingsPlace): string {
  return join(settingsFolder(host, scope, place), HOSTS[host].file);
}

/** All files that may contain hooks, absolute, that of `settingsPath` first; the others may not exist. */
export function settingsPaths(host: HostName, scope: Scope, place: SettingsPlace): string[] {
  const own = settingsPath(host, scope, place);
  const folder = settingsFolder(host, scope, place);
  const siblings = HOSTS[host].readsFolder ? jsonFilesIn(dirname(own)) : [];
  const others = otherNames(host, scope).map((name) => join(folder, name));
  return [...new Set([own, ...siblings, ...others])];
}

/** Names of the other files in a settings folder. */
export function otherNames(host: HostName, scope: Scope): readonly string[] {
  const { others, inProject } = HOSTS[host];
  return scope === "project" ? (inProject?.others ?? others) : others;
}

function jsonFilesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}
