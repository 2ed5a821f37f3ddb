import type { Json } from "../../core/json.ts";
import type { CallScope } from "../../core/ports.ts";
import { loadError } from "../load-error.ts";
import type {
  LoadedScript,
  LuaChunk,
  LuaHookSpec,
  LuaPorts,
  LuaSource,
  RuntimeHooks,
  ScriptLoader,
  ScriptRunner,
} from "../ports.ts";
import { LuaFailure } from "../state.ts";
import { ResultJob } from "./jobs.ts";
import { crossing, WorkerScript } from "./worker-script.ts";
import type { WorkerScriptHome } from "./worker-script.ts";
import { WorkerThread } from "./worker-thread.ts";

/**
 * Loads scripts into a VM on a worker thread: `[lua] isolation = "worker"`. Should anything in there
 * hang in spite of Lua's own limits, or crash, the thread is ended and what ran on it has failed; the
 * next hook starts another one, which loads the scripts again from source.
 */
export class WorkerLayer implements ScriptLoader, WorkerScriptHome {
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
    // Who closes the layer while it starts knows that it did.
    await ready.catch((thrown: unknown) => {
      if (!this.#closed) throw thrown;
    });
  }

  async load(source: LuaSource, runtime: RuntimeHooks): Promise<LoadedScript> {
    const runner = this.#script(source, runtime);
    const job = new ResultJob<readonly LuaHookSpec[]>(runner);
    try {
      const script = runner.number;
      this.live().begin(job, (number) => ({ type: "load", job: number, script }));
      const specs = await job.result;
      runner.loaded(specs);
      return { runner, specs };
    } catch (thrown) {
      this.unload(runner);
      throw loadError(thrown, source);
    }
  }

  async run(
    chunk: LuaChunk,
    source: Omit<LuaSource, "chunks">,
    scope: CallScope,
    runtime: RuntimeHooks,
  ): Promise<Json | undefined> {
    const runner = this.#script({ ...source, chunks: [] }, runtime);
    const job = new ResultJob<Json | undefined>(runner, scope);
    try {
      const script = runner.number;
      const { depth } = scope;
      this.live().begin(job, (number) => ({
        type: "main",
        job: number,
        script,
        depth,
        chunk: crossing(chunk),
      }));
      return await job.result;
    } catch (thrown) {
      throw loadError(thrown, { ...source, chunks: [chunk] });
    }
  }

  live(): WorkerThread {
    if (this.#closed) throw new LuaFailure("killed", "its script was unloaded");
    if (!this.#thread || this.#thread.death) this.#thread = new WorkerThread(this.ports);
    return this.#thread;
  }

  bound(script: WorkerScript, hookId: string, identity: string): void {
    this.#thread?.bind(script, hookId, identity);
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
    await this.#thread?.close(new LuaFailure("killed", "its script was unloaded while it waited"));
  }

  #script(source: LuaSource, runtime: RuntimeHooks): WorkerScript {
    const script = new WorkerScript(this, ++this.#count, source, runtime);
    this.#scripts.add(script);
    return script;
  }
}
