import { launchFind, launchParallel, launchXargs } from "./find-and-xargs.ts";
import { launchGit } from "./git.ts";
import type { NestedShell } from "./nested-shell.ts";
import { launchEval, launchShell, launchSource, launchSsh, SHELLS } from "./shells.ts";
import { launchWrapper } from "./wrapped-command.ts";
import { WRAPPERS } from "./wrappers.ts";

/** List what a program starts in turn, where it is one that does. */
export function recordCommand(entered: NestedShell): void {
  // Some file systems do not tell `SUDO` from `sudo`.
  const program = entered.program.toLowerCase();
  if (SHELLS.has(program)) return launchShell(entered);
  const own = LAUNCHERS.get(program);
  if (own) return own(entered);
  const wrapper = WRAPPERS.get(program);
  if (wrapper) launchWrapper(entered, wrapper);
  return undefined;
}

const LAUNCHERS: ReadonlyMap<string, (entered: NestedShell) => void> = new Map([
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
