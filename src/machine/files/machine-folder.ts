import { codeOf } from "../../core/index.ts";
import { lstatSync } from "node:fs";
import { join } from "node:path";

// Loaded by the process of every hook: it must stay light.

/**
 * The folder of the machine's `orcs.toml`. It is fixed: a variable that moves it could be set by those whom it is for.
 * @param platform default: that of this process
 * @returns undefined on Windows, where the owner of a file is not known without another program
 */
export function machineFolder(platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === "win32") return undefined;
  return platform === "darwin" ? "/Library/Application Support/orcs" : "/etc/orcs";
}

/** The file of the machine's configuration, which may not exist. @param folder default: that of this machine */
export function machineFile(folder = machineFolder()): string | undefined {
  return folder && join(folder, "orcs.toml");
}

/** Whether a machine has a configuration: also one that cannot be read. */
export function hasMachineFile(file = machineFile()): boolean {
  if (file === undefined) return false;
  try {
    // A link to nothing is a configuration that is lost, not none.
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    return codeOf(thrown) !== "ENOTDIR";
  }
}
