import { readFileSync } from "node:fs";

/** What newer versions of Node have besides. */
interface WithThreadUsage {
  threadCpuUsage?(): NodeJS.CpuUsage;
}

/**
 * Milliseconds of processor time that this thread has used so far: only differences mean anything. Where nobody says
 * that of a thread it is that of the process, which is more. Takes some microseconds, and is not for the usual case.
 */
export function threadCpuMs(): number {
  const own = cpuMsIn("/proc/thread-self/schedstat");
  if (own !== undefined) return own;
  const usage = (process as WithThreadUsage).threadCpuUsage?.() ?? process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}

/**
 * Says which thread of the process this one is, for `cpuMsOf`; undefined where the system does not number them.
 */
export function threadId(): number | undefined {
  try {
    const [, id] = /^Pid:\s+(\d+)$/m.exec(readFileSync("/proc/thread-self/status", "latin1")) ?? [];
    return id === undefined ? undefined : Number(id);
  } catch {
    return undefined;
  }
}

/** Milliseconds of processor time that another thread of this process has used so far, where that is known. */
export function cpuMsOf(thread: number): number | undefined {
  return cpuMsIn(`/proc/self/task/${thread}/schedstat`);
}

/** The first number there is nanoseconds on a processor. */
function cpuMsIn(file: string): number | undefined {
  try {
    const nanoseconds = Number.parseInt(readFileSync(file, "latin1"), 10);
    return nanoseconds > 0 ? nanoseconds / 1e6 : undefined;
  } catch {
    return undefined;
  }
}
