import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import { HOSTS } from "../../protocols/hosts.ts";

/** Whose settings: those of one person everywhere, or of whoever works in a project. */
export type Scope = "user" | "project";

export const SCOPES: readonly Scope[] = ["user", "project"];

/** The variable in which a host finds the token of the HTTP side. */
export const TOKEN_VARIABLE = "ORCS_HTTP_TOKEN";

/** Where settings are looked for. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project, absolute. */
  readonly project: string;
}

/** Where the settings of this process's user are, and of the project that it was started in. */
export function placeHere(): SettingsPlace {
  return { env: process.env, home: homedir(), project: process.cwd() };
}

/** The folder of a host's settings, absolute; it need not be there. */
export function settingsFolder(host: HostName, scope: Scope, place: SettingsPlace): string {
  const { folder, settingsVariable: variable } = HOSTS[host];
  if (scope === "project") return join(place.project, folder);
  const named = variable === undefined ? undefined : place.env[variable];
  return named === undefined || named === ""
    ? join(place.home, folder)
    : resolve(place.project, named);
}

/** The file that hooks are installed in, absolute; it need not be there. */
export function settingsPath(host: HostName, scope: Scope, place: SettingsPlace): string {
  return join(settingsFolder(host, scope, place), HOSTS[host].file);
}
