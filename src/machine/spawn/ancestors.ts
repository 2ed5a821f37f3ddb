import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { orUndefined } from "../../core/index.ts";
import { startOf, statOf } from "../files/process-identity.ts";

/** A running process. */
interface ProcessState {
  readonly pid: number;
  /** The one that started it. */
  readonly parent: number;
  /** The program and its arguments. Outside Linux they are split at spaces. */
  readonly args: readonly string[];
  /** Whether it reads from a terminal and writes to one. Outside Linux: whether it belongs to one. */
  readonly hasTerminal: boolean;
}

/** More is not between an agent and its hook. */
const MOST = 8;

/**
 * A process and those that started it, the nearest first. It ends where nothing is known, for example on Windows.
 * @param pid of the first
 */
export function* ancestors(pid: number): Generator<ProcessState> {
  for (let left = MOST, next = pid; left > 0 && next > 1; left--) {
    const found = process.platform === "linux" ? fromProc(next) : fromPs(next);
    if (!found) return;
    yield found;
    next = found.parent;
  }
}

function fromProc(pid: number): ProcessState | undefined {
  return orUndefined(() => {
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    const hasTerminal = isTerminal(pid, 0) && isTerminal(pid, 1);
    return { pid, parent: Number(statOf(pid)[1]), args, hasTerminal };
  });
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(?:pts\/|tty|console)/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}

function fromPs(pid: number): ProcessState | undefined {
  if (process.platform === "win32") return undefined;
  return orUndefined(() => {
    const fields = ["ppid=", "tty=", "args="].flatMap((field) => ["-o", field]);
    const text = execFileSync("ps", [...fields, "-p", String(pid)], {
      encoding: "utf8",
      timeout: 1000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [parent, tty = "", ...args] = text.trim().split(/\s+/);
    return { pid, parent: Number(parent), args, hasTerminal: !tty.startsWith("?") };
  });
}

/** Programs between an agent and its hook. */
const SHELL = /(?:^|\/)-?(?:sh|bash|dash|zsh|fish|ksh|env|timeout)$/;

/**
 * The process that runs shells which run a process: its number and when it was started. Undefined outside Linux.
 * @param pid of the innermost
 */
export function agentProcess(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  for (const { pid: each, args } of ancestors(pid)) {
    const isBetween = SHELL.test(args[0] ?? "") || args[1]?.endsWith("/orcs-hook");
    if (!isBetween) return `${each} ${startOf(each)}`;
  }
  return undefined;
}

/** Whether a process of `agentProcess` still runs. */
export function agentIsRunning(identity: string): boolean {
  const [pid, started] = identity.split(" ");
  return started !== undefined && startOf(Number(pid)) === started;
}

/** How far times of processes are from those of this one. */
const CLOCK_MS = 30;
/** Ticks of `startOf` in a second: the same on every Linux that Node runs on. */
const TICKS = 100;

/**
 * Whether a process that an agent's tool started still runs: the agent sets one of these variables for it, and has none
 * of them itself. This process and those it started are none. False outside Linux.
 * @param agent from `agentProcess`
 * @param from times between which the process was started, in milliseconds since 1970
 */
export function hasStarted(
  agent: string,
  variables: readonly string[],
  from: number,
  to: number,
): boolean {
  if (process.platform !== "linux") return false;
  const isSet = (pid: string): boolean =>
    readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .some((text) => variables.some((name) => text.startsWith(`${name}=`) && text !== `${name}=`));
  const look = (): boolean => {
    // Exact to a tick, unlike the time of boot in /proc/stat.
    const boot = Date.now() - Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 1000;
    if (isSet(agent.split(" ")[0] ?? "")) return false;
    return readdirSync("/proc").some((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      const started = boot + (Number(startOf(Number(pid))) * 1000) / TICKS;
      const isThen = started >= from - CLOCK_MS && started <= to + CLOCK_MS;
      return isThen && orUndefined(() => isSet(pid)) === true && !isOwn(Number(pid));
    });
  };
  return orUndefined(look) ?? false;
}

/** Whether a process is this one, or was started by it. */
function isOwn(start: number): boolean {
  return [...ancestors(start)].some(({ pid }) => pid === process.pid);
}
