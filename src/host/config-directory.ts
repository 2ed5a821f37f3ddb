import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  CONFIG_NAME,
  defaultUserDir,
  exists,
  nearestConfig,
  userFolder,
} from "../config/found-files.ts";

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
export function userStateDir(): string {
  return join(userFolder("XDG_STATE_HOME", join(".local", "state")), "orcs");
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
