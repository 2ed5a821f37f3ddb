/** What a watchdog does about a blocked thread. */
export interface Watch {
  /** Delay before it starts watching, in milliseconds: until then this thread may block. */
  readonly afterMs: number;
  /**
   * `terminate` ends the JavaScript or WebAssembly that blocks the thread, as often as needed: code waiting for a timer
   * continues. `kill` ends the process unconditionally, also when the thread waits in a system call.
   */
  readonly by: "terminate" | "kill";
  /**
   * The last resort of the watched thread, after this many milliseconds: what should have ended it may be terminated.
   */
  readonly last?: { readonly afterMs: number; readonly run: () => void };
}

/**
 * A thread is blocked when the process has used so much processor time since its timers last ran, in milliseconds. Not
 * by the clock: on a busy machine a thread that only waits for its turn would lose the answer that it is about to give.
 */
const BLOCKED_MS = 150;
const LOOK_MS = 200;
const BEAT_MS = 40;

/**
 * Watch this thread from another one: an endless loop keeps all timers of its own thread from firing. Starting it takes
 * some three milliseconds of this thread; it keeps no process alive.
 */
export function startWatchdog({ afterMs, by, last }: Watch): void {
  const isWatched = beatFor(LOOK, BEAT_MS, { afterMs, by, blockedMs: BLOCKED_MS });
  if (!isWatched || !last) return;
  // Node goes on counting a timer that is terminated, and its process does not end by itself. In two steps: after a
  // pause of the whole process, all timers are due at once, and what they began has a turn.
  const again = (): void => void setTimeout(last.run, LOOK_MS).unref();
  setTimeout(again, last.afterMs).unref();
}

/**
 * Watch this thread for good, and end the process if it blocks for longer than a limit. The other thread counts its own
 * looks, not the clock: a paused process has no turn to beat.
 * @returns sets the limit, in milliseconds
 */
export function endWhenBlocked(): (limitMs: number) => void {
  const limit = new Int32Array(new SharedArrayBuffer(4));
  beatFor(COUNT, LOOK_MS, { limit });
  return (limitMs) => void Atomics.store(limit, 0, Math.min(limitMs, 2 ** 31 - 1));
}

/** Start a thread, and show it that this one is alive. @returns false if it cannot run: nothing is watched then */
function beatFor(code: string, everyMs: number, data: object): boolean {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { beats, lookMs: LOOK_MS, pid: process.pid, ...data };
  try {
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const worker = new Worker(code, { eval: true, workerData, execArgv: [] });
    worker.on("error", () => undefined);
    worker.unref();
  } catch {
    return false;
  }
  setInterval(() => Atomics.add(beats, 0, 1), everyMs).unref();
  return true;
}

const COUNT = `
const { workerData: { beats, limit, lookMs, pid } } = require("node:worker_threads");
let seen, silent = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  const most = Atomics.load(limit, 0);
  silent = now === seen ? silent + lookMs : 0;
  seen = now;
  if (most > 0 && silent > most) process.kill(pid, "SIGKILL");
}, lookMs);
`;

/** Runs on the other thread. The inspector can reach into a blocked thread. */
const LOOK = `
const { workerData: { beats, afterMs, by, lookMs, blockedMs, pid } } = require("node:worker_threads");
let seen, used;
setTimeout(look, afterMs);
function look() {
  if (by === "kill") process.kill(pid, "SIGKILL");
  const now = Atomics.load(beats, 0);
  const { user, system } = process.cpuUsage();
  const usedNow = (user + system) / 1000;
  if (now !== seen) [seen, used] = [now, usedNow];
  else if (usedNow - used >= blockedMs) {
    used = usedNow;
    terminate();
  }
  setTimeout(look, lookMs);
}
function terminate() {
  const { Session } = require("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
}
`;
