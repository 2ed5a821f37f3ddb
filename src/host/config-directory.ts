import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  absolute,
  CONFIG_NAME,
  defaultUserDir,
  exists,
  nearestConfig,
  USER_FOLDERS,
  userFolder,
} from "../config/found-files.ts";
import type { UserPlace } from "../config/found-files.ts";

/** Which configuration an engine would have, without reading it. */
export interface ConfigPlace {
  /** For `createOrcs`: undefined when it is to be found from the directory, false when there is none. */
  readonly config: string | false | undefined;
  /** Directory of the file named, of the project's `orcs.toml`, or of the user's own: what an engine belongs to. */
  readonly directory: string;
  /** The project's `orcs.toml` that was found. */
  readonly found: string | undefined;
  /** Tells engines apart: the same for every directory of one project, and however a file was written. */
  readonly key: string;
}

/**
 * Find the configuration for a working directory.
 * @param config a file that was named, relative to `cwd`
 */
export function configPlace(cwd: string, config: string | undefined): ConfigPlace {
  if (config !== undefined) return named(resolve(cwd, config));
  const userDir = defaultUserDir();
  const found = nearestConfig(real(cwd));
  const user = join(userDir, CONFIG_NAME);
  if (found !== undefined && real(found) !== real(user)) {
    const directory = dirname(found);
    return { config: undefined, directory, found, key: `found\n${directory}\n${userDir}` };
  }
  if (exists(user)) return named(user);
  return { config: false, directory: real(cwd), found: undefined, key: "none" };
}

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

/** Where the environment says that they are. */
export function userFolders(): UserFolders {
  return { config: defaultUserDir(), state: userStateDir() };
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
 * What a service is known by, and those who ask it: the configuration, and the folder in which it is kept what the
 * user trusts.
 */
export function serviceKey({ key }: Pick<ConfigPlace, "key">): string {
  return `${key}\n${userStateDir()}`;
}

/** What a link that is the file itself points at does not count: its scripts are looked for beside the link. */
function named(file: string): ConfigPlace {
  const directory = real(dirname(file));
  const config = join(directory, basename(file));
  return { config, directory, found: undefined, key: `named\n${config}` };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
