import { readFileSync } from "node:fs";
import type { LuaFrame } from "../core/diagnostic.ts";

/** Thrown through Lua when a script runs too long: an exception of the host, which no `pcall` catches. */
export class Overrun extends Error {
  override readonly name = "Overrun";
  /** What was spent on what, and what to do about it. */
  readonly spent: string;
  /** What ran when it was thrown, where that is known. */
  traceback: readonly LuaFrame[] | undefined;

  constructor(message: string, spent = "") {
    super(message);
    this.spent = spent;
  }
}

/** What a limit is, for messages. */
export interface LimitName {
  /** What has happened that passed it. */
  readonly message: string;
  /** The setting that says how long. */
  readonly setting: string;
}

/** Work of the host, in tenths of a microsecond or so, between two looks at the clock. */
const WORK_PER_LOOK = 1000;

/** Of wall time a stretch may take so many limits, where others have the processors. */
const MOST_LIMITS = 20;

/**
 * Deadlines of a state. Two things look at the clock: the VM's count hook, every hundred instructions
 * or so, and the host for what it does on Lua's behalf, which the count hook does not see.
 *
 * A machine that is busy must not make a healthy script fail: once the wall clock has passed the limit, the processor
 * time of the thread is read, and the script goes on until it has used the limit up from then on. In the usual case
 * that is never read.
 */
export class LuaLimits {
  #deadline = Infinity;
  /** By the wall clock, whatever the processors do. */
  #last = Infinity;
  /** Processor time that the script may use from the first reading on. */
  #ms = 0;
  /** The first reading of the processor time. */
  #cpuFrom: number | undefined;
  /** What other threads have worked for the script. */
  #elsewhereMs = 0;
  #name: LimitName = { message: "", setting: "" };
  /** When it began, by the wall clock. */
  #began = 0;
  #work = 0;
  #looked = 0;

  /**
   * Let the state run for `ms` from `now`.
   * @param clock `wall` where somebody waits for no longer than that
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

  /** Which limit is passed, if one is. */
  get passed(): string | undefined {
    return this.#isOver(performance.now()) ? this.#name.message : undefined;
  }

  /** Move the deadline: for so many milliseconds it was not the script that held things up. */
  extend(ms: number): void {
    this.#deadline += ms;
    this.#last += ms;
    this.#began += ms;
  }

  /** Another thread has worked so many milliseconds for the script, which is no time of this one's. */
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
    // A thread cannot use more than passes.
    this.#deadline = Math.min(now + left, this.#last);
    return false;
  }

  /**
   * Look at the clock.
   * @returns milliseconds since it was looked at last
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
   * Count work of the host, one unit being about a tenth of a microsecond: what takes a number of steps
   * that a script decides must be counted, or a loop of such calls would outlast the count hook.
   * @throws Overrun past the deadline
   */
  spend(units: number): void {
    this.#work += units;
    if (this.#work >= WORK_PER_LOOK) this.check();
  }
}

/** What all Lua of a dispatch has used. */
export interface LuaSpent {
  /** Milliseconds, by the wall clock. */
  luaMs: number;
  /** Processor time when that came to the limit. */
  cpuFromMs?: number;
  /** What other threads have worked for it. */
  elsewhereMs?: number;
}

/**
 * Milliseconds that all Lua of a dispatch may still run; not more than 0 when it may not. As with the limit of a
 * script, past it by the wall clock it is the processor time from then on that counts.
 */
export function chainLeftMs(spent: LuaSpent, maxChainMs: number): number {
  const left = maxChainMs - spent.luaMs;
  if (left > 0 || spent.luaMs >= maxChainMs * MOST_LIMITS) return left;
  const used = threadCpuMs() + (spent.elsewhereMs ?? 0);
  spent.cpuFromMs ??= used;
  return maxChainMs - (used - spent.cpuFromMs);
}

/** While loading, a script may run this many times longer than a hook. */
const LOAD = 10;

/**
 * How long a piece of a script may run while it is loaded, in milliseconds: often that is when the machine begins many
 * things at once, and a guard that is too slow for it would refuse everything. Loaded again within a dispatch, what
 * that takes counts for all its hooks.
 */
export function loadLimitMs({ maxRunMs }: { readonly maxRunMs: number }): number {
  return maxRunMs * LOAD;
}

/** What a script is told that ran for too long without waiting. */
export function stretchOverrun(maxRunMs: number): LimitName {
  const message = `it ran longer than ${maxRunMs} ms without waiting`;
  return { message, setting: "lua.max_run_ms" };
}

/** Instructions between two looks at the clock, at most. */
export const LOOK_EVERY = 100;
/** A stretch between two looks that took longer than this many milliseconds, or less, changes how often. */
const SLOW_MS = 1;
const QUICK_MS = 0.1;
/** Instructions times bytes in use: to compare two strings of megabytes is one instruction. */
const LOOK_EVERY_BYTES = 100 << 20;
/** Calls by C times bytes in use: a function of the library takes longer for a byte than an instruction does. */
export const CALL_EVERY_BYTES = 16 << 20;

/** How often the clock is looked at: a single instruction can take as long as what it works on is large. */
export class LookRate {
  #every = LOOK_EVERY;

  /**
   * Instructions until the next look.
   * @param passed milliseconds since the last one
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
