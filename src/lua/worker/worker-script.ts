import type { Turn } from "../../core/hook.ts";
import type {
  LuaChunk,
  LuaHookSpec,
  LuaPorts,
  LuaSource,
  RuntimeHooks,
  ScriptRunner,
} from "../ports.ts";
import { LuaFailure } from "../state.ts";
import { TurnJob } from "./turn-job.ts";
import type { WorkerThread } from "./worker-thread.ts";

/** What a script on the worker needs of its layer. */
export interface WorkerScriptHome {
  readonly ports: LuaPorts;
  /** The thread to run on, started if there is none. */
  live(): WorkerThread;
  /** A hook of the script was registered. */
  bound(script: WorkerScript, hookId: string, identity: string): void;
}

/** A script whose state is on the worker thread: the runner of its hooks on this side. */
export class WorkerScript implements ScriptRunner {
  /** The number that identifies the script on both threads. */
  readonly number: number;
  readonly source: LuaSource;
  readonly requires = new Set<string>();
  readonly #home: WorkerScriptHome;
  readonly #runtime: RuntimeHooks;
  /** What its hooks are known by on any worker thread; those stated at run time live no longer than one. */
  readonly identities = new Map<string, string>();
  readonly #bySlot = new Map<number, string>();
  /** Whether the state of the functions that it returned is gone. */
  stateLost = false;
  #closed = false;
  /** Turns under way. */
  #running = 0;
  #retired: (() => void) | undefined;

  constructor(home: WorkerScriptHome, number: number, source: LuaSource, runtime: RuntimeHooks) {
    this.#home = home;
    this.number = number;
    this.source = { ...source, chunks: source.chunks.map(crossing) };
    this.#runtime = runtime;
  }

  /** The hooks that it stated when it was loaded. */
  loaded(specs: readonly LuaHookSpec[]): void {
    for (const { slot, identity } of specs) this.#bySlot.set(slot, identity);
  }

  bind(hookId: string, slot: number): void {
    const identity = this.#bySlot.get(slot) ?? "";
    this.identities.set(hookId, identity);
    this.#home.bound(this, hookId, identity);
  }

  owns(hookId: string): boolean {
    return this.identities.has(hookId);
  }

  /** @throws LuaFailure when its hooks cannot run any more */
  expectOpen(): void {
    if (this.#closed) throw new LuaFailure("killed", "its script was unloaded");
  }

  async run(turn: Turn): Promise<void> {
    const { ports } = this.#home;
    this.#running++;
    try {
      await new TurnJob(this, turn, ports, () => this.#home.live()).run();
    } finally {
      if (--this.#running === 0) this.#retired?.();
    }
  }

  /** Be told whenever nothing of it runs, from now on. */
  retire(idle: () => void): void {
    this.#retired = idle;
    if (this.#running === 0) idle();
  }

  /** A hook it states while it runs; returns its id. */
  addHook(spec: LuaHookSpec): string {
    this.#bySlot.delete(spec.slot);
    return this.#runtime.add(spec, this);
  }

  removeHook(id: string): boolean {
    return this.#runtime.remove(id, this);
  }

  /** From now on its hooks fail. */
  close(): void {
    this.#closed = true;
  }
}

/** A file's bytes may stand in a larger buffer, which would cross whole. */
export function crossing(chunk: LuaChunk): LuaChunk {
  const { code } = chunk;
  return typeof code === "string" ? chunk : { ...chunk, code: new Uint8Array(code) };
}
