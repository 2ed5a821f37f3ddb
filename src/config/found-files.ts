import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

// Imports nothing of ours: the process of a hook looks for its configuration before it loads anything else.

export const CONFIG_NAME = "orcs.toml";
export const LOCAL_NAME = "orcs.local.toml";

/** Where the user's own `orcs.toml` is looked for. */
export function defaultUserDir(): string {
  return join(userFolder("XDG_CONFIG_HOME", ".config"), "orcs");
}

/**
 * A folder of the user's, absolute whatever the environment says: what is relative would be looked for in the
 * project, and the XDG specification has it ignored.
 * @param variable that names it
 * @param otherwise where it is from the home directory
 */
export function userFolder(variable: string, otherwise: string): string {
  const xdg = process.env[variable];
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeDirectory(), otherwise);
}

/** The nearest `orcs.toml`, from a directory upwards. */
export function nearestConfig(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const file = join(dir, CONFIG_NAME);
    if (exists(file)) return file;
    if (dirname(dir) === dir) return undefined;
  }
}

/** Also true for what is there but cannot be looked at: reading it will say why. */
export function exists(file: string): boolean {
  try {
    // Most are not there, and an error would cost more than the look.
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOTDIR");
  }
}

/** Who has no home has the root directory, where nobody else puts anything. */
function homeDirectory(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : "/";
  } catch {
    return "/";
  }
}
