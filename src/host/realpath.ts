import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** An absolute path with its links resolved, as far as it exists: what is gone is named below what is left. */
export function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realpath(folder), basename(path));
  }
}
