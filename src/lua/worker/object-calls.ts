import type { CallScope } from "../../core/ports.ts";
import type { Json } from "../../core/json.ts";
import type { LoadedObject } from "../loaded-object.ts";
import { LuaFailure } from "../state.ts";
import { ContextReader } from "./context-copy.ts";
import type { ToWorker } from "./protocol.ts";

type CallMessage = Extract<ToWorker, { type: "call" }>;

/** The functions that scripts on the worker have returned, and the calls of them that are under way. */
export class ObjectCalls {
  readonly #objects = new Map<number, LoadedObject>();
  readonly #aborts = new Map<number, AbortController>();

  /** A script has returned functions, in place of those of its last life. */
  add(script: number, object: LoadedObject): void {
    this.#objects.set(script, object);
  }

  forget(script: number): void {
    this.#objects.delete(script);
  }

  /** Rejects with what the call throws. */
  async call(
    { job, script, method, args }: CallMessage,
    scope: CallScope,
  ): Promise<Json | undefined> {
    const object = this.#objects.get(script);
    if (!object) throw new LuaFailure("killed", "its script was unloaded");
    const abort = new AbortController();
    this.#aborts.set(job, abort);
    try {
      const values = new ContextReader().unpack(args) as (Json | undefined)[];
      return await object.call(method, values, { scope, signal: abort.signal });
    } finally {
      this.#aborts.delete(job);
    }
  }

  abort(job: number): void {
    this.#aborts.get(job)?.abort();
  }
}
