import { codeOf } from "../core/index.ts";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";

// Imports no other module of orcs: the process of a hook finds its configuration before it loads anything else.

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

/** Also true for a file that cannot be examined: reading it reports why. */
export function exists(file: string): boolean {
  try {
    // Most do not exist, and throwing an error costs more than the lookup.
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return codeOf(error) !== "ENOTDIR";
  }
}
