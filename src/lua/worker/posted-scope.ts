import type { Json } from "../../core/json.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../../core/ports.ts";
import type { RuntimeVerb } from "../../core/runtime-verbs.ts";
import type { LuaSpent } from "../limits.ts";
import type { PostedCalls } from "./posted-calls.ts";
import type { ScopeFacts } from "./scope-facts.ts";

/** The scope of a job: its calls are made by the engine, in the name of the hook or the caller it serves. */
export class PostedScope implements CallScope {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Missing where the engine's scope has none. */
  readonly verb?: NonNullable<CallScope["verb"]>;
  /** Milliseconds of Lua so far. */
  readonly spent: LuaSpent;
  readonly #calls: PostedCalls;
  readonly #job: number;

  constructor(calls: PostedCalls, job: number, facts: ScopeFacts, spent: LuaSpent) {
    this.#calls = calls;
    this.#job = job;
    this.depth = facts.depth;
    this.mayHook = facts.mayHook;
    if (facts.hasVerbs) this.verb = (...of) => this.#ask(...of);
    this.spent = spent;
  }

  async get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer> {
    return (await this.#calls.get(this.#job, kind, arg, options)) as ToolAnswer;
  }

  /**
   * The thread slept while it waited for the engine.
   * @param freeMs what of that is no time of the script's
   * @param workedMs how long the engine worked for it
   */
  waited(freeMs: number, workedMs: number): void {
    this.spent.luaMs -= freeMs;
    this.spent.elsewhereMs = (this.spent.elsewhereMs ?? 0) + workedMs;
  }

  async #ask(
    name: RuntimeVerb,
    args: readonly (Json | undefined)[],
    signal: AbortSignal,
  ): Promise<Json> {
    return (await this.#calls.verb(this.#job, name, args, signal)) as Json;
  }
}
