import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** The processes that one owner has running, so that it can end them all when it closes. */
export class ProcessSet {
  readonly #kills = new Set<() => void>();
  #closed = false;

  /** How many are running. */
  get size(): number {
    return this.#kills.size;
  }

  /** Once closed, nothing starts in it any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Take a running process in.
   * @param kill ends it with all that it started
   * @returns takes it out again
   */
  add(kill: () => void): () => void {
    this.#kills.add(kill);
    return () => void this.#kills.delete(kill);
  }

  /** Kill what is running; their runs end as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const kill of this.#kills) kill();
  }
}

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

/**
 * Start a process that outlives this one, with nothing on its stdin; what it writes goes to the end of a
 * file. Whether it comes up is not awaited, and what keeps it from starting is no concern of the caller's.
 */
export function startDetached(
  file: string,
  args: readonly string[],
  cwd: string,
  log: string,
): void {
  try {
    const out = openSync(log, "a", 0o600);
    const child = spawn(file, args, { cwd, detached: true, stdio: ["ignore", out, out] });
    child.on("error", () => undefined);
    child.unref();
    closeSync(out);
  } catch {
    // The next call will be as slow as this one.
  }
}
