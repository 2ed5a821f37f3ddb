import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileText, namesIn, OWN_MAIN, runtimeFolder, startDetached } from "../machine/index.ts";
import { withoutAgents } from "../formats/index.ts";
import type { ConfigPlace } from "../config/index.ts";
import type { ServiceAddress } from "./address.ts";
import { isServed } from "./service/socket-ownership.ts";

/** Start a service in the background, which ends when it has been idle; its output goes to a log. */
export function startService(place: ConfigPlace, { log }: ServiceAddress): void {
  const named = typeof place.config === "string" ? ["--config", place.config] : [];
  if (place.seal !== undefined) named.push("--seal", place.seal);
  const args = [OWN_MAIN, "serve", "--background", ...named];
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
  return endService(file, "SIGKILL");
}

/** End all services of this user; the next event starts one again. */
export function endServices(): void {
  const folder = runtimeFolder();
  const names = namesIn(folder).filter((name) => name.endsWith(".pid"));
  for (const name of names) endService(join(folder, name), "SIGTERM");
}

function endService(file: string, signal: "SIGKILL" | "SIGTERM"): boolean {
  try {
    const pid = Number(fileText(file));
    if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) return false;
    if (!isService(pid)) return false;
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Remove the socket of bin/orcs-hook that a killed service has left. Where only nc is there to ask with, and another
 * program has the pid by now, every event would be taken for lost.
 */
export async function forgetDeadService({ socket, entry }: ServiceAddress): Promise<void> {
  if (!(await isServed(socket))) rmSync(entry, { force: true });
}

function isService(pid: number): boolean {
  let words: string[];
  try {
    words = fileText(`/proc/${pid}/cmdline`).split("\0");
  } catch {
    // No `/proc`: the service had connected a moment ago.
    return process.platform !== "linux";
  }
  return words.includes("serve");
}
