import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

/** A running process. */
export interface ProcessState {
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

type Found = ProcessState & { readonly parent: number };

function fromProc(pid: number): Found | undefined {
  try {
    // The name of the program is in parentheses, and can hold any other.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    return { parent, args, hasTerminal: isTerminal(pid, 0) && isTerminal(pid, 1) };
  } catch {
    return undefined;
  }
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(?:pts\/|tty|console)/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}

function fromPs(pid: number): Found | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const fields = ["ppid=", "tty=", "args="].flatMap((field) => ["-o", field]);
    const text = execFileSync("ps", [...fields, "-p", String(pid)], {
      encoding: "utf8",
      timeout: 1000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [parent, tty = "", ...args] = text.trim().split(/\s+/);
    return { parent: Number(parent), args, hasTerminal: !tty.startsWith("?") };
  } catch {
    return undefined;
  }
}
