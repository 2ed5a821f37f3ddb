import type { CallScope, Json, LuaChunk, LuaSource } from "../../core/index.ts";
import { loadError } from "./load-error.ts";
import type { ScriptObjectState } from "./loaded-object.ts";
import type {
  LuaHookSpec,
  ProgramResult,
  RuntimeHooks,
  ScriptLoader,
  ScriptObject,
  ScriptRunner,
} from "./ports.ts";
import { LuaFailure } from "./state.ts";

/** How the scripts of a thread run as programs. */
export interface ProgramLayer<Script extends ScriptRunner> {
  /** A script that is not loaded yet. */
  script(source: LuaSource, runtime: RuntimeHooks): Script;
  /** Run a chunk from the start, in a new state of its script. Rejects with a `LuaFailure`. */
  main(script: Script, chunk: LuaChunk, scope: CallScope | undefined): Promise<MainResult>;
  /** Free the state of a script; pending calls fail. */
  unload(script: ScriptRunner): void;
}

/** The result of a program in its state. */
export type MainResult =
  | { readonly value: Json | undefined }
  | { readonly object: ScriptObjectState };

/** `ScriptLoader.run`: a program's state is kept if it returned functions. */
export async function startProgram<Script extends ScriptRunner>(
  layer: ProgramLayer<Script>,
  ...[chunk, source, scope, runtime, signal]: Parameters<ScriptLoader["run"]>
): Promise<ProgramResult> {
  const hooks = new ScriptProgramHooks(runtime);
  const script = layer.script({ ...source, chunks: [] }, hooks);
  const whole = { ...source, chunks: [chunk] };
  const load = (bound: CallScope | undefined) => layer.main(script, chunk, bound);
  const unload = (): void => layer.unload(script);
  const reload = async (): Promise<ScriptObjectState> => {
    try {
      hooks.lose();
      const result = await load(undefined);
      if ("object" in result) {
        hooks.renewed(script);
        return result.object;
      }
      throw new LuaFailure("error", "it returned no functions when it was loaded again");
    } catch (thrown) {
      throw loadError(thrown, whole);
    }
  };
  signal?.addEventListener("abort", unload);
  try {
    const result = await load(scope);
    if ("object" in result) return { object: programObject(script, result.object, reload, unload) };
    // Only a hook could enter it again.
    if (hooks.size === 0) unload();
    return { value: result.value, close: unload };
  } catch (thrown) {
    hooks.removeAll(script);
    unload();
    throw loadError(thrown, whole);
  } finally {
    signal?.removeEventListener("abort", unload);
  }
}

/** The functions of a program, across reloads of its state. */
function programObject(
  { requires }: ScriptRunner,
  loaded: ScriptObjectState,
  load: () => Promise<ScriptObjectState>,
  unload: () => void,
): ScriptObject {
  let live = loaded;
  let loading: Promise<ScriptObjectState> | undefined;
  let isClosed = false;
  const object: ScriptObject = {
    requires,
    get fields() {
      return live.fields;
    },
    get methods() {
      return live.methods;
    },
    get lost() {
      return isClosed || live.lost;
    },
    call(method, ...how) {
      if (!isClosed) return live.call(method, ...how);
      throw new LuaFailure("killed", `the script was closed; ${method} can no longer be called`);
    },
    async reload() {
      if (!object.lost) return;
      loading ??= load();
      try {
        live = await loading;
      } finally {
        loading = undefined;
      }
    },
    close() {
      if (!isClosed) unload();
      isClosed = true;
    },
  };
  return object;
}

/**
 * The hooks registered by a program. Their handlers live in its state: after its loss they fail (a missing guard must
 * deny) until the program is loaded again and registers them again.
 */
class ScriptProgramHooks implements RuntimeHooks {
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

  /** Remove all hooks. */
  removeAll(script: ScriptRunner): void {
    this.lose();
    this.renewed(script);
  }

  #removeOld(script: ScriptRunner, which: (named: boolean) => boolean): void {
    for (const [id, named] of this.#old) if (which(named)) this.remove(id, script);
  }
}
