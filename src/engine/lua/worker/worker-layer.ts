import { shownJson } from "../../../core/index.ts";
import type { CallScope, Json, JsonObject, LuaChunk, LuaSource } from "../../../core/index.ts";
import { loadError } from "../load-error.ts";
import { expectCallable, type ScriptObjectState } from "../loaded-object.ts";
import type {
  LoadedScript,
  LuaHookSpec,
  LuaPorts,
  ProgramResult,
  RuntimeHooks,
  ScriptLoader,
  ScriptRunner,
} from "../ports.ts";
import { type MainResult, type ProgramLayer, startProgram } from "../program.ts";
import { LuaFailure } from "../state.ts";
import { ContextWriter, type Packed } from "./context-copy.ts";
import { refusal } from "./port-requests.ts";
import { type PostedResult, scopeFacts } from "./protocol.ts";
import { crossing, WorkerScript } from "./worker-script.ts";
import { WorkerThread } from "./worker-thread.ts";

/**
 * Loads scripts into a VM on a worker thread: `[lua] isolation = "worker"`. If anything there hangs in spite of Lua's
 * own limits, or crashes, the thread is ended and its work has failed; the next hook starts another thread, which loads
 * the scripts again from source.
 */
export class WorkerLayer implements ScriptLoader, ProgramLayer<WorkerScript> {
  readonly ports: LuaPorts;
  readonly #scripts = new Set<WorkerScript>();
  #thread: WorkerThread | undefined;
  #count = 0;
  #closed = false;

  constructor(ports: LuaPorts) {
    this.ports = ports;
  }

  async open(): Promise<void> {
    const { ready } = this.live();
    // Code that closes the layer while it starts knows that it did.
    await ready.catch((thrown: unknown) => {
      if (!this.#closed) throw thrown;
    });
  }

  async load(source: LuaSource, runtime: RuntimeHooks): Promise<LoadedScript> {
    const runner = this.script(source, runtime);
    try {
      const specs = await this.live().result<readonly LuaHookSpec[]>(runner, { type: "load" });
      runner.loaded(specs);
      return { runner, specs };
    } catch (thrown) {
      this.unload(runner);
      throw loadError(thrown, source);
    }
  }

  async run(...asked: Parameters<ScriptLoader["run"]>): Promise<ProgramResult> {
    return startProgram(this, ...asked);
  }

  /** The thread to run on; started if there is none. */
  live(): WorkerThread {
    if (this.#closed) throw new LuaFailure("killed", "its script was unloaded");
    if (!this.#thread || this.#thread.death) this.#thread = new WorkerThread(this.ports);
    return this.#thread;
  }

  /** A hook of a script was registered. */
  bound(script: WorkerScript, hookId: string, identity: string): void {
    this.#thread?.bind(script, hookId, identity);
  }

  retire(script: ScriptRunner): void {
    if (!(script instanceof WorkerScript)) return;
    // Its thread gets it again if a dispatch still needs it.
    script.retire(() => {
      this.#scripts.delete(script);
      this.#thread?.unload(script);
    });
  }

  unload(script: ScriptRunner): void {
    if (!(script instanceof WorkerScript)) return;
    this.#scripts.delete(script);
    script.close();
    this.#thread?.unload(script);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const script of this.#scripts) script.close();
    await this.#thread?.close(
      new LuaFailure("killed", "its script was unloaded while it was waiting"),
    );
  }

  /** Run a chunk as a program. */
  async main(
    script: WorkerScript,
    chunk: LuaChunk,
    scope: CallScope | undefined,
  ): Promise<MainResult> {
    script.expectOpen();
    const thread = this.live();
    const facts = scope && scopeFacts(scope);
    const work = { type: "main", scope: facts, chunk: crossing(chunk) } as const;
    const result = await thread.result<PostedResult>(script, work, scope, {
      // Now, not when this continues: the state can be lost before that.
      arrived: (arrived) => {
        if ("fields" in arrived) script.stateLost = false;
      },
    });
    if ("value" in result) return result;
    return { object: workerObject(thread, script, result, this.ports) };
  }

  /** A script that is not loaded yet. */
  script(source: LuaSource, runtime: RuntimeHooks): WorkerScript {
    const script = new WorkerScript(this, ++this.#count, source, runtime);
    this.#scripts.add(script);
    return script;
  }
}

/** Functions that a script on the worker thread returned; lost with their state or thread. */
function workerObject(
  thread: WorkerThread,
  script: WorkerScript,
  { fields, methods }: Extract<PostedResult, { fields: JsonObject }>,
  { limits }: LuaPorts,
): ScriptObjectState {
  const packed = (values: readonly unknown[]): Packed => {
    try {
      // As on the engine's thread: a cycle or too many levels, which the copy cuts off, are errors of the call.
      for (const value of values) if (value !== undefined) shownJson(value, "never");
      return new ContextWriter(limits.memoryBytes).pack(values);
    } catch (thrown) {
      throw new LuaFailure("error", refusal(thrown));
    }
  };
  const object: ScriptObjectState = {
    fields,
    methods: new Set(methods),
    get lost() {
      return thread.death !== undefined || script.stateLost;
    },
    async call(method, values, { scope, signal }) {
      expectCallable(object, method, signal);
      const args = packed(values);
      const work = { type: "call", scope: scopeFacts(scope), method, args } as const;
      return thread.result<Json | undefined>(script, work, scope, { signal });
    },
  };
  return object;
}
