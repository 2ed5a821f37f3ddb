import { realpathSync } from "node:fs";

/** A path with its links resolved, or as it is when it does not exist. */
export function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
