import { homedir } from "node:os";
import type { EffectReader, ShellReader } from "../../core/index.ts";
import { createEffectReader } from "../../guards/index.ts";
import { createFileReader } from "../../machine/index.ts";
import { createShellReader } from "../../matching/index.ts";

/**
 * The shell reader of an engine. `~` is the home directory of the current user, if there is one.
 * @param root base of relative directories
 */
export function shellReader(root: string): ShellReader {
  return effectReader(root).shell;
}

/** The same, with the effects of any call. */
export function effectReader(root: string): EffectReader {
  const shell = createShellReader({ home: home(), root });
  return createEffectReader(shell, root, { files: createFileReader() });
}

function home(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // The user has no passwd entry, and `HOME` is not set.
    return undefined;
  }
}
