import type { LuaEnvironment } from "./environment.ts";
import { chainOverrun, hookFailure, HookRun, type LuaHook, type LuaTurn } from "./hook-run.ts";
import { atEnd } from "./load-error.ts";
import { chainLeftMs, type LimitName, loadLimitMs, LoadTime, stretchOverrun } from "./limits.ts";
import type { LuaChunk, LuaSource } from "../../core/index.ts";
import type {
  LuaHookSpec,
  LuaLimitOptions,
  LuaPorts,
  RuntimeHooks,
  ScriptRunner,
} from "./ports.ts";
import { KEY, type LuaThread, REGISTRY, T_FUNCTION, T_NIL, T_STRING, T_TABLE } from "./raw.ts";
import { keepHandler, readSpec } from "./script-functions.ts";
import { LuaFailure, LuaState, type LuaTask, type StatedInLua } from "./state.ts";
import { asFailure } from "./task-run.ts";
import { LuaArgumentError, type LuaVm } from "./vm.ts";

/**
 * A script with a state of its own: loads it, runs its hooks, and loads it again after its state was killed. It is the
 * runner of all its hooks, so consecutive ones enter the VM once.
 */
export class LuaScript implements ScriptRunner {
  readonly source: LuaSource;
  /** Files that it required. */
  readonly requires = new Set<string>();
  /** The limit of a stretch without waiting; created once, because it is passed with each call. */
  readonly stretchOverrun: LimitName;
  readonly #vm: LuaVm;
  readonly #environment: LuaEnvironment;
  readonly #ports: LuaPorts;
  /** Slots of handlers in the live state, by hook. */
  readonly #slots = new Map<string, number>();
  /** Identities of hooks across reloads, when slots may be assigned to other handlers. */
  readonly #identities = new Map<string, string>();
  readonly #bySlot = new Map<number, string>();
  /** The ids that `orcs.hook` returned while the script was loaded: the configuration may choose others afterwards. */
  readonly #told = new Map<number, string>();
  readonly #alike = new Map<string, number>();
  readonly #runtime: RuntimeHooks;
  #state: LuaState | undefined;
  #specs: LuaHookSpec[] = [];
  #slot = 0;
  #chunk = 0;
  #loading = false;
  #closed = false;
  /** Number of running turns. */
  #running = 0;
  #retired: (() => void) | undefined;

  constructor(
    vm: LuaVm,
    environment: LuaEnvironment,
    ports: LuaPorts,
    source: LuaSource,
    runtime: RuntimeHooks,
  ) {
    this.#vm = vm;
    this.#environment = environment;
    this.#ports = ports;
    this.source = source;
    this.stretchOverrun = stretchOverrun(ports.limits.maxRunMs);
    this.#runtime = runtime;
  }

  /**
   * Load the script and collect its hooks.
   * @throws LuaFailure: a syntax error, an error while it ran, or a limit
   */
  load(): readonly LuaHookSpec[] {
    this.#expectOpen();
    this.#load(loadLimitMs(this.#ports.limits), this.source.loadMs);
    return this.#specs;
  }

  /** Set the slot of a registered hook. */
  bind(hookId: string, slot: number): void {
    this.#slots.set(hookId, slot);
    this.#identities.set(hookId, this.#bySlot.get(slot) ?? "");
  }

  /** Set the handler of a registered hook by its identity across loads. */
  adopt(hookId: string, identity: string): void {
    this.#identities.set(hookId, identity);
    for (const [slot, known] of this.#bySlot) if (known === identity) this.#slots.set(hookId, slot);
  }

  /** Whether a hook belongs to this script. */
  owns(hookId: string): boolean {
    return this.#identities.has(hookId);
  }

  /** The slot of a hook of this script. */
  slotOf(hook: LuaHook): number {
    const slot = this.#slots.get(hook.id);
    if (slot !== undefined) return slot;
    throw new LuaFailure(
      "error",
      "its handler no longer exists: the reloaded script did not register it",
    );
  }

  /** The live state; reloads the script when the previous state was killed. */
  state(): LuaState {
    this.#expectOpen();
    if (!this.#state || this.#state.death) return this.#load(loadLimitMs(this.#ports.limits));
    return this.#state;
  }

  /** The live state; a dispatch that has to load it is charged for that. */
  #loaded(turn: LuaTurn): LuaState {
    if (this.#state && !this.#state.death && !this.#closed) return this.#state;
    const began = performance.now();
    try {
      return this.state();
    } finally {
      turn.spent.luaMs += performance.now() - began;
    }
  }

  run(turn: LuaTurn): void | Promise<void> {
    // A dispatch made by something that a hook called (a logger, a listener): after that hook has ended.
    if (this.#vm.busy) return Promise.resolve().then(() => this.run(turn));
    const { maxChainMs } = this.#ports.limits;
    if (chainLeftMs(turn.spent, maxChainMs) <= 0) {
      turn.settle({ failure: chainOverrun(maxChainMs) });
      return undefined;
    }
    let run: HookRun;
    try {
      run = new HookRun(this, this.#loaded(turn), turn, this.#ports);
    } catch (thrown) {
      turn.settle({ failure: hookFailure(asFailure(thrown)) });
      return undefined;
    }
    this.#running++;
    const waiting = run.start();
    if (waiting) return waiting.finally(() => this.#ranOnce());
    this.#ranOnce();
    return undefined;
  }

  /**
   * Free the state whenever nothing runs in it: the script was replaced, and only dispatches that began before still
   * reach its hooks.
   * @param freed called when it is freed for the first time
   */
  retire(freed: () => void): void {
    this.#retired = freed;
    if (this.#running === 0) this.#rest();
  }

  #ranOnce(): void {
    if (--this.#running === 0 && this.#retired) this.#rest();
  }

  #rest(): void {
    this.#state?.close();
    this.#state = undefined;
    this.#retired?.();
  }

  close(): void {
    this.#closed = true;
    this.#state?.close();
    this.#state = undefined;
  }

  /** A hook was stated: a name in shorthand or a table, with the handler already in a slot. */
  define(spec: StatedInLua): string {
    const chunk = this.source.chunks[this.#chunk];
    const place = { file: chunk?.file ?? this.source.name, line: spec.line };
    const stated = { slot: spec.slot, fields: spec.fields, chunk: this.#chunk, place };
    if (!this.#loading) return this.#runtime.add({ ...stated, identity: "" }, this);
    const full: LuaHookSpec = {
      ...stated,
      identity: this.#identity(stated),
      ...(spec.tests && { tests: spec.tests }),
    };
    this.#specs.push(full);
    this.#bySlot.set(spec.slot, full.identity);
    const { id } = spec.fields;
    const told = typeof id === "string" ? id : `${this.source.name}:${spec.slot}`;
    this.#told.set(spec.slot, told);
    return told;
  }

  undefine(id: string): boolean {
    if (!this.#loading) {
      const isTold = ([, slot]: [string, number]): boolean => this.#told.get(slot) === id;
      const [own = id] = this.owns(id) ? [] : ([...this.#slots].find(isTold) ?? []);
      return this.#runtime.remove(own, this);
    }
    const before = this.#specs.length;
    this.#specs = this.#specs.filter(({ slot }) => this.#told.get(slot) !== id);
    return this.#specs.length < before;
  }

  /** The identity of a hook: where and how it was stated, and its index among equal ones. */
  #identity({ chunk, place, fields }: Omit<LuaHookSpec, "identity">): string {
    // Sorted: Lua's own order differs from state to state.
    const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
    const stated = JSON.stringify([chunk, place.line, sorted]);
    const n = (this.#alike.get(stated) ?? 0) + 1;
    this.#alike.set(stated, n);
    return `${n}:${stated}`;
  }

  /** Give each hook the slot of its handler again, if the script has stated it again. */
  #rebind(): void {
    const slots = new Map(Array.from(this.#bySlot, ([slot, identity]) => [identity, slot]));
    this.#slots.clear();
    for (const [hookId, identity] of this.#identities) {
      const slot = slots.get(identity);
      if (slot !== undefined) this.#slots.set(hookId, slot);
    }
  }

  /** A new slot for a handler. */
  nextSlot(): number {
    return ++this.#slot;
  }

  #expectOpen(): void {
    if (this.#closed) throw new LuaFailure("killed", "its script was unloaded");
  }

  /**
   * @param maxMs time limit of each chunk
   * @param allMs time limit of all chunks
   */
  #load(maxMs: number, allMs = Infinity): LuaState {
    if (this.#vm.busy) throw new LuaFailure("error", "a script cannot be loaded while a hook runs");
    this.#state?.close();
    this.#specs = [];
    this.#slot = 0;
    this.#slots.clear();
    this.#bySlot.clear();
    this.#alike.clear();
    const { limits } = this.#ports;
    const state = new LuaState(this.#vm, this, limits);
    const time = new LoadTime(allMs);
    this.#loading = true;
    try {
      this.#environment.furnish(state, this.source.options);
      this.source.chunks.forEach((chunk, i) => {
        this.#chunk = i;
        const left = Math.max(1, Math.ceil(time.left));
        loadChunk(state, chunk, limits, Math.min(maxMs, left));
      });
    } catch (thrown) {
      state.close();
      throw thrown;
    } finally {
      this.#loading = false;
    }
    this.#rebind();
    this.#state = state;
    return state;
  }
}

/**
 * Run a chunk and take the hooks it returns: a script can return a function, a table with a handler, or a list of such
 * tables, in addition to `orcs.hook`; an inline handler is a function expression or its body.
 * @param maxMs time limit
 * @throws LuaFailure
 */
function loadChunk(state: LuaState, chunk: LuaChunk, limits: LuaLimitOptions, maxMs: number): void {
  const task = state.task();
  const L = task.thread;
  arm(state, maxMs);
  if (chunk.kind === "inline") {
    compileInline(state, L, chunk);
    setOwnGlobals(state, L);
  } else state.compile(L, chunk.code, `@${chunk.file}`);
  runToEnd(state, task, maxMs, 0);
  try {
    takeResult(state, L, limits.maxValueBytes);
  } catch (thrown) {
    if (!(thrown instanceof LuaArgumentError)) throw thrown;
    throw new LuaFailure("result", `${chunk.file}:1: ${thrown.message}`);
  }
  state.release(task);
}

/** Run the function on a task's stack, with its arguments above it; it must not wait. */
function runToEnd(state: LuaState, task: LuaTask, maxMs: number, nargs: number): void {
  arm(state, maxMs);
  if (state.resume(task, nargs) === "waiting") {
    throw new LuaFailure("error", "a script cannot yield while it is loading");
  }
}

/** Allow `maxMs` for the next step, compiling or running. */
function arm(state: LuaState, maxMs: number): void {
  const message = `it ran longer than ${maxMs} ms while it was loading`;
  const setting = "lua.max_run_ms or engine.load_ms";
  state.limits.arm(performance.now(), maxMs, { message, setting });
}

/** A function expression, optionally after comments and blanks. */
const FUNCTION_EXPRESSION = /^(?:\s|--(?!\[=*\[)[^\n]*\n)*function\s*\(/;

/** A call for its effect: what it returns is no result of a hook. */
const FOR_ITS_EFFECT = /^\s*orcs\.snapshot\s*\(/;

/**
 * The code as a handler: a function, or the body of a function of `ctx`, whose value is returned if it is an expression
 * (`orcs.deny("no")` denies, it is not ignored).
 */
function compileInline(state: LuaState, L: LuaThread, chunk: LuaChunk): void {
  // Leading blank lines make Lua count lines as in the file.
  const lead = "\n".repeat(Math.max(0, (chunk.line ?? 1) - 1));
  const code = typeof chunk.code === "string" ? chunk.code : new TextDecoder().decode(chunk.code);
  const name = `@${chunk.file}`;
  if (FUNCTION_EXPRESSION.test(code)) {
    state.compile(L, `${lead}return ${code}`, name);
    return;
  }
  const [first, second] = FOR_ITS_EFFECT.test(code) ? ["", "return "] : ["return ", ""];
  try {
    state.compile(L, `${lead}return function(ctx) ${first}${code}\nend`, name);
  } catch (thrown) {
    if (!(thrown instanceof LuaFailure) || thrown.kind !== "syntax") throw thrown;
    state.raw.lua_settop(L, 0);
    try {
      state.compile(L, `${lead}return function(ctx) ${second}${code}\nend`, name);
    } catch (again) {
      throw again instanceof LuaFailure ? withinCode(again, lead + code) : again;
    }
  }
}

/** An error at the `end` that is not the author's is at the end of the author's code. */
function withinCode(failure: LuaFailure, written: string): LuaFailure {
  const last = written.trimEnd().split("\n").length;
  const added = written.split("\n").length + 1;
  const message = failure.message.replace(`:${added}: `, `:${last}: `);
  if (message === failure.message) return failure;
  return new LuaFailure(failure.kind, atEnd(message).message);
}

/** Give the inline handler on top of a stack globals of its own. */
function setOwnGlobals(state: LuaState, L: LuaThread): void {
  const { raw } = state;
  raw.lua_rawgetp(L, REGISTRY, KEY.environment);
  if (raw.lua_pcallk(L, 0, 1, 0, 0, 0) !== 0) throw state.errorOnTop(L);
  raw.lua_setupvalue(L, -2, 1);
}

function takeResult(state: LuaState, L: LuaThread, maxBytes: number): void {
  const { raw, script } = state;
  if (raw.lua_gettop(L) === 0) return;
  // A second hook would be dropped, and whatever it guards would be open.
  if ([T_FUNCTION, T_TABLE].includes(raw.lua_type(L, 2))) {
    throw new LuaArgumentError("a script returns one value: write return { a, b } for two hooks");
  }
  raw.lua_settop(L, 1);
  const type = raw.lua_type(L, 1);
  if (type === T_NIL) return;
  if (type === T_FUNCTION) {
    script.define({ ...keepHandler(state, L, 1), fields: {} });
    return;
  }
  if (type !== T_TABLE) {
    throw new LuaArgumentError(
      "a script must return a hook: a function, a table, or a list of tables",
    );
  }
  const count = Number(raw.lua_rawlen(L, 1));
  if (hasField(state, L, "handler") || count === 0) {
    script.define(readSpec(state, L, 1, maxBytes));
    return;
  }
  for (let i = 1; i <= count; i++) {
    raw.lua_rawgeti(L, 1, BigInt(i));
    script.define(readSpec(state, L, raw.lua_gettop(L), maxBytes));
    raw.lua_settop(L, 1);
  }
}

function hasField(state: LuaState, L: LuaThread, name: string): boolean {
  state.text.push(L, name);
  const type = state.raw.lua_rawget(L, 1);
  state.raw.lua_settop(L, -2);
  return type !== T_NIL && type !== T_STRING;
}
