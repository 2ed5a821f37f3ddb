import { codeOf, orUndefined } from "../../core/index.ts";
import { readFileSync, readlinkSync } from "node:fs";

/** Identifies a process, even if its number is reused later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start time as the system counts it; undefined where the system does not tell. */
  readonly started: string | undefined;
  /** The scope of its number: a boot of a machine, and a container there. */
  readonly space: string | undefined;
}

/** Identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid), space: ownSpace() };
}

/**
 * Whether a process still runs; undefined when this one cannot tell.
 * @param self the identity of this process
 */
export function isRunning(
  { pid, started, space }: ProcessIdentity,
  self: ProcessIdentity,
): boolean | undefined {
  if (space !== self.space) return undefined;
  if (!isAlive(pid)) return false;
  const now = startOf(pid);
  return started === undefined || now === undefined ? undefined : now === started;
}

/** Whether a process with that number exists. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** The start time of a process, in ticks since that of the system; `over` if it ended and was not waited for. */
export function startOf(pid: number): string | undefined {
  const [state, ...fields] = statOf(pid);
  return /[ZX]/.test(state ?? "") ? "over" : fields[18];
}

/** What the system says of a process, from its state on; empty when it says nothing. */
export function statOf(pid: number): string[] {
  // The name of the program is in parentheses, and can hold any other.
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
}

function ownSpace(): string | undefined {
  return orUndefined(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  });
}
