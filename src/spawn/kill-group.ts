/**
 * Kill a process and everything it started that is still in its group, at once and not to be refused.
 * A process that made itself a session of its own (`setsid`) is out of reach.
 *
 * @param leader its process id, started with `detached`, so that it is the group's id as well
 */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // ESRCH: none is left. EPERM (macOS): all that are left are dead already.
  }
}
