import { messageOf } from "../../core/errors.ts";
import type { CallScope } from "../../core/ports.ts";
import type { LuaFailure } from "../state.ts";
import { ContextWriter, TooLarge } from "./context-copy.ts";
import type { ToWorker } from "./protocol.ts";
import type { WorkerScript } from "./worker-script.ts";

/** Work that a worker thread was given. */
export interface Job {
  readonly script: WorkerScript;
  /** What its calls are bound to. */
  readonly scope: CallScope | undefined;
  /** The thread is gone, or the script was unloaded: there will be no report. */
  lost(failure: LuaFailure): void;
}

/** Work with one result: to load a script, or to run a program. */
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

/** Work that loads a script for the first time. */
export class LoadJob<T> extends ResultJob<T> {}

/** Calls that the worker waits for, as the engine's thread makes them. */
export class EngineCalls {
  readonly #post: (message: ToWorker) => void;
  readonly #maxBytes: number;
  readonly #running = new Map<number, AbortController>();

  /** @param maxBytes memory of a state: an answer that is larger would not fit */
  constructor(post: (message: ToWorker) => void, maxBytes: number) {
    this.#post = post;
    this.#maxBytes = maxBytes;
  }

  /** Do it and post the answer, unless the worker has given up on it by then. */
  async make(call: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    this.#running.set(call, abort);
    let message: ToWorker;
    try {
      const answer = new ContextWriter(this.#maxBytes).pack(await work(abort.signal));
      message = { type: "answer", call, answer };
    } catch (thrown) {
      message = { type: "refused", call, message: refusal(thrown) };
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

/** Why something did not cross to the worker, or came to nothing. */
export function refusal(thrown: unknown): string {
  return thrown instanceof TooLarge
    ? "the value exceeds the script's memory limit"
    : messageOf(thrown);
}
