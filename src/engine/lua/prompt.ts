import type { CallScope, JsonObject } from "../../core/index.ts";
import { inspect } from "./inspect.ts";
import { stretchOverrun } from "./limits.ts";
import { pushJson } from "./lua-writer.ts";
import type { LuaLimitOptions } from "./ports.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaScript } from "./script.ts";
import { LuaFailure, type LuaState } from "./state.ts";
import { asFailure, runTask } from "./task-run.ts";

const CHUNK = "=prompt";
/** How a message ends about a text that more lines could complete. */
const UNFINISHED = /near <eof>$/;

/** Runs lines of Lua one after the other in one state; what they assign without `local` stays. */
export class LuaPrompt {
  readonly #script: LuaScript;
  readonly #limits: LuaLimitOptions;
  readonly #globals: JsonObject;
  readonly #scope: CallScope;
  #furnished: LuaState | undefined;

  /** @param script without chunks @param globals set whenever its state is new */
  constructor(script: LuaScript, limits: LuaLimitOptions, globals: JsonObject, scope: CallScope) {
    this.#script = script;
    this.#limits = limits;
    this.#globals = globals;
    this.#scope = scope;
  }

  /**
   * Run an expression or statements.
   * @returns the values of an expression, in Lua's notation; undefined when the text is not finished
   * @throws LuaFailure
   */
  async run(text: string, signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const { maxRunMs } = this.#limits;
    const state = this.#state();
    const task = state.task();
    const L = task.thread;
    try {
      state.limits.arm(performance.now(), maxRunMs, stretchOverrun(maxRunMs));
      if (!compiles(state, L, `return ${text}`) && !compiles(state, L, text)) return undefined;
      const run = { scope: this.#scope, limits: this.#limits, logsPerStretch: true, signal };
      return await runTask(task, 0, run, () =>
        Array.from({ length: state.raw.lua_gettop(L) }, (_, i) => inspect(state, L, i + 1)),
      );
    } catch (thrown) {
      throw asFailure(thrown);
    } finally {
      state.abandon(task);
    }
  }

  /** The live state, with the globals; after it was killed, a new one. */
  #state(): LuaState {
    if (!this.#furnished) this.#script.load();
    const state = this.#script.state();
    if (state === this.#furnished) return state;
    for (const [name, value] of Object.entries(this.#globals)) {
      pushJson(state, state.main, value, "keep");
      state.raw.lua_setglobal(state.main, state.text.constant(name));
    }
    return (this.#furnished = state);
  }
}

/** Compile a text. Returns whether it did; false for one that is no expression, or not finished. */
function compiles(state: LuaState, L: LuaThread, text: string): boolean {
  try {
    state.compile(L, text, CHUNK);
    return true;
  } catch (thrown) {
    const isSyntax = thrown instanceof LuaFailure && thrown.kind === "syntax";
    if (!isSyntax || (!text.startsWith("return ") && !UNFINISHED.test(thrown.message)))
      throw thrown;
    state.raw.lua_settop(L, 0);
    return false;
  }
}
