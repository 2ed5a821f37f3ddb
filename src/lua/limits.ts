/** Thrown through Lua when a script runs too long: an exception of the host, which no `pcall` catches. */
export class Overrun extends Error {
  override readonly name = "Overrun";
}

/** Work of the host, in tenths of a microsecond or so, between two looks at the clock. */
const WORK_PER_LOOK = 1000;

/**
 * Deadlines of a state. Two things look at the clock: the VM's count hook, every hundred instructions
 * or so, and the host for what it does on Lua's behalf, which the count hook does not see.
 */
export class LuaLimits {
  #deadline = Infinity;
  #message = "";
  #work = 0;
  #looked = 0;

  /** Let the state run for `ms` from `now`; `message` says which limit it is. */
  arm(now: number, ms: number, message: string): void {
    this.#looked = now;
    this.#deadline = now + ms;
    this.#message = message;
  }

  disarm(): void {
    this.#deadline = Infinity;
  }

  /** Which limit is passed, if the deadline is. */
  get passed(): string | undefined {
    return performance.now() > this.#deadline ? this.#message : undefined;
  }

  /** The deadline as it stands, to be put back by `restore`. */
  save(): { deadline: number; message: string } {
    return { deadline: this.#deadline, message: this.#message };
  }

  restore({ deadline, message }: { deadline: number; message: string }): void {
    this.#deadline = deadline;
    this.#message = message;
  }

  /**
   * Look at the clock.
   * @returns milliseconds since it was looked at last
   * @throws Overrun past the deadline
   */
  check(): number {
    const now = performance.now();
    if (now > this.#deadline) throw new Overrun(this.#message);
    const passed = now - this.#looked;
    this.#looked = now;
    this.#work = 0;
    return passed;
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

/** So many times as long as a hook may a script run when it is loaded for the first time. */
const FIRST_LOAD = 10;

/**
 * How long a piece of a script may run when it is loaded for the first time, in milliseconds: often that is when
 * the machine begins many things at once, and a guard that is too slow for it would refuse everything. Loaded again
 * within a dispatch, it holds that one up, and may not.
 */
export function firstLoadMs({ maxRunMs }: { readonly maxRunMs: number }): number {
  return maxRunMs * FIRST_LOAD;
}

/** What a script is told that ran for too long without waiting. */
export function stretchOverrun(maxRunMs: number): string {
  return `it ran longer than ${maxRunMs} ms without waiting`;
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
    if (passed > SLOW_MS) this.#every = Math.max(1, this.#every >> 2);
    else if (passed < QUICK_MS && this.#every < LOOK_EVERY) this.#every++;
    return Math.max(1, Math.min(this.#every, Math.floor(LOOK_EVERY_BYTES / used)));
  }
}
