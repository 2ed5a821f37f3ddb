import { messageOf } from "../../core/index.ts";
import { BLOCK, combineCalls, type CombinedCalls, PUSH } from "./combined-calls.ts";
import { LOOK_EVERY, LuaLimits, Overrun } from "./limits.ts";
import type { LineSteps } from "./line-steps.ts";
import { LuaText } from "./lua-text.ts";
import { shippedBytecode } from "./own-lua.ts";
import {
  CALL_UNITS,
  HOOK_COUNT,
  LUA_MASKCOUNT,
  type LuaThread,
  type Ptr,
  type RawLua,
  REGISTRY,
  UPVALUES,
} from "./raw.ts";
import type { LuaState } from "./state.ts";
import { CallStack } from "./traceback.ts";
import { instantiateLua, VmAborted } from "./wasm.ts";

/** A host function called by Lua: arguments are on the stack of `L`; returns the number of pushed results. */
export type HostFunction = (state: LuaState, L: LuaThread) => number;

/** Sets functions as fields of the table on top of a stack, with their shared upvalues. */
export type FunctionSetter = (L: LuaThread) => void;

/** Size of a `luaL_Reg` in bytes: the address of a name, and that of a function. */
const REG_BYTES = 8;

/**
 * One instance of the WebAssembly VM, shared by all states of an engine. At most one state runs at any time: entries
 * never nest, since host calls wait by yielding. Function-table slots belong to the VM, not to states, so that
 * discarding a state leaks nothing.
 */
export class LuaVm {
  readonly raw: RawLua;
  readonly text: LuaText;
  /** Reads the active calls. */
  readonly callStack: CallStack;
  /** Combined calls of host and VM. */
  readonly calls: CombinedCalls;
  /** Those of the metatables of parts with a slot, once there is one. */
  slotFunctions: FunctionSetter | undefined;
  /** A small block of memory for out parameters of the C API. */
  readonly out: Ptr;
  /** By the address of their memory record. */
  readonly #states = new Map<number, LuaState>();
  readonly #functions = new Map<HostFunction, Ptr>();
  readonly #countHook: Ptr;
  /** Writes a dump; created for the first one. */
  #writer: Ptr = 0;
  readonly #reader: Ptr;
  /** The source that is being compiled, and its unread rest. */
  #source = { at: 0, left: 0, limits: new LuaLimits() };
  readonly #written: Uint8Array[] = [];
  readonly #coverage: LineSteps | undefined;
  readonly #bytecode: BytecodeCache | undefined;
  #running: LuaState | undefined;

  /**
   * @param coverage records which lines of compiled code run; costs a call per line
   * @param bytecode keeps what was compiled
   */
  constructor(raw: RawLua, coverage?: LineSteps, bytecode?: BytecodeCache) {
    this.raw = raw;
    this.#bytecode = bytecode;
    this.callStack = new CallStack(raw);
    this.#coverage = coverage;
    this.text = new LuaText(raw);
    this.out = raw.malloc(128);
    this.calls = combineCalls(raw, {
      index: (L, table, kind, key) => {
        const state = this.#running;
        if (!state) return PUSH.nil;
        try {
          state.limits.spend(1);
          return state.views.index(L, table, kind, key);
        } catch (thrown) {
          return this.#raised(L, thrown);
        }
      },
      newindex: (L, table, kind, key) => {
        const state = this.#running;
        if (!state) return;
        try {
          state.limits.spend(1);
          state.views.assign(L, table, kind, key);
        } catch (thrown) {
          this.#raised(L, thrown);
        }
      },
      step: (L, succeeded, kind, table) => {
        const driver = this.#running?.current?.driver;
        if (!driver) return 0;
        coverage?.left();
        try {
          return driver.step(L, succeeded !== 0, kind, table);
        } catch (thrown) {
          return this.#raised(L, thrown);
        }
      },
      allocate: (ud, ptr, osize, nsize) => {
        const state = this.#states.get(ud);
        return state ? state.memory.allocate(ptr, osize, nsize) : 0;
      },
    });
    const countHook = (L: LuaThread, event: Ptr): void => {
      if (!coverage?.took(raw, L, event, this.#running)) this.#running?.look(L);
    };
    this.#countHook = raw.addFunctions([countHook], "vii");
    raw.onCallsCounted = (L) => {
      raw.units_left.value = (this.#running?.look(L) ?? LOOK_EVERY) * CALL_UNITS;
    };
    this.#reader = raw.addFunctions([(L, _, sizeAt) => this.#read(L, sizeAt)], "iiii");
  }

  static create(coverage?: LineSteps, bytecode?: BytecodeCache): LuaVm {
    const raw = instantiateLua(coverage !== undefined);
    return raw.together(() => new LuaVm(raw, coverage, bytecode));
  }

  /** Called after a chunk was compiled; its function is on top of the stack of `L`. */
  compiled(L: LuaThread, name: string, source: string | Uint8Array): void {
    this.#coverage?.compiled(name, () => this.dump(L), source);
    if (typeof source !== "string") this.#bytecode?.set(source, this.dump(L));
  }

  /** The bytecode of a source that was compiled before, in this process or with the package. */
  bytecodeOf(source: string | Uint8Array, name: string): Uint8Array | undefined {
    if (typeof source === "string" || this.#coverage) return undefined;
    return this.#bytecode?.get(source) ?? shippedBytecode(source, name);
  }

  /** The function-table pointer of a host function; created once per VM. */
  pointerTo(fn: HostFunction): Ptr {
    return this.#functions.get(fn) ?? this.addHost([fn]);
  }

  /** Create the pointers of host functions that have none; returns the first. */
  addHost(functions: readonly HostFunction[]): Ptr {
    const fresh = [...new Set(functions)].filter((fn) => !this.#functions.has(fn));
    // Even for no functions, the VM would compile a module.
    if (fresh.length === 0) return 0;
    const callers = fresh.map((fn) => (L: LuaThread) => this.#callHost(fn, L));
    const first = this.raw.addFunctions(callers, "ii");
    for (const [i, fn] of fresh.entries()) this.#functions.set(fn, first + i);
    return first;
  }

  /**
   * Host functions by name, and C functions by their address, that many tables of this VM get. They are listed once in
   * its memory, so that one call sets them all: separate calls took a tenth of a state's start time.
   */
  functionSetter(functions: Readonly<Record<string, HostFunction | Ptr>>): FunctionSetter {
    const { raw, text } = this;
    const entries = Object.entries(functions);
    this.addHost(Object.values(functions).filter((fn) => typeof fn === "function"));
    const list = raw.malloc((entries.length + 1) * REG_BYTES);
    if (list === 0) throw new Error("the Lua VM is out of memory");
    const pairs = entries.map(([name, fn]) => [
      text.constant(name),
      typeof fn === "number" ? fn : this.pointerTo(fn),
    ]);
    // An empty pair ends it.
    raw.HEAPU32.set([...pairs.flat(), 0, 0], list >>> 2);
    return (L) => {
      raw.lua_checkstack(L, UPVALUES.length * 2);
      for (const key of UPVALUES) raw.lua_rawgetp(L, REGISTRY, key);
      raw.luaL_setfuncs(L, list, UPVALUES.length);
    };
  }

  /** A bare `lua_State` whose memory and instructions are counted by `state`. */
  open(state: LuaState): LuaThread {
    const { memory } = state;
    this.#states.set(memory.at, state);
    const main = this.raw.lua_newstate(this.calls.allocate, memory.at);
    if (main === 0) throw new Error("the Lua VM is out of memory");
    return main;
  }

  /**
   * `lua_load` of a text in the VM's memory. The compiler is one piece of C, and some texts of a megabyte take it
   * minutes (a hundred thousand `elseif`, or `goto`); the clock is checked whenever it asks for the next few hundred
   * bytes.
   * @param limits whose deadline ends it with a Lua error: the compiler holds memory that an exception would leak
   * @returns the status
   */
  load(
    L: LuaThread,
    source: { at: Ptr; size: number },
    [name, mode]: readonly [Ptr, Ptr],
    limits: LuaLimits,
  ): number {
    this.#source = { at: source.at, left: source.size, limits };
    return this.guard(() => this.raw.lua_load(L, this.#reader, 0, name, mode));
  }

  #read(L: LuaThread, sizeAt: Ptr): Ptr {
    const source = this.#source;
    const overrun = source.limits.passed;
    if (overrun !== undefined) {
      this.text.push(L, overrun);
      return this.raw.lua_error(L);
    }
    const size = Math.min(source.left, SOURCE_PIECE);
    this.raw.HEAPU32[sizeAt >>> 2] = size;
    source.at += size;
    source.left -= size;
    return source.at - size;
  }

  /** Bytecode of the function on top of a stack, with debug information. */
  dump(L: LuaThread): Uint8Array {
    const write = (_L: Ptr, from: Ptr, size: number): number => {
      this.#written.push(this.raw.HEAPU8.slice(from, from + size));
      return 0;
    };
    this.#writer ||= this.raw.addFunctions([write], "iiiii");
    this.raw.lua_dump(L, this.#writer, 0, 0);
    return Buffer.concat(this.#written.splice(0));
  }

  /** Remove a closed state. */
  forget({ memory }: LuaState): void {
    this.#states.delete(memory.at);
    memory.close();
  }

  /** Check the clock every `count` instructions of a thread and of those it creates, and calls from C. */
  setCountHook(L: LuaThread, count: number): void {
    const mask = LUA_MASKCOUNT | (this.#coverage?.mask ?? 0);
    this.raw.lua_sethook(L, this.#countHook, mask, count);
    this.changeCount(L, count);
  }

  /**
   * Another count for a thread with the hook. `lua_sethook` would visit all active calls of the thread as well: in a
   * deep recursion that takes longer than what is counted.
   */
  changeCount(L: LuaThread, count: number): void {
    const { raw } = this;
    raw.units_left.value = Math.min(count, CALLS_AFTER_CHANGE) * CALL_UNITS;
    raw.HEAP32[(L + HOOK_COUNT.every) >>> 2] = count;
    raw.HEAP32[(L + HOOK_COUNT.left) >>> 2] = count;
  }

  /**
   * Whether a state runs at the moment. Host code called from Lua (a logger, a listener) may lead back here; it must
   * not enter again.
   */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** The running state, if any. */
  get running(): LuaState | undefined {
    return this.#running;
  }

  /**
   * Resume a thread of a state with `nargs` values on its stack; returns the status.
   * @throws what ends it from outside: the deadline's exception, a trap
   */
  resume(state: LuaState, L: LuaThread, nargs: number): number {
    if (this.#running) throw new Error("the Lua VM was entered twice");
    const { raw, calls } = this;
    this.#running = state;
    try {
      return calls.resume(L, nargs);
    } catch (thrown) {
      raw.stackRestore(raw.HEAPU32[(calls.block + BLOCK.stack) >>> 2] as number);
      throw thrown;
    } finally {
      this.#coverage?.left();
      this.#running = undefined;
    }
  }

  /**
   * Call the VM, and restore the C stack pointer when that throws: the exception skips the epilogues of C frames, and
   * the stack would be used up after some 5,000 of them.
   */
  guard<T>(task: () => T): T {
    const stack = this.raw.stackSave();
    try {
      return task();
    } catch (thrown) {
      this.raw.stackRestore(stack);
      throw thrown;
    }
  }

  /**
   * Errors of the caller and exceptions of the host's own code become Lua errors with the caller's position; the VM's
   * jumps, deadlines and traps pass through.
   */
  #callHost(fn: HostFunction, L: LuaThread): number {
    const state = this.#running;
    if (!state) return 0;
    try {
      // Each call counts: a loop in C over a view calls the host without executing an instruction.
      state.limits.spend(1);
      return fn(state, L);
    } catch (thrown) {
      return this.#raised(L, thrown);
    }
  }

  #raised(L: LuaThread, thrown: unknown): number {
    if (isFatal(thrown)) throw thrown;
    return this.raise(L, messageOf(thrown));
  }

  /** Raise a Lua error at the line of the calling script. Does not return: the VM jumps. */
  raise(L: LuaThread, message: string): number {
    this.raw.lua_checkstack(L, 4);
    let level = 1;
    this.raw.luaL_where(L, level);
    // Skip the host's own Lua in between.
    while (level < MOST_OWN_LEVELS && this.text.readLossy(L, -1, 5).startsWith("orcs:")) {
      this.raw.lua_settop(L, -2);
      this.raw.luaL_where(L, ++level);
    }
    this.text.push(L, message);
    this.raw.lua_concat(L, 2);
    return this.raw.lua_error(L);
  }
}

/**
 * Bytecode of sources, by their array: a VM that loads the same files again and again compiles them once. It contains
 * only what a VM of this process has compiled itself; other bytecode is never loaded.
 */
export type BytecodeCache = WeakMap<Uint8Array, Uint8Array>;

/** Calls from C until the first check after the interval was changed. */
const CALLS_AFTER_CHANGE = 8;

/** Bytes of source that are compiled between two checks of the clock. */
const SOURCE_PIECE = 512;

/** Maximum number of own Lua functions between a script and a host function. */
const MOST_OWN_LEVELS = 4;

/** Whether an exception must end the state, because it left Lua or the host in an undefined condition. */
function isFatal(thrown: unknown): boolean {
  return !(thrown instanceof Error) || FATAL.some((kind) => thrown instanceof kind);
}

/** A RangeError is how JavaScript reports a stack overflow. */
const FATAL = [Overrun, VmAborted, WebAssembly.RuntimeError, RangeError];

/** An error of the script in calling a host function; raised in the script. */
export class LuaArgumentError extends Error {
  override readonly name = "LuaArgumentError";
}
