import type { Json, JsonObject } from "../core/json.ts";
import type { CallScope } from "../core/ports.ts";
import type { ScriptObjectState } from "./loaded-object.ts";
import { loadError } from "./load-error.ts";
import type { LuaSource, ProgramResult, ScriptObject, ScriptRunner } from "./ports.ts";
import type { ScriptProgramHooks } from "./program-hooks.ts";
import { LuaFailure } from "./state.ts";

/** A program as its caller sees it, on any thread. */
export interface RunningScript {
  readonly script: ScriptRunner;
  readonly hooks: ScriptProgramHooks;
  /** For messages. */
  readonly source: LuaSource;
  /** Run it from its beginning, in a new state. Rejects with a `LuaFailure`. */
  load(
    scope: CallScope | undefined,
  ): Promise<{ readonly value: Json | undefined } | { readonly object: ScriptObjectState }>;
  /** Free its state; pending calls fail. */
  unload(): void;
}

/**
 * Run a program; its state is kept if it returned functions.
 * @param signal ends it: pending calls fail
 * @throws OrcsError as `ScriptLoader.run`
 */
export async function startProgram(
  program: RunningScript,
  scope: CallScope | undefined,
  signal: AbortSignal | undefined,
): Promise<ProgramResult> {
  const { hooks, script } = program;
  const unload = (): void => program.unload();
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
