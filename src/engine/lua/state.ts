import { LIBRARIES } from "../../core/index.ts";
import type { CallScope, HookContext, Json, LuaFrame } from "../../core/index.ts";
import { ContextViews } from "./context-view.ts";
import { errorText } from "./error-text.ts";
import { inspect } from "./inspect.ts";
import { CALL_EVERY_BYTES, LOOK_EVERY, LookRate, LuaLimits, LuaMemory, Overrun } from "./limits.ts";
import { KeyNames, type LuaText } from "./lua-text.ts";
import type { LuaHookSpec, LuaLimitOptions } from "./ports.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { KEY, LUA_OK, LUA_YIELD, REGISTRY, T_STRING, T_TABLE } from "./raw.ts";
import type { LuaScript } from "./script.ts";
import { placeText } from "./traceback.ts";
import { LuaArgumentError, type LuaVm } from "./vm.ts";

/** An error raised by Lua, or the end of a state at a limit. */
export class LuaFailure extends Error {
  override readonly name = "LuaFailure";
  /** `result`: what a script returned is not a hook. */
  readonly kind: "error" | "timeout" | "memory" | "killed" | "syntax" | "store" | "result";

  /** The active calls, the innermost first, if known. */
  readonly traceback: readonly LuaFrame[] | undefined;

  constructor(kind: LuaFailure["kind"], message: string, traceback?: readonly LuaFrame[]) {
    super(message);
    this.kind = kind;
    this.traceback = traceback?.length ? traceback : undefined;
  }
}

const NOT_ENOUGH_MEMORY = "not enough memory";

/**
 * One `lua_State`: the unit of isolation, of killing and of reload. Everything in it, memory and instructions included,
 * is counted. A state that exceeded a limit cannot be used any more and must be closed.
 */
export class LuaState {
  readonly vm: LuaVm;
  readonly raw: RawLua;
  readonly text: LuaText;
  readonly memory: LuaMemory;
  readonly limits = new LuaLimits();
  readonly main: LuaThread;
  readonly names: KeyNames;
  readonly views: ContextViews;
  /** The script of the state. */
  readonly script: LuaScript;
  /** The running task; host functions belong to it. */
  current: LuaTask | undefined;
  readonly #rate = new LookRate();
  readonly #idle: LuaTask[] = [];
  readonly #onDeath = new Set<(failure: LuaFailure) => void>();
  /** Where the last rejected block of memory was asked for; nothing unwinds the stack before that. */
  #exhausted: { readonly calls: readonly LuaFrame[]; readonly isDeep: boolean } | undefined;
  #death: LuaFailure | undefined;
  #closed = false;
  /** Number of tasks that run or wait. */
  #inUse = 0;

  constructor(
    vm: LuaVm,
    script: LuaScript,
    { memoryBytes, maxValueBytes }: Pick<LuaLimitOptions, "memoryBytes" | "maxValueBytes">,
  ) {
    this.vm = vm;
    this.script = script;
    this.raw = vm.raw;
    this.text = vm.text;
    this.memory = new LuaMemory(vm.raw, memoryBytes, this.limits, {
      hugeString: () => {
        if (this.current) vm.changeCount(this.current.thread, 1);
      },
      rejected: () => {
        const L = this.current?.thread;
        const { callStack } = vm;
        this.#exhausted =
          L === undefined ? undefined : { calls: callStack.frames(L), isDeep: callStack.isDeep(L) };
      },
    });
    this.main = vm.open(this);
    // Before anything is loaded: coroutines inherit the hook from the thread that creates them.
    vm.setCountHook(this.main, LOOK_EVERY);
    this.names = new KeyNames(vm);
    this.views = new ContextViews(this, maxValueBytes);
    for (const key of Object.values(KEY)) {
      this.raw.lua_createtable(this.main, 0, 0);
      this.raw.lua_rawsetp(this.main, REGISTRY, key);
    }
    disableWeakTables(this);
    this.#openLibraries();
  }

  /** Why the state cannot be used any more; undefined while it can. */
  get death(): LuaFailure | undefined {
    return this.#death;
  }

  /** Add a callback for the end of the state; returns a function that removes it. */
  onDeath(tell: (failure: LuaFailure) => void): () => void {
    this.#onDeath.add(tell);
    return () => void this.#onDeath.delete(tell);
  }

  /** A coroutine of the host to run something on. */
  task(): LuaTask {
    this.#inUse++;
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { raw, main } = this;
    raw.lua_rawgetp(main, REGISTRY, KEY.threads);
    const thread = raw.lua_newthread(main);
    raw.lua_rawsetp(main, -2, thread);
    raw.lua_settop(main, -2);
    return new LuaTask(this, thread);
  }

  /** Return a task that ran to its end. */
  release(task: LuaTask): void {
    this.#inUse--;
    task.reset();
    if (this.#closed) return;
    this.raw.lua_settop(task.thread, 0);
    this.#idle.push(task);
  }

  /**
   * Check the clock on behalf of a running thread. Single instructions can take long (for example comparing two strings
   * of megabytes), so after a slow stretch the clock is checked more often.
   * @returns number of calls from C until the next check
   * @throws Overrun past the deadline, LuaFailure when the state was closed by something it called
   */
  look(L: LuaThread): number {
    if (this.#death) throw this.#death;
    const passed = this.#timed(L);
    const every = this.#rate.next(passed, this.memory.used);
    // Each thread has a count of its own, and may have been created with another one.
    if (this.raw.lua_gethookcount(L) !== every) this.vm.changeCount(L, every);
    return Math.max(1, Math.min(every, Math.floor(CALL_EVERY_BYTES / this.memory.used)));
  }

  /** @throws Overrun with the active calls */
  #timed(L: LuaThread): number {
    try {
      return this.limits.check();
    } catch (thrown) {
      if (thrown instanceof Overrun) thrown.traceback = this.vm.callStack.frames(L);
      throw thrown;
    }
  }

  /** Drop a task that waits or failed: it is never resumed, and its `<close>` handlers never run. */
  abandon(task: LuaTask): void {
    this.#inUse--;
    task.reset();
    if (this.#closed || this.#death) return;
    const { raw, main } = this;
    raw.lua_rawgetp(main, REGISTRY, KEY.threads);
    raw.lua_pushnil(main);
    raw.lua_rawsetp(main, -2, task.thread);
    raw.lua_settop(main, -2);
  }

  /**
   * Resume a task with `nargs` values on its stack.
   * @returns whether it ended or waits for the host
   * @throws LuaFailure when it raised an error, or the state ended
   */
  resume(task: LuaTask, nargs: number): "ended" | "waiting" {
    if (this.#death) throw this.#death;
    let status: number;
    this.current = task;
    this.memory.enforced = true;
    try {
      status = this.vm.resume(this, task.thread, nargs);
      if (status > LUA_YIELD && this.raw.lua_type(task.thread, -1) === T_TABLE)
        this.#describe(task);
    } catch (thrown) {
      // It has left Lua without unwinding, so the active calls can still be read.
      if (thrown instanceof Overrun) thrown.traceback ??= this.vm.callStack.frames(task.thread);
      throw this.#die(thrown);
    } finally {
      this.views.settle();
      this.memory.enforced = false;
      this.current = undefined;
      this.limits.disarm();
    }
    if (this.#death) {
      // The script was unloaded by something that it called.
      this.close();
      throw this.#death;
    }
    if (status === LUA_OK) return "ended";
    if (status === LUA_YIELD) return "waiting";
    throw this.errorOnTop(task.thread, this.vm.callStack.frames(task.thread));
  }

  /** Replace the error value on top of a failed task by the text that its `__tostring` returns, if it has one. */
  #describe({ thread }: LuaTask): void {
    const { raw } = this;
    const { thread: L } = this.task();
    raw.lua_rawgetp(L, REGISTRY, KEY.failed);
    raw.lua_xmove(thread, L, 1);
    if (this.vm.resume(this, L, 1) !== LUA_OK) this.text.push(L, "error value of type table");
    raw.lua_xmove(L, thread, 1);
    if (raw.lua_type(thread, -1) !== T_STRING) return;
    const place = placeText(this.vm.callStack.frames(thread));
    this.text.push(thread, place + this.text.readLossy(thread, -1));
  }

  /**
   * Compile a chunk and leave the function on the stack of `L`.
   * @param name chunk name in Lua's form: `@file` or `=text`
   * @param form `t` for text; `b`, bytecode, is only for the package's own code
   * @throws LuaFailure with kind `syntax`, or the exceeded limit
   */
  compile(L: LuaThread, source: string | Uint8Array, name: string, form: "t" | "b" = "t"): void {
    const compiled = this.vm.bytecodeOf(source, name);
    if (compiled) {
      this.#load(L, compiled, name, "b");
      return;
    }
    this.#load(L, source, name, form);
    this.vm.compiled(L, name, source);
  }

  #load(L: LuaThread, source: string | Uint8Array, name: string, mode: "t" | "b"): void {
    const bytes = typeof source === "string" ? new Uint8Array(Buffer.from(source)) : source;
    const named = new Uint8Array(Buffer.from(`${name}\0${mode}\0`));
    const { enforced } = this.memory;
    const status = this.text.withBytes(bytes, (at) => {
      const label = this.raw.malloc(named.length);
      this.raw.HEAPU8.set(named, label);
      const names = [label, label + named.length - 2] as const;
      // Compiling is a protected call, so memory can be rejected: a source can be as hostile as a script.
      this.memory.enforced = true;
      try {
        return this.vm.load(L, { at, size: bytes.length }, names, this.limits);
      } catch (thrown) {
        throw thrown instanceof Overrun && this.vm.running !== this ? this.#die(thrown) : thrown;
      } finally {
        this.memory.enforced = enforced;
        this.raw.free(label);
      }
    });
    if (status === LUA_OK) return;
    const failure = this.errorOnTop(L);
    if (failure.kind === "memory") throw failure;
    const isLate = failure.message === this.limits.passed;
    throw new LuaFailure(isLate ? "timeout" : "syntax", failure.message);
  }

  /**
   * The error value on top of a stack, as a message; one that is not a string is inspected without calling its
   * metatable.
   */
  errorOnTop(L: LuaThread, traceback?: readonly LuaFrame[]): LuaFailure {
    if (this.raw.lua_type(L, -1) !== T_STRING) {
      const place = placeText(traceback);
      return new LuaFailure("error", `${place}error value ${inspect(this, L, -1)}`, traceback);
    }
    const message = this.text.readLossy(L, -1);
    if (message !== NOT_ENOUGH_MEMORY) {
      const text = errorText(message, traceback, this.script.source.chunks);
      return new LuaFailure("error", text, traceback);
    }
    const { calls, isDeep } = this.#exhausted ?? { calls: [], isDeep: false };
    const what = isDeep ? "stack overflow: its calls need" : `${message}:`;
    const size = `more than ${this.memory.cap / 2 ** 20} MB (lua.memory_mb)`;
    return new LuaFailure("memory", `${placeText(calls)}${what} ${size}`, calls);
  }

  /**
   * Push a boolean, number or string. Returns false for anything else.
   * @throws LuaArgumentError before copying a string that cannot fit
   */
  pushScalar(L: LuaThread, value: unknown): boolean {
    const { raw } = this;
    switch (typeof value) {
      case "string":
        if (value.length > this.memory.cap) {
          throw new LuaArgumentError(
            `a string of ${value.length} characters exceeds the script's memory limit`,
          );
        }
        this.text.push(L, value);
        return true;
      case "number":
        if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
          raw.lua_pushinteger(L, BigInt(value));
        } else raw.lua_pushnumber(L, value);
        return true;
      case "boolean":
        raw.lua_pushboolean(L, value ? 1 : 0);
        return true;
      default:
        return false;
    }
  }

  /** Free everything, at once or as soon as nothing runs. Pending calls are informed. */
  close(): void {
    if (this.#closed) return;
    this.#notifyDeath(new LuaFailure("killed", "its script was unloaded while it was waiting"));
    if (this.vm.running === this) return;
    this.#closed = true;
    try {
      this.vm.guard(() => this.raw.lua_close(this.main));
    } catch {
      // A state that trapped may not close; its memory is lost, other states are not affected.
    } finally {
      this.vm.forget(this);
    }
  }

  /**
   * Close the state after it ran out of memory, unless something still waits in it: a script that keeps what fills its
   * memory would fail for ever; after a reload it starts fresh.
   */
  retire(): void {
    if (this.#inUse > 0) return;
    this.#notifyDeath(new LuaFailure("killed", "its Lua state ran out of memory and was closed"));
    this.close();
  }

  #die(thrown: unknown): LuaFailure {
    let failure: LuaFailure;
    if (thrown instanceof LuaFailure) failure = thrown;
    else if (thrown instanceof Overrun) failure = overrun(thrown);
    else failure = new LuaFailure("killed", `the Lua VM failed: ${String(thrown)}`);
    this.#notifyDeath(failure);
    this.close();
    return failure;
  }

  #notifyDeath(failure: LuaFailure): void {
    if (this.#death) return;
    this.#death = failure;
    for (const tell of this.#onDeath) tell(failure);
    this.#onDeath.clear();
  }

  #openLibraries(): void {
    const { raw, main } = this;
    raw.luaopen_base(main);
    raw.lua_settop(main, 0);
    for (const name of LIBRARIES) {
      raw[`luaopen_${name}`](main);
      this.text.withBytes(Buffer.from(name), (ptr) => raw.lua_setglobal(main, ptr));
      raw.lua_settop(main, 0);
    }
  }
}

/** The failure for an exceeded limit. */
function overrun({ message, spent, traceback }: Overrun): LuaFailure {
  const [at] = traceback ?? [];
  const place = at ? `; it was at ${at.file}:${at.line}` : "";
  const why = spent === "" ? "" : ` (${spent})`;
  return new LuaFailure("timeout", `${message}${place}${why}`, traceback);
}

/** Metamethods in the order in which a state lists their names, as far as needed to find the list. */
const NAMES = ["__index", "__newindex", "__gc", "__mode", "__len", "__eq"];
const MODE = NAMES.indexOf("__mode");
/** Size of a Lua string before its text in this build (32 bits), in bytes. */
const STRING_HEADER = 16;
/** Bytes of the longest string that Lua has only once. */
const SHORT_STRING = 40;
/** Words that `lua_newstate` allocates (864 bytes); the main thread comes first. */
const STATE_WORDS = 216;

/**
 * Disable weak tables: `__mode` has no meaning in this state. Lua's collector visits all tables with weak keys again
 * and again until nothing changes, in one step that no limit can interrupt: 60,000 of them, each with the key of
 * another in a bad order, took more than 20 s.
 * A state lists the names of metamethods as pointers to strings. Here the one for `__mode` is changed to a long string:
 * Lua looks for the very object, and makes another one for each long string of a script.
 */
function disableWeakTables({ raw, text, main }: LuaState): void {
  raw.lua_checkstack(main, NAMES.length + 1);
  const top = raw.lua_gettop(main);
  const pointers = NAMES.map((name) => {
    text.push(main, name);
    return raw.lua_tolstring(main, -1, 0) - STRING_HEADER;
  });
  text.push(main, "-".repeat(SHORT_STRING + 1));
  const unknown = raw.lua_tolstring(main, -1, 0) - STRING_HEADER;
  raw.lua_rawsetp(main, REGISTRY, KEY.noMode);
  raw.lua_settop(main, top);
  const words = raw.HEAPU32;
  for (let at = main >>> 2; at < (main >>> 2) + STATE_WORDS; at++) {
    if (!pointers.every((pointer, i) => words[at + i] === pointer)) continue;
    words[at + MODE] = unknown;
    return;
  }
  throw new Error("unexpected Lua build: the Lua layer was made for another one");
}

/** A hook as stated by a script, with its handler in a slot. */
export interface StatedInLua extends Pick<LuaHookSpec, "slot" | "fields" | "tests"> {
  /** The first line of the handler. */
  readonly line: number;
}

/** Something a script waits for; its result is pushed as the result of the script's call. */
export type HostCall = (signal: AbortSignal) => Promise<Json | undefined>;

/** Decides what happens when a handler has ended: see `CombinedHost.step`. */
interface StepDriver {
  /** The id of the running hook. */
  readonly hook: string;
  step(L: LuaThread, succeeded: boolean, kind: number, table: Ptr): number;
}

/** A coroutine of the host: runs handlers or a main chunk, and waits for host calls by yielding. */
export class LuaTask {
  readonly state: LuaState;
  readonly thread: LuaThread;
  readonly logs = new LogBudget();
  /** The scope of the running handler's calls; undefined while a script is loaded. */
  scope: CallScope | undefined;
  /** The context that the running handler began with. */
  ctx: HookContext | undefined;
  /** Set when it yielded to wait. */
  pending: HostCall | undefined;
  /** What becomes of nulls in the result that it waits for. */
  nulls: "keep" | "drop" = "drop";
  /** The active calls when the running handler failed. */
  traceback: readonly LuaFrame[] | undefined;
  /** What the running handler has created and dropped, with its line: see `isStatement`. */
  dropped: string | undefined;
  /** Called by the prelude between two handlers. */
  driver: StepDriver | undefined;

  constructor(state: LuaState, thread: LuaThread) {
    this.state = state;
    this.thread = thread;
  }

  reset(): void {
    this.scope = this.ctx = undefined;
    this.pending = undefined;
    this.driver = undefined;
    this.traceback = undefined;
    this.dropped = undefined;
    this.logs.reset();
  }
}

const MOST_LINES = 64;
/** Longest line, in characters. */
export const MOST_CHARS = 4096;

/** Limits the log of one handler: 64 lines of 4,096 characters; then one line that says so. */
class LogBudget {
  #lines = 0;

  reset(): void {
    this.#lines = 0;
  }

  /** The text to log, or undefined when the limit is exceeded. */
  admit(text: string): string | undefined {
    this.#lines++;
    if (this.#lines > MOST_LINES) return undefined;
    if (this.#lines === MOST_LINES) return "… further lines of this call are dropped";
    return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  }
}
