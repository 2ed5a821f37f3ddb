import { dirname } from "node:path";
import { isPathInside } from "../config/path-inside.ts";
import { OrcsError } from "../core/errors.ts";
import { realpath } from "../files/real-path.ts";
import { userStateDir } from "../files/user-folders.ts";

/**
 * Whether a test may be written there: not into a package, whose next version drops it, and not below the state folder,
 * where the sealed sets are. Links are followed.
 * @throws OrcsError ORCS8007
 */
export function expectTestFolder(file: string): void {
  const folder = realpath(dirname(file));
  const isState = isPathInside(realpath(userStateDir()), folder);
  if (!isState && !/[/\\]node_modules([/\\]|$)/.test(folder)) return;
  const where = isState ? "the state folder of orcs" : "a package";
  throw new OrcsError("ORCS8007", `no test is written into ${where}: ${folder}`, { path: folder });
}
