import type { LuaHookSpec, RuntimeHooks, ScriptRunner } from "./ports.ts";

/**
 * The hooks that a program has registered. Their handlers go with its state: until it is loaded again they
 * fail, as a guard that is not there must; then those of its new life take their places.
 */
export class ScriptProgramHooks implements RuntimeHooks {
  readonly #runtime: RuntimeHooks;
  /** By id, whether the program gave it that id. */
  readonly #live = new Map<string, boolean>();
  /** The hooks of the previous load of the script. */
  readonly #old = new Map<string, boolean>();

  constructor(runtime: RuntimeHooks) {
    this.#runtime = runtime;
  }

  /** How many there are. */
  get size(): number {
    return this.#live.size + this.#old.size;
  }

  add(spec: LuaHookSpec, script: ScriptRunner): string {
    const { id } = spec.fields;
    const named = typeof id === "string";
    // One with an id takes the place of its namesake when its turn comes: at no time are both missing. The
    // ids of the others are numbered anew in each life, and must be free.
    if (!named) this.#removeOld(script, (wasNamed) => !wasNamed);
    else if (this.#old.has(id)) this.remove(id, script);
    const added = this.#runtime.add(spec, script);
    this.#live.set(added, named);
    return added;
  }

  remove(id: string, script: ScriptRunner): boolean {
    this.#old.delete(id);
    this.#live.delete(id);
    return this.#runtime.remove(id, script);
  }

  /** The program is to be loaded again. */
  lose(): void {
    for (const [id, named] of this.#live) this.#old.set(id, named);
    this.#live.clear();
  }

  /** It was loaded again: what it has not stated anew goes. */
  renewed(script: ScriptRunner): void {
    this.#removeOld(script, () => true);
  }

  /** All of them go. */
  removeAll(script: ScriptRunner): void {
    this.lose();
    this.renewed(script);
  }

  #removeOld(script: ScriptRunner, which: (named: boolean) => boolean): void {
    for (const [id, named] of this.#old) if (which(named)) this.remove(id, script);
  }
}
