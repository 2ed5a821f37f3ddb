import { join } from "node:path";
import type { UserPlace } from "../config/discover.ts";
import { absolute, defaultUserDir, USER_FOLDERS, userFolder } from "../config/discover.ts";

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
