import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { orUndefined } from "../../core/index.ts";

/** The user's default directory for the state of configurations, without `[paths] state`. */
export function userStateDir(from?: UserPlace): string {
  return (
    absolute(USER_FOLDERS.state, from?.env) ??
    join(userFolder("XDG_STATE_HOME", join(".local", "state"), from), "orcs")
  );
}

/** The user's folders of orcs: one for the configuration; one for state, trust and everything else. */
export interface UserFolders {
  /** Absolute. */
  readonly config: string;
  /** Absolute. */
  readonly state: string;
}

/** The folders as the environment sets them. @param from default: the user of this process */
export function userFolders(from?: UserPlace): UserFolders {
  return { config: defaultUserDir(from), state: userStateDir(from) };
}

/**
 * Use these folders in this process, its workers and its child processes, whatever the environment says: the folders in
 * an entry apply however its agent was started.
 */
export function pinUserFolders({ config, state }: UserFolders): void {
  process.env[USER_FOLDERS.config] = config;
  process.env[USER_FOLDERS.state] = state;
  for (const name of OTHER_PLACES) delete process.env[name];
}

/** Variables that would move state or the audit log. */
const OTHER_PLACES = ["ORCS_PATHS_STATE", "ORCS_PATHS_AUDIT", "ORCS_PATHS_SNAPSHOTS"];

/**
 * Variables for the user's folders of orcs, which override `XDG_*` and `HOME`. An installed entry names its folders,
 * and `orcs hook` passes them on in these variables.
 */
export const USER_FOLDERS = { config: "ORCS_CONFIG_HOME", state: "ORCS_STATE_HOME" } as const;

/** The folder of the user's own `orcs.toml`. */
export function defaultUserDir(from?: UserPlace): string {
  return (
    absolute(USER_FOLDERS.config, from?.env) ??
    join(userFolder("XDG_CONFIG_HOME", ".config", from), "orcs")
  );
}

/**
 * A folder of the user, always absolute: a relative one would be inside the project, and the XDG specification says to
 * ignore it.
 * @param variable that names it
 * @param otherwise default, relative to the home directory
 * @param from default: the user of this process
 */
export function userFolder(variable: string, otherwise: string, from?: UserPlace): string {
  return absolute(variable, from?.env) ?? join(from?.home ?? homeDirectory(), otherwise);
}

/** A user's environment and home directory. */
export interface UserPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The value of a variable, if it is an absolute path. */
export function absolute(
  variable: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** Without a home directory, the root directory is used, where no other user can write. */
function homeDirectory(): string {
  const home = orUndefined(homedir);
  return home !== undefined && isAbsolute(home) ? home : "/";
}
