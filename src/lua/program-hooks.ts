import type { LuaHookSpec, RuntimeHooks, ScriptRunner } from "./ports.ts";

/**
 * The hooks that a program has registered. Their handlers go with its state: until it is loaded again they
 * fail, as a guard that is not there must; then those of its new life take their places.
 */
export class ProgramHooks implements RuntimeHooks {
  readonly #runtime: RuntimeHooks;
  readonly #live = new Set<string>();
  /** Those of the life before. */
  readonly #old = new Set<string>();

  constructor(runtime: RuntimeHooks) {
    this.#runtime = runtime;
  }

  /** How many there are. */
  get size(): number {
    return this.#live.size + this.#old.size;
  }

  add(spec: LuaHookSpec, script: ScriptRunner): string {
    const { id } = spec.fields;
    // One with a name takes the place of its namesake, so that at no time both are missing. The others are
    // named by what comes first in a life, and none knows its own.
    if (typeof id !== "string") this.#removeOld(script);
    else if (this.#old.has(id)) this.remove(id, script);
    const added = this.#runtime.add(spec, script);
    this.#live.add(added);
    return added;
  }

  remove(id: string, script: ScriptRunner): boolean {
    this.#old.delete(id);
    this.#live.delete(id);
    return this.#runtime.remove(id, script);
  }

  /** The program is to be loaded again. */
  lose(): void {
    for (const id of this.#live) this.#old.add(id);
    this.#live.clear();
  }

  /** It was loaded again: what it has not stated anew goes. */
  renewed(script: ScriptRunner): void {
    this.#removeOld(script);
  }

  /** All of them go. */
  removeAll(script: ScriptRunner): void {
    this.lose();
    this.#removeOld(script);
  }

  #removeOld(script: ScriptRunner): void {
    for (const id of this.#old) this.remove(id, script);
  }
}
