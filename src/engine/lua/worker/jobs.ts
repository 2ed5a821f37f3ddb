import { messageOf, OrcsError } from "../../../core/index.ts";
import type { CallScope } from "../../../core/index.ts";
import type { LuaFailure } from "../state.ts";
import { ContextWriter, TooLarge } from "./context-copy.ts";
import type { PostedResult, ToWorker } from "./protocol.ts";
import type { WorkerScript } from "./worker-script.ts";

/** Work of a worker thread. */
export interface Job {
  readonly script: WorkerScript;
  /** The scope of its calls. */
  readonly scope: CallScope | undefined;
  /** Called when the thread is gone or the script was unloaded: no report will arrive. */
  lost(failure: LuaFailure): void;
}

/** Work with one result: loading a script or running a program. */
export class ResultJob<T> implements Job {
  readonly script: WorkerScript;
  readonly scope: CallScope | undefined;
  /** Rejects with a `LuaFailure`. */
  readonly result: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (failure: LuaFailure) => void;

  constructor(script: WorkerScript, scope?: CallScope) {
    this.script = script;
    this.scope = scope;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  done(value: T): void {
    this.#resolve(value);
  }

  lost(failure: LuaFailure): void {
    this.#reject(failure);
  }
}

/** The first load of a script. */
export class LoadJob<T> extends ResultJob<T> {}

/** A run of a program. */
export class MainJob extends ResultJob<PostedResult> {
  override done(result: PostedResult): void {
    // Now, not when the caller continues: the state can be lost before that.
    if ("fields" in result) this.script.stateLost = false;
    super.done(result);
  }
}

/** Calls that the worker waits for, made on the engine's thread. */
export class EngineCalls {
  readonly #post: (message: ToWorker) => void;
  readonly #maxBytes: number;
  readonly #running = new Map<number, AbortController>();

  /** @param maxBytes memory limit of a state: a larger result would not fit */
  constructor(post: (message: ToWorker) => void, maxBytes: number) {
    this.#post = post;
    this.#maxBytes = maxBytes;
  }

  /** Do it and post the result, unless the worker has given up meanwhile. */
  async make(call: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    this.#running.set(call, abort);
    let message: ToWorker;
    try {
      const answer = new ContextWriter(this.#maxBytes).pack(await work(abort.signal));
      message = { type: "answer", call, answer };
    } catch (thrown) {
      const code = thrown instanceof OrcsError ? thrown.code : undefined;
      message = { type: "refused", call, message: refusal(thrown), code };
    }
    if (this.#running.delete(call)) this.#post(message);
  }

  cancel(call: number): void {
    const abort = this.#running.get(call);
    this.#running.delete(call);
    abort?.abort();
  }

  close(): void {
    for (const call of this.#running.keys()) this.cancel(call);
  }
}

/** Why something was not sent to the worker, or failed. */
export function refusal(thrown: unknown): string {
  return thrown instanceof TooLarge
    ? "the value exceeds the script's memory limit"
    : messageOf(thrown);
}
