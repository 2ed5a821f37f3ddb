import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The same where its last parts do not exist: of those that do, the links are resolved. */
export function realpathSoFar(path: string): string {
  const real = realpath(path);
  const above = dirname(path);
  return real !== path || above === path ? real : join(realpathSoFar(above), basename(path));
}

/** A path with its links resolved, or as it is when it does not exist. */
export function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
