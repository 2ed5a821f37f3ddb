import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { openToAppend } from "../files/stored-file.ts";

/** The running processes of one owner, so that all can be ended when it closes. */
export class ProcessSet {
  readonly #kills = new Set<() => void>();
  #closed = false;

  /** Number of running processes. */
  get size(): number {
    return this.#kills.size;
  }

  /** Once closed, no process can be started in it. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Add a running process.
   * @param kill ends it with everything that it started
   * @returns removes it again
   */
  add(kill: () => void): () => void {
    this.#kills.add(kill);
    return () => void this.#kills.delete(kill);
  }

  /** Kill the running processes; their runs end as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const kill of this.#kills) kill();
  }
}

/**
 * Kill a process and everything it started that is still in its group. A process in a session of its own (`setsid`)
 * cannot be reached.
 * @param leader its process id, which is also the group's id because it was started with `detached`
 */
export function killGroup(leader: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: none is left. EPERM (macOS): all that are left are dead already.
  }
}

/**
 * Start a process with a file mode mask. The mask is one of the whole process, and a child has it from the moment that
 * it is started, so it is changed just for that. Threads cannot change it.
 */
export function withUmask<T>(umask: number | undefined, start: () => T): T {
  // Loaded when it is needed: most engines start no process with a mask of its own.
  const isMainThread = () => process.getBuiltinModule("node:worker_threads").isMainThread;
  if (umask === undefined || !isMainThread()) return start();
  const own = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}

/**
 * Start a process that outlives this one, without stdin; its output is appended to a file. Whether it starts
 * successfully is not awaited, and errors are ignored.
 */
export function startDetached(
  file: string,
  args: readonly string[],
  cwd: string,
  log: string,
  env: NodeJS.ProcessEnv,
): void {
  try {
    const out = openToAppend(log);
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", out, out] });
    child.on("error", () => undefined);
    child.unref();
    closeSync(out);
  } catch {
    // The next call will be as slow as this one.
  }
}
