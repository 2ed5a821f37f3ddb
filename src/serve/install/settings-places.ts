import { homedir } from "node:os";
import { join, resolve } from "node:path";
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
  const { folder, settingsVariable: variable } = HOSTS[host];
  if (scope === "project") return join(place.project, folder);
  const named = variable === undefined ? undefined : place.env[variable];
  return named === undefined || named === ""
    ? join(place.home, folder)
    : resolve(place.project, named);
}

/** The file in which hooks are installed, absolute; it may not exist. */
export function settingsPath(host: HostName, scope: Scope, place: SettingsPlace): string {
  return join(settingsFolder(host, scope, place), HOSTS[host].file);
}
