import { Worker } from "node:worker_threads";

/** What a watchdog does about a blocked thread. */
export interface Watch {
  /** Delay before it starts watching, in milliseconds: until then this thread may block. */
  readonly afterMs: number;
  /**
   * `terminate` ends the JavaScript or WebAssembly that blocks the thread, as often as needed: code waiting for a timer
   * continues. `kill` ends the process unconditionally, also when the thread waits in a system call.
   */
  readonly by: "terminate" | "kill";
}

/** A thread that has not run its timers for this long is blocked, in milliseconds. */
const BLOCKED_MS = 200;
const BEAT_MS = 40;

/**
 * Watch this thread from another one: an endless loop keeps all timers of its own thread from firing. Starting it takes
 * some three milliseconds of this thread; it keeps no process alive.
 */
export function startWatchdog({ afterMs, by }: Watch): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  try {
    const workerData = { beats, afterMs, by, blockedMs: BLOCKED_MS, pid: process.pid };
    const worker = new Worker(LOOK, { eval: true, workerData, execArgv: [] });
    // If it cannot run, the thread is not watched.
    worker.on("error", () => undefined);
    worker.unref();
  } catch {
    return;
  }
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
}

/** Runs on the other thread. The inspector can reach into a blocked thread. */
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
