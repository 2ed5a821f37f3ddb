import { basename, dirname, join, resolve } from "node:path";
import { CONFIG_NAME, exists } from "../discover.ts";
import { orUndefined } from "../../core/index.ts";
import { defaultUserDir, hasMachineFile, machineFolder, realIfThere } from "../../machine/index.ts";
import { projectOf } from "./project.ts";
import { NO_ENTRIES, TrustStore } from "./trust-store.ts";

// Loaded by the process of every hook: it must stay light.

/** Which configuration an engine would have, without reading it. */
export interface ConfigPlace {
  /** For `createOrcs`: undefined to discover it from the directory, false when there is none. */
  readonly config: string | false | undefined;
  /** Digest of the sealed copy that stands for `config`. */
  readonly seal?: string | undefined;
  /**
   * Directory of the explicit file, of the project's `orcs.toml`, the user's own or the machine's: an engine belongs to
   * it.
   */
  readonly directory: string;
  /** The `orcs.toml` of the project. The file may be gone if a trusted set stands for it. */
  readonly found: string | undefined;
  /** A folder between the working directory and the project, with a configuration that nobody has trusted. */
  readonly nearer?: string | undefined;
  /** Identifies an engine: the same for every directory of a project, however the path of a file was written. */
  readonly key: string;
}

/**
 * Find the configuration for a working directory.
 * @param config an explicit file, relative to `cwd`
 * @param seal digest of the sealed copy that stands for it
 */
export function configPlace(cwd: string, config: string | undefined, seal?: string): ConfigPlace {
  if (config !== undefined) {
    const place = named(resolve(cwd, config));
    return seal === undefined ? place : { ...place, seal, key: `${place.key}\n${seal}` };
  }
  const userDir = defaultUserDir();
  // Undefined for a store that cannot be used; the engine reports why.
  const entries = orUndefined(() => new TrustStore().all());
  const project = projectOf(cwd, userDir, entries ?? NO_ENTRIES);
  if (project) {
    const { directory, nearer } = project;
    const found = join(directory, CONFIG_NAME);
    const key = `found\n${directory}\n${userDir}`;
    return { config: undefined, directory, found, nearer, key };
  }
  const isUsed = exists(join(userDir, CONFIG_NAME)) || entries?.user.has(userDir) !== false;
  if (isUsed) {
    const directory = realIfThere(userDir);
    return { config: undefined, directory, found: undefined, key: `user\n${directory}` };
  }
  const machine = machineFolder();
  if (machine !== undefined && hasMachineFile()) {
    return { config: undefined, directory: realIfThere(machine), found: undefined, key: "machine" };
  }
  return { config: false, directory: realIfThere(cwd), found: undefined, key: "none" };
}

/** The target of a link does not count: scripts are searched beside the link. */
function named(file: string): ConfigPlace {
  const directory = realIfThere(dirname(file));
  const config = join(directory, basename(file));
  return { config, directory, found: undefined, key: `named\n${config}` };
}
