import type { CallScope } from "../../core/ports.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { ScriptObject } from "../../lua/ports.ts";

/** A Lua file of tests that was loaded: what it returned, and functions of it to call. */
export class TestProgram {
  readonly #object: ScriptObject;
  readonly #scope: CallScope;

  constructor(object: ScriptObject, scope: CallScope) {
    this.#object = object;
    this.#scope = scope;
  }

  get fields(): JsonObject {
    return this.#object.fields;
  }

  /** Whether its state was killed: nothing of it can be called any more. */
  get lost(): boolean {
    return this.#object.lost;
  }

  /** Files that it required. */
  get requires(): ReadonlySet<string> {
    return this.#object.requires;
  }

  /**
   * Call a function of it.
   * @throws LuaFailure when it raised an error or overran a limit, or the signal gave it up
   */
  async call(name: string, args: readonly Json[], signal: AbortSignal): Promise<Json | undefined> {
    return this.#object.call(name, args, { scope: this.#scope, signal });
  }

  close(): void {
    this.#object.close();
  }
}
