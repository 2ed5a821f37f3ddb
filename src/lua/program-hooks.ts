import type { LuaHookSpec, RuntimeHooks, ScriptRunner } from "./ports.ts";

/**
 * The hooks registered by a program. Their handlers live in its state: after its loss they fail (a missing guard must
 * deny) until the program is loaded again and registers them again.
 */
export class ScriptProgramHooks implements RuntimeHooks {
  readonly #runtime: RuntimeHooks;
  /** By id: whether the program chose the id. */
  readonly #live = new Map<string, boolean>();
  /** The hooks of the previous load of the script. */
  readonly #old = new Map<string, boolean>();

  constructor(runtime: RuntimeHooks) {
    this.#runtime = runtime;
  }

  /** Number of hooks. */
  get size(): number {
    return this.#live.size + this.#old.size;
  }

  add(spec: LuaHookSpec, script: ScriptRunner): string {
    const { id } = spec.fields;
    const named = typeof id === "string";
    // A hook with an id replaces its namesake when it is registered again, so that one of the two is always there.
    // Generated ids are numbered again with each load, and must be free.
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

  /** The program will be loaded again. */
  lose(): void {
    for (const [id, named] of this.#live) this.#old.set(id, named);
    this.#live.clear();
  }

  /** It was loaded again: hooks that it did not register again are removed. */
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
