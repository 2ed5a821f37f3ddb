import { type Json, type JsonObject, shownJson } from "../../core/index.ts";
import { pushJson } from "./lua-writer.ts";
import type { LuaLimitOptions, ScriptObject } from "./ports.ts";
import type { ReturnedFunctions } from "./main-run.ts";
import { KEY, type LuaThread, REGISTRY } from "./raw.ts";
import { LuaFailure, type LuaState, type LuaTask } from "./state.ts";
import { asFailure, givenUp, readResult, runTask } from "./task-run.ts";

/** Functions that a script returned, in the state that created them. */
export class LoadedObject implements ScriptObjectState {
  readonly fields: JsonObject;
  readonly methods: ReadonlySet<string>;
  readonly #state: LuaState;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #limits: LuaLimitOptions;

  constructor(state: LuaState, { fields, slots }: ReturnedFunctions, limits: LuaLimitOptions) {
    this.fields = fields;
    this.methods = new Set(slots.keys());
    this.#state = state;
    this.#slots = slots;
    this.#limits = limits;
  }

  get lost(): boolean {
    return this.#state.death !== undefined;
  }

  /** Set a callback for the loss of the state. */
  onLost(tell: () => void): void {
    this.#state.onDeath(tell);
  }

  call(
    ...[method, args, call]: Parameters<ScriptObject["call"]>
  ): ReturnType<ScriptObject["call"]> {
    const state = this.#state;
    // When called from Lua (by a logger or listener): after that call has ended.
    if (state.vm.busy) return Promise.resolve().then(() => this.call(method, args, call));
    expectCallable(this, method, call.signal);
    const task = state.task();
    try {
      this.#push(task.thread, this.#slots.get(method) ?? 0, args);
      const { scope, signal } = call;
      const run = { scope, signal, limits: this.#limits, logsPerStretch: false };
      const result = runTask(task, args.length, run, () => this.#result(task, method));
      if (!(result instanceof Promise)) return result;
      return result.catch((thrown: unknown) => this.#fail(task, thrown));
    } catch (thrown) {
      return this.#fail(task, thrown);
    }
  }

  /** Push the function in a slot and its arguments. */
  #push(L: LuaThread, slot: number, args: readonly (Json | undefined)[]): void {
    const state = this.#state;
    const { raw } = state;
    raw.lua_checkstack(L, args.length + 4);
    raw.lua_rawgetp(L, REGISTRY, KEY.handlers);
    raw.lua_rawgetp(L, -1, slot);
    raw.lua_rotate(L, -2, -1);
    raw.lua_settop(L, -2);
    for (const arg of args) pushJson(state, L, arg && shownJson(arg, "never"), "drop");
  }

  /** The first of its results. */
  #result(task: LuaTask, method: string): Json | undefined {
    const state = this.#state;
    const L = task.thread;
    const result =
      state.raw.lua_gettop(L) === 0
        ? undefined
        : readResult(state, this.#limits, (reader) => reader.read(L, 1, `the result of ${method}`));
    state.release(task);
    return result;
  }

  #fail(task: LuaTask, thrown: unknown): never {
    const failure = asFailure(thrown);
    this.#state.abandon(task);
    if (failure.kind === "memory") this.#state.retire();
    throw failure;
  }
}

/** The functions of a script from one load to the loss of the state. */
export type ScriptObjectState = Pick<ScriptObject, "fields" | "methods" | "lost" | "call">;

/** @throws LuaFailure when a function cannot be called, or the caller has given up */
export function expectCallable(
  { methods, lost }: Pick<ScriptObjectState, "methods" | "lost">,
  method: string,
  signal: AbortSignal,
): void {
  if (lost) throw new LuaFailure("killed", "its Lua state was killed; load it again");
  if (!methods.has(method)) {
    throw new LuaFailure("error", `the script has no function ${JSON.stringify(method)}`);
  }
  if (signal.aborted) throw givenUp();
}
