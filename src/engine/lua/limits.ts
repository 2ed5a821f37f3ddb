import { readFileSync } from "node:fs";
import type { LuaFrame, Turn } from "../../core/index.ts";
import { type Ptr, type RawLua, T_STRING } from "./raw.ts";

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

  /**
   * The engine has worked this many milliseconds on something with limits of its own, such as files that a line runs.
   */
  excuse(ms: number): void {
    this.#deadline += ms;
    this.#last += ms;
    if (this.#cpuFrom !== undefined) this.#cpuFrom += ms;
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
export type LuaSpent = Turn["spent"];

/**
 * Milliseconds that all Lua of a dispatch may still run; 0 or less when none. As with the limit of a script, once the
 * wall clock has passed it, CPU time counts from then on.
 */
export function chainLeftMs(spent: LuaSpent, maxChainMs: number): number {
  return leftMs(maxChainMs, spent.luaMs, spent, threadCpuMs);
}

/** What is left of `ms`: after it has passed by the wall clock, CPU time counts, until many times as much has passed. */
function leftMs(
  ms: number,
  passed: number,
  seen: Pick<LuaSpent, "cpuFromMs" | "elsewhereMs">,
  cpuMs: () => number,
): number {
  if (passed < ms || passed >= ms * MOST_LIMITS) return ms - passed;
  const used = cpuMs() + (seen.elsewhereMs ?? 0);
  seen.cpuFromMs ??= used;
  return ms - (used - seen.cpuFromMs);
}

/**
 * The time for loading: CPU time of the process once the wall clock has passed it. A busy machine must not make guards
 * fail, and who waits has a limit of their own.
 */
export class LoadTime {
  readonly #ms: number;
  readonly #began = performance.now();
  readonly #seen: Pick<LuaSpent, "cpuFromMs"> = {};

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Milliseconds; 0 when none is left. */
  get left(): number {
    const passed = performance.now() - this.#began;
    return Math.max(0, leftMs(this.#ms, passed, this.#seen, processCpuMs));
  }
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
  const usage = (process as WithThreadUsage).threadCpuUsage?.();
  return usage ? (usage.user + usage.system) / 1000 : processCpuMs();
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
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

/** A block of this size, in bytes, takes long enough to fill that the clock is checked. */
export const LARGE = 32_768;
const HUGE = 1 << 20;
/** An instance has less memory than this. */
const MOST_CAP = 2 ** 32 - 1;

/** The VM's record of a state's memory: offsets of its words, in bytes, and its size. */
export const MEMORY_LAYOUT = { used: 0, cap: 4, enforced: 8, bytes: 12 } as const;

interface MemoryListener {
  /** A string that single instructions take long on is created. */
  hugeString(): void;
  /** A block is rejected: Lua collects its garbage, asks again, and fails if that is rejected, too. */
  rejected(): void;
}

/**
 * A state's memory: counted, and capped while Lua runs. The cap is off outside of Lua: an allocation rejected there has
 * no protected call to fail in, and would abort the whole VM.
 * Small blocks that fit are counted and allocated in WebAssembly (`allocate` of `combined-calls.ts`), by the same rule.
 */
export class LuaMemory {
  readonly #raw: RawLua;
  /** Maximum in use while Lua runs, in bytes. */
  readonly cap: number;
  readonly #limits: LuaLimits;
  readonly #told: MemoryListener;
  readonly #hashes: HashCollisionGuard;
  /** Address of the VM's record: the `ud` of `lua_newstate`. */
  readonly at: Ptr;

  constructor(raw: RawLua, cap: number, limits: LuaLimits, told: MemoryListener) {
    this.#raw = raw;
    this.cap = cap;
    this.#limits = limits;
    this.#told = told;
    this.#hashes = new HashCollisionGuard(raw);
    this.at = raw.malloc(MEMORY_LAYOUT.bytes);
    if (this.at === 0) throw new Error("the Lua VM is out of memory");
    this.used = 0;
    raw.HEAPU32[(this.at + MEMORY_LAYOUT.cap) >>> 2] = Math.min(cap, MOST_CAP);
    this.enforced = false;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.used) >>> 2] as number;
  }

  set used(bytes: number) {
    this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.used) >>> 2] = bytes;
  }

  get enforced(): boolean {
    return this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.enforced) >>> 2] !== 0;
  }

  set enforced(enforced: boolean) {
    this.#raw.HEAPU32[(this.at + MEMORY_LAYOUT.enforced) >>> 2] = enforced ? 1 : 0;
  }

  /** The state was closed. */
  close(): void {
    this.#raw.free(this.at);
  }

  /**
   * `lua_Alloc`: for a new block `osize` is the kind of object, not a size.
   * Checks the clock for large strings, because they are filled by loops in C (`upper`, `rep`, `..`), and for rejected
   * blocks, because Lua then collects all its garbage before it gives up. When a string is created, no other block is
   * unattached, so an exception leaks no more than Lua's own error; that is not true for the parts of a table.
   */
  allocate(ptr: Ptr, osize: number, nsize: number): Ptr {
    const old = ptr === 0 ? 0 : osize;
    if (nsize === 0) {
      if (ptr !== 0) this.#raw.free(ptr);
      if (old >= LARGE) this.#hashes.delete(ptr);
      this.used -= old;
      return 0;
    }
    const nodes = nsize >= LARGE && ptr === 0 ? this.#hashes.nodesOf(nsize) : 0;
    const grown = nsize - old;
    if (this.enforced && grown > 0) {
      const fits = this.used + grown <= this.cap;
      if (ptr === 0 && osize === T_STRING && (!fits || grown >= LARGE)) {
        this.#limits.check();
        if (grown >= HUGE) this.#told.hugeString();
      }
      if (!fits || (nodes > 0 && this.#hashes.refuses(nodes))) {
        this.#told.rejected();
        return 0;
      }
    }
    const block = ptr === 0 ? this.#raw.malloc(nsize) : this.#raw.realloc(ptr, nsize);
    if (block === 0) return 0;
    if (nodes > 0) this.#hashes.add(block, nodes);
    this.used += grown;
    return block;
  }
}

/** Size of a node of a table's hash part in this build (32 bits): value, type, type of the key, next, key. */
const NODE_BYTES = 24;
const KEY_TYPE = 9;
const KEY_VALUE = 16;
const INTEGER = 0x03;
const FLOAT = 0x13;
/** Hash parts with fewer nodes take less than a millisecond however their keys collide. */
const SMALL = 1 << 11;
/** Maximum number of steps for moving keys into a larger hash part: some 50 ms. */
const MOST_STEPS = 1 << 24;

/**
 * Rejects hash parts whose numeric keys were chosen to collide. When a table grows, Lua moves all its keys into a
 * larger hash part in one step that no limit can interrupt. Multiples of 2^n − 1, harmless in a smaller part, all
 * collide in one with 2^n nodes: with 130,000 of them that takes half a minute. (Strings are safe: their hash has a
 * random seed.)
 * The allocator does not know which table asks, so all large hash parts are examined.
 */
class HashCollisionGuard {
  readonly #raw: RawLua;
  /** Node counts of large hash parts, by address. */
  readonly #parts = new Map<Ptr, number>();

  constructor(raw: RawLua) {
    this.#raw = raw;
  }

  /** The number of nodes in a block of this size, if it is a large hash part; otherwise 0. */
  nodesOf(bytes: number): number {
    const nodes = bytes / NODE_BYTES;
    return nodes >= SMALL && Number.isInteger(nodes) && (nodes & (nodes - 1)) === 0 ? nodes : 0;
  }

  /** Whether the keys of some table would collide in a hash part with `nodes`. */
  refuses(nodes: number): boolean {
    for (const [part, size] of this.#parts) {
      if (this.#steps(part, size, nodes) > MOST_STEPS) return true;
    }
    return false;
  }

  add(part: Ptr, nodes: number): void {
    this.#parts.set(part, nodes);
  }

  delete(part: Ptr): void {
    if (this.#parts.size > 0) this.#parts.delete(part);
  }

  /**
   * The number of steps for moving the numeric keys of one hash part into another: each key passes those already there.
   */
  #steps(part: Ptr, size: number, nodes: number): number {
    const { HEAPU8: bytes, HEAPU32: words } = this.#raw;
    const modulus = nodes - 1;
    const chains = new Uint32Array(nodes);
    let steps = 0;
    for (let node = part; node < part + size * NODE_BYTES; node += NODE_BYTES) {
      const type = bytes[node + KEY_TYPE];
      if (type !== INTEGER && type !== FLOAT) continue;
      const low = words[(node + KEY_VALUE) >>> 2] as number;
      const high = words[(node + KEY_VALUE + 4) >>> 2] as number;
      const hash =
        type === INTEGER ? remainder(high, low, modulus) : floatHash(high, low) % modulus;
      steps += chains[hash] as number;
      chains[hash] = (chains[hash] as number) + 1;
    }
    return steps;
  }
}

/** An unsigned 64-bit integer modulo a number below 2^20. */
function remainder(high: number, low: number, modulus: number): number {
  return (high * (2 ** 32 % modulus) + low) % modulus;
}

/** `l_hashfloat`: mantissa and exponent, as from `frexp`, in 31 bits. */
function floatHash(high: number, low: number): number {
  const exponent = (high >>> 20) & 0x7ff;
  if (exponent === 0 || exponent === 0x7ff) return 0;
  const mantissa = 0.5 + ((high & 0xfffff) * 2 ** 32 + low) / 2 ** 53;
  const scaled = Math.trunc((high >>> 31 ? -mantissa : mantissa) * 2 ** 31);
  const sum = (exponent - 1022 + scaled) >>> 0;
  return sum <= 0x7fff_ffff ? sum : ~sum >>> 0;
}
