import type { Entered } from "./entered.ts";
import { launchFind } from "./find-commands.ts";
import { launchGit } from "./git-commands.ts";
import { launchParallel } from "./parallel-commands.ts";
import { launchEval, launchShell, launchSource, SHELLS } from "./shell-programs.ts";
import { launchSsh } from "./ssh-command.ts";
import { launchWrapper } from "./wrapped-command.ts";
import { WRAPPERS } from "./wrappers.ts";
import { launchXargs } from "./xargs-command.ts";

/** List what a program starts in turn, where it is one that does. */
export function launch(entered: Entered): void {
  // Some file systems do not tell `SUDO` from `sudo`.
  const program = entered.program.toLowerCase();
  if (SHELLS.has(program)) return launchShell(entered);
  const own = LAUNCHERS.get(program);
  if (own) return own(entered);
  const wrapper = WRAPPERS.get(program);
  if (wrapper) launchWrapper(entered, wrapper);
  return undefined;
}

const LAUNCHERS: ReadonlyMap<string, (entered: Entered) => void> = new Map([
  ["eval", launchEval],
  [".", launchSource],
  ["source", launchSource],
  ["find", launchFind],
  ["gfind", launchFind],
  ["fd", launchFind],
  ["fdfind", launchFind],
  ["git", launchGit],
  ["parallel", launchParallel],
  ["ssh", launchSsh],
  ["autossh", launchSsh],
  ["mosh", launchSsh],
  ["xargs", launchXargs],
  ["gxargs", launchXargs],
]);
