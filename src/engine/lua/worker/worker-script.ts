import type { LuaChunk, LuaSource, Turn } from "../../../core/index.ts";
import type { LuaHookSpec, RuntimeHooks, ScriptRunner } from "../ports.ts";
import { LuaFailure } from "../state.ts";
import { TurnJob } from "./turn-job.ts";
import type { WorkerLayer } from "./worker-layer.ts";

/** A script whose state is on the worker thread: the runner of its hooks on this side. */
export class WorkerScript implements ScriptRunner {
  /** Identifies the script on both threads. */
  readonly number: number;
  readonly source: LuaSource;
  readonly requires = new Set<string>();
  readonly #layer: WorkerLayer;
  readonly #runtime: RuntimeHooks;
  /** Identities of its hooks on any worker thread; those registered at run time live as long as the thread. */
  readonly identities = new Map<string, string>();
  readonly #bySlot = new Map<number, string>();
  /** Whether the state of the functions that it returned is lost. */
  stateLost = false;
  #closed = false;
  /** Number of running turns. */
  #running = 0;
  #retired: (() => void) | undefined;

  constructor(layer: WorkerLayer, number: number, source: LuaSource, runtime: RuntimeHooks) {
    this.#layer = layer;
    this.number = number;
    this.source = { ...source, chunks: source.chunks.map(crossing) };
    this.#runtime = runtime;
  }

  /** The hooks it stated when it was loaded. */
  loaded(specs: readonly LuaHookSpec[]): void {
    for (const { slot, identity } of specs) this.#bySlot.set(slot, identity);
  }

  bind(hookId: string, slot: number): void {
    const identity = this.#bySlot.get(slot) ?? "";
    this.identities.set(hookId, identity);
    this.#layer.bound(this, hookId, identity);
  }

  owns(hookId: string): boolean {
    return this.identities.has(hookId);
  }

  /** @throws LuaFailure when its hooks can no longer run */
  expectOpen(): void {
    if (this.#closed) throw new LuaFailure("killed", "its script was unloaded");
  }

  async run(turn: Turn): Promise<void> {
    this.#running++;
    try {
      await new TurnJob(this, turn, this.#layer).run();
    } finally {
      if (--this.#running === 0) this.#retired?.();
    }
  }

  /** Set a callback for whenever nothing of it runs. */
  retire(idle: () => void): void {
    this.#retired = idle;
    if (this.#running === 0) idle();
  }

  /** A hook registered at run time; returns its id. */
  addHook(spec: LuaHookSpec): string {
    this.#bySlot.delete(spec.slot);
    return this.#runtime.add(spec, this);
  }

  removeHook(id: string): boolean {
    return this.#runtime.remove(id, this);
  }

  /** Its hooks fail from now on. */
  close(): void {
    this.#closed = true;
  }
}

/** The bytes of a file may be in a larger buffer, which would be sent as a whole. */
export function crossing(chunk: LuaChunk): LuaChunk {
  const { code } = chunk;
  return typeof code === "string" ? chunk : { ...chunk, code: new Uint8Array(code) };
}
