import { homedir } from "node:os";
import type { ShellReader } from "../../core/index.ts";
import { createShellReader } from "../../matching/index.ts";

/**
 * The shell reader of an engine. `~` is the home directory of the current user, if there is one.
 * @param root base of relative directories
 */
export function shellReader(root: string): ShellReader {
  return createShellReader({ home: home(), root });
}

function home(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // The user has no passwd entry, and `HOME` is not set.
    return undefined;
  }
}
