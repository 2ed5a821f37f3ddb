import { statSync } from "node:fs";
import { dirname, join } from "node:path";

// Imports nothing of ours: the process of a hook looks for its configuration before it loads anything else.

export const CONFIG_NAME = "orcs.toml";

export const LOCAL_NAME = "orcs.local.toml";

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
