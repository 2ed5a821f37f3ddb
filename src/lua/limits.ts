import { readFileSync } from "node:fs";
import type { LuaFrame } from "../core/diagnostic.ts";

/** Thrown through Lua when a script exceeds its time: an exception of the host, which no `pcall` catches. */
export class Overrun extends Error {
  override readonly name = "Overrun";
  /** The time that was spent, and what to do. */
  readonly spent: string;
  /** The active calls when it was thrown, if known. */
  traceback: readonly LuaFrame[] | undefined;

  constructor(message: string, spent = "") {
    super(message);
    this.spent = spent;
  }
}

/** The name of a limit, for messages. */
export interface LimitName {
  /** What happened. */
  readonly message: string;
  /** The setting of the limit. */
  readonly setting: string;
}

/** Host work between two checks of the clock, in units of about a tenth of a microsecond. */
const WORK_PER_LOOK = 1000;

/** Maximum wall clock time of a stretch, as a multiple of its limit, when others use the processors. */
const MOST_LIMITS = 20;

/**
 * Deadlines of a state. Two things check the clock: the VM's count hook, about every hundred instructions, and the
 * host, for its work on behalf of Lua, which the count hook does not see.
 * A busy machine must not make a healthy script fail: once the wall clock has passed the limit, the CPU time of the
 * thread is read, and the script may use up the limit again in CPU time from then on. In the usual case CPU time is
 * never read.
 */
export class LuaLimits {
  #deadline = Infinity;
  /** By the wall clock, whatever the CPU time. */
  #last = Infinity;
  /** CPU time that the script may use after the first reading, in milliseconds. */
  #ms = 0;
  /** The first reading of the CPU time. */
  #cpuFrom: number | undefined;
  /** Time that other threads have worked for the script. */
  #elsewhereMs = 0;
  #name: LimitName = { message: "", setting: "" };
  /** Start by the wall clock. */
  #began = 0;
  #work = 0;
  #looked = 0;

  /**
   * Let the state run for `ms` from `now`.
   * @param clock `wall` if somebody waits no longer than that
   */
  arm(now: number, ms: number, name: LimitName, clock: "processor" | "wall" = "processor"): void {
    this.#looked = this.#began = now;
    this.#deadline = now + ms;
    this.#last = clock === "wall" ? this.#deadline : now + ms * MOST_LIMITS;
    this.#ms = ms;
    this.#cpuFrom = undefined;
    this.#name = name;
  }

  disarm(): void {
    this.#deadline = Infinity;
  }

  /** The message of the exceeded limit, if any. */
  get passed(): string | undefined {
    return this.#isOver(performance.now()) ? this.#name.message : undefined;
  }

  /** Move the deadline: for this many milliseconds something other than the script was running. */
  extend(ms: number): void {
    this.#deadline += ms;
    this.#last += ms;
    this.#began += ms;
  }

  /** Another thread has worked this many milliseconds for the script. */
  charge(ms: number): void {
    this.#elsewhereMs += ms;
  }

  #usedMs(): number {
    return threadCpuMs() + this.#elsewhereMs;
  }

  #isOver(now: number): boolean {
    if (now <= this.#deadline) return false;
    if (now > this.#last) return true;
    const used = this.#usedMs();
    this.#cpuFrom ??= used;
    const left = this.#ms - (used - this.#cpuFrom);
    if (left <= 0) {
      this.#last = this.#deadline;
      return true;
    }
    // A thread cannot use more CPU time than wall clock time.
    this.#deadline = Math.min(now + left, this.#last);
    return false;
  }

  /**
   * Check the clock.
   * @returns milliseconds since the last check
   * @throws Overrun past the deadline
   */
  check(): number {
    const now = performance.now();
    if (this.#isOver(now)) throw new Overrun(this.#name.message, this.#spent(now));
    const passed = now - this.#looked;
    this.#looked = now;
    this.#work = 0;
    return passed;
  }

  #spent(now: number): string {
    const wall = `${Math.round(now - this.#began)} ms elapsed`;
    const from = this.#cpuFrom;
    const cpu =
      from === undefined
        ? ""
        : `, at least ${Math.round(this.#usedMs() - from)} ms of them CPU time`;
    return `${wall}${cpu}; shorten it or raise ${this.#name.setting}`;
  }

  /**
   * Count work of the host, one unit being about a tenth of a microsecond. Work whose amount a script controls must be
   * counted, or a loop of such calls would escape the count hook.
   * @throws Overrun past the deadline
   */
  spend(units: number): void {
    this.#work += units;
    if (this.#work >= WORK_PER_LOOK) this.check();
  }
}

/** The time that all Lua of a dispatch has used. */
export interface LuaSpent {
  /** Milliseconds, by the wall clock. */
  luaMs: number;
  /** CPU time when the limit was reached. */
  cpuFromMs?: number;
  /** Time that other threads have worked for it. */
  elsewhereMs?: number;
}

/**
 * Milliseconds that all Lua of a dispatch may still run; 0 or less when none. As with the limit of a script, once the
 * wall clock has passed it, CPU time counts from then on.
 */
export function chainLeftMs(spent: LuaSpent, maxChainMs: number): number {
  const left = maxChainMs - spent.luaMs;
  if (left > 0 || spent.luaMs >= maxChainMs * MOST_LIMITS) return left;
  const used = threadCpuMs() + (spent.elsewhereMs ?? 0);
  spent.cpuFromMs ??= used;
  return maxChainMs - (used - spent.cpuFromMs);
}

/** Factor of the time limit while a script is loaded. */
const LOAD = 10;

/**
 * How long a chunk of a script may run while it is loaded, in milliseconds. Scripts are often loaded when the machine
 * starts many things at once, and a guard that does not load denies everything. A reload during a dispatch counts for
 * all its hooks.
 */
export function loadLimitMs({ maxRunMs }: { readonly maxRunMs: number }): number {
  return maxRunMs * LOAD;
}

/** The limit of a stretch without waiting. */
export function stretchOverrun(maxRunMs: number): LimitName {
  const message = `it ran longer than ${maxRunMs} ms without waiting`;
  return { message, setting: "lua.max_run_ms" };
}

/** Maximum number of instructions between two checks of the clock. */
export const LOOK_EVERY = 100;
/** A stretch between two checks that took longer, or less, than these milliseconds changes the interval. */
const SLOW_MS = 1;
const QUICK_MS = 0.1;
/** Instructions times bytes in use: comparing two strings of megabytes is one instruction. */
const LOOK_EVERY_BYTES = 100 << 20;
/** Calls from C times bytes in use: a library function takes longer per byte than an instruction. */
export const CALL_EVERY_BYTES = 16 << 20;

/** How often the clock is checked: a single instruction can take as long as its operands are large. */
export class LookRate {
  #every = LOOK_EVERY;

  /**
   * Instructions until the next check.
   * @param passed milliseconds since the last check
   * @param used bytes in use
   */
  next(passed: number, used: number): number {
    if (passed > SLOW_MS) {
      this.#every = Math.max(1, Math.floor(this.#every / Math.max(4, passed / SLOW_MS)));
    }
    if (passed < QUICK_MS && this.#every < LOOK_EVERY) this.#every++;
    return Math.max(1, Math.min(this.#every, Math.floor(LOOK_EVERY_BYTES / used)));
  }
}

/** An API of newer versions of Node. */
interface WithThreadUsage {
  threadCpuUsage?(): NodeJS.CpuUsage;
}

/**
 * CPU time of this thread in milliseconds; only differences are meaningful. Where the system does not report it per
 * thread, that of the process, which is more. Takes some microseconds, so it is not for the usual case.
 */
export function threadCpuMs(): number {
  const own = cpuMsIn("/proc/thread-self/schedstat");
  if (own !== undefined) return own;
  const usage = (process as WithThreadUsage).threadCpuUsage?.() ?? process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}

/** The system's id of this thread, for `cpuMsOf`; undefined where threads have none. */
export function threadId(): number | undefined {
  try {
    const [, id] = /^Pid:\s+(\d+)$/m.exec(readFileSync("/proc/thread-self/status", "latin1")) ?? [];
    return id === undefined ? undefined : Number(id);
  } catch {
    return undefined;
  }
}

/** CPU time of another thread of this process in milliseconds, if known. */
export function cpuMsOf(thread: number): number | undefined {
  return cpuMsIn(`/proc/self/task/${thread}/schedstat`);
}

/** The first number in the file is nanoseconds on a CPU. */
function cpuMsIn(file: string): number | undefined {
  try {
    const nanoseconds = Number.parseInt(readFileSync(file, "latin1"), 10);
    return nanoseconds > 0 ? nanoseconds / 1e6 : undefined;
  } catch {
    return undefined;
  }
}
