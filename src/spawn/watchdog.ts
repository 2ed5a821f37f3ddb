import { Worker } from "node:worker_threads";

/** What a watchdog does about a thread that is blocked. */
export interface Watch {
  /** Begins to look after so many milliseconds: until then this thread may take as long as it likes. */
  readonly afterMs: number;
  /**
   * `terminate` ends the JavaScript or WebAssembly that blocks the thread, as often as need be: what waits for a
   * timer goes on. `kill` ends the process, also where the thread waits for the system, and does so without looking.
   */
  readonly by: "terminate" | "kill";
}

/** A thread that has not come to its timers for so long is blocked, in milliseconds. */
const BLOCKED_MS = 200;
const BEAT_MS = 40;

/**
 * Watch this thread from another one: a loop that never waits keeps every timer of its own thread from firing. To
 * start it takes this thread some three milliseconds; it keeps no process alive.
 */
export function startWatchdog({ afterMs, by }: Watch): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  try {
    const workerData = { beats, afterMs, by, blockedMs: BLOCKED_MS, pid: process.pid };
    const worker = new Worker(LOOK, { eval: true, workerData, execArgv: [] });
    // Where it cannot run, nothing is watched, as without it.
    worker.on("error", () => undefined);
    worker.unref();
  } catch {
    return;
  }
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
}

/** Runs on the other thread. The inspector is what reaches into a thread that is blocked. */
const LOOK = `
const { workerData: { beats, afterMs, by, blockedMs, pid } } = require("node:worker_threads");
let seen = -1;
setTimeout(look, afterMs);
function look() {
  if (by === "kill") process.kill(pid, "SIGKILL");
  const now = Atomics.load(beats, 0);
  if (now === seen) terminate();
  seen = now;
  setTimeout(look, blockedMs);
}
function terminate() {
  const { Session } = require("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
}
`;
