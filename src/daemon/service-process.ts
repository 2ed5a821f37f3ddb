import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  fileText,
  namesIn,
  OWN_MAIN,
  runtimeFolder,
  startDetached,
  textIfReadable,
} from "../machine/index.ts";
import { withoutAgents } from "../formats/index.ts";
import type { ConfigPlace } from "../config/index.ts";
import type { ServiceAddress } from "./address.ts";
import { isServed } from "./service/socket-ownership.ts";

/**
 * Flags of Node for a service, which is idle most of the time: two thirds of the memory, for the same time of an event.
 */
const LEAN = [
  "--optimize-for-size",
  "--max-semi-space-size=1",
  "--single-threaded-gc",
  "--v8-pool-size=1",
];

/** Start a service in the background, which ends when it has been idle; its output goes to a log. */
export function startService(place: ConfigPlace, { log }: ServiceAddress): void {
  const named = typeof place.config === "string" ? ["--config", place.config] : [];
  if (place.seal !== undefined) named.push("--seal", place.seal);
  const args = [...LEAN, OWN_MAIN, "serve", "--background", ...named];
  // It is not the agent's, although an event of the agent starts it.
  startDetached(process.execPath, args, place.directory, log, withoutAgents(process.env));
}

/**
 * End a service that accepts connections and does not respond: something blocks its thread, for example a module of a
 * project, and while it has the address nobody else is asked. The pid in its file may belong to another program by now,
 * which is left alone where the system tells what runs.
 * @returns whether it was signalled
 */
export function endBlockedService({ pid: file }: ServiceAddress): boolean {
  return endService(file, "SIGKILL") !== undefined;
}

/** End the services that events have started, and wait until they have ended; the next event starts one again. */
export async function endServices(): Promise<void> {
  const folder = runtimeFolder();
  const ending: number[] = [];
  for (const name of namesIn(folder).filter((each) => each.endsWith(".pid"))) {
    const file = join(folder, name);
    // The process of a pid file that was left may be another program's.
    if (!(await isServed(file.replace(/pid$/, "sock")))) continue;
    const pid = endService(file, "SIGTERM", "--background");
    if (pid !== undefined) ending.push(pid);
  }
  const until = performance.now() + ENDING_MS;
  while (ending.some((pid) => isThere(pid)) && performance.now() < until) await sleep(20);
}

/** A service gives its hooks less to end. */
const ENDING_MS = 10_000;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0) && isService(pid);
  } catch {
    return false;
  }
}

/** @returns the process that was signalled */
function endService(
  file: string,
  signal: "SIGKILL" | "SIGTERM",
  word?: string,
): number | undefined {
  try {
    const pid = Number(fileText(file));
    if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) return undefined;
    if (!isService(pid, word)) return undefined;
    process.kill(pid, signal);
    return pid;
  } catch {
    return undefined;
  }
}

/**
 * Remove the socket of bin/orcs-hook that a killed service has left. Where only nc is there to ask with, and another
 * program has the pid by now, every event would be taken for lost.
 */
export async function forgetDeadService({ socket, entry }: ServiceAddress): Promise<void> {
  if (!(await isServed(socket))) rmSync(entry, { force: true });
}

/** @param word of its command line */
function isService(pid: number, word = "serve"): boolean {
  const words = textIfReadable(`/proc/${pid}/cmdline`)?.split("\0");
  // No `/proc`: the service had connected a moment ago.
  return words?.includes(word) ?? process.platform !== "linux";
}
