import type { CallScope, Json, JsonObject, LuaChunk, LuaSource } from "../../core/index.ts";
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

/** A program as its caller sees it. */
interface RunningScript {
  readonly script: ScriptRunner;
  readonly hooks: ScriptProgramHooks;
  /** For messages. */
  readonly source: LuaSource;
  load(scope: CallScope | undefined): Promise<MainResult>;
  unload(): void;
}

/** `ScriptLoader.run`: a program's state is kept if it returned functions. */
export async function startProgram<Script extends ScriptRunner>(
  layer: ProgramLayer<Script>,
  ...[chunk, source, scope, runtime, signal]: Parameters<ScriptLoader["run"]>
): Promise<ProgramResult> {
  const hooks = new ScriptProgramHooks(runtime);
  const script = layer.script({ ...source, chunks: [] }, hooks);
  const unload = (): void => layer.unload(script);
  const program: RunningScript = {
    script,
    hooks,
    source: { ...source, chunks: [chunk] },
    load: (bound) => layer.main(script, chunk, bound),
    unload,
  };
  signal?.addEventListener("abort", unload);
  try {
    const result = await program.load(scope);
    if ("object" in result) return { object: new ProgramObject(program, result.object) };
    // Only a hook could enter it again.
    if (hooks.size === 0) unload();
    return { value: result.value, close: unload };
  } catch (thrown) {
    hooks.removeAll(script);
    unload();
    throw loadError(thrown, program.source);
  } finally {
    signal?.removeEventListener("abort", unload);
  }
}

/** The functions of a program, across reloads of its state. */
class ProgramObject implements ScriptObject {
  readonly #program: RunningScript;
  #live: ScriptObjectState;
  #loading: Promise<void> | undefined;
  #closed = false;

  constructor(program: RunningScript, live: ScriptObjectState) {
    this.#program = program;
    this.#live = live;
  }

  get fields(): JsonObject {
    return this.#live.fields;
  }

  get methods(): ReadonlySet<string> {
    return this.#live.methods;
  }

  get lost(): boolean {
    return this.#closed || this.#live.lost;
  }

  get requires(): ReadonlySet<string> {
    return this.#program.script.requires;
  }

  call(
    ...[method, args, call]: Parameters<ScriptObject["call"]>
  ): ReturnType<ScriptObject["call"]> {
    if (this.#closed) {
      throw new LuaFailure("killed", `the script was closed; ${method} can no longer be called`);
    }
    return this.#live.call(method, args, call);
  }

  async reload(): Promise<void> {
    if (!this.lost) return;
    this.#loading ??= this.#load();
    try {
      await this.#loading;
    } finally {
      this.#loading = undefined;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#program.unload();
  }

  async #load(): Promise<void> {
    const { hooks, script, source } = this.#program;
    try {
      hooks.lose();
      const result = await this.#program.load(undefined);
      if (!("object" in result)) {
        throw new LuaFailure("error", "it returned no functions when it was loaded again");
      }
      this.#live = result.object;
      hooks.renewed(script);
    } catch (thrown) {
      throw loadError(thrown, source);
    }
  }
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
