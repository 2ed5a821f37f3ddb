import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The directory of the user's in which a configuration's state is kept when `[paths] state` does not say. */
export function userStateDir(from?: UserPlace): string {
  const otherwise = (): string =>
    join(userFolder("XDG_STATE_HOME", join(".local", "state"), from), "orcs");
  return absolute(USER_FOLDERS.state, from?.env) ?? otherwise();
}

/** The user's folders of orcs: of the own configuration, and of state, trust and what else is kept. */
export interface UserFolders {
  /** Absolute. */
  readonly config: string;
  /** Absolute. */
  readonly state: string;
}

/** Where the environment says that they are. @param from default: this process's user */
export function userFolders(from?: UserPlace): UserFolders {
  return { config: defaultUserDir(from), state: userStateDir(from) };
}

/**
 * Use these folders in this process, its workers and the processes that it starts, whatever the environment says:
 * what an entry names holds however its agent was started.
 */
export function pinUserFolders({ config, state }: UserFolders): void {
  process.env[USER_FOLDERS.config] = config;
  process.env[USER_FOLDERS.state] = state;
  for (const name of OTHER_PLACES) delete process.env[name];
}

/** Variables that would put state or the audit log elsewhere. */
const OTHER_PLACES = ["ORCS_PATHS_STATE", "ORCS_PATHS_AUDIT", "ORCS_PATHS_SNAPSHOTS"];

/**
 * Variables that name the user's folders of orcs themselves, above `XDG_*` and `HOME`. An installed entry names its
 * folders, and `orcs hook` hands them on in these to all that it runs and starts.
 */
export const USER_FOLDERS = { config: "ORCS_CONFIG_HOME", state: "ORCS_STATE_HOME" } as const;

/** Where the user's own `orcs.toml` is looked for. */
export function defaultUserDir(from?: UserPlace): string {
  const otherwise = (): string => join(userFolder("XDG_CONFIG_HOME", ".config", from), "orcs");
  return absolute(USER_FOLDERS.config, from?.env) ?? otherwise();
}

/**
 * A folder of the user's, absolute whatever the environment says: what is relative would be looked for in the
 * project, and the XDG specification has it ignored.
 * @param variable that names it
 * @param otherwise where it is from the home directory
 * @param from default: this process's user
 */
export function userFolder(variable: string, otherwise: string, from?: UserPlace): string {
  return absolute(variable, from?.env) ?? join(from?.home ?? homeDirectory(), otherwise);
}

/** A user's environment and home directory. */
export interface UserPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** What a variable says where it is an absolute path. */
export function absolute(
  variable: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const said = env[variable];
  return said !== undefined && isAbsolute(said) ? said : undefined;
}

/** Without a home directory, the root directory is used, where no other user can write. */
function homeDirectory(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : "/";
  } catch {
    return "/";
  }
}
